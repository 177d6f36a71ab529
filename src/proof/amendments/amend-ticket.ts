import { ref } from '@mikro-orm/core';
import { makeSupplements } from '../../dispatch/checks/supplements.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { SYSTEM } from '../../platform/commands/records.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type Decimal, decimalText } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { supplementOrRefuseTicket } from '../approvals/refuse-invoiced.ts';
import { namingHolder } from '../number-taken.ts';
import type { Ticket } from '../ticket.entity.ts';
import { applyFields, updateTicket } from '../ticket-commands.ts';
import { lockTicket, refuseReviewedTicket, saysOf } from '../ticket-events.ts';
import type { AmendTicketInput } from './amend-ticket.inputs.ts';
import { TicketAmendment, type TicketAmendmentOrigin } from './ticket-amendment.entity.ts';

const quantity = (value: Decimal | null | undefined) => (value ? decimalText(value) : null);
const instant = (value: Date | null | undefined) => value?.toISOString() ?? null;

/** The fields that can be amended, and how each is written down. */
const AMENDED: Record<string, (ticket: Ticket) => string | null> = {
  quantity: (ticket) => quantity(ticket.quantity),
  unitOfMeasure: (ticket) => ticket.unitOfMeasure,
  grossQuantity: (ticket) => quantity(ticket.grossQuantity),
  tareQuantity: (ticket) => quantity(ticket.tareQuantity),
  wastedQuantity: (ticket) => quantity(ticket.wastedQuantity),
  weighedBy: (ticket) => ticket.weighedBy ?? null,
  acceptance: (ticket) => ticket.acceptance ?? null,
  ticketNumber: (ticket) => ticket.ticketNumber ?? null,
  printedAt: (ticket) => instant(ticket.printedAt),
  serviceDate: (ticket) => instant(ticket.serviceDate),
  materialId: (ticket) => ticket.material?.id ?? null,
};

/**
 * Corrects an approved ticket, which may no longer be edited in place: each field that changes is written down with the value before it. The
 * load follows as long as its quantity is the ticket's. Values that the ticket has already change nothing. What is settled gets a supplement, if the
 * input wants one.
 * @throws Missing, Denied, Invalid unless it is approved, or for a blank reason
 */
export function amendTicket(ctx: Context, path: RecordPath, input: AmendTicketInput): Promise<{ id: string }> {
  const run = async (tx: TxContext) => {
    const ticket = await lockTicket(tx, path, 'edit_ticket', input.supplement);
    // An approved ticket pays its driver, who may edit it only before.
    allow(tx, 'edit_ticket');
    await refuseReviewedTicket(tx, ticket);
    const work = ticket.job && { jobId: ticket.job.id, companyId: ticket.company.id };
    const bills = await supplementOrRefuseTicket(tx, ticket, { supplement: input.supplement, says: input.quantity });
    const amended = await amend(tx, ticket, input);
    if (work && bills) await makeSupplements(tx, work);
    return amended;
  };
  return namingHolder(ctx, input.ticketNumber, () => transact(ctx, run));
}

/**
 * Writes the quantity of a line of an invoice to the ticket that said another one: as an amendment if the ticket is approved, and otherwise as
 * an edit of it, which its history keeps. Whoever calls it has seen that no approved invoice says the old quantity.
 * @throws Missing, Denied, Invalid
 */
export async function writeBack(
  tx: TxContext,
  path: RecordPath,
  { quantity, reason }: { quantity: Decimal; reason: string },
): Promise<void> {
  const ticket = await lockTicket(tx, path);
  allow(tx, 'edit_ticket');
  if (ticket.state === 'approved') await amend(tx, ticket, { quantity, reason }, 'write_back');
  else await updateTicket(tx, path, { quantity });
}

async function amend(
  tx: TxContext,
  ticket: Ticket,
  input: AmendTicketInput,
  origin: TicketAmendmentOrigin = input.origin ?? 'correction',
): Promise<{ id: string }> {
  const items: ErrorItem[] = [];
  const refuse = (field: string, key: string) => items.push({ model: 'Ticket', field, key, params: { state: ticket.state } });
  if (ticket.state !== 'approved') refuse('', 'ticket_not_amendable');
  if (input.origin === 'write_back') refuse('origin', 'amendment_of_billing');
  if (origin !== 'write_back' && input.reason.trim() === '') refuse('reason', 'required');
  for (const field of ['quantity', 'ticketNumber'] as const) if (input[field] === null) refuse(field, 'required');
  const load = ticket.load && (await find(tx, Load, ticket.load.id, { lock: true }));
  const follows = load && saysOf(load, ticket);
  const before = saidBy(ticket);
  await applyFields(tx, ticket, input, items);
  if (items.length > 0) throw new Invalid(items);
  if (load && follows) Object.assign(load, { quantity: ticket.quantity, unitOfMeasure: ticket.unitOfMeasure });
  if (writeDown(tx, ticket, before, { reason: input.reason, origin })) emitEvent(tx, 'ticket.updated', ticket);
  return { id: ticket.id };
}

const saidBy = (ticket: Ticket) => Object.entries(AMENDED).map(([field, read]) => ({ field, value: read(ticket) }));

/** @returns whether anything changed */
function writeDown(
  tx: TxContext,
  ticket: Ticket,
  before: ReturnType<typeof saidBy>,
  { reason, origin }: Pick<TicketAmendment, 'reason' | 'origin'>,
): boolean {
  const after = saidBy(ticket);
  const changed = before.flatMap(({ field, value }, at) =>
    after[at]!.value === value ? [] : [{ field, before: value, after: after[at]!.value }],
  );
  const { type, id, name } = tx.viewer ?? SYSTEM;
  for (const change of changed)
    tx.em.persist(
      Object.assign(new TicketAmendment(), {
        ...{ ...change, reason, origin, company: ticket.company, ticket: ref(ticket) },
        ...{ createdAt: tx.tx.now, createdByType: type, createdById: id, createdByName: name },
      }),
    );
  return changed.length > 0;
}
