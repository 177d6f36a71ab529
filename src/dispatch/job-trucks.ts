import { ref } from '@mikro-orm/core';
import type { Telling } from '../directory/contacts.ts';
import { Equipment } from '../directory/equipment.entity.ts';
import { referMany } from '../platform/authz/fences.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import type { Job } from './job.entity.ts';
import type { UpdateJobInput } from './job.inputs.ts';
import { tellUnusable } from './order-fields.ts';
import { stepsTo } from './shared-crew.ts';

/** Sets the truck and the trailers of a job: its company's own, and what others share with it to be planned with. */
export async function applyTrucks(tx: TxContext, job: Job, input: UpdateJobInput, to: Telling): Promise<void> {
  const wishes = { truck: [Equipment, 'equipmentId'], trailers: [Equipment, 'additionalEquipmentIds'] } as const;
  const { truck, trailers } = await referMany(tx, input, wishes, {
    model: to.model,
    companyId: job.company.id,
    shared: true,
    items: to.items,
  });
  if (truck && truck.id !== job.equipment?.id) {
    tellUnusable(truck, 'equipmentId', to);
    await tellUnshared(tx, job, truck, 'equipmentId', to);
  }
  for (const [at, trailer] of (trailers ?? []).entries())
    if (trailer && !job.additionalEquipmentIds.includes(trailer.id))
      await tellUnshared(tx, job, trailer, `additionalEquipmentIds.${at}`, to);
  if (truck !== undefined) job.equipment = truck ? ref(truck) : null;
  if (trailers !== undefined) job.additionalEquipmentIds = (trailers ?? []).flatMap((one) => (one ? [one.id] : []));
}

/** Tells of a truck that another company owns and did not share to be planned with. */
async function tellUnshared(tx: TxContext, job: Job, truck: Equipment, field: string, to: Telling): Promise<void> {
  if (truck.company.id === job.company.id) return;
  const steps = await stepsTo(tx, job.company.id, 'Equipment', truck.id);
  if (!steps.every((step) => step.dispatchable)) to.items.push({ model: to.model, field, key: 'not_dispatchable' });
}
