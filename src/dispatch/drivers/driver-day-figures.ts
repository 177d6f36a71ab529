import type DataLoader from 'dataloader';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { poolOf, type Query, queryIn } from '../../platform/database/sql.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { loaderOf } from '../../platform/read/loader.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { ofOrderAtSites } from '../access/at-sites.ts';
import { jobOfPerson } from '../access/own-work.sql.ts';
import { type DeliveredQuantity, deliveredJson, deliveries } from '../model/delivered.ts';
import type { ApprovedTotals, HoursOfCustomer, ShiftAdjustmentType, ShiftEndReason } from '../model/driver-day.entity.ts';
import { seenThereSql } from '../model/job-summary.ts';
import { type DayLimits, type DriverDayException, exceptionsOf, isStale } from '../shifts/exceptions.ts';
import { minutesUntil, type ShiftSpan, type ShiftTimes, type ShiftTotals, totalsOf } from '../shifts/shift-totals.ts';

@ObjectType({ simpleResolvers: true })
export class QuantityUnit {
  @Field(() => DecimalScalar) quantity!: string;
  @Field(() => UnitOfMeasure) unitOfMeasure!: UnitOfMeasure;
}

/** The quantity of a material that was delivered, in each unit. */
@ObjectType({ simpleResolvers: true })
export class MaterialDeliveredQuantity {
  @Field(() => ID) materialId!: string;
  @Field(() => [QuantityUnit]) unitQuantities!: QuantityUnit[];
}

/** Minutes of a shift up to now. */
@ObjectType({ simpleResolvers: true })
export class LiveMinutes {
  @Field(() => Int) onDuty!: number;
  @Field(() => Int) break!: number;
}

/** Counts and sums of the day's jobs that the viewer sees. */
interface Counts {
  jobsCount: number;
  loadsCount: number;
  ticketsCount: number;
  firstGeofenceEntryAt: string | null;
  lastGeofenceExitAt: string | null;
  firstTicketAt: string | null;
  lastTicketAt: string | null;
  totalGpsMinutes: number;
  totalDeliveredQuantities: MaterialDeliveredQuantity[];
  deliveredQuantities: DeliveredQuantity[];
  equipmentExternalIds: string[];
  travelledDistanceMeters: string | null;
  unmeasuredDistanceMeters: string | null;
}

/** Figures of a day. */
export interface DayFigures extends Counts {
  totals: ShiftTotals;
  live: LiveMinutes;
  exceptions: DriverDayException[];
}

/** The times of a day, and the totals that were approved of it. */
interface Times {
  id: string;
  spans: ShiftSpan[];
  startedAt: number | null;
  endedAt: number | null;
  endReason: ShiftEndReason | null;
  adjustedStart: number | null;
  adjustedEnd: number | null;
  adjustmentMinutes: number;
  adjustmentType: ShiftAdjustmentType | null;
  /** Whether its company pays for breaks. */
  breaksPaid: boolean;
  approvedTotals: ApprovedTotals | null;
}

interface Row extends Counts, Times {
  own: boolean;
  /** The hours that the reader's company approved of a day of another company. */
  customerTotals: HoursOfCustomer | null;
  limits: DayLimits;
  firstPlanned: number | null;
  lastDone: number | null;
  firstSeen: number | null;
  workedAfterApproval: boolean;
  measuredAfterApproval: boolean;
  loggedMinutes: number;
  tracked: boolean;
  clockSkewed: boolean;
}

/** The figures of a day that has not begun. */
const NOTHING: DayFigures = {
  ...{ jobsCount: 0, loadsCount: 0, ticketsCount: 0, totalGpsMinutes: 0 },
  ...{
    firstGeofenceEntryAt: null,
    lastGeofenceExitAt: null,
    firstTicketAt: null,
    lastTicketAt: null,
    travelledDistanceMeters: null,
    unmeasuredDistanceMeters: null,
  },
  ...{ totalDeliveredQuantities: [], deliveredQuantities: [], equipmentExternalIds: [], exceptions: [] },
  totals: { onDuty: null, break: 0, shift: null, payable: null },
  live: { onDuty: 0, break: 0 },
};

/**
 * Loads the figures of days by id, batched for each request, in one statement. The times are those of the whole shift; what is counted are
 * the jobs that the viewer sees. Approved totals stay as they were approved, for each company those that it approved. Only the driver's company learns
 * what is odd about a day, and what of it is paid; a customer learns that the hours are not those any more that it approved.
 */
export function dayFigures(ctx: Context): DataLoader<string, DayFigures> {
  return loaderOf(ctx, 'dayFigures', async (ids) => {
    const { id, companyIds, ownRecordsOnly, siteIds } = viewerOf(ctx);
    const pool = await poolOf(ctx.em);
    const { rows } = await withPartnerVisibility(() =>
      pool.query<{ data: Row }>({
        name: 'day-figures',
        text: FIGURES,
        values: [ids, companyIds, ownRecordsOnly ? id : null, siteIds ?? null],
      }),
    );
    const found = new Map(rows.map(({ data }) => [data.id, figuresOf(data)]));
    return ids.map((day) => found.get(day) ?? NOTHING);
  });
}

/** The totals of a day as its spans give them, whatever was approved; call with the day locked and flushed. */
export const computedTotals = async (em: Parameters<typeof queryIn>[0], id: string): Promise<ShiftTotals> =>
  totalsOf(timesOf(await timesOfDay(em, id)));

/** The same, to be kept with an approval: with what is paid of it. A day that is approved already is paid as it was when that was done. */
export async function totalsToApprove(em: Parameters<typeof queryIn>[0], id: string): Promise<ApprovedTotals> {
  const times = timesOf(await timesOfDay(em, id));
  return { ...(totalsOf(times) as ApprovedTotals), breaksPaid: times.breaksPaid };
}

/** The hours of a day as its company approved them, or else as its spans give them: what a customer approves of them. */
export async function hoursToApprove(em: Parameters<typeof queryIn>[0], id: string): Promise<HoursOfCustomer> {
  const times = await withPartnerVisibility(() => timesOfDay(em, id));
  const { onDuty, break: breaks, shift } = times.approvedTotals ?? totalsOf(timesOf(times));
  return { onDuty, break: breaks, shift } as HoursOfCustomer;
}

const timesOfDay = async (em: Parameters<typeof queryIn>[0], id: string): Promise<Times> =>
  (await queryIn<{ data: Times }>(em, TIMES_OF_DAYS, [[id]]))[0]!.data;

/** The minutes that are paid of a day. */
export interface PaidMinutes {
  /** Whether breaks are paid of it: as when it was approved, or else as its company does. */
  breaksPaid: boolean;
  /** Minutes that are paid with its breaks, and without them; null while the shift lasts. */
  minutes: ByBreaks | null;
}
/** Minutes, by whether breaks are paid. */
export type ByBreaks = Record<'paid' | 'unpaid', number>;

/** Returns what is paid of days, by their ids, as it was approved or else as their spans give it; those that cannot be read are left out. */
export async function paidMinutesOf(query: Query, ids: readonly string[]): Promise<Map<string, PaidMinutes>> {
  const rows = await query<{ data: Times }>(TIMES_OF_DAYS, [ids]);
  return new Map(rows.map(({ data }) => [data.id, paidMinutes(data)]));
}

function paidMinutes(row: Times): PaidMinutes {
  const times = timesOf(row);
  const { payable, shift, break: breaks } = row.approvedTotals ?? totalsOf(times);
  const { breaksPaid } = times;
  if (payable === null || shift === null) return { breaksPaid, minutes: null };
  const [paid, unpaid] = breaksPaid ? [payable, Math.max(0, shift - breaks)] : [shift, payable];
  return { breaksPaid, minutes: { paid, unpaid } };
}

function figuresOf(row: Row): DayFigures {
  const times = timesOf(row);
  const totals = row.approvedTotals ?? totalsOf(times);
  const { customerTotals } = row;
  return {
    ...row,
    totals: row.own ? totals : { ...(customerTotals ?? totals), payable: null },
    live: minutesUntil(times, presentTime().getTime()),
    exceptions: row.own
      ? exceptionsOf({ ...row, times, jobs: row.jobsCount })
      : customerTotals && isStale(customerTotals, totals)
        ? ['stale_after_approval']
        : [],
  };
}

const timesOf = ({ spans, endedAt, adjustedStart, adjustedEnd, adjustmentMinutes, breaksPaid, approvedTotals }: Times): ShiftTimes => ({
  ...{ spans, ended: endedAt !== null, adjustedStart, adjustedEnd, adjustmentMinutes },
  breaksPaid: (approvedTotals && breaksPaidIn(approvedTotals)) ?? breaksPaid,
});

/** Whether breaks were paid when totals were approved; undefined if they do not say it. */
const breaksPaidIn = ({ breaksPaid, break: breaks, shift, payable }: ApprovedTotals): boolean | undefined =>
  breaksPaid ?? (breaks === 0 ? undefined : payable === shift);
/** SQL of the same for day `d`. @param otherwise SQL of what counts if they do not say it */
export const breaksPaidSql = (d: string, otherwise: string): string => `coalesce((${d}.approved_totals ->> 'breaksPaid')::boolean,
  case when (${d}.approved_totals ->> 'break')::int <> 0 then ${d}.approved_totals -> 'payable' = ${d}.approved_totals -> 'shift' end, ${otherwise})`;

const millis = (at: string): string => `floor(extract(epoch from ${at}) * 1000)::float8`;

const SETTINGS = 'left join company_settings cs on cs.id = d.company_id';
const LIMITS: readonly (keyof DayLimits)[] = [
  ...(['breakDueAfterMinutes', 'shortestBreakMinutes', 'overtimeAfterMinutes', 'longShiftMinutes'] as const),
  ...(['earlyStartMinutes', 'lateEndMinutes', 'startToleranceMinutes'] as const),
];

/** The times of a day and its spans. A shift ends with its last span, so that a gap between two shifts of a date is in none. */
const TIMES = `json_build_object('id', d.id,
  'spans', coalesce((select json_agg(json_build_object('state', e.state, 'from', ${millis('e.started_at')}, 'to', ${millis('e.ended_at')}) order by e.started_at, e.id)
    from driver_state_event e where e.driver_day_id = d.id and e.state <> 'off_duty'), '[]'),
  'startedAt', ${millis('d.started_shift_at')}, 'endedAt', ${millis('d.ended_shift_at')}, 'endReason', d.end_reason,
  'adjustedStart', ${millis('d.adjusted_started_shift_at')}, 'adjustedEnd', ${millis('d.adjusted_ended_shift_at')},
  'adjustmentMinutes', d.shift_adjustment_minutes, 'adjustmentType', d.shift_adjustment_type, 'breaksPaid', ${settingSql('cs', 'breaksPaid')})`;

const TIMES_OF_DAYS = `select ${TIMES}::jsonb || json_build_object('approvedTotals', d.approved_totals)::jsonb as data
  from driver_day d ${SETTINGS} where d.id = any($1::uuid[])`;

// A telephone that was offline reports late, and rightly. One whose positions came at once meanwhile was not.
const CLOCK_SKEWED = `exists (
  select from (select v.started_at as at, v.created_at as heard from driver_state_event v where v.driver_day_id = d.id and v.source = 'phone'
    union all select w.occurred_at, w.created_at from job_event w join seen on seen.id = w.job_id where seen.driver_day_id = d.id and w.created_by_id = d.driver_id) r
  where r.heard > r.at + interval '5 minutes' and exists (select from location_history h where h.user_id = d.driver_id and h.asset_id = d.driver_id
    and not h.offline_mode and h.occurred_at > r.at + interval '1 minute' and h.occurred_at < r.heard - interval '1 minute'))`;

const FIGURES = `
with d as (select d.*, d.company_id = any($2::uuid[]) as own from driver_day d where d.id = any($1::uuid[])),
seen as (
  select j.id, j.driver_day_id, j.order_id, j.state, j.job_start_at, j.quantity, j.unit_of_measure, j.load_unit_of_measure, j.material_id, j.equipment_id, j.gps_distance_meters
  from job j join d on d.id = j.driver_day_id
  where (j.company_id = any($2::uuid[]) or exists (select 1 from job_assignment a where a.job_id = j.id and a.vendor_company_id = any($2::uuid[])))
    and ($3::uuid is null or d.driver_id = $3::uuid or ${jobOfPerson('j', '$3::uuid')}) and ($4::uuid[] is null or ${ofOrderAtSites('j.order_id', '$4::uuid[]')})),
j as (select s.driver_day_id, count(*) filter (where s.state <> 'canceled')::int as jobs, min(s.job_start_at) as planned, sum(s.gps_distance_meters) as travelled from seen s group by 1),
rq as (select s.driver_day_id, sum(s.quantity) as quantity, min(s.unit_of_measure) as unit from seen s
  where s.state <> 'canceled' and s.quantity is not null group by 1 having count(distinct s.unit_of_measure) = 1),
l as (select l.* from load l join seen on seen.id = l.job_id),
s as (
  select seen.driver_day_id, count(*) filter (where l.state = 'completed')::int as loads, max(l.summary_load_completed_at) as done,
    coalesce(sum(l.summary_gps_minutes), 0)::int as gps, sum(l.summary_travelled_distance_meters) as travelled
  from l join seen on seen.id = l.job_id group by 1),
t as (
  select seen.driver_day_id, count(*)::int as tickets, min(coalesce(t.service_date, t.created_at)) as first, max(coalesce(t.service_date, t.created_at)) as last
  from ticket t join seen on seen.id = t.job_id where t.voided_at is null group by 1),
e as (
  select seen.driver_day_id, min(g.occurred_at) filter (where g.geofence_trigger_type = 'enter') as entered,
    max(g.occurred_at) filter (where g.geofence_trigger_type = 'exit') as left_at
  from geofence_trigger g join seen on seen.id = g.job_id join d on d.id = seen.driver_day_id where ${seenThereSql('d')} group by 1),
x as (
  select u.driver_day_id, json_agg(u.external_id order by u.first) as ids from (
    select seen.driver_day_id, q.external_id, min(coalesce((select min(e.occurred_at) from job_event e where e.job_id = seen.id and e.event_name = 'ToPickup' and e.undone_at is null), seen.job_start_at)) as first
    from seen join equipment q on q.id = seen.equipment_id where q.external_id is not null and q.company_id = any($2::uuid[]) group by 1, 2) u group by 1),
q as (
  select seen.driver_day_id, d.unit_of_measure, d.material_name, d.material_id, d.ticketed, sum(d.quantity) as delivered
  from (${deliveries({ loads: 'l', jobs: 'seen', orders: 'orders' })}) d join seen on seen.id = d.job_id
  where d.state = 'completed' and d.quantity is not null group by 1, 2, 3, 4, 5),
n as (select q.driver_day_id, q.unit_of_measure, q.material_name, q.ticketed, sum(q.delivered) as delivered from q group by 1, 2, 3, 4),
m as (
  select y.driver_day_id, json_agg(json_build_object('materialId', y.material_id, 'unitQuantities', y.units) order by y.name) as materials from (
    select z.driver_day_id, z.material_id, min(z.name) as name,
      json_agg(json_build_object('quantity', z.delivered::text, 'unitOfMeasure', z.unit_of_measure) order by z.unit_of_measure) as units
    from (select q.driver_day_id, q.material_id, q.unit_of_measure, min(q.material_name) as name, sum(q.delivered) as delivered from q
      where q.material_id is not null and q.unit_of_measure is not null group by 1, 2, 3) z group by 1, 2) y group by 1)
select ${TIMES}::jsonb || json_build_object('own', d.own, 'customerTotals', case when not d.own then (select a.approved_totals from approval_state a
    where a.approvable_id = d.id and a.approvable_type = 'DriverDay' and a.company_id = any($2::uuid[]) and a.approved_totals is not null
    order by a.billing_approved_at desc limit 1) end, 'approvedTotals', d.approved_totals, 'workedAfterApproval', d.worked_after_approval, 'measuredAfterApproval', d.measured_after_approval, 'loggedMinutes',
    coalesce((select sum(u.usage_minutes)::int from resource_usage_log u where u.driver_day_id = d.id), 0),
  'limits', json_build_object(${LIMITS.map((name) => `'${name}', ${settingSql('cs', name)}`).join(', ')}),
  'jobsCount', coalesce(j.jobs, 0), 'loadsCount', coalesce(s.loads, 0), 'ticketsCount', coalesce(t.tickets, 0), 'firstTicketAt', t.first, 'lastTicketAt', t.last,
  'firstGeofenceEntryAt', e.entered, 'lastGeofenceExitAt', e.left_at, 'totalGpsMinutes', coalesce(case when d.own then d.gps_minutes end, s.gps, 0), 'tracked', d.gps_distance_meters is not null or coalesce(s.gps, 0) > 0, 'clockSkewed', d.own and ${CLOCK_SKEWED},
  'travelledDistanceMeters', coalesce(case when d.own then d.gps_distance_meters else j.travelled end, s.travelled)::text,
  'unmeasuredDistanceMeters', case when d.own then d.gps_unmeasured_meters end::text,
  'firstPlanned', ${millis('j.planned')}, 'lastDone', ${millis('s.done')}, 'firstSeen', ${millis('least(d.first_homebase_exit_at, e.entered)')},
  'equipmentExternalIds', coalesce(x.ids, '[]'), 'totalDeliveredQuantities', coalesce(m.materials, '[]'),
  'deliveredQuantities', coalesce((select ${deliveredJson('n', { quantity: 'rq.quantity', unit: 'rq.unit' })} from n where n.driver_day_id = d.id), '[]'))::jsonb as data
from d ${SETTINGS} left join j on j.driver_day_id = d.id left join rq on rq.driver_day_id = d.id left join s on s.driver_day_id = d.id left join t on t.driver_day_id = d.id
  left join e on e.driver_day_id = d.id left join x on x.driver_day_id = d.id left join m on m.driver_day_id = d.id`;
