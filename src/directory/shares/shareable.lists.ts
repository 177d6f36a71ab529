import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { defineFilters, defineSearchText, defineSorts, type FilterSpec } from '../../platform/read/grammar.ts';
import { AsOf, UpdatedSince } from '../../platform/read/time-range.ts';
import { Equipment } from '../equipment/equipment.entity.ts';
import { ActivityState } from '../master-data/activity-state.ts';
import { departments } from '../master-data/department-filter.ts';
import { Site, SiteType } from '../sites/site.entity.ts';
import { stillValid } from './shared-with.ts';

const optional = { nullable: true };

export const EquipmentConnection = connectionOf('Equipment', () => Equipment);

@InputType()
class SharedFilter {
  @Field(() => Boolean, { nullable: true, description: 'True: only records that other companies share; false: only your own.' })
  shared?: boolean | null;
  @Field(() => [ID], { nullable: true, description: 'Only records that these companies share.' }) senderCompanyIds?: string[] | null;
}

@InputType()
export class EquipmentFilter extends SharedFilter {
  @Field(() => Boolean, {
    nullable: true,
    description: 'True: only equipment that work may be planned with: your own active equipment, and shared equipment that permits it.',
  })
  dispatchable?: boolean | null;
  @Field(() => [ID], optional) equipmentTypeIds?: string[] | null;
  @Field(() => [ID], { nullable: true, description: 'Equipment with any of these labels.' }) labelIds?: string[] | null;
}

@InputType()
export class SiteFilter extends SharedFilter {
  @Field(() => [SiteType], optional) siteTypes?: SiteType[] | null;
  @Field(() => [String], { nullable: true, description: 'Department ids; `none` finds sites without one.' }) departmentIds?:
    | string[]
    | null;
  @Field(() => [ActivityState], optional) states?: ActivityState[] | null;
}

@InputType()
export class NamedSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, optional) name?: SortDirection | null;
}

@InputType()
export class ShareableSearch {
  @Field(() => String, optional) datagrid?: string | null;
  @Field(() => String, optional) query?: string | null;
}

@ArgsType()
class ShareableTypeaheadArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ShareableSearch, optional) search?: ShareableSearch | null;
}

@ArgsType()
class ShareableListArgs extends ShareableTypeaheadArgs {
  @Field(() => NamedSort, optional) sort?: NamedSort | null;
}

@ArgsType()
export class EquipmentListArgs extends ShareableListArgs {
  @Field(() => EquipmentFilter, optional) filter?: EquipmentFilter | null;
}

/** Of a list that may be read as it was. */
@ArgsType()
export class EquipmentListAsOfArgs extends EquipmentListArgs {
  @AsOf() asOf?: Date | null;
}

@ArgsType()
export class EquipmentTypeaheadArgs extends ShareableTypeaheadArgs {
  @Field(() => EquipmentFilter, optional) filter?: EquipmentFilter | null;
}

@ArgsType()
export class SiteListArgs extends ShareableListArgs {
  @Field(() => SiteFilter, optional) filter?: SiteFilter | null;
  @AsOf() asOf?: Date | null;
}

@InputType()
class SiteTypeaheadFilter {
  @UpdatedSince() updatedSince?: Date | null;
  @Field(() => [ActivityState], optional) states?: ActivityState[] | null;
  @Field(() => [SiteType], optional) siteTypes?: SiteType[] | null;
}

@ArgsType()
export class SiteTypeaheadArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ShareableSearch, optional) search?: ShareableSearch | null;
  @Field(() => SiteTypeaheadFilter, optional) filter?: SiteTypeaheadFilter | null;
}

/**
 * Returns the filters of records that can be shared; the company of the list decides what is shared there. @param usable when work may be
 * planned with the company's own records
 */
export const shareFilters = (usable: (t: string) => string): Record<string, FilterSpec> => ({
  shared: {
    sql: (t, p) => `(${t}.company_id <> (${p})[1]::uuid) = ((${p})[2] = 'true')`,
    cast: 'text[]',
    value: ofList,
  },
  expiring: {
    sql: (t, p) => `${given(t, `(${p})[1]::uuid`, 's.valid_until is not null')} = ((${p})[2] = 'true')`,
    cast: 'text[]',
    value: ofList,
  },
  dispatchable: {
    sql: (t, p) =>
      `((${t}.company_id = (${p})[1]::uuid and ${usable(t)}) or ${given(t, `(${p})[1]::uuid`, 's.plannable')}) = ((${p})[2] = 'true')`,
    cast: 'text[]',
    value: ofList,
  },
  senderCompanyIds: {
    sql: (t, p) => given(t, `(${p})[1]`, `s.sender_company_id = any((${p})[2:])`),
    cast: 'uuid[]',
    value: (senders, _ctx, companyId) => [companyId, ...(senders as string[])],
  },
  senderCompanyTypes: {
    sql: (t, p) =>
      given(t, `(${p})[1]::uuid`, `exists (select 1 from company c where c.id = s.sender_company_id and c.company_type = any((${p})[2:]))`),
    cast: 'text[]',
    value: (types, _ctx, companyId) => [companyId, ...(types as string[])],
  },
});

const ofList: FilterSpec['value'] = (wanted, _ctx, companyId) => [companyId, String(wanted)];
const given = (t: string, company: string, condition: string): string =>
  `exists (select 1 from company_share s where s.company_shareable_id = ${t}.id and s.receiver_company_id = ${company} and ${stillValid('s')} and ${condition})`;
const ownerFilters = shareFilters((t) => `${t}.state = 'active'`);

export const equipmentFilters = defineFilters(Equipment, {
  ...ownerFilters,
  equipmentTypeIds: { sql: (t, p) => `${t}.equipment_type_id = any(${p})`, cast: 'uuid[]' },
  labelIds: { sql: (t, p) => `${t}.label_ids && ${p}`, cast: 'uuid[]' },
  states: { sql: (t, p) => `${t}.state = any(${p})`, cast: 'text[]' },
});
export const siteFilters = defineFilters(Site, {
  ...ownerFilters,
  departmentIds: departments,
  siteTypes: { sql: (t, p) => `${t}.site_type = any(${p})`, cast: 'text[]' },
});
export const equipmentSorts = defineSorts(Equipment, { name: { sql: (t) => `lower(${t}.name)`, cast: 'text' } });
/** DOMAIN section 7: external_id, license_number, name. */
export const equipmentSearchText = defineSearchText(Equipment, 'equipment');
