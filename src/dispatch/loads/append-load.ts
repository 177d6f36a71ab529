import { type EntityClass, ref } from '@mikro-orm/core';
import type { TxContext } from '../../platform/commands/transact.ts';
import { loadsOf } from '../jobs/job-effects.ts';
import { Job } from '../model/job.entity.ts';
import { Load } from '../model/load.entity.ts';
import { LOAD_TAKES } from './load-terms.ts';

/** Adds a load if loads recur, so that there is always one more to drive. */
export async function appendRecurring(tx: TxContext, job: Job): Promise<void> {
  if (job.recurringLoads && !(await loadsOf(tx, job)).some((one) => one.state === 'created')) await appendLoad(tx, job);
}

/** Returns the fields that a load takes from a job whose changes may not be in the database yet; `insertLoads` takes them from the row. */
function takenFrom({ em }: TxContext, job: Job): Partial<Load> {
  const named = (entity: EntityClass<object>): Map<string, string> =>
    new Map(
      em
        .getMetadata()
        .get(entity)
        .props.map(({ name, fieldNames }) => [String(fieldNames?.[0]), String(name)]),
    );
  const [ofLoad, ofJob] = [named(Load), named(Job)];
  return Object.fromEntries(Object.entries(LOAD_TAKES).map(([of, from]) => [ofLoad.get(of)!, job[ofJob.get(from) as keyof Job] ?? null]));
}

/** Adds the next load of a job, with the same terms, at the end. */
export async function appendLoad(tx: TxContext, job: Job): Promise<Load> {
  const loads = await loadsOf(tx, job);
  const last = loads.at(-1);
  const ordinality = Math.max(last?.ordinality ?? 0, job.lastLoadNumber ?? 0) + 1;
  const load = Object.assign(new Load(), {
    company: job.company,
    job: ref(job),
    orderId: job.order.id,
    ordinality,
    loadId: `${job.jobId}-${ordinality}`,
    ...takenFrom(tx, job),
  });
  tx.em.persist(load);
  return load;
}
