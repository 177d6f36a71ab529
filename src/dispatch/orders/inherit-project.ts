import { ref } from '@mikro-orm/core';
import type { Ref } from '@mikro-orm/postgresql';
import { Contact } from '../../directory/contacts/contact.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { PEOPLE } from '../fields/field-table.ts';
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
 */
export async function inheritFromProject(tx: TxContext, order: Order, project: Project, input: CreateOrderInput): Promise<void> {
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
  if (!said.has('phases') && !said.has('phase')) await inheritPhases(tx, order, project);
}

type Discardable = { id: string; discardedAt?: Date | null; state?: string };

async function inheritPeople(tx: TxContext, order: Order, project: Project, said: ReadonlySet<string>): Promise<void> {
  const wished = PEOPLE.filter((field) => !said.has(field));
  const ids = wished.flatMap((field) => project[field]);
  const here = ids.length === 0 ? [] : await tx.em.find(User, { id: { $in: ids }, discardedAt: null }, { filters: { tenant: false } });
  const known = new Set(here.map(({ id }) => id));
  for (const field of wished) order[field] = project[field].filter((id) => known.has(id));
  for (const name of CONTACTS) {
    const contact = said.has(name) ? null : await project[name]?.load();
    if (!contact) continue;
    // The order gets a copy of the contact, so that changes to it do not change the project's.
    const { companyId, email, phone } = contact;
    const twin = Object.assign(new Contact(), { companyId, name: contact.name, email, phone });
    tx.em.persist(twin);
    order[name] = ref(twin);
  }
}

async function inheritPhases(tx: TxContext, order: Order, project: Project): Promise<void> {
  const phases = await tx.em.find(Phase, { projectId: project.id }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  for (const { companyId, name, code, primary } of phases)
    tx.em.persist(Object.assign(new Phase(), { orderId: order.id, companyId, name, code, primary }));
}
