import { isOwnJob } from '../dispatch/access/job.policy.ts';
import { lockBeforeOrders } from '../dispatch/checks/lock-around.ts';
import { refuseReviewed } from '../dispatch/checks/reviewed-weeks.ts';
import { makeSupplements } from '../dispatch/checks/supplements.ts';
import { Job } from '../dispatch/model/job.entity.ts';
import { Load } from '../dispatch/model/load.entity.ts';
import { lockOrder } from '../dispatch/orders/order-progress.ts';
import { allow, denial, find, viewerOf } from '../platform/authz/authorization.ts';
import { type TxContext, transact } from '../platform/commands/transact.ts';
import type { Context, RecordPath } from '../platform/context.ts';
import { type Attempt, refusalOf } from '../platform/errors.ts';
import { supplementOrRefuse } from './approvals/refuse-invoiced.ts';
import type { VoidTicketInput } from './approvals/void-ticket.inputs.ts';
import { AiReview } from './review/ai-review.entity.ts';
import { missingOf, Ticket } from './ticket.entity.ts';
import { ticketMachine } from './ticket.machine.ts';

/** Says that a ticket is right: its load was of this quantity. @throws Missing, Denied, Conflict while something of it is missing */
export function approveTicket(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const ticket = await lockTicket(tx, path);
    const load = ticket.load && (await find(tx, Load, ticket.load.id, { lock: true }));
    const duplicate = load ? (await tx.em.count(AiReview, { load: load.id, status: 'duplicate' })) > 0 : false;
    ticketMachine.fire(tx, ticket, 'approve', { missing: missingOf({ ...ticket, jobId: ticket.job?.id }), duplicate });
    if (load) {
      Object.assign(ticket, { replacedQuantity: load.quantity, replacedUnitOfMeasure: load.unitOfMeasure });
      Object.assign(load, { quantity: ticket.quantity, unitOfMeasure: ticket.unitOfMeasure });
    }
    return { id: ticket.id };
  });
}

/** Refuses to change what a ticket proves of a week that is reviewed. @param attempt where the contract answers 409 @throws Invalid or Conflict */
export const refuseReviewedTicket = (tx: TxContext, { company, job, serviceDate }: Ticket, attempt?: Attempt): Promise<void> =>
  refuseReviewed(tx, { model: 'Ticket', attempt }, { companyId: company.id, jobId: job?.id, at: serviceDate ?? undefined });

/**
 * Voids a ticket: its load is without a ticket again and has the quantity that was reported before, and the number is free. @throws
 * Missing, Denied, also to whom may edit their own tickets only if it is approved, Conflict
 */
export function voidTicket(ctx: Context, path: RecordPath, { supplement }: VoidTicketInput = {}): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const ticket = await lockTicket(tx, path, 'edit_ticket', supplement);
    // An approved ticket pays its driver, who may void it only before.
    if (ticket.state === 'approved') allow(tx, 'edit_ticket');
    const attempt = { state: ticket.state, event: 'void' };
    await refuseReviewedTicket(tx, ticket, attempt);
    const work = ticket.job && { jobId: ticket.job.id, companyId: ticket.company.id };
    const bills = await supplementOrRefuse(tx, ticket, { supplement, attempt });
    await refuseOfApprovedLoad(tx, ticket, 'edit_ticket', attempt);
    const load = ticket.state === 'approved' && ticket.load && (await find(tx, Load, ticket.load.id, { lock: true }));
    if (load && saysOf(load, ticket))
      Object.assign(load, { quantity: ticket.replacedQuantity, unitOfMeasure: ticket.replacedUnitOfMeasure });
    ticketMachine.fire(tx, ticket, 'void');
    Object.assign(ticket, { load: null, voidedAt: tx.tx.now });
    if (work && bills) await makeSupplements(tx, work);
    return { id: ticket.id };
  });
}

/**
 * Refuses whoever changes own tickets only to take away what was approved: a load is approved for what its ticket says, and would stay approved for something else.
 * The office corrects it. A ticket without a quantity says nothing that could have been approved.
 * @throws Invalid or Conflict
 */
export async function refuseOfApprovedLoad(
  tx: TxContext,
  { load, quantity }: Ticket,
  permission: string,
  attempt?: Attempt,
): Promise<void> {
  if (!load || !quantity || viewerOf(tx).can(permission)) return;
  const { approvedAt } = await find(tx, Load, load.id, { lock: true });
  if (approvedAt) throw refusalOf({ model: 'Ticket', field: '', key: 'load_of_ticket_approved' }, attempt);
}

/** Whether the quantity of a load is still its ticket's: what somebody reported after the approval stays. */
export const saysOf = (load: Load, ticket: Ticket): boolean =>
  load.unitOfMeasure === ticket.unitOfMeasure && Boolean(load.quantity && ticket.quantity?.eq(load.quantity));

/**
 * Locks a ticket for a caller who may change it. The order is locked first, as in commands that drive its jobs or match tickets to its
 * loads; with a supplement, the driver and the day of its job before it.
 */
export async function lockTicket(
  tx: TxContext,
  path: RecordPath,
  permission = 'edit_ticket',
  supplement?: boolean | null,
): Promise<Ticket> {
  const seen = await find(tx, Ticket, path.id, { companyId: path.companyId });
  const viewer = viewerOf(tx);
  if (!viewer.can(permission)) {
    const job = seen.job && viewer.can(`${permission}:own`) ? await find(tx, Job, seen.job.id) : undefined;
    if (!job || !isOwnJob(viewer, job)) throw denial(viewer, permission);
  }
  // The difference is billed after the office has said so, and not by its payee.
  if (supplement) allow(tx, permission);
  if (supplement && seen.job) await lockBeforeOrders(tx, [seen.job.id]);
  if (seen.order) await lockOrder(tx, seen.order.id);
  return find(tx, Ticket, path.id, { companyId: path.companyId, lock: true });
}
