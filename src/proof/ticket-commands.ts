import { ref } from '@mikro-orm/core';
import { Company } from '../directory/companies/company.entity.ts';
import { Material } from '../directory/master-data/named.entities.ts';
import { mayWithJob } from '../dispatch/access/job.policy.ts';
import { makeSupplements } from '../dispatch/checks/supplements.ts';
import { Job } from '../dispatch/model/job.entity.ts';
import { Load } from '../dispatch/model/load.entity.ts';
import { Order } from '../dispatch/model/order.entity.ts';
import type { JobState, LoadState } from '../dispatch/model/states.ts';
import { lockOrder } from '../dispatch/orders/order-progress.ts';
import { allow, companyOf, viewerOf } from '../platform/authz/authorization.ts';
import { resolveReference } from '../platform/authz/references.ts';
import { newRowOf } from '../platform/commands/audit.ts';
import { setTxOf } from '../platform/commands/set-tx.ts';
import { emitEvent, type TxContext, transact } from '../platform/commands/transact.ts';
import { defineUnique } from '../platform/commands/unique.ts';
import type { Context, RecordPath } from '../platform/context.ts';
import { queryIn } from '../platform/database/sql.ts';
import { Decimal } from '../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../platform/errors.ts';
import { supplementOrRefuse, supplementOrRefuseMaterial, supplementOrRefuseTicket } from './approvals/refuse-invoiced.ts';
import { createTickets } from './create-tickets.ts';
import { namingHolder } from './number-taken.ts';
import { Ticket } from './ticket.entity.ts';
import type { CreateTicketInput, TicketFieldsInput, UpdateTicketInput } from './ticket.inputs.ts';
import { ticketMachine } from './ticket.machine.ts';
import { lockTicket, refuseOfApprovedLoad, refuseReviewedTicket } from './ticket-events.ts';
import { endWait, expectWork } from './waiting-tickets.ts';

export const ticketNumberKey = defineUnique('ticket_number_key', { model: 'Ticket', field: 'ticketNumber' });
export const ticketActiveLoadKey = defineUnique('ticket_active_load_key', { model: 'Ticket', field: 'loadId' });

/** Makes a ticket, `pending` when its job or load is known. @throws Denied, Invalid for a number or a load that has a ticket */
export function createTicket(ctx: Context, input: CreateTicketInput): Promise<{ id: string }> {
  return namingHolder(ctx, input.ticketNumber, () => transact(ctx, (tx) => create(tx, input)));
}

async function create(tx: TxContext, input: CreateTicketInput): Promise<{ id: string }> {
  const items: ErrorItem[] = [];
  const options = { model: 'Ticket', items };
  const load = await resolveReference(tx, Load, input, 'loadId', options);
  const named = await resolveReference(tx, Job, input, 'jobId', options);
  if (load && named && load.job.id !== named.id) items.push({ model: 'Ticket', field: 'loadId', key: 'must_exist' });
  const job = named ?? (load ? await tx.em.findOneOrFail(Job, load.job.id) : undefined);
  const companyId = job?.company.id ?? companyOf(tx);
  if (job) mayWithJob(tx, job, 'create_ticket');
  else allow(tx, 'create_ticket');
  if (job) await lockOrder(tx, job.order.id);
  await collectCanceled(tx, { job: named, load }, items);
  const ticket = Object.assign(new Ticket(), { company: ref(Company, companyId), source: input.source ?? 'driver_app' });
  await applyFields(tx, ticket, input, items);
  if (items.length > 0) throw new Invalid(items);
  if (job) Object.assign(ticket, { order: ref(Order, job.order.id), job: ref(job), load: load ? ref(load) : null, state: 'pending' });
  const { columns, changes } = newRowOf(tx.em, ticket);
  await createTickets(setTxOf(tx), companyId, [{ id: ticket.id, records: tx.tx, columns: { ...columns, state: ticket.state }, changes }]);
  return { id: ticket.id };
}

/**
 * Changes a ticket that is neither approved nor voided; absent fields stay, a load links it and null takes it off. What an approved invoice was priced by
 * changes with a supplement alone, if the input wants one. @throws Denied, Invalid
 */
export function updateTicket(ctx: Context, path: RecordPath, input: UpdateTicketInput): Promise<{ id: string }> {
  return namingHolder(ctx, input.ticketNumber, () => transact(ctx, (tx) => update(tx, path, input)));
}

async function update(tx: TxContext, path: RecordPath, input: UpdateTicketInput): Promise<{ id: string }> {
  if (input.serviceDate !== undefined) {
    viewerOf(tx);
    // A ticket that waits for the work of its day may find that of another one; this lock comes before the others.
    await expectWork(setTxOf(tx), path.id);
  }
  const ticket = await lockTicket(tx, path, 'edit_ticket', input.supplement);
  if (ticket.state !== 'new' && ticket.state !== 'pending')
    throw new Invalid([{ model: 'Ticket', field: '', key: 'ticket_not_editable', params: { state: ticket.state } }]);
  await refuseReviewedTicket(tx, ticket);
  const items: ErrorItem[] = [];
  const work = ticket.job && { jobId: ticket.job.id, companyId: ticket.company.id };
  const bills = await supplementOrRefuseChange(tx, ticket, input);
  if (leavesLoad(ticket, input) || saysOtherwise(ticket, input) || isOfOther(ticket, input))
    await refuseOfApprovedLoad(tx, ticket, 'edit_ticket');
  await applyFields(tx, ticket, input, items);
  if (input.flagged !== undefined && input.flagged !== null) ticket.flagged = input.flagged;
  const load = await resolveReference(tx, Load, input, 'loadId', { model: 'Ticket', companyId: ticket.company.id, items });
  if (load) {
    // A driver's own ticket stays on the driver's own loads.
    mayWithJob(tx, await tx.em.findOneOrFail(Job, load.job.id), 'edit_ticket');
    if (load.orderId !== ticket.order?.id) await lockOrder(tx, load.orderId);
  }
  await collectCanceled(tx, { load }, items);
  if (items.length > 0) throw new Invalid(items);
  // A person's decision is not made anew by an order that comes later.
  if (input.loadId !== undefined) await endWait(setTxOf(tx), [ticket.id]);
  if (load) {
    Object.assign(ticket, { order: ref(Order, load.orderId), job: load.job, load: ref(load) });
    if (ticket.state === 'new') ticketMachine.fire(tx, ticket, 'link');
  } else if (load === null && input.loadId === null) {
    Object.assign(ticket, { job: null, load: null });
    if (ticket.state === 'pending') ticketMachine.fire(tx, ticket, 'unlink');
  }
  emitEvent(tx, 'ticket.updated', ticket);
  if (work && bills) await makeSupplements(tx, work);
  return { id: ticket.id };
}

/** Refuses to change by what an approved invoice was priced, unless the input wants a supplement that is possible. @returns whether it is to be made @throws Invalid */
async function supplementOrRefuseChange(tx: TxContext, ticket: Ticket, input: UpdateTicketInput): Promise<boolean> {
  const { supplement, quantity: says } = input;
  // What is paid for a load whatever it weighs is paid for one that has its ticket.
  if (leavesLoad(ticket, input)) return supplementOrRefuse(tx, ticket, { supplement });
  if (saysOtherwise(ticket, input)) return supplementOrRefuseTicket(tx, ticket, { supplement, says });
  return isOfOther(ticket, input) && supplementOrRefuseMaterial(tx, ticket, { supplement });
}

/** Whether a load is of another material by an input. */
const isOfOther = ({ material }: Ticket, { materialId }: UpdateTicketInput): boolean =>
  materialId !== undefined && (materialId?.toLowerCase() ?? null) !== (material?.id ?? null);

/** Whether a load is of another quantity by an input. */
const saysOtherwise = ({ quantity, unitOfMeasure }: Ticket, input: UpdateTicketInput): boolean =>
  (input.quantity !== undefined && !(input.quantity && quantity?.eq(input.quantity))) ||
  (input.unitOfMeasure != null && input.unitOfMeasure !== unitOfMeasure);

/** Whether a ticket that says something is taken off its load. */
const leavesLoad = ({ quantity, load }: Ticket, { loadId }: UpdateTicketInput): boolean =>
  Boolean(quantity && load) && loadId !== undefined && loadId?.toLowerCase() !== load?.id;

/** Deletes a ticket that nobody approved, and by which no approved invoice was priced. @throws Missing, Denied, Invalid */
export function deleteTicket(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const ticket = await lockTicket(tx, path, 'delete_ticket');
    if (ticket.state === 'approved')
      throw new Invalid([{ model: 'Ticket', field: '', key: 'ticket_not_editable', params: { state: ticket.state } }]);
    if (ticket.quantity) await supplementOrRefuse(tx, ticket);
    await refuseOfApprovedLoad(tx, ticket, 'delete_ticket');
    await refuseReviewedTicket(tx, ticket);
    emitEvent(tx, 'ticket.deleted', ticket, { ticket_number: ticket.ticketNumber ?? null });
    tx.em.remove(ticket);
  });
}

const STATES = 'select (select state from load where id = $1) as load, (select state from job where id = $2) as job';

/**
 * Nothing is hauled on a job that was canceled; what was delivered before is proven by its load. The states are read now that the order is locked: the job may have
 * been completed while this waited for it, and what nobody had a ticket of was canceled with that.
 */
async function collectCanceled(
  { em }: TxContext,
  { job, load }: { job?: Job | null | undefined; load: Load | null | undefined },
  items: ErrorItem[],
): Promise<void> {
  if (!job && !load) return;
  const [now] = await queryIn<{ load: LoadState | null; job: JobState | null }>(em, STATES, [load?.id ?? null, job?.id ?? null]);
  const report = (field: string) => items.push({ model: 'Ticket', field, key: 'ticket_of_canceled' });
  if (now?.load === 'canceled') report('loadId');
  else if (!load && now?.job === 'canceled') report('jobId');
}

const WEIGHED = ['quantity', 'grossQuantity', 'tareQuantity', 'wastedQuantity'] as const;
const PLAIN = [...WEIGHED, 'weighedBy', 'acceptance', 'ticketNumber', 'printedAt', 'serviceDate'] as const;

/** Sets what an input says of a ticket, and collects what cannot be: an empty truck is not heavier than a loaded one, nor waste more than all. */
export async function applyFields(tx: TxContext, ticket: Ticket, input: TicketFieldsInput, items: ErrorItem[]): Promise<void> {
  for (const field of PLAIN) if (input[field] !== undefined) Object.assign(ticket, { [field]: input[field] });
  if (input.unitOfMeasure === null) items.push({ model: 'Ticket', field: 'unitOfMeasure', key: 'required' });
  if (input.unitOfMeasure) ticket.unitOfMeasure = input.unitOfMeasure;
  const fields = { materialId: input.materialId };
  const material = await resolveReference(tx, Material, fields, 'materialId', { model: 'Ticket', companyId: ticket.company.id, items });
  if (input.materialId !== undefined) ticket.material = material ? ref(material) : null;
  if (WEIGHED.every((field) => input[field] === undefined)) return;
  for (const [part, whole] of [
    ['tareQuantity', 'grossQuantity'],
    ['wastedQuantity', 'quantity'],
  ] as const) {
    const [less, most] = [ticket[part], ticket[whole]];
    if (less && most && new Decimal(less).gt(most))
      items.push({
        model: 'Ticket',
        field: input[part] === undefined ? whole : part,
        key: 'more_than_whole',
        params: { whole: String(most) },
      });
  }
}
