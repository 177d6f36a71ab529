import { ref } from '@mikro-orm/core';
import type { Ref } from '@mikro-orm/postgresql';
import { User } from '../../directory/people/user.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { PEOPLE } from '../fields/field-table.ts';
import { copyContacts, copyPhases, type NewParts } from '../fields/new-parts.ts';
import { CONTACTS } from '../fields/order-parts.ts';
import { ORDER_FIELDS, type WorkField } from '../fields/work-fields.ts';
import type { Order } from '../model/order.entity.ts';
import { Phase } from '../model/phase.entity.ts';
import type { Project } from '../model/project.entity.ts';
import type { CreateOrderInput } from './order.inputs.ts';

/** Fields that mean something only together, so that they are inherited together or not at all. */
const TOGETHER = [
  ['quantity', 'unitOfMeasure'],
  ['jobQuantity', 'jobUnitOfMeasure'],
  ['equipmentTypeId', 'equipmentTypeGrossCapacity', 'equipmentTypeGrossCapacityUnitOfMeasure'],
] as const;

const RELATIONS = { departmentId: 'department', serviceClassId: 'serviceClass', equipmentTypeId: 'equipmentType' } as const;

/**
 * Fills the absent fields of a new order from its project (DOMAIN 3.8 requires it for taxes); null counts as a value. The values are copied
 * once: later changes of the project change no order. Discarded and inactive records are not inherited.
 * @returns copies of the project's contacts and phases, which are written with the order
 */
export async function inheritFromProject(
  tx: TxContext,
  order: Order,
  project: Project,
  input: CreateOrderInput,
): Promise<Pick<NewParts, 'contacts' | 'phases'>> {
  const said = new Set(Object.entries(input).flatMap(([field, value]) => (value === undefined ? [] : [field])));
  for (const fields of TOGETHER) if (fields.some((field) => said.has(field))) for (const field of fields) said.add(field);
  const target = order as unknown as Record<string, unknown>;
  for (const [field, { fromProject }] of Object.entries<WorkField>(ORDER_FIELDS)) {
    const value = fromProject && project[fromProject];
    if (!said.has(field) && value !== undefined && value !== null) target[field] = value;
  }
  for (const [field, relation] of Object.entries(RELATIONS)) {
    const record = said.has(field) ? null : await (project[relation as 'department'] as Ref<Discardable> | null | undefined)?.load();
    if (record && !record.discardedAt && record.state !== 'inactive') target[relation] = ref(record);
  }
  if (!said.has('dispatchNumber') && project.dispatchNumber) order.dispatchNumber = project.dispatchNumber;
  await inheritPeople(tx, order, project, said);
  const contacts = await copyContacts(
    order,
    project,
    CONTACTS.filter((name) => !said.has(name)),
  );
  const phases = said.has('phases') || said.has('phase') ? [] : await phasesOf(tx, project);
  return { contacts, phases: copyPhases(phases) };
}

type Discardable = { id: string; discardedAt?: Date | null; state?: string };

async function inheritPeople(tx: TxContext, order: Order, project: Project, said: ReadonlySet<string>): Promise<void> {
  const wished = PEOPLE.filter((field) => !said.has(field));
  const ids = wished.flatMap((field) => project[field]);
  const here = ids.length === 0 ? [] : await tx.em.find(User, { id: { $in: ids }, discardedAt: null }, { filters: { tenant: false } });
  const known = new Set(here.map(({ id }) => id));
  for (const field of wished) order[field] = project[field].filter((id) => known.has(id));
}

const phasesOf = (tx: TxContext, project: Project): Promise<Phase[]> =>
  tx.em.find(Phase, { projectId: project.id }, { orderBy: { createdAt: 'asc', id: 'asc' } });
