import { Company } from '../../directory/companies/company.entity.ts';
import { mayWithJob } from '../../dispatch/access/job.policy.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type Query, queryOf } from '../../platform/database/sql.ts';
import { type ErrorCollector, Invalid } from '../../platform/errors.ts';
import { evaluatedPositions, type Position } from './evaluated-positions.ts';
import { answeredFence, type FenceRow, regionOfRow } from './fence-rows.ts';
import { findTriggers, type Rule } from './find-triggers.ts';
import type { FoundGeofenceTrigger, TriggeringLocation } from './found-trigger.ts';
import type { Fix } from './region.ts';
import { sentFences } from './sent-fences.ts';
import { fencesOfJob, storedTriggers } from './stored-triggers.ts';
import type { CalculateJobTriggersInput, CalculateTriggersInput } from './triggers.inputs.ts';

/** Milliseconds of the longest calculation. */
const LONGEST = 7 * 86_400_000;
/** Positions of one calculation: a hundred drivers for a day, with one every twenty seconds. */
const MOST_POSITIONS = 500_000;
/** Milliseconds before the first position in which a machine was somewhere. */
const BEFORE = 30 * 60_000;
const MODEL = 'GeofenceTrigger';

interface Row extends Omit<TriggeringLocation, 'lat' | 'lon'> {
  assetId: string;
  at: number;
  lat: string;
  lon: string;
  accuracy: number | null;
  source: Position['source'];
}

/**
 * Works out when drivers, or pieces of equipment, of a company entered and left geofences. Stores nothing.
 * @throws Denied without `assign_job`; Invalid for an impossible time, wrong geofences or too many positions
 */
export async function calculateTriggers(
  ctx: Context,
  of: 'driver' | 'equipment',
  input: CalculateTriggersInput,
  companyId?: string | null,
): Promise<FoundGeofenceTrigger[]> {
  allow(ctx, 'assign_job');
  const company = await find(ctx, Company, companyOf(ctx, companyId));
  const query = queryIn(ctx);
  const to: ErrorCollector = { model: MODEL, items: [] };
  const [from, until] = [input.startAt.getTime(), input.endAt.getTime()];
  if (until <= from) to.items.push({ model: MODEL, field: 'endAt', key: 'end_after_start' });
  else if (until - from > LONGEST) to.items.push({ model: MODEL, field: 'endAt', key: 'at_most_a_week' });
  const fences = await sentFences(query, company.id, input.geofences, to);
  if (to.items.length > 0) throw new Invalid(to.items);
  const asset = of === 'driver' ? 'user_id' : 'equipment_id';
  const rows = await query<Row>(
    `${SELECT} where h.company_id = $1 and h.${asset} is not null and h.occurred_at >= $2 and h.occurred_at < $3 limit ${MOST_POSITIONS + 1}`,
    [company.id, input.startAt, input.endAt],
  );
  if (rows.length > MOST_POSITIONS)
    throw new Invalid([{ model: MODEL, field: 'endAt', key: 'too_many_positions', params: { most: MOST_POSITIONS } }]);
  const rule: Rule = { strategy: 'live', delaySeconds: company.defaultGeofenceDelaySeconds };
  return triggersOf(
    query,
    Map.groupBy(rows, (row) => (of === 'driver' ? row.driver!.id : row.equipment!.id)),
    fences,
    rule,
  );
}

/**
 * Returns the stored entries and exits of a job, or works them out anew from the positions of the job. Stores nothing.
 * @throws Missing; Denied without `edit_job`; Invalid if the strategy and the rest contradict each other, or for wrong geofences
 */
export async function calculateJobTriggers(
  ctx: Context,
  path: RecordPath,
  input: CalculateJobTriggersInput,
): Promise<FoundGeofenceTrigger[]> {
  allow(ctx, 'edit_job');
  const job = await find(ctx, Job, path.id, { companyId: path.companyId });
  mayWithJob(ctx, job, 'edit_job');
  const query = queryIn(ctx);
  const to: ErrorCollector = { model: MODEL, items: [] };
  const report = (field: string, key: string) => to.items.push({ model: MODEL, field, key });
  const { delaySeconds, geofences } = input;
  const strategy = input.strategy ?? 'historical';
  if (strategy === 'historical') {
    if (geofences) report('geofences', 'only_for_computed');
    if (typeof delaySeconds === 'number') report('delaySeconds', 'only_for_computed');
    if (to.items.length > 0) throw new Invalid(to.items);
    return storedTriggers(query, job.id);
  }
  if (typeof delaySeconds !== 'number') report('delaySeconds', 'required');
  const fences = geofences ? await sentFences(query, job.company.id, geofences, to) : await fencesOfJob(query, job.id);
  if (to.items.length > 0) throw new Invalid(to.items);
  const rows = await query<Row>(`${SELECT} where h.job_id = $1 limit ${MOST_POSITIONS}`, [job.id]);
  return triggersOf(
    query,
    Map.groupBy(rows, (row) => row.assetId),
    fences,
    { strategy, delaySeconds: delaySeconds! },
  );
}

const queryIn =
  (ctx: Context): Query =>
  (sql, parameters) =>
    queryOf(ctx, sql, parameters);

const SELECT = `select h.id, h.asset_id as "assetId", (extract(epoch from h.occurred_at) * 1000)::float8 as at, h.occurred_at as "occurredAt",
    h.lat::text, h.lon::text, h.accuracy, h.source,
    case when u.id is not null then json_build_object('id', u.id, 'firstName', u.first_name, 'lastName', u.last_name) end as driver,
    case when e.id is not null then json_build_object('id', e.id, 'name', e.name, 'externalId', e.external_id) end as equipment,
    case when o.id is not null then json_build_object('id', o.id, 'orderId', o.order_id) end as "order",
    case when j.id is not null then json_build_object('id', j.id, 'jobId', j.job_id) end as job
  from location_history h left join app_user u on u.id = h.user_id left join equipment e on e.id = h.equipment_id
    left join job j on j.id = h.job_id left join orders o on o.id = j.order_id`;

async function triggersOf(
  query: Query,
  ways: ReadonlyMap<string, readonly Row[]>,
  fences: readonly FenceRow[],
  rule: Rule,
): Promise<FoundGeofenceTrigger[]> {
  const rows = [...ways.values()].flat();
  const tracks = await tracksOf(query, fences, rows);
  const regions = fences.flatMap((fence) => {
    const region = regionOfRow(fence, tracks.get(fence.machine?.equipmentId ?? ''));
    return region ? [{ fence, region }] : [];
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found: { at: number; trigger: FoundGeofenceTrigger }[] = [];
  for (const way of ways.values()) {
    const positions = evaluatedPositions(way.map((row) => ({ ...pick(row), lat: Number(row.lat), lon: Number(row.lon) })));
    for (const { fence, region } of regions)
      for (const { type, position, confirmedAt, confidence, crossed } of findTriggers(region, positions, rule).triggers) {
        if (crossed) continue;
        const { assetId: _, at, accuracy: __, source: ___, ...triggeredLocation } = byId.get(position.id)!;
        const trigger = {
          geofenceTriggerType: type,
          triggeredLocation,
          geofence: answeredFence(fence),
          confirmedAt: new Date(confirmedAt),
          confidence,
        };
        found.push({ at, trigger });
      }
  }
  return found.toSorted((a, b) => a.at - b.at).map(({ trigger }) => trigger);
}

const pick = ({ id, at, accuracy, source }: Row) => ({ id, at, accuracy, source });

/** Where the machines of moving geofences were in the time of the positions. */
export async function tracksOf(
  query: Query,
  fences: readonly FenceRow[],
  positions: readonly { at: number }[],
): Promise<Map<string, Fix[]>> {
  const machines = fences.flatMap(({ moving, machine }) => (moving && machine ? machine.equipmentId : []));
  if (machines.length === 0 || positions.length === 0) return new Map();
  let [from, until] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { at } of positions) [from, until] = [Math.min(from, at), Math.max(until, at)];
  const rows = await query<Fix & { id: string }>(
    `select equipment_id as id, (extract(epoch from occurred_at) * 1000)::float8 as at, lat::float8 as lat, lon::float8 as lon from location_history
     where equipment_id = any($1::uuid[]) and occurred_at >= $2 and occurred_at <= $3`,
    [machines, new Date(from - BEFORE), new Date(until + BEFORE)],
  );
  return Map.groupBy(rows, ({ id }) => id);
}
