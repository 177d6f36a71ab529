import type { GraphQLResolveInfo } from 'graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { mayWithJob } from '../../dispatch/access/job.policy.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { allow, companyOf, find, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type Query, queryOf } from '../../platform/database/sql.ts';
import { type ErrorCollector, Invalid } from '../../platform/errors.ts';
import { reportArchived } from '../../platform/read/past/archived.ts';
import { evaluatedPositions } from '../fences/evaluated-positions.ts';
import { type FenceRow, regionOfRow, tracksOf } from '../fences/fence-rows.ts';
import { findTriggers, type Rule, type Trigger } from '../fences/find-triggers.ts';
import { duringJob } from '../positions/location-history.access.ts';
import { answeredFence, type FoundGeofenceTrigger } from './found-trigger.ts';
import { sentFences } from './sent-fences.ts';
import { fencesOfJob, storedTriggers } from './stored-triggers.ts';
import type { CalculateJobTriggersInput, CalculateTriggersInput } from './triggers.inputs.ts';
import { calculationLimits, placesOf, readWays, type Ways } from './ways.ts';

/** Milliseconds of the longest calculation. */
const LONGEST = 7 * 86_400_000;
const MODEL = 'GeofenceTrigger';

/**
 * Works out when drivers, or pieces of equipment, of a company entered and left geofences. Stores nothing.
 * @throws Denied without `assign_job`; Invalid for an impossible time, wrong geofences or too many positions
 */
export async function calculateTriggers(
  ctx: Context,
  info: GraphQLResolveInfo,
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
  await reportArchived(ctx, info, company.id, 'location_history');
  const ways: Ways = {
    ...OF_COMPANY[of],
    values: [company.id, input.startAt, input.endAt],
    limits: calculationLimits.of(ctx.em),
    tooMany: (most) => new Invalid([{ model: MODEL, field: 'endAt', key: 'too_many_positions', params: { most } }]),
  };
  return triggersOf(query, ways, fences, { strategy: 'live', delaySeconds: company.defaultGeofenceDelaySeconds });
}

/**
 * Returns the stored entries and exits of a job, or works them out anew from the positions of the job. Stores nothing.
 * @throws Missing; Denied without `edit_job`; Invalid if the strategy and the rest contradict each other, for wrong geofences or too many positions
 */
export async function calculateJobTriggers(
  ctx: Context,
  info: GraphQLResolveInfo,
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
  await reportArchived(
    ctx,
    info,
    viewerOf(ctx).companyIds.includes(job.company.id) ? job.company.id : viewerOf(ctx).companyId,
    'location_history',
  );
  const ways: Ways = {
    // Others follow the job from the first departure to its end, as in the lists of its positions.
    ...{ asset: 'h.asset_id', where: `h.job_id = $1 and (h.company_id = any($2::uuid[]) or ${duringJob('h', '$2::uuid[]')})` },
    ...{ values: [job.id, viewerOf(ctx).companyIds], limits: calculationLimits.of(ctx.em) },
    tooMany: (most) => new Invalid([{ model: MODEL, field: 'strategy', key: 'too_many_positions', params: { most } }]),
  };
  return triggersOf(query, ways, fences, { strategy, delaySeconds: delaySeconds! });
}

const queryIn =
  (ctx: Context): Query =>
  (sql, parameters) =>
    queryOf(ctx, sql, parameters);

const DURING = 'h.company_id = $1 and h.occurred_at >= $2 and h.occurred_at < $3';
const PEOPLE = 'select u.id from app_user u where u.company_id = $1';
// By the index of assets: those of a company and a time would read all companies. Telephones know the truck of their person.
const OF_COMPANY = {
  driver: { asset: 'h.user_id', where: `h.asset_id = any(array(${PEOPLE})) and h.user_id is not null and ${DURING}` },
  equipment: {
    asset: 'h.equipment_id',
    where: `h.asset_id = any(array(${PEOPLE} union all select e.id from equipment e where e.company_id = $1)) and h.equipment_id is not null and ${DURING}`,
  },
} as const;

async function triggersOf(query: Query, ways: Ways, fences: readonly FenceRow[], rule: Rule): Promise<FoundGeofenceTrigger[]> {
  const found: { fence: FenceRow; trigger: Trigger }[] = [];
  for await (const part of readWays(query, ways)) {
    const [tracks] = await tracksOf(query, [{ fences, positions: part.flat() }]);
    const regions = fences.flatMap((fence) => {
      const region = regionOfRow(fence, tracks!.get(fence.machine?.equipmentId ?? ''));
      return region ? [{ fence, region }] : [];
    });
    for (const way of part) {
      const positions = evaluatedPositions(way);
      for (const { fence, region } of regions)
        for (const trigger of findTriggers(region, positions, rule).triggers) if (!trigger.crossed) found.push({ fence, trigger });
    }
  }
  const places = await placesOf(
    query,
    found.map(({ trigger }) => trigger.position),
  );
  return found
    .toSorted((a, b) => a.trigger.position.at - b.trigger.position.at)
    .flatMap(({ fence, trigger: { type, position, confirmedAt, confidence } }) => {
      // A position that was deleted meanwhile is nowhere any more.
      const triggeredLocation = places.get(position.id);
      if (!triggeredLocation) return [];
      return {
        ...{ geofenceTriggerType: type, triggeredLocation, geofence: answeredFence(fence) },
        ...{ confirmedAt: new Date(confirmedAt), confidence },
      };
    });
}
