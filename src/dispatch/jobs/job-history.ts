import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { Material, ServiceClass } from '../../directory/master-data/named.entities.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { recordOf } from '../../platform/database/rows.ts';
import { Decimal } from '../../platform/decimal.ts';
import { wireName } from '../../platform/model/names.ts';
import type { Job } from '../model/job.entity.ts';
import { Phase } from '../model/phase.entity.ts';
import type { JobEventName } from '../model/states.ts';
import { noteJobEvent } from './job-effects.ts';

/** Records of a job whose change is an event of its history, with the event. */
const RECORDS = {
  material: [Material, 'JobMaterialChanged'],
  equipment: [Equipment, 'JobEquipmentChanged'],
  phase: [Phase, 'JobAttributeChanged'],
  serviceClass: [ServiceClass, 'JobAttributeChanged'],
} as const satisfies Record<string, readonly [unknown, JobEventName]>;

/** Fields of a job whose change is an event. Vendors and drivers read the events, so that no rate is among them. */
const ATTRIBUTES = [
  ...(['notes', 'quantity', 'unitOfMeasure', 'loadUnitOfMeasure', 'requestedLoadsCount', 'requestedEquipmentTypeName'] as const),
  ...(['equipmentTypeGrossCapacity', 'equipmentTypeGrossCapacityUnitOfMeasure', 'jobTime', 'jobStartAt', 'priority'] as const),
  'recurringLoads',
] as const;

interface Content {
  ids: Map<keyof typeof RECORDS, string | undefined>;
  texts: Map<string, string | null>;
}

/** @returns a function to call after a change of the job: it notes an event for each thing that has changed, with what it was and is */
export function watchHistory(tx: TxContext, job: Job): () => Promise<void> {
  const before = contentOf(job);
  return async () => {
    const after = contentOf(job);
    const note = (eventName: JobEventName, name: string, from: string | null, to: string | null) =>
      noteJobEvent(tx, job, eventName, { payload: { label: labelOf(name), from_value: from, to_value: to } });
    for (const [name, [entity, eventName]] of Object.entries(RECORDS) as [keyof typeof RECORDS, (typeof RECORDS)['material']][]) {
      const [from, to] = [before.ids.get(name), after.ids.get(name)];
      if (from !== to) note(eventName, name, await nameOf(tx, entity, from), await nameOf(tx, entity, to));
    }
    for (const [name, to] of after.texts) {
      const from = before.texts.get(name) ?? null;
      if (from !== to) note('JobAttributeChanged', name, from, to);
    }
  };
}

function contentOf(job: Job): Content {
  return {
    ids: new Map((Object.keys(RECORDS) as (keyof typeof RECORDS)[]).map((name) => [name, job[name]?.id])),
    texts: new Map(ATTRIBUTES.map((name) => [name, textOf(job[name])])),
  };
}

/** Numbers as answers write them, whatever their form in memory. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  return value instanceof Decimal || typeof value === 'number' ? new Decimal(value).toFixed() : String(value);
}

/** The name of a record, also of another company's that is shared. */
async function nameOf(tx: TxContext, entity: typeof Material, id: string | undefined): Promise<string | null> {
  return id ? ((await recordOf(tx.em, entity, id))?.name ?? null) : null;
}

/** `unitOfMeasure` -> `Unit of measure`. */
function labelOf(name: string): string {
  const words = wireName(name).replaceAll('_', ' ');
  return words[0]!.toUpperCase() + words.slice(1);
}
