import { LockMode } from '@mikro-orm/core';
import { loadsOf } from '../../dispatch/jobs/job-effects.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import type { Job } from '../../dispatch/model/job.entity.ts';
import type { Load } from '../../dispatch/model/load.entity.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { STAMPS, type Stamp } from './decide.ts';
import type { GeofenceTrigger } from './geofence-trigger.entity.ts';

/**
 * Fills the time of a load that nobody noted, if a late crossing shows it and it lies between the times next to it. What somebody noted is never
 * overwritten, and what is approved stays as it is.
 */
export async function fillStamp(tx: TxContext, job: Job, stamp: Stamp, at: Date): Promise<void> {
  const load = (await loadsOf(tx, job)).find((one) => !one.approvedAt && one.state !== 'canceled' && isBetween(one, stamp, at));
  if (load) load.loadSummary[stamp] = at;
}

function isBetween({ loadSummary }: Load, stamp: Stamp, at: Date): boolean {
  if (loadSummary[stamp]) return false;
  const place = STAMPS.indexOf(stamp);
  const before = STAMPS.slice(0, place).findLast((one) => loadSummary[one]);
  const after = STAMPS.slice(place + 1).find((one) => loadSummary[one]);
  // Without a later time the load is still on its way there, and without an earlier one nothing says that it was this load.
  if (!after || loadSummary[after]! < at) return false;
  return before ? loadSummary[before]! <= at : place === 0;
}

/**
 * Notes on the day of a driver on duty when their truck first left its home base, and when it last came back. Off duty it is nobody's business,
 * and what is approved stays as it is.
 */
export async function stampDay(tx: TxContext, { assetId, geofenceTriggerType, occurredAt }: GeofenceTrigger): Promise<void> {
  const [state] = await queryIn<{ id: string }>(
    tx.em,
    `select driver_day_id as id from driver_state_event where user_id = $1 and state <> 'off_duty' and driver_day_id is not null
       and started_at <= $2 and (ended_at is null or ended_at >= $2) order by started_at desc limit 1`,
    [assetId, occurredAt],
  );
  const day =
    state && (await tx.em.findOne(DriverDay, { id: state.id }, { filters: { tenant: false }, lockMode: LockMode.PESSIMISTIC_WRITE }));
  if (!day || day.approvedTotals) return;
  const { firstHomebaseExitAt: left, lastHomebaseEntryAt: back } = day;
  if (geofenceTriggerType === 'exit' && (!left || left > occurredAt)) day.firstHomebaseExitAt = occurredAt;
  else if (geofenceTriggerType === 'enter' && (!back || back < occurredAt)) day.lastHomebaseEntryAt = occurredAt;
  else return;
  emitEvent(tx, 'driver_day.updated', day);
}
