import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineFilters, defineSorts, type FilterSpec } from '../../platform/read/grammar.ts';
import { UpdatedSince } from '../../platform/read/time-range.ts';
import { specificity } from './material-price.ts';
import { MaterialRate } from './material-rate.entity.ts';

const optional = { nullable: true };
export const MaterialRateConnection = connectionOf('MaterialRate', () => MaterialRate);

@InputType()
export class MaterialRateFilter {
  @Field(() => ID, optional) customerAccountId?: string | null;
  @Field(() => Boolean, { nullable: true, description: 'Only prices for any project, site and customer.' }) defaultOnly?: boolean | null;
  @Field(() => [ID], optional) materialIds?: string[] | null;
  @Field(() => [ID], optional) projectIds?: string[] | null;
  @Field(() => [ID], optional) siteIds?: string[] | null;
}

@ArgsType()
export class MaterialRateListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => MaterialRateFilter, optional) filter?: MaterialRateFilter | null;
}

@ArgsType()
export class ProjectMaterialRateArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
}

@InputType()
export class MaterialRateTypeaheadFilter {
  @UpdatedSince() updatedSince?: Date | null;
  @Field(() => ID, optional) customerAccountId?: string | null;
  @Field(() => ID, optional) projectId?: string | null;
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => ID, optional) siteId?: string | null;
}

@InputType()
class SiteQuery {
  @Field(() => String, optional) query?: string | null;
}

@InputType()
export class MaterialRateSearch {
  @Field(() => SiteQuery, { nullable: true, description: 'Name of the site, or a part of it.' }) site?: SiteQuery | null;
}

@ArgsType()
export class MaterialRateTypeaheadArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => MaterialRateTypeaheadFilter, optional) filter?: MaterialRateTypeaheadFilter | null;
  @Field(() => MaterialRateSearch, optional) search?: MaterialRateSearch | null;
}

const among = (column: string): FilterSpec => ({ sql: (t, p) => `${t}.${column} = any(${p})`, cast: 'uuid[]' });
const fits = (column: string): FilterSpec => ({ sql: (t, p) => `(${t}.${column} = ${p} or ${t}.${column} is null)`, cast: 'uuid' });

export const supplierFilters = defineFilters(Account, {
  materialRates: {
    sql: (t, p) => `exists (select 1 from material_rate m where m.customer_account_id = ${t}.id and m.discarded_at is null) = ${p}`,
    cast: 'boolean',
  },
});
export const materialRateFilters = defineFilters(MaterialRate, {
  customerAccountId: { sql: (t, p) => `${t}.customer_account_id = ${p}`, cast: 'uuid' },
  defaultOnly: {
    sql: (t, p) => `(${t}.project_id is null and ${t}.site_id is null and ${t}.customer_account_id is null or not ${p})`,
    cast: 'boolean',
  },
  materialIds: among('material_id'),
  projectIds: among('project_id'),
  siteIds: among('site_id'),
  'fits.customerAccountId': fits('customer_account_id'),
  'fits.projectId': fits('project_id'),
  'fits.materialId': { sql: (t, p) => `${t}.material_id = ${p}`, cast: 'uuid' },
  'fits.siteId': fits('site_id'),
  /** `search[site][query]`: each word is a part of the site's name. */
  siteQuery: {
    sql: (t, p) => `exists (select 1 from site s where s.id = ${t}.site_id and not exists (
      select 1 from unnest(${p}) word where s.name not ilike word))`,
    cast: 'text[]',
  },
});
export const materialRateSorts = defineSorts(MaterialRate, { specificity: { sql: specificity, cast: 'int' } });
