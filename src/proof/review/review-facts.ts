import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import type { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { REPORTED_UNIT } from '../../dispatch/model/delivered.ts';
import { seenThereSql } from '../../dispatch/model/job-summary.ts';
import { OVER } from '../../dispatch/model/states.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { firstKnown } from '../../platform/database/first-known.ts';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal } from '../../platform/decimal.ts';
import type { ReviewedTicket, ReviewFacts, ReviewLimits } from './review-load.ts';
import { REVIEWS } from './review-tasks.ts';

/** A load that is to be reviewed: what is known of it, whose it is, and its review of before. */
export interface Reviewable {
  jobId: string;
  jobState: string;
  facts: ReviewFacts;
  limits: ReviewLimits;
  /** Whether the company has a load approved in whose review nothing is found. */
  approves: boolean;
  before: Before | null;
  /** Whether the time to the next load is known, or never will be: that load arrived, or the job is over. */
  cycleSettled: boolean;
}

/** The review of before, and what people decided about the load. */
interface Before {
  id: string;
  status: string;
  confidence: string;
  issues: string[];
  /** The load is to be approved by it once everything is known. */
  approvalPending: boolean;
  /** Somebody of its company approved the load for billing, or took that back, at all and since the review. */
  decided: boolean;
  decidedSince: boolean;
}

/** Tickets of an order among which a review looks for others like it; more say nothing more. */
const MOST = 2_000;
const ticketJson = (
  k: string,
  more = '',
) => `json_build_object('id', ${k}.id, 'number', ${k}.ticket_number, 'quantity', ${k}.quantity::text, 'unit', ${k}.unit_of_measure,
  'truck', coalesce(${k}.equipment_id::text, ${k}.external_truck_id), 'served', (extract(epoch from ${k}.service_date) * 1000)::float8${more})`;
const minutes = (from: string, to: string) => `floor(extract(epoch from ${to} - ${from}) / 60)::int`;
const limit = (name: string, as: string) => `'${as}', ${settingSql('cs', name)}`;

/** When a load began and ended. */
const BEGUN = 'coalesce(l.summary_arrived_pickup_at, l.summary_loaded_at)';
const DONE = 'coalesce(l.summary_load_completed_at, l.summary_unloaded_at)';
// Where geofences found nothing of the job, or positions are there for less than four fifths of the load, nobody knows where the truck was. Who drove
// through between two positions was not there, and where somebody was who had the job before says nothing of who drove it.
const OF_JOB = `g.job_id = l.job_id and ${seenThereSql('j')}`;
/**
 * SQL: the truck of job `j` came to the pickup within half an hour of what ticket `k` of its load `l` says; null where nobody knows. Reviews and what is billed ask the same.
 */
export const TRUCK_THERE = `case when k.service_date is not null and l.summary_has_gps_data
    and l.summary_gps_minutes >= 0.8 * ${minutes(BEGUN, DONE)}
    and exists (select from geofence_trigger g where ${OF_JOB}) then
      exists (select from geofence_trigger g where ${OF_JOB} and g.waypoint_type = 'pickup'
        and g.geofence_trigger_type = 'enter' and g.occurred_at between k.service_date - interval '30 minutes' and k.service_date + interval '30 minutes') end`;

/**
 * SQL: load `l` of job `j` came to none of the sites of its job, by positions that are known for its time and half an hour around it; false where nobody
 * knows. Every site has a geofence, the circle around it if nobody has drawn one.
 */
export const NO_VISIT = `case when l.summary_has_gps_data and l.summary_gps_minutes >= 0.8 * ${minutes(BEGUN, DONE)}
    and exists (select from waypoint w where w.route_id = coalesce(j.route_id, (select r.route_id from orders r where r.id = j.order_id))
      and w.type in ('pickup', 'drop_off') and w.site_id is not null)
    then not exists (select from geofence_trigger g where ${OF_JOB} and g.waypoint_type in ('pickup', 'drop_off')
      and g.occurred_at between ${BEGUN} - interval '30 minutes' and ${DONE} + interval '30 minutes') else false end`;

// Loads and hours are no units of what a ticket weighs. A load that is not delivered has nothing to be reviewed, nor has one whose order is counted
// in hours and has no ticket.
const FACTS = `select l.job_id as "jobId", j.state as "jobState", json_build_object(
    'ticket', case when k.id is not null then ${ticketJson(
      'k',
      `, 'gross', k.gross_quantity::text, 'tare', k.tare_quantity::text, 'hasImage', coalesce(k.image_id::text, k.image_url) is not null, 'materialId', k.material_id,
      'servedOn', (k.service_date at time zone c.time_zone)::date, 'unreadable', exists (select from ticket_reading g where g.id = k.image_id and g.state = 'unreadable'),
      'seen', (select json_build_object('number', g.fields -> 'ticket_number', 'quantity', g.fields -> 'net_quantity') from ticket_reading g where g.id = k.image_id and g.state = 'read')`,
    )} end,
    'quantity', l.quantity::text, 'unit', (select u.unit from (select ${REPORTED_UNIT} as unit) u where u.unit not in ('Load', 'Hour')),
    'materialId', coalesce(l.material_id, j.material_id, o.material_id),
    'dates', array_remove(array[coalesce(d.driver_day_date, (l.summary_arrived_pickup_at at time zone c.time_zone)::date),
      (d.ended_shift_at at time zone c.time_zone)::date, (l.summary_load_completed_at at time zone c.time_zone)::date], null),
    'capacities', (select json_agg(json_build_object('capacity', x.capacity::text, 'unit', x.unit)) from (
        select y.gross_capacity as capacity, y.gross_capacity_unit_of_measure as unit
        union all select (a ->> 'capacity')::numeric, a ->> 'unitOfMeasure' from jsonb_array_elements(y.additional_gross_capacities) a) x
      where x.capacity is not null and x.unit is not null),
    'numberUsedBy', (select n.id from ticket n left join orders no on no.id = n.order_id
      where n.company_id = k.company_id and n.voided_at is null and n.id <> k.id
        and n.ticket_number = any(array[k.ticket_number, upper(k.ticket_number), lower(k.ticket_number), btrim(k.ticket_number), ltrim(k.ticket_number, '0'), '0' || k.ticket_number])
        and coalesce(no.account_id, n.account_id) is not distinct from coalesce(o.account_id, k.account_id) order by n.id limit 1),
    'ofOrder', (select json_agg(${ticketJson('t')} order by t.id) from (
        select * from ticket q where q.order_id = l.order_id and q.voided_at is null order by q.created_at desc, q.id desc limit ${MOST}) t),
    'onSite', array_remove(array[${minutes('l.summary_arrived_pickup_at', 'l.summary_loaded_at')}, ${minutes('l.summary_arrived_dropoff_at', 'l.summary_unloaded_at')}], null),
    'cycle', (select y.spent from cycles y where y.id = l.id), 'usualCycle', (select percentile_cont(0.5) within group (order by y.spent) from cycles y),
    'truckThere', ${TRUCK_THERE}) as facts,
  json_build_object(${[
    limit('reviewOverCapacityPercent', 'overCapacityPercent'),
    limit('reviewOutlierDeviations', 'outlierDeviations'),
    limit('reviewNearDuplicateMinutes', 'nearDuplicateMinutes'),
    limit('reviewShortestOnSiteMinutes', 'shortestOnSiteMinutes'),
    limit('reviewLongestOnSiteMinutes', 'longestOnSiteMinutes'),
    limit('reviewFlagBelowPercent', 'flagBelowPercent'),
  ].join(', ')}) as limits, ${settingSql('cs', 'autoApproveReviewed')} as approves,
  (select json_build_object('id', r.id, 'status', r.status, 'confidence', r.confidence::text, 'issues', r.issues, 'approvalPending', r.approval_pending,
      'decided', p.last is not null, 'decidedSince', coalesce(p.last >= r.updated_at, false))
    from ai_review r cross join lateral (select max(a.created_at) as last from approval_assignment a where a.approvable_type = 'Load' and a.approvable_id = l.id
      and a.company_id = l.company_id and a.approval_category = 'billing') p where r.load_id = l.id) as before,
  (l.summary_arrived_pickup_at is null or j.state in ${OVER} or exists (select from cycles y where y.id = l.id)) as "cycleSettled"
from load l join job j on j.id = l.job_id join orders o on o.id = l.order_id join company c on c.id = l.company_id
  left join company_settings cs on cs.id = c.id
  left join ticket k on k.load_id = l.id and k.voided_at is null
  left join driver_day d on d.id = j.driver_day_id
  left join equipment e on e.id = j.equipment_id
  left join equipment_type y on y.id = ${firstKnown('e.equipment_type_id', 'o.equipment_type_id')}
where l.id = $1 and c.ai_review_loads and l.state <> 'canceled'
  and (k.id is not null or l.state = 'completed' and o.unit_of_measure is distinct from 'Hour')`;

// From one load's arrival to the next one's on the job, as the cycles of a job are counted.
const CYCLES = `with cycles as materialized (
  select id, spent from (
    select s.id, floor(extract(epoch from lead(s.summary_arrived_pickup_at) over (partition by s.job_id order by s.ordinality) - s.summary_arrived_pickup_at) / 60 - s.paused_seconds / 60.0)::int as spent
    from load s where s.order_id = (select order_id from load where id = $1) and s.state <> 'canceled' and s.summary_arrived_pickup_at is not null) g
  where spent is not null)
`;

/** Reads what is known of a load. @returns undefined if it is not to be reviewed */
export async function factsOf(tx: SetTx, loadId: string): Promise<Reviewable | undefined> {
  const [row] = await tx.query<Reviewable & { facts: Stored }>(CYCLES + FACTS, [loadId]);
  return row && { ...row, facts: factsFrom(row.facts) };
}

type Texts<T> = { [K in keyof T]: T[K] extends Decimal | null ? string | null : T[K] };
type Stored = Omit<ReviewFacts, 'ticket' | 'quantity' | 'ofOrder' | 'capacities'> & {
  ticket: Texts<NonNullable<ReviewFacts['ticket']>> | null;
  quantity: string | null;
  ofOrder: Texts<ReviewedTicket>[] | null;
  capacities: { capacity: string; unit: UnitOfMeasure }[] | null;
};

const decimal = (text: string | null): Decimal | null => (text === null ? null : new Decimal(text));

function factsFrom({ ticket, quantity, ofOrder, capacities, ...rest }: Stored): ReviewFacts {
  return {
    ...rest,
    ...(ticket
      ? { ticket: { ...ticket, quantity: decimal(ticket.quantity), gross: decimal(ticket.gross), tare: decimal(ticket.tare) } }
      : {}),
    quantity: decimal(quantity),
    ofOrder: (ofOrder ?? []).map((one) => ({ ...one, quantity: decimal(one.quantity) })),
    capacities: (capacities ?? []).map((one) => ({ ...one, capacity: new Decimal(one.capacity) })),
  };
}

// Positions that came before the load was completed are not measured yet, or the last of them may be under way: telephones send them every minute or two.
const WAITING = `select exists (select from position_task t where t.kind = 'distances' and t.asset_id = any($1::uuid[])
  and least(t.since, t.working_since) <= $2::timestamptz) as waiting`;
const OF_LOAD = `select array_remove(array[j.driver_id, j.equipment_id], null) as assets, l.summary_load_completed_at as completed,
    l.summary_has_gps_data and l.summary_load_completed_at > present_time() - interval '2 minutes' as fresh
  from load l join job j on j.id = l.job_id where l.id = $1`;

/** Whether what positions say of a completed load is still to be worked out. */
export async function waitsForPositions(tx: SetTx, loadId: string): Promise<boolean> {
  const [load] = await tx.query<{ assets: string[]; completed: Date | null; fresh: boolean | null }>(OF_LOAD, [loadId]);
  if (!load?.completed || load.assets.length === 0) return false;
  if (load.fresh) return true;
  const [row] = await runAsPurpose(REVIEWS, () => queryIn<{ waiting: boolean }>(tx.em, WAITING, [load.assets, load.completed]));
  return row!.waiting;
}
