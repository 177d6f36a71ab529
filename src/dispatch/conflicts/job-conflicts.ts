import type DataLoader from 'dataloader';
import { Field, ID, ObjectType } from 'type-graphql';
import { type ComplianceIssueType, type CompliantAs, lackAt, lacksOf } from '../../directory/compliance/issues.ts';
import { RateOwnerType as Owners, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import type { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { firstKnown } from '../../platform/database/first-known.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { dayStartSql } from '../../platform/database/time/day-start.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { wirePath } from '../../platform/model/names.ts';
import { loaderOf } from '../../platform/read/loader.ts';
import { ofOrderAtSites } from '../access/at-sites.ts';
import { jobOfPerson } from '../access/own-work.sql.ts';
import { trucksOfDay } from '../assignment/subcontract.ts';
import { type CountedPlan, counted, mismatchesOf, wordsOf } from '../checks/unit-mismatch.ts';
import { unitsOfType } from '../checks/unit-mismatches.ts';
import { unitOfRate } from '../checks/units.ts';
import { typeSql } from '../pricing/rate-statement.ts';

export const ConflictSeverity = stringEnum('ConflictSeverity', ['blocking', 'warning']);
export type ConflictSeverity = keyof typeof ConflictSeverity;

/** A conflict of a plan. */
@ObjectType({ simpleResolvers: true })
export class PlanConflict {
  /** Stays the same in every language. */
  @Field(() => String) code!: string;
  @Field(() => ConflictSeverity, { description: 'A write with a blocking conflict is refused.' }) severity!: ConflictSeverity;
  @Field(() => String) model!: string;
  /** Spelled as in REST. */
  @Field(() => String) field!: string;
  @Field(() => String) message!: string;
  @Field(() => ID, { nullable: true, description: 'The other job, the site or the truck that the conflict is about.' }) relatedId!:
    | string
    | null;
}

interface Named {
  id: string;
  name: string;
}
interface Row {
  id: string;
  company_id: string;
  load_unit: UnitOfMeasure | null;
  material_unit: UnitOfMeasure | null;
  capacity_units: UnitOfMeasure[] | null;
  customer_rate: RateType | null;
  vendor_rate: RateType | null;
  driver_rate: RateType | null;
  cards_of_others: (Named & { side: RateOwnerType })[] | null;
  driver_jobs: Named[] | null;
  truck_jobs: Named[] | null;
  driver_gone: string | null;
  vendors_gone: string[] | null;
  driver_off: boolean;
  vendor_off: boolean;
  vendors_full: { id: string; name: string; count: number }[] | null;
  inactive_truck: string | null;
  truck_gone: string | null;
  inactive_sites: (Named & { gone: boolean })[] | null;
  documents: { id: string; name: string; kind: CompliantAs; document: string; type: ComplianceIssueType }[] | null;
}

/** The field that names the person, truck or vendor whose compliance documents are checked. */
const FIELD_OF: Record<CompliantAs, string> = {
  internal_driver: 'driver_id',
  shared_driver: 'driver_id',
  equipment: 'equipment_id',
  vendor: 'vendor_id',
};

/** Jobs that still need their driver and truck. */
const OPEN = `('created', 'assigned', 'sent', 'accepted', 'to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded', 'load_completed')`;
/** Minutes of a job without a planned duration: enough to notice two jobs in the same hour. */
const UNPLANNED = 60;
/** Hours before now in which a job that is still running may have begun. */
const LONGEST = 24;
/**
 * The most other jobs of a driver's or truck's day that are compared: those that start last before the job's end, in the order of their
 * index. No plan has more of them, and each costs time for each requested job. The lower bound of the start is compared in one row
 * comparison with the driver or truck, which means the same: with two bounds on one column, PostgreSQL expects so few rows that it reads
 * and sorts all of them for each job.
 */
const LOOKED_AT = 100;
const minutes = (j: string, o: string) => `coalesce(${j}.job_time, ${o}.job_time, ${UNPLANNED}) * interval '1 minute'`;

const busy = (column: 'driver_id' | 'equipment_id') => `(
  select json_agg(json_build_object('id', b.id, 'name', b.job_id) order by b.job_start_at, b.id)
  from (
    select * from job n where n.${column} = j.${column} and n.id <> j.id and n.state in ${OPEN}
      and n.job_start_at < j.job_start_at + ${minutes('j', 'o')}
      and (n.${column}, n.job_start_at) > (j.${column}, j.job_start_at - interval '${LONGEST} hours')
    order by n.job_start_at desc limit ${LOOKED_AT}
  ) b join orders bo on bo.id = b.order_id
  where b.job_start_at + ${minutes('b', 'bo')} > j.job_start_at
    and ($2::uuid is null or ${jobOfPerson('b', '$2::uuid')})
    and ($4::uuid[] is null or ${ofOrderAtSites('b.order_id', '$4::uuid[]')}))`;
const off = (column: string, whose: string) =>
  `exists (select from scheduled_time_off t where t.${column} = ${whose} and t.start_date <= j.job_start_at and (t.end_date is null or t.end_date > j.job_start_at))`;

/** The moment at which compliance documents must be valid: today's job requires them now. */
const BY = 'greatest(present_time(), j.job_start_at)';
const complianceDocuments = `(
  select json_agg(json_build_object('id', s.id, 'name', s.name, 'kind', s.kind, 'document', t.name, 'type', ${lackAt(BY)}) order by s.kind, lower(t.name))
  from (
    select case when u.company_id = j.company_id then 'internal_driver' else 'shared_driver' end as kind, u.id, trim(u.first_name || ' ' || u.last_name) as name
      from app_user u where u.id = j.driver_id
    union all select 'equipment', e.id, e.name where e.id is not null
    union all select 'vendor', v.id, v.name from job_assignment a join account v on v.id = a.vendor_account_id
      where a.job_id = j.id and a.customer_company_id = j.company_id) s
  ${lacksOf('s', 'j.company_id', BY)})`;

/**
 * The rate cards that price the job but belong to a customer, vendor or driver that the job does not have (DOMAIN 3.3). A bare value goes
 * before a rate card.
 */
const rateCardsOfOthers = `(
  select json_agg(json_build_object('id', k.id, 'name', k.name, 'side', k.side) order by k.side)
  from (values
    ('customer', cr.id, cr.name, j.customer_rate_value, cr.account_id, o.account_id),
    ('vendor', vr.id, vr.name, j.vendor_rate_value, vr.account_id,
      (select a.vendor_account_id from job_assignment a where a.job_id = j.id and a.customer_company_id = j.company_id order by a.link limit 1)),
    ('driver', dr.id, dr.name, j.driver_rate_value, dr.driver_id, j.driver_id)) as k(side, id, name, bare, meant, party)
  where k.bare is null and k.meant <> k.party)`;

/** The beginning of the day on which a job starts, or of one so many days after it, in the time zone of its company. */
const DAY = (days: number) => dayStartSql(`(j.job_start_at at time zone c.time_zone)::date + ${days}`, 'c.time_zone');

const CONFLICTS = `select j.id, j.load_unit_of_measure as load_unit, j.material_rate_unit_of_measure as material_unit,
    j.company_id, array_append(${unitsOfType('y')}, j.equipment_type_gross_capacity_unit_of_measure) as capacity_units,
    ${typeSql('j.customer_rate_value', 'j.customer_rate_type', 'cr.type')} as customer_rate, ${typeSql('j.vendor_rate_value', 'j.vendor_rate_type', 'vr.type')} as vendor_rate,
    ${typeSql('j.driver_rate_value', 'j.driver_rate_type', 'dr.type')} as driver_rate,
    ${rateCardsOfOthers} as cards_of_others,
    ${busy('driver_id')} as driver_jobs, ${busy('equipment_id')} as truck_jobs,
    (select trim(u.first_name || ' ' || u.last_name) from app_user u where u.id = j.driver_id and u.discarded_at is not null) as driver_gone,
    (select json_agg(v.name order by a.link) from job_assignment a join account v on v.id = a.vendor_account_id
      where a.job_id = j.id and j.driver_id is null and a.customer_company_id = any($3::uuid[]) and v.discarded_at is not null) as vendors_gone,
    ${off('user_id', 'j.driver_id')} as driver_off,
    exists (select from job_assignment a where a.job_id = j.id and a.customer_company_id = any($3::uuid[]) and ${off('account_id', 'a.vendor_account_id')}) as vendor_off,
    (select json_agg(json_build_object('id', v.id, 'name', v.name, 'count', v.truck_count) order by a.link)
      from job_assignment a join account v on v.id = a.vendor_account_id join company c on c.id = j.company_id
      cross join lateral (select ${DAY(0)} as start, ${DAY(1)} as until offset 0) d
      where a.job_id = j.id and a.customer_company_id = any($3::uuid[]) and v.truck_count > 0 and not j.state = any(array['created', 'rejected'])
        and ${trucksOfDay('v.id', 'd.start', 'd.until')} > v.truck_count) as vendors_full,
    case when e.discarded_at is not null then coalesce(e.name, e.equipment_id::text) end as truck_gone,
    case when e.state = 'inactive' and e.discarded_at is null then e.id end as inactive_truck,
    (select json_agg(distinct jsonb_build_object('id', s.id, 'name', s.name, 'gone', s.discarded_at is not null)) from waypoint w join site s on s.id = w.site_id
      where w.route_id = j.route_id and (s.state = 'inactive' or s.discarded_at is not null)) as inactive_sites,
    ${complianceDocuments} as documents
  from job j join orders o on o.id = j.order_id
  left join equipment e on e.id = j.equipment_id left join equipment_type y on y.id = ${firstKnown('e.equipment_type_id', 'o.equipment_type_id')}
  left join rate cr on cr.id = j.customer_rate_id left join rate vr on vr.id = j.vendor_rate_id left join rate dr on dr.id = j.driver_rate_id
  where j.id = any($1) and j.state in ${OPEN}`;

/** Loads the conflicts of jobs, of many jobs in one statement. Finished jobs have none. */
export function conflictsOf(ctx: Context): DataLoader<string, PlanConflict[]> {
  return loaderOf(ctx, 'jobConflicts', async (ids) => {
    // The conflict names the other job by its number. A viewer who reads own records only, or those at some sites, sees the numbers of
    // these only.
    const { id, ownRecordsOnly, companyIds, siteIds } = viewerOf(ctx);
    const values = [ids, ownRecordsOnly ? id : null, companyIds, siteIds ?? null];
    const rows = await queryOf<Row>(ctx, CONFLICTS, values);
    const byId = new Map(rows.map((row) => [row.id, describeConflict(ctx, row)]));
    return ids.map((id) => byId.get(id) ?? []);
  });
}

function describeConflict(ctx: Context, row: Row): PlanConflict[] {
  const found: PlanConflict[] = [];
  const report = (code: string, field: string, relatedId: string | null = null, params: Record<string, string> = {}) =>
    found.push({ code, severity: 'warning', model: 'Job', field, message: translate(ctx.language, code, params), relatedId });
  for (const { id, name } of row.driver_jobs ?? []) report('driver_double_booked', 'driver_id', id, { other: name });
  for (const { id, name } of row.truck_jobs ?? []) report('truck_double_booked', 'equipment_id', id, { other: name });
  if (row.driver_gone) report('driver_gone', 'driver_id', null, { name: row.driver_gone });
  for (const name of row.vendors_gone ?? []) report('vendor_gone', 'vendor_id', null, { name });
  if (row.driver_off) report('driver_off', 'driver_id');
  if (row.vendor_off) report('vendor_off', 'vendor_id');
  for (const { id, name, count } of row.vendors_full ?? []) report('vendor_day_full', 'vendor_id', id, { name, count: String(count) });
  if (row.truck_gone) report('truck_gone', 'equipment_id', null, { name: row.truck_gone });
  if (row.inactive_truck) report('truck_out_of_service', 'equipment_id', row.inactive_truck);
  for (const { id, name, gone } of row.inactive_sites ?? []) report(gone ? 'site_gone' : 'site_not_active', 'waypoints', id, { name });
  // Which documents the job's company requires, and of whom, is visible to that company only.
  const isOwn = viewerOf(ctx).companyIds.includes(row.company_id);
  if (isOwn && viewerOf(ctx).can('compliance_read'))
    for (const { id, name, kind, document, type } of row.documents ?? [])
      report(`compliance_${type}`, FIELD_OF[kind], id, { name, document });
  const sides = sidesOf(ctx, row);
  for (const { side, id, name } of row.cards_of_others ?? [])
    if (sides.includes(side)) report('card_of_another', `${side}_rate_id`, id, { name });
  for (const mismatch of mismatchesOf(planOf(isOwn ? row : { ...row, material_unit: null }, sides))) {
    const [field] = mismatch.part.fields;
    report('unit_mismatch', wirePath(field), null, wordsOf(mismatch));
  }
  return found;
}

/** Returns the sides whose rates the viewer sees: those of their own company, as far as permitted. */
function sidesOf(ctx: Context, row: Row): RateOwnerType[] {
  const viewer = viewerOf(ctx);
  return viewer.companyIds.includes(row.company_id) ? Object.values(Owners).filter((side) => viewer.can(`view_${side}_rates`)) : [];
}

/** Returns the units that have to agree, with the rates of these sides. */
const planOf = (row: Row, sides: readonly RateOwnerType[]): CountedPlan => ({
  load: counted(['loadUnitOfMeasure'], row.load_unit),
  material: counted(['materialRateUnitOfMeasure'], row.material_unit),
  capacity: counted(['equipmentTypeGrossCapacityUnitOfMeasure'], ...(row.capacity_units ?? [])),
  rates: Object.fromEntries(sides.map((side) => [side, counted([`${side}RateType`], unitOfRate(row[`${side}_rate`]))])),
});
