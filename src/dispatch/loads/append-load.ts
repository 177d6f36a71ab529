import { ref } from '@mikro-orm/core';
import type { TxContext } from '../../platform/commands/transact.ts';
import { loadsOf } from '../jobs/job-effects.ts';
import { Job } from '../model/job.entity.ts';
import { Load } from '../model/load.entity.ts';

/** Adds a load if loads recur, so that there is always one more to drive. */
export async function appendRecurring(tx: TxContext, job: Job): Promise<void> {
  if (job.recurringLoads && !(await loadsOf(tx, job)).some((one) => one.state === 'created')) await appendLoad(tx, job);
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
    unitOfMeasure: job.loadUnitOfMeasure ?? null,
    material: job.material ?? null,
    phase: job.phase ?? null,
    foremanIds: job.foremanIds,
    materialSellPrice: job.materialSellPrice ?? null,
    materialBuyPrice: job.materialBuyPrice ?? null,
    materialRateUnitOfMeasure: job.materialRateUnitOfMeasure ?? null,
    materialRateSite: job.materialRateSite ?? null,
    materialRateSupplierAccount: job.materialRateSupplierAccount ?? null,
    routeId: job.routeId,
  });
  tx.em.persist(load);
  return load;
}
