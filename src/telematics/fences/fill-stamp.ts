import { loadsOf } from '../../dispatch/jobs/job-effects.ts';
import type { Job } from '../../dispatch/model/job.entity.ts';
import type { Load } from '../../dispatch/model/load.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { STAMPS, type Stamp } from './decide.ts';

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
