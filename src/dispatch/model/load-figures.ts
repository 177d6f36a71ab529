import type { Figures } from '../../platform/model/decorators.ts';

/**
 * SQL of the whole minutes between two instants, rounded down. The seconds are a double, which is exact for 285 years; as a numeric, which `extract`
 * answers, they take several times as long.
 */
export const wholeMinutes = (later: string, earlier: string): string => `floor(date_part('epoch', ${later} - ${earlier}) / 60)::bigint`;

/** Minutes above which a cycle is no usual one, as over a night, and left out of averages (PROOF A6). */
export const LONGEST_CYCLE = 12 * 60;

/**
 * SQL of the minutes from one arrival at the pickup to the next one, without the pauses of the load that was hauled in between; 0 if the office has entered times
 * by which it would be less. @param paused seconds
 */
export const cycleMinutes = (later: string, earlier: string, paused: string): string =>
  `greatest(0, ${wholeMinutes(later, earlier)} - ${paused} / 60)`;

/** SQL of the minutes of the cycle that ends with load `l`. */
const CYCLE = cycleMinutes('l.summary_arrived_pickup_at', 'l.previous_pickup_at', 'l.previous_paused');

/** SQL of the mean of the cycles of loads `l`, which have the arrival of the load before (`previous_pickup_at`) and its pauses; 0 without any. */
export const CYCLE_MEAN = `coalesce(round(avg(${CYCLE}) filter (where l.state <> 'canceled' and l.previous_pickup_at is not null and ${CYCLE} <= ${LONGEST_CYCLE})), 0)::int`;

/** SQL: load `l` has a ticket, which proves that it was loaded. */
export const ticketedSql = (l: string): string => `exists (select from ticket k where k.load_id = ${l}.id and k.voided_at is null)`;

// Lists show many jobs with loads that nobody has begun: tickets are asked for where somebody could sign the job off.
const isOpenWork = (t: string): string =>
  `(l.state not in ('created', 'canceled') or l.state = 'created' and ${t}.state in ('completed', 'ended', 'in_review') and ${ticketedSql('l')})`;

/**
 * The figures of a job's loads that its fields have, in one pass over them. `cycle` is the mean of the minutes from arrival to arrival at the pickup, over
 * consecutive loads; 0 without any (DOMAIN section 4 "LoadCycle").
 */
export const LOAD_FIGURES: Figures = {
  name: 'loads',
  sql: (
    t,
  ) => `select count(*) filter (where l.state <> 'canceled')::int as loads, count(*) filter (where l.state = 'completed')::int as completed,
    coalesce(bool_or(l.state = 'created'), false) as waiting, coalesce(bool_or(l.state not in ('created', 'canceled')), false) as started,
    coalesce(bool_or(l.approved_at is null and ${isOpenWork(t)}), false) as unapproved, coalesce(bool_or(l.approved_at is not null), false) as approved,
    ${CYCLE_MEAN} as cycle
    from (select l.id, l.state, l.approved_at, l.summary_arrived_pickup_at, lag(l.summary_arrived_pickup_at) over cycle as previous_pickup_at, lag(l.paused_seconds) over cycle as previous_paused
      from load l where l.job_id = ${t}.id
      window cycle as (partition by l.state = 'canceled', l.summary_arrived_pickup_at is null order by l.ordinality)) l`,
};
