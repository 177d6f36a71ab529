import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Choice, Flag, One, RecordBase, stringEnum, Text, Uuid } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import {
  AccountingCustomer,
  AccountingItem,
  AccountingLedgerAccount,
  AccountingVendor,
  IntegrationLedgerAccountType,
} from './accounting-records.ts';
import { LinkedAccount } from './linked-account.entity.ts';

export const IntegrationItemizableType = stringEnum('IntegrationItemizableType', ['AddOn', 'Service', 'LineItemType']);
export type IntegrationItemizableType = keyof typeof IntegrationItemizableType;

/** The fields that all records of accounting systems have. An import writes the fields of the system; the link to a record of ours stays. */
@ObjectType({ simpleResolvers: true })
export abstract class LinkedRecord extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => LinkedAccount, { required: true, description: 'The accounting system that it is of.' }) linkedAccount!: Ref<LinkedAccount>;
  @Text({ required: true, description: 'Its id in the accounting system.' }) externalKey!: string;
  /** Our external id, if the system keeps it. */
  @Text({ hidden: true }) externalId?: string | null;
  /** A person said what it is, or that it is nothing of ours: imports do not map it. */
  @Flag({ required: true, hidden: true }) mappedByHand: boolean = false;
}

@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A customer in an accounting system.' })
export class LinkedCustomer extends LinkedRecord {
  @Property({ type: 'json', columnType: 'jsonb' })
  @Field(() => AccountingCustomer, { description: 'The record as the accounting system has it.' })
  data!: AccountingCustomer;
  @One(() => Account, { description: 'The customer account that it is; null for none.' }) customerAccount?: Ref<Account> | null;
}

@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A vendor in an accounting system.' })
export class LinkedVendor extends LinkedRecord {
  @Property({ type: 'json', columnType: 'jsonb' })
  @Field(() => AccountingVendor, { description: 'The record as the accounting system has it.' })
  data!: AccountingVendor;
  @One(() => Account, { description: 'The vendor account that it is; null for none.' }) vendorAccount?: Ref<Account> | null;
}

@ObjectType({ simpleResolvers: true, description: 'The counterpart here of an item of an accounting system.' })
export class IntegrationItemizable {
  @Field(() => ID, { description: 'The id of the record.' }) id!: string;
  @Field(() => IntegrationItemizableType, { description: 'The kind of the record.' }) type!: IntegrationItemizableType;
  @Field(() => String, { description: 'The name of the record.' }) name!: string;
}

@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A product or service in an accounting system.' })
export class LinkedItem extends LinkedRecord {
  @Property({ type: 'json', columnType: 'jsonb' })
  @Field(() => AccountingItem, { description: 'The record as the accounting system has it.' })
  data!: AccountingItem;
  @Choice(() => IntegrationItemizableType, { hidden: true }) itemizableType?: IntegrationItemizableType | null;
  @Uuid({ hidden: true }) itemizableId?: string | null;

  @Field(() => IntegrationItemizable, { nullable: true, description: 'Its counterpart here; null if it has none.' })
  @Computed({
    sql: (t) => `(select json_build_object('id', ${t}.itemizable_id, 'type', ${t}.itemizable_type, 'name', coalesce(
        (select a.name from add_on a where a.id = ${t}.itemizable_id), (select s.name from service s where s.id = ${t}.itemizable_id),
        (select l.name from line_item_type l where l.id = ${t}.itemizable_id))) where ${t}.itemizable_id is not null)`,
  })
  integrationItemizable?: IntegrationItemizable | null;
}

@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'An account of the ledger of an accounting system that documents may be posted to.' })
export class LinkedLedgerAccount extends LinkedRecord {
  @Property({ type: 'json', columnType: 'jsonb' })
  @Field(() => AccountingLedgerAccount, { description: 'The record as the accounting system has it.' })
  data!: AccountingLedgerAccount;
  @Choice(() => IntegrationLedgerAccountType, { description: 'Its use; null if it has none.' })
  type?: IntegrationLedgerAccountType | null;
}

const taken = { key: 'mapped_already' };
export const linkedRecordKeys = [
  defineUnique('linked_customer_account_key', { model: 'LinkedCustomer', field: 'customerAccountId', ...taken }),
  defineUnique('linked_vendor_account_key', { model: 'LinkedVendor', field: 'vendorAccountId', ...taken }),
  defineUnique('linked_item_itemizable_key', { model: 'LinkedItem', field: 'integrationItemizableId', ...taken }),
];
