import { loadsOf } from '../../dispatch/jobs/job-effects.ts';
import { LOAD_STAMPS, type LoadStamp } from '../../dispatch/loads/stamp-load.ts';
import type { Job } from '../../dispatch/model/job.entity.ts';
import type { Load } from '../../dispatch/model/load.entity.ts';
import { lockDay } from '../../dispatch/shifts/driver-days.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { GeofenceTrigger } from './geofence-trigger.entity.ts';

/**
 * Fills the time of a load that nobody noted, if a late crossing shows it and it lies between the times next to it. What somebody noted is never
 * overwritten, and what is approved stays as it is.
 */
export async function fillStamp(tx: TxContext, job: Job, stamp: LoadStamp, at: Date): Promise<void> {
  const load = (await loadsOf(tx, job)).find((one) => !isApproved(one) && one.state !== 'canceled' && isBetween(one, stamp, at));
  if (load) load.loadSummary[stamp] = at;
}

/** For billing or in the field. */
const isApproved = ({ approvedAt, fieldApprovedAt }: Load): boolean => Boolean(approvedAt ?? fieldApprovedAt);

function isBetween({ loadSummary }: Load, stamp: LoadStamp, at: Date): boolean {
  if (loadSummary[stamp]) return false;
  const place = LOAD_STAMPS.indexOf(stamp);
  const before = LOAD_STAMPS.slice(0, place).findLast((one) => loadSummary[one]);
  const after = LOAD_STAMPS.slice(place + 1).find((one) => loadSummary[one]);
  // Without a later time the load is still on its way there, and without an earlier one nothing says that it was this load.
  if (!after || loadSummary[after]! < at) return false;
  return before ? loadSummary[before]! <= at : place === 0;
}

// The crossings of the home base on duty, as far as no later position disproves them.
const HOME = `select min(g.occurred_at) filter (where g.geofence_trigger_type = 'exit') as left,
    max(g.occurred_at) filter (where g.geofence_trigger_type = 'enter') as back
  from geofence_trigger g where g.asset_id = $1 and g.job_id is null and g.state = 'applied' and exists (
    select from driver_state_event e where e.driver_day_id = $2 and e.user_id = $1 and e.state <> 'off_duty'
      and e.started_at <= g.occurred_at and (e.ended_at is null or e.ended_at >= g.occurred_at))`;

/**
 * Notes on the day of a driver on duty when their truck first left its home base, and when it last came back, by all crossings that count. Off
 * duty it is nobody's business, and what is approved stays as it is. To lock the day writes what the transaction has changed, the crossing too.
 */
export async function stampDay(tx: TxContext, { assetId, occurredAt }: Pick<GeofenceTrigger, 'assetId' | 'occurredAt'>): Promise<void> {
  const [state] = await queryIn<{ id: string }>(
    tx.em,
    `select driver_day_id as id from driver_state_event where user_id = $1 and state <> 'off_duty' and driver_day_id is not null
       and started_at <= $2 and (ended_at is null or ended_at >= $2) order by started_at desc limit 1`,
    [assetId, occurredAt],
  );
  const day = state && (await lockDay(tx, state.id));
  if (!day || day.approvedTotals) return;
  const [seen] = await queryIn<Record<'left' | 'back', string | Date | null>>(tx.em, HOME, [assetId, day.id]);
  const [left, back] = [seen!.left, seen!.back].map((at) => (at === null ? null : new Date(at)));
  if (same(left, day.firstHomebaseExitAt) && same(back, day.lastHomebaseEntryAt)) return;
  Object.assign(day, { firstHomebaseExitAt: left, lastHomebaseEntryAt: back });
  emitEvent(tx, 'driver_day.updated', day);
}

const same = (a: Date | null | undefined, b: Date | null | undefined): boolean => a?.getTime() === b?.getTime();
