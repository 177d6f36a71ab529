import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { AccountType } from '../../directory/accounts/account.entity.ts';
import { Rate, RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineFilters, defineSearch, defineSorts } from '../../platform/read/grammar.ts';
import { AsOf } from '../../platform/read/time-range.ts';
import { SearchInput } from '../fields/search.inputs.ts';

const optional = { nullable: true };
export const RateConnection = connectionOf('Rate', () => Rate);

@InputType()
export class RateFilter {
  @Field(() => ID, optional) accountId?: string | null;
  @Field(() => AccountType, { nullable: true, deprecationReason: 'Use ownerType.' }) accountType?: AccountType | null;
  @Field(() => RateOwnerType, optional) ownerType?: RateOwnerType | null;
  @Field(() => ID, optional) driverId?: string | null;
  @Field(() => ID, optional) equipmentId?: string | null;
  @Field(() => ID, optional) projectId?: string | null;
  @Field(() => ID, optional) serviceId?: string | null;
  @Field(() => ID, optional) serviceClassId?: string | null;
  @Field(() => ID, optional) equipmentTypeId?: string | null;
  @Field(() => Boolean, {
    nullable: true,
    description: 'True: in addition, rate cards that are for all accounts, drivers, projects and so on that the filter names.',
  })
  includeDefault?: boolean | null;
}

@ArgsType()
export class RateListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => RateFilter, optional) filter?: RateFilter | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
}

/** Of a list that may be read as it was. */
@ArgsType()
export class RateListAsOfArgs extends RateListArgs {
  @AsOf() asOf?: Date | null;
}

const ONES = { accountId: 'account_id', driverId: 'driver_id', serviceClassId: 'service_class_id', equipmentTypeId: 'equipment_type_id' };
const LISTS = { equipmentId: 'equipment_ids', projectId: 'project_ids', serviceId: 'service_ids' };
const ORS = 'OrDefault';

export const rateFilters = [
  ...Object.entries(ONES).map(([name, column]) =>
    defineFilters(Rate, {
      [name]: { sql: (t, p) => `${t}.${column} = ${p}`, cast: 'uuid' },
      [name + ORS]: { sql: (t, p) => `(${t}.${column} = ${p} or ${t}.${column} is null)`, cast: 'uuid' },
    }),
  ),
  ...Object.entries(LISTS).map(([name, column]) =>
    defineFilters(Rate, {
      [name]: { sql: (t, p) => `${p} = any(${t}.${column})`, cast: 'uuid' },
      [name + ORS]: { sql: (t, p) => `(${p} = any(${t}.${column}) or ${t}.${column} = '{}')`, cast: 'uuid' },
    }),
  ),
  defineFilters(Rate, {
    ownerType: { sql: (t, p) => `${t}.owner_type = ${p}`, cast: 'text' },
    accountType: { sql: (t, p) => `${t}.owner_type = ${p}`, cast: 'text' },
  }),
];
export const rateSearch = defineSearch(Rate, (t, p) => `fold(${t}.name) like fold(${p})`);
export const rateSorts = defineSorts(Rate, { name: { sql: (t) => `lower(${t}.name)`, cast: 'text' } });

/** Returns the filter in the form of the grammar: `includeDefault` widens the other filters. */
export function rateFilter(given: RateFilter | null | undefined): Record<string, unknown> {
  const { includeDefault, ...filter } = given ?? {};
  if (!includeDefault) return filter;
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name in ONES || name in LISTS ? name + ORS : name, value]));
}
