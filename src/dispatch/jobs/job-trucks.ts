import { ref } from '@mikro-orm/core';
import type { Issue } from '../../directory/compliance/issues.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type ErrorCollector, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { mayWithJob } from '../access/job.policy.ts';
import { lacking } from '../assignment/compliance-gate.ts';
import { shareLacks, stepsTo } from '../assignment/shared-crew.ts';
import { refuseBilled } from '../checks/refuse-held.ts';
import { refuseReviewed } from '../checks/reviewed-weeks.ts';
import { collectUnitMismatches, unitsOfJob } from '../checks/unit-mismatches.ts';
import { collectUnusable } from '../fields/field-table.ts';
import type { Job } from '../model/job.entity.ts';
import { noteRates } from '../pricing/rate-source.ts';

import type { UpdateJobInput } from './job.inputs.ts';
import { noteJobEvent } from './job-effects.ts';
import { watchHistory } from './job-history.ts';
import { withJob } from './lock-job.ts';

/** The fields of a job's input that name its truck and its trailers. */
export type JobTrucks = Pick<UpdateJobInput, 'equipmentId' | 'additionalEquipmentIds'>;

/** Sets the truck and the trailers of a job: its company's own, or those that others share for planning. */
export async function applyTrucks(tx: TxContext, job: Job, input: JobTrucks, to: ErrorCollector): Promise<void> {
  const specs = { truck: [Equipment, 'equipmentId'], trailers: [Equipment, 'additionalEquipmentIds'] } as const;
  const { truck, trailers } = await resolveReferences(tx, input, specs, {
    model: to.model,
    companyId: job.company.id,
    shared: true,
    items: to.items,
  });
  if (truck && truck.id !== job.equipment?.id) {
    collectUnusable(truck, 'equipmentId', to);
    await collectUnshared(tx, job, truck, 'equipmentId', to);
  }
  for (const [at, trailer] of (trailers ?? []).entries()) {
    if (!trailer || job.additionalEquipmentIds.includes(trailer.id)) continue;
    collectUnusable(trailer, `additionalEquipmentIds.${at}`, to);
    await collectUnshared(tx, job, trailer, `additionalEquipmentIds.${at}`, to);
  }
  // Null removes the truck; if the field is absent, the truck stays.
  const main = truck === undefined ? job.equipment?.id : truck?.id;
  for (const [at, trailer] of (trailers ?? []).entries())
    if (main && trailer?.id === main) to.items.push({ model: to.model, field: `additionalEquipmentIds.${at}`, key: 'is_the_truck' });
  if (trailers === undefined && truck && job.additionalEquipmentIds.includes(truck.id) && truck.id !== job.equipment?.id)
    to.items.push({ model: to.model, field: 'equipmentId', key: 'is_a_trailer' });
  if (truck !== undefined) job.equipment = truck ? ref(truck) : null;
  if (trailers !== undefined) job.additionalEquipmentIds = [...new Set((trailers ?? []).flatMap((one) => one?.id ?? []))];
}

/**
 * Checks the compliance documents of a truck that replaces the one of a job with a driver, like those of a truck that is assigned with its
 * driver (DOMAIN 1.2 `assign`). Without a driver nothing is checked, because nobody is sent out.
 * @param before the truck that it had
 */
export async function collectTruckDocuments(
  tx: TxContext,
  job: Job,
  before: string | undefined,
  items: ErrorItem[],
  override: boolean,
): Promise<Issue[]> {
  if (!job.driver || !job.equipment || job.equipment.id === before) return [];
  const record = await tx.em.findOne(Equipment, { id: job.equipment.id }, { filters: { tenant: false } });
  return record ? lacking(tx, job, job.company.id, [{ as: 'equipment', record, field: 'equipmentId' }], items, override) : [];
}

/**
 * Sets a job's truck or trailers only, for which `edit_job_equipment` is enough; absent fields are kept. @throws Missing, Denied; Invalid, also for a job that is
 * over or of which an invoice is approved
 */
export const setJobTrucks = (ctx: Context, path: RecordPath, input: JobTrucks): Promise<Job> =>
  withJob(
    ctx,
    path,
    (tx, job) => void mayWithJob(tx, job, 'edit_job_equipment'),
    async (tx, job) => {
      const to: ErrorCollector = { model: 'Job', items: [] };
      const { state } = job;
      if (state === 'paid' || state === 'canceled')
        to.items.push({ model: 'Job', field: 'state', key: 'illegal_event', params: { state, event: 'update' } });
      else {
        await refuseReviewed(tx, { model: 'Job' }, { companyId: job.company.id, at: job.jobStartAt });
        await refuseBilled(tx, { model: 'Job' }, job, path.companyId);
      }
      const [before, order] = [job.equipment?.id, (await job.order.load())!];
      const units = unitsOfJob(job, order);
      const noteHistory = watchHistory(tx, job);
      await applyTrucks(tx, job, input, to);
      await collectUnitMismatches(tx, unitsOfJob(job, order), { model: 'Job', input, before: units }, to.items);
      await collectTruckDocuments(tx, job, before, to.items, false);
      if (to.items.length > 0) throw new Invalid(to.items);
      noteRates(tx, [job.id]);
      await noteHistory();
      noteJobEvent(tx, job, 'JobUpdated');
      emitEvent(tx, 'job.updated', job);
    },
  );

/** Reports a truck of another company that is not shared for planning, or not for that long. */
async function collectUnshared(tx: TxContext, job: Job, truck: Equipment, field: string, to: ErrorCollector): Promise<void> {
  if (truck.company.id === job.company.id) return;
  const key = shareLacks(await stepsTo(tx, job.company.id, 'Equipment', truck.id, job.jobStartAt));
  if (key) to.items.push({ model: to.model, field, key });
}
