import { Field, Int, ObjectType } from 'type-graphql';
import { DecimalScalar } from '../../platform/decimal.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { DateTime } from '../../platform/scalars.ts';
import { ALL_WORK, DeliveredQuantity, deliveredJson, deliveries } from './delivered.ts';
import { JOB_FINISHED } from './states.ts';

/** The share of the expected positions that there are, and the longest gap (PROOF A6). */
export const GpsConfidenceLevel = stringEnum('GpsConfidenceLevel', ['high', 'medium', 'low']);
export type GpsConfidenceLevel = keyof typeof GpsConfidenceLevel;

/** The figures of a finished job, from its events and loads (DOMAIN section 4 "JobSummary"). Minutes are whole. */
@ObjectType({ simpleResolvers: true })
export class JobSummary {
  @Field(() => Boolean) hasGpsData!: boolean;
  @Field(() => DateTime, { nullable: true }) loggingStartedAt!: string | null;
  @Field(() => DateTime, { nullable: true }) loggingEndedAt!: string | null;
  /** The end before it was clamped to the last activity, if that was more than 120 minutes earlier. */
  @Field(() => DateTime, { nullable: true }) preClampLoggingEndedAt!: string | null;
  @Field(() => Int) completedLoadsCount!: number;
  /** Pauses of the job and breaks of its driver between the start and the end, adjusted or logged; what is both counts once. */
  @Field(() => Int) breakTimeMinutes!: number;
  /** From the start, adjusted or logged, to the end, without breaks. */
  @Field(() => Int) workTimeMinutes!: number;
  @Field(() => Int, { nullable: true, description: 'The minutes that billing uses instead.' }) approvedWorkTimeMinutes!: number | null;
  @Field(() => DateTime, { nullable: true }) adjustedLoggingStartedAt!: string | null;
  @Field(() => DateTime, { nullable: true }) adjustedLoggingEndedAt!: string | null;
  @Field(() => Int) pickupGeofenceEntryCount!: number;
  @Field(() => Int) dropoffGeofenceEntryCount!: number;
  @Field(() => [DeliveredQuantity]) deliveredQuantities!: DeliveredQuantity[];
  @Field(() => DecimalScalar, { nullable: true }) travelledDistanceMeters!: string | null;
  @Field(() => DateTime, { nullable: true }) firstSentAt!: string | null;
  @Field(() => DateTime, { nullable: true }) sentToDriverAt!: string | null;
  @Field(() => DateTime, { nullable: true }) firstAcceptedAt!: string | null;
  @Field(() => DateTime, { nullable: true }) driverAcceptedAt!: string | null;
  @Field(() => DateTime, { nullable: true }) firstDeclinedAt!: string | null;
  @Field(() => DateTime, { nullable: true }) driverDeclinedAt!: string | null;
  @Field(() => DateTime, { nullable: true }) firstCanceledAt!: string | null;
  @Field(() => String, { nullable: true }) jobPhaseName!: string | null;
  @Field(() => String, { nullable: true }) jobPhaseCode!: string | null;
  @Field(() => Int) loadsWithTicketsCount!: number;
  @Field(() => DateTime, { nullable: true }) firstGeofenceEntryAt!: string | null;
  @Field(() => DateTime, { nullable: true }) lastGeofenceExitAt!: string | null;
  @Field(() => String, { nullable: true }) foremanExternalId!: string | null;
  @Field(() => Boolean) editable!: boolean;
  @Field(() => Int, { nullable: true, description: 'Minutes from the logged start to the logged end, without pauses and breaks.' })
  gpsActivePeriodMinutes!: number | null;
  @Field(() => Int, { nullable: true, description: 'Positions during the job; null if there are none.' }) gpsTotalPings!: number | null;
  @Field(() => Int, { nullable: true, description: 'Those of them that had to wait for a network.' }) gpsOfflinePings!: number | null;
  @Field(() => Int, { nullable: true, description: 'Positions that there would be if none were missing.' }) gpsExpectedPings!:
    | number
    | null;
  @Field(() => GpsConfidenceLevel, { nullable: true, description: 'How complete the positions are; null if there are none.' })
  gpsConfidenceLevel!: GpsConfidenceLevel | null;
}

const FINISHED = `('${JOB_FINISHED.join("', '")}')`;
const first = (name: string) => `min(e.occurred_at) filter (where e.event_name = '${name}')`;
const last = (name: string) => `max(e.occurred_at) filter (where e.event_name = '${name}')`;

/**
 * Entries into the geofence of a site itself, also those that changed nothing (PROOF A6). What later positions disprove is left out, and who drove
 * past on the road was not seen there.
 */
const entriesAt = (waypoint: string) =>
  `count(*) filter (where g.geofence_trigger_type = 'enter' and g.waypoint_type = '${waypoint}' and coalesce(g.tag, 'site') = 'site')::int`;
/**
 * SQL of whether crossing `g` counts for job `t`, or for the day `t` on which it was driven: it was seen, and is one of who drove, and not of
 * somebody who had the job before.
 */
export const seenThereSql = (t: string): string =>
  `g.state <> 'superseded' and g.skip_reason is distinct from 'crossed' and (${t}.driver_id is null or g.asset_id = ${t}.driver_id)`;

/** The row of the job itself, in place of a second look at its table. */
const ownRow = (t: string) =>
  `(select ${['id', 'load_unit_of_measure', 'unit_of_measure', 'material_id'].map((name) => `${t}.${name}`).join(', ')})`;

/** Minutes of breaks of job `t` between two instants, rounded down; 0 if either is unknown. */
export const breakMinutesSql = (t: string, from: string, to: string): string =>
  `case when isempty(${t}.breaks) or ${from} is null or ${to} is null or ${to} < ${from} then 0 else coalesce((
    select floor(sum(extract(epoch from upper(b) - lower(b))) / 60)::int from unnest(${t}.breaks * tstzmultirange(tstzrange(${from}, ${to}))) b), 0) end`;

/**
 * The figures of positions, which a worker keeps with the job. High is 80 % of the
 * expected ones without a gap of more than 15 minutes, medium is half of them.
 */
const gpsSql = (
  t: string,
): string => `'gpsActivePeriodMinutes', s.tracked, 'gpsTotalPings', ${t}.gps_total_pings, 'gpsOfflinePings', ${t}.gps_offline_pings,
    'gpsExpectedPings', s.expected, 'gpsConfidenceLevel', case when ${t}.gps_total_pings is null then null
      when ${t}.gps_total_pings >= 0.8 * s.expected and ${t}.gps_longest_gap_seconds <= 900 then 'high'
      when ${t}.gps_total_pings >= 0.5 * s.expected then 'medium' else 'low' end`;

const LONGEST_PAUSE = `interval '120 minutes'`;
const ON_THE_ROAD = `('ToPickup', 'AtPickup', 'Loaded', 'ToDropoff', 'AtDropoff', 'Unloaded', 'LoadCompleted')`;
/**
 * SQL of the times that the events of job `t` say. A load that the office completes when the shift is over is noted then, and was no work of the
 * driver: what is after the end is not the last thing that happened before it.
 */
const loggedSql = (t: string, more = ''): string => `select i.*, case when i.latest > i.ended
      then (select max(a) from unnest(i.actives) a where a <= i.ended) else i.latest end as active
    from (select ${first('ToPickup')} as started, coalesce(${last('JobCompleted')}, ${last('JobEnded')}) as ended,
      max(e.occurred_at) filter (where e.event_name in ${ON_THE_ROAD}) as latest,
      array_agg(e.occurred_at) filter (where e.event_name in ${ON_THE_ROAD}) as actives${more}
    from job_event e where e.job_id = ${t}.id and e.undone_at is null) i`;
/** SQL of the end in `x`, before which there was nothing for a while: then it is the last thing that happened. */
const clampedSql = (x: string): string => `case when ${x}.ended - ${x}.active > ${LONGEST_PAUSE} then ${x}.active else ${x}.ended end`;
const workedSql = (s: string, rested: string): string =>
  `greatest(0, coalesce(floor(extract(epoch from ${s}.until - ${s}.since) / 60), 0)::int - ${rested})`;

/**
 * Returns SQL of when a finished job was worked on, adjusted or logged, for how many minutes, as the summary says it, and how many minutes of breaks are no
 * part of these; null of another one.
 */
export const workedTimesSql = (t: string): string => `case when ${t}.state in ${FINISHED} then (
  select json_build_object('startedAt', s.since, 'endedAt', s.until, 'workedMinutes', ${workedSql('s', 's.rested')}, 'breakMinutes', s.rested)
  from (select s.*, ${breakMinutesSql(t, 's.since', 's.until')} as rested from (select coalesce(${t}.adjusted_logging_started_at, x.started) as since, coalesce(${t}.adjusted_logging_ended_at, ${clampedSql('x')}) as until
    from (${loggedSql(t)}) x) s) s) end`;

/** Returns SQL of the summary of a job as one value: first and latest times are minima and maxima over its events. */
export const jobSummarySql = (t: string): string => `case when ${t}.state not in ${FINISHED} then null else (
  select json_build_object(
    'hasGpsData', s.gps or coalesce(${t}.gps_total_pings, 0) > 0, 'loggingStartedAt', s.started, 'loggingEndedAt', s.clamped, 'preClampLoggingEndedAt', case when s.clamped <> s.ended then s.ended end,
    'completedLoadsCount', s.completed, 'breakTimeMinutes', s.rested,
    'workTimeMinutes', ${workedSql('s', 's.rested')},
    'approvedWorkTimeMinutes', ${t}.approved_work_time_minutes,
    'adjustedLoggingStartedAt', ${t}.adjusted_logging_started_at, 'adjustedLoggingEndedAt', ${t}.adjusted_logging_ended_at,
    'pickupGeofenceEntryCount', s.pickup_entries, 'dropoffGeofenceEntryCount', s.dropoff_entries,
    'deliveredQuantities', coalesce((select ${deliveredJson('q', { quantity: `${t}.quantity`, unit: `${t}.unit_of_measure` })} from (
      select d.unit_of_measure, d.material_name, d.ticketed, sum(d.quantity) as delivered from (${deliveries({ ...ALL_WORK, jobs: ownRow(t) })}) d
      where d.job_id = ${t}.id and d.state = 'completed' and d.quantity is not null group by 1, 2, 3) q), '[]'),
    'travelledDistanceMeters', coalesce(${t}.gps_distance_meters, s.travelled)::text, 'firstSentAt', s.first_sent, 'sentToDriverAt', s.last_sent, 'firstAcceptedAt', s.first_accepted,
    'driverAcceptedAt', s.last_accepted, 'firstDeclinedAt', s.first_declined, 'driverDeclinedAt', s.last_declined, 'firstCanceledAt', s.first_canceled,
    'jobPhaseName', (select p.name from phase p where p.id = ${t}.phase_id), 'jobPhaseCode', (select p.code from phase p where p.id = ${t}.phase_id),
    'loadsWithTicketsCount', (select count(distinct l.id)::int from load l join ticket k on k.load_id = l.id where l.job_id = ${t}.id and k.voided_at is null),
    'firstGeofenceEntryAt', s.first_entry, 'lastGeofenceExitAt', s.last_exit,
    'foremanExternalId', (select u.external_id from app_user u where u.id = ${t}.foreman_ids[1]),
    'editable', ${t}.approved_at is null, ${gpsSql(t)})
  from (select y.*, ceil(y.tracked * 60.0 / coalesce(${t}.gps_interval_seconds, 30))::int as expected from (select w.*, greatest(0, floor(extract(epoch from w.clamped - w.started) / 60)::int - ${breakMinutesSql(t, 'w.started', 'w.clamped')}) as tracked, ${breakMinutesSql(t, 'w.since', 'w.until')} as rested from (
    select c.*, coalesce(${t}.adjusted_logging_started_at, c.started) as since, coalesce(${t}.adjusted_logging_ended_at, c.clamped) as until from (
    select x.*, g.*, f.*, ${clampedSql('x')} as clamped from (${loggedSql(
      t,
      `,
      ${first('JobSent')} as first_sent, ${last('JobSent')} as last_sent, ${first('JobAccepted')} as first_accepted, ${last('JobAccepted')} as last_accepted,
      ${first('JobDeclined')} as first_declined, ${last('JobDeclined')} as last_declined, ${first('JobCanceled')} as first_canceled`,
    )}) x, (
    select ${entriesAt('pickup')} as pickup_entries, ${entriesAt('drop_off')} as dropoff_entries,
      min(g.occurred_at) filter (where g.geofence_trigger_type = 'enter') as first_entry,
      max(g.occurred_at) filter (where g.geofence_trigger_type = 'exit') as last_exit
    from geofence_trigger g where g.job_id = ${t}.id and ${seenThereSql(t)}) g, (
    select count(*) filter (where l.state = 'completed')::int as completed,
      coalesce(bool_or(l.summary_has_gps_data), false) as gps, sum(l.summary_travelled_distance_meters) as travelled
    from load l where l.job_id = ${t}.id) f) c) w) y) s) end`;
