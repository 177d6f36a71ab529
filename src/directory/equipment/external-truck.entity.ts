import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { About } from '../../platform/model/about.ts';
import { Instant, One, RecordBase, Text } from '../../platform/model/columns.ts';
import { Single, Tenant } from '../../platform/model/decorators.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineFilters } from '../../platform/read/grammar.ts';
import { UpdatedSince } from '../../platform/read/time-range.ts';
import { Account } from '../accounts/account.entity.ts';
import { Company } from '../companies/company.entity.ts';
import { CompanyShare } from '../shares/company-share.entity.ts';
import { stillValid } from '../shares/shared-with.ts';
import { Equipment } from './equipment.entity.ts';

const optional = { nullable: true };

/** The name by which a vendor's tickets call one of the trucks. Tickets make it; people say which truck is meant. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class AccountExternalTruckIdentifier extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Account, { required: true }) account!: Ref<Account>;
  /** Null until somebody says which truck is meant. */
  @One(() => Equipment) equipment?: Ref<Equipment> | null;
  /** By which we have the truck, when it is the vendor's. */
  @One(() => CompanyShare) companyShare?: Ref<CompanyShare> | null;
  @Text({ required: true }) externalTruckId!: string;
  @Instant() lastTicketReceivedAt?: Date | null;

  /** Of a vendor that is a customer, too. */
  @Single(() => Account, { on: (a, x) => `${a}.id = ${x}.account_id and 'customer' = any(${a}.account_types)` })
  customerAccount?: Account | null;
}

export const ExternalTruckConnection = connectionOf('AccountExternalTruckIdentifier', () => AccountExternalTruckIdentifier);

@InputType()
class ExternalTruckFilter {
  @Field(() => ID, { nullable: true, description: 'Names used by this vendor.' }) accountId?: string | null;
  @Field(() => Boolean, {
    nullable: true,
    description: 'True: names that match no truck of your own and none that is shared with you now.',
  })
  missingCompanyShare?: boolean | null;
  @UpdatedSince() updatedSince?: Date | null;
}

@ArgsType()
export class ExternalTruckArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ExternalTruckFilter, optional) filter?: ExternalTruckFilter | null;
}

@InputType()
@About('AccountExternalTruckIdentifier')
export class UpdateExternalTruckInput {
  @Field(() => ID, { nullable: true, description: "The share of the vendor's truck that the name refers to; null for none." })
  companyShareId?: string | null;
}

/** The condition that a truck is found by the name `x`: a truck of the company, or one that is shared with it now. */
export const findsTruck = (x: string): string =>
  `exists (select 1 from equipment e where e.id = ${x}.equipment_id and e.discarded_at is null and (e.company_id = ${x}.company_id
    or exists (select 1 from company_share s where s.id = ${x}.company_share_id and ${stillValid('s')})))`;

export const accountExternalTruckIdentifierFilters = defineFilters(AccountExternalTruckIdentifier, {
  accountId: { sql: (t, p) => `${t}.account_id = ${p}`, cast: 'uuid' },
  missingCompanyShare: { sql: (t, p) => `(not ${findsTruck(t)}) = ${p}`, cast: 'boolean' },
});
