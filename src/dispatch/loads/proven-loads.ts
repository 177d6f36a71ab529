import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { noteJobEvent } from '../jobs/job-effects.ts';
import type { Job } from '../model/job.entity.ts';
import { Load } from '../model/load.entity.ts';
import { loadMachine } from '../model/load.machine.ts';
import { ticketedSql } from '../model/load-figures.ts';
import { earliestOf, stampLoad } from './stamp-load.ts';

const PROVEN = `select l.id from load l where l.job_id = any($1::uuid[]) and l.state <> all($2::text[]) and ${ticketedSql('l')}`;

/** Returns the open loads of jobs that have a ticket, in driving order: it proves that they were loaded, whatever the driver has pressed. */
export async function provenLoads(tx: TxContext, jobs: readonly Job[]): Promise<Load[]> {
  await tx.em.flush();
  const rows = await queryIn<{ id: string }>(tx.em, PROVEN, [jobs.map(({ id }) => id), loadMachine.terminal]);
  if (rows.length === 0) return [];
  return tx.em.find(Load, { id: { $in: rows.map(({ id }) => id) } }, { orderBy: { ordinality: 'asc' }, filters: { tenant: false } });
}

/**
 * Completes the loads that tickets prove of jobs that are completed: canceled, they would be delivered to nobody and never billed. Somebody looks at those of which
 * nobody saw that they were unloaded.
 * @returns whether there are any
 */
export async function completeProven(tx: TxContext, jobs: readonly Job[], occurredAt: Date): Promise<boolean> {
  const proven = await provenLoads(tx, jobs);
  const jobOf = new Map(jobs.map((job) => [job.id, job]));
  for (const load of proven) {
    if (load.state !== 'unloaded') load.doubted = true;
    if (load.state === 'created') loadMachine.fire(tx, load, 'enroute');
    loadMachine.fire(tx, load, 'complete');
    const last = earliestOf(load, 'loadCompletedAt');
    const at = last && last > occurredAt ? last : occurredAt;
    stampLoad(load, 'loadCompletedAt', at, false);
    noteJobEvent(tx, jobOf.get(load.job.id)!, 'LoadCompleted', { loadId: load.id, occurredAt: at, payload: { reason: 'ticketed' } });
  }
  return proven.length > 0;
}
