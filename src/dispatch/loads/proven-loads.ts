import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { loadsOf, noteJobEvent } from '../jobs/job-effects.ts';
import type { Job } from '../model/job.entity.ts';
import type { Load } from '../model/load.entity.ts';
import { loadMachine } from '../model/load.machine.ts';
import { ticketedSql } from '../model/load-figures.ts';
import { earliestOf, stampLoad } from './stamp-load.ts';

const PROVEN = `select l.id from load l where l.job_id = $1 and l.state <> all($2::text[]) and ${ticketedSql('l')}`;

/** Returns the open loads of a job that have a ticket: it proves that they were loaded, whatever the driver has pressed. */
export async function provenLoads(tx: TxContext, job: Job): Promise<Load[]> {
  await tx.em.flush();
  const rows = await queryIn<{ id: string }>(tx.em, PROVEN, [job.id, loadMachine.terminal]);
  if (rows.length === 0) return [];
  const ids = new Set(rows.map(({ id }) => id));
  return (await loadsOf(tx, job)).filter(({ id }) => ids.has(id));
}

/**
 * Completes the loads that tickets prove of a job that is completed: canceled, they would be delivered to nobody and never billed. Somebody looks at those of which
 * nobody saw that they were unloaded.
 * @returns whether there are any
 */
export async function completeProven(tx: TxContext, job: Job, occurredAt: Date): Promise<boolean> {
  const proven = await provenLoads(tx, job);
  for (const load of proven) {
    if (load.state !== 'unloaded') load.doubted = true;
    if (load.state === 'created') loadMachine.fire(tx, load, 'enroute');
    loadMachine.fire(tx, load, 'complete');
    const last = earliestOf(load, 'loadCompletedAt');
    const at = last && last > occurredAt ? last : occurredAt;
    stampLoad(load, 'loadCompletedAt', at, false);
    noteJobEvent(tx, job, 'LoadCompleted', { loadId: load.id, occurredAt: at, payload: { reason: 'ticketed' } });
  }
  return proven.length > 0;
}
