import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Choice, Instant, One, RecordBase, stringEnum, Text, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import type { AccountingSystem } from './sources/systems.ts';
import { pictureUrl } from './sources/systems.ts';

export const LinkedAccountStatus = stringEnum(
  'LinkedAccountStatus',
  ['pending', 'unlinked', 'linked', 'invalid'],
  'States of a linked accounting system.',
);
export type LinkedAccountStatus = keyof typeof LinkedAccountStatus;

@ObjectType({ simpleResolvers: true, description: 'How an accounting system is shown.' })
export class AccountingSystemTheme {
  @Field(() => String, { description: 'The address of a square picture.' }) squareImage!: string;
}

@ObjectType({ simpleResolvers: true, description: 'An accounting system.' })
export class IntegrationSourceSystem {
  @Field(() => String, { description: 'How it is read: `file` or `http`.' }) slug!: string;
  @Field(() => String, { description: 'The name that it was given when it was set up.' }) name!: string;
  @Field(() => AccountingSystemTheme, { description: 'How it is shown.' }) theme!: AccountingSystemTheme;
}

/** A company's accounting system (BILLING B12). Its credentials are in `accounting_secret`, sealed. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'An accounting system of a company, whose records are mapped to ours.' })
export class LinkedAccount extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true, hidden: true }) system!: AccountingSystem;
  @Text({ required: true, hidden: true }) name!: string;
  /** Which system it is among the company's of one kind: its address, or its name. */
  @Text({ required: true, hidden: true }) sourceKey!: string;
  @Choice(() => LinkedAccountStatus, { required: true, description: 'Whether the system could be read.' })
  status: LinkedAccountStatus = 'pending';
  @Instant({ description: 'When its lists were last read to the end; null until then.' }) synchronizedAt?: Date | null;
  @Text({ description: 'Why its lists could not be read last; null if they could.' }) lastError?: string | null;
  @Instant({ hidden: true }) nextImportAt?: Date | null;
  @Whole({ required: true, hidden: true }) attempts: number = 0;
  @Whole({ required: true, hidden: true }) revision: number = 1;

  @Field(() => IntegrationSourceSystem, { description: 'Which system it is.' })
  @Computed({
    columns: ['system', 'name'],
    compute: ({ system, name }, application) => ({ slug: system, name, theme: { squareImage: pictureUrl(application, String(system)) } }),
  })
  integrationSourceSystem!: IntegrationSourceSystem;
}

export const linkedAccountSourceKey = defineUnique('linked_account_source_key', { model: 'LinkedAccount', field: 'publicToken' });
