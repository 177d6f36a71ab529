import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { defineFilters, defineSearchText, defineSorts } from '../../platform/read/grammar.ts';
import { AsOf, UpdatedSince } from '../../platform/read/time-range.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { CompanyType } from '../companies/company-enums.ts';
import { departments } from '../master-data/department-filter.ts';
import { discardedFilter } from '../master-data/discarded-filter.ts';
import { Account, AccountType } from './account.entity.ts';

const optional = { nullable: true };

export const AccountConnection = connectionOf('Account', () => Account);

@InputType()
class ConnectedCompanyFilter {
  @Field(() => [CompanyType], optional) companyTypes?: CompanyType[] | null;
}

@InputType()
export class AccountFilter {
  @Field(() => [AccountType], optional) accountTypes?: AccountType[] | null;
  @Field(() => [String], { nullable: true, description: 'Department ids; `none` finds accounts without one.' }) departmentIds?:
    | string[]
    | null;
  @Field(() => ConnectedCompanyFilter, optional) connectedCompany?: ConnectedCompanyFilter | null;
  @Field(() => Boolean, { nullable: true, description: 'Whether material prices were agreed with them.' })
  materialRates?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'Whether add-ons are added to their work automatically.' }) autoAddOns?:
    | boolean
    | null;
  @Field(() => [ID], { nullable: true, description: 'Accounts with any of these labels.' }) labelIds?: string[] | null;
  @Field(() => Boolean, { nullable: true, description: 'Discarded accounts instead of the others.' }) discarded?: boolean | null;
}

@InputType()
export class AccountTypeaheadFilter {
  @UpdatedSince() updatedSince?: Date | null;
  @Field(() => [AccountType], optional) accountTypes?: AccountType[] | null;
  @Field(() => Boolean, { nullable: true, description: 'True for accounts whose company uses the platform, false for the others.' })
  connected?: boolean | null;
  @Field(() => LocalDate, {
    nullable: true,
    description: 'Without accounts that are off at some time of this day; if it is today, in the rest of it.',
  })
  date?: string | null;
}

@InputType()
export class AccountSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, optional) name?: SortDirection | null;
}

@InputType()
export class AccountSearch {
  @Field(() => String, optional) datagrid?: string | null;
  @Field(() => String, optional) query?: string | null;
}

@ArgsType()
export class AccountTypeaheadArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => AccountTypeaheadFilter, optional) filter?: AccountTypeaheadFilter | null;
  @Field(() => AccountSearch, optional) search?: AccountSearch | null;
}

@ArgsType()
export class AccountListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => AccountFilter, optional) filter?: AccountFilter | null;
  @Field(() => AccountSort, optional) sort?: AccountSort | null;
  @Field(() => AccountSearch, optional) search?: AccountSearch | null;
  @AsOf() asOf?: Date | null;
}

export const accountFilters = defineFilters(Account, {
  accountTypes: { sql: (t, p) => `${t}.account_types && ${p}`, cast: 'text[]' },
  discarded: discardedFilter,
  departmentIds: departments,
  labelIds: { sql: (t, p) => `${t}.label_ids && ${p}`, cast: 'uuid[]' },
  'connectedCompany.companyTypes': {
    sql: (t, p) => `exists (select 1 from company c where c.id = ${t}.connected_company_id and c.company_type = any(${p}))`,
    cast: 'text[]',
  },
  connected: { sql: (t, p) => `(${t}.connected_company_id is not null) = ${p}`, cast: 'boolean' },
});
export const accountSorts = defineSorts(Account, { name: { sql: (t) => `lower(${t}.name)`, cast: 'text' } });
export const accountSearchText = defineSearchText(Account, 'account');
