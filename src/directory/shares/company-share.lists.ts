import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { defineFilters } from '../../platform/read/grammar.ts';
import { CompanyShare } from './company-share.entity.ts';
import { CompanyShareableType } from './shared-with.ts';

const optional = { nullable: true };

export const CompanyShareConnection = connectionOf('CompanyShare', () => CompanyShare);

@InputType()
export class CompanyShareFilter {
  @Field(() => ID, optional) senderCompanyId?: string | null;
  @Field(() => ID, optional) receiverCompanyId?: string | null;
  @Field(() => ID, {
    nullable: true,
    description: 'Shares with this company, in either direction; cannot be combined with the two filters above.',
  })
  betweenCompanyId?: string | null;
  @Field(() => CompanyShareableType, optional) companyShareableType?: CompanyShareableType | null;
  @Field(() => ID, optional) companyShareableId?: string | null;
}

@InputType()
export class CompanyShareSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
}

@ArgsType()
export class CompanyShareListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => CompanyShareFilter, optional) filter?: CompanyShareFilter | null;
  @Field(() => CompanyShareSort, optional) sort?: CompanyShareSort | null;
}

export const companyShareFilters = defineFilters(CompanyShare, {
  senderCompanyId: { sql: (t, p) => `${t}.sender_company_id = ${p}`, cast: 'uuid' },
  receiverCompanyId: { sql: (t, p) => `${t}.receiver_company_id = ${p}`, cast: 'uuid' },
  // One of the two sides is the company whose list it is.
  betweenCompanyId: { sql: (t, p) => `${p} in (${t}.sender_company_id, ${t}.receiver_company_id)`, cast: 'uuid' },
  companyShareableType: { sql: (t, p) => `${t}.company_shareable_type = ${p}`, cast: 'text' },
  companyShareableId: { sql: (t, p) => `${t}.company_shareable_id = ${p}`, cast: 'uuid' },
});
