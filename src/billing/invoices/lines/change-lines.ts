import type { UnitOfMeasure } from '../../../directory/master-data/units.ts';
import { Load } from '../../../dispatch/model/load.entity.ts';
import { convert, sizesOf } from '../../../dispatch/model/units-of-rates.ts';
import { lockOrder } from '../../../dispatch/orders/order-progress.ts';
import { allow, find, viewerOf } from '../../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { actOnBehalfOf } from '../../../platform/database/scope.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { Decimal } from '../../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../../platform/errors.ts';
import { writeBack } from '../../../proof/amendments/amend-ticket.ts';
import { restsOnWeightSql } from '../../../proof/approvals/refuse-invoiced.ts';
import { Invoice, InvoiceLineItem } from '../invoice.entity.ts';
import { jobsOf, lockInvoice, refresh, refuseUneditable } from '../invoice-commands.ts';
import { jobOf } from '../price-at.ts';
import { sideOfRates } from '../rate-by-hand.ts';
import { breaksOf, followWork, keyOfLine, minutesBetween, minutesOf } from './edits-of-lines.ts';
import { DAY, type InvoiceLineItemChange } from './line.inputs.ts';

/** Lines of one request: more than any job has loads. */
const MOST_LINES = 1_000;
const LIST = 'invoiceLineItems';
const model = 'InvoiceLineItem';

/**
 * Edits lines of a pending invoice, all or none (BILLING B2.3). What was edited stays when the work changes. A new quantity of a line that a
 * ticket says is written to the ticket, so that both sides of the job follow, unless only this side is to change.
 * @returns the invoice, whose lines are then read
 * @throws Missing, Denied; Invalid naming every problem by its place in the list
 */
export function changeInvoiceLines(
  ctx: Context,
  path: RecordPath,
  changes: readonly InvoiceLineItemChange[],
): Promise<{ id: string; companyId: string }> {
  return transact(ctx, async (tx) => {
    const seen = await find(tx, Invoice, path.id, { companyId: path.companyId });
    allow(tx, 'edit_invoice');
    // A ticket is corrected under the lock of its order, which comes before that of the job.
    if (seen.order && changes.some(({ quantity }) => quantity)) {
      for (const job of await jobsOf(tx, seen)) actOnBehalfOf(job.company.id);
      await lockOrder(tx, seen.order.id);
    }
    const invoice = await lockInvoice(tx, path, 'edit_invoice');
    allow(tx, `view_${sideOfRates(invoice.side, invoice.payeeDriver)}_rates`);
    await refuseUneditable(tx, invoice);
    if (changes.length > MOST_LINES) throw new Invalid([{ model, field: LIST, key: 'too_many_items', params: { max: MOST_LINES } }]);
    const lines = await tx.em.find(InvoiceLineItem, { invoice: invoice.id }, { filters: { tenant: false } });
    const loads = await loadsOf(tx, invoice, changes);
    const editing: Editing = { tx, invoice, lines: new Map(lines.map((line) => [line.id, line])), loads, items: [], written: [] };
    const named = new Set<string>();
    for (const [i, change] of changes.entries()) await editLine(editing, change, `${LIST}.${i}.`, named);
    if (editing.items.length > 0) throw new Invalid(editing.items);
    for (const { ticketId, quantity, reason } of editing.written)
      await writeBack(tx, { id: ticketId }, { quantity, reason: reason ?? `corrected on ${invoice.invoiceId}` });
    await tx.em.flush();
    await refresh(tx, invoice);
    return { id: invoice.id, companyId: invoice.company.id };
  });
}

interface Editing {
  tx: TxContext;
  invoice: Invoice;
  lines: ReadonlyMap<string, InvoiceLineItem>;
  /** The loads of the job that the changes name. */
  loads: ReadonlySet<string>;
  items: ErrorItem[];
  /** The changes that are written to tickets once everything is right. */
  written: { ticketId: string; quantity: Decimal; reason?: string | null }[];
}

async function loadsOf(tx: TxContext, { job }: Invoice, changes: readonly InvoiceLineItemChange[]): Promise<Set<string>> {
  const ids = changes.flatMap(({ loadId }) => loadId?.toLowerCase() ?? []);
  if (ids.length === 0 || !job) return new Set();
  return new Set((await tx.em.find(Load, { id: { $in: ids }, job: job.id }, { filters: { tenant: false } })).map(({ id }) => id));
}

async function editLine(editing: Editing, change: InvoiceLineItemChange, at: string, named: Set<string>): Promise<void> {
  const { tx, invoice, items } = editing;
  const report: Report = (field, key, params) => void items.push({ model, field: `${at}${field}`, key, params });
  const { _destroy, loadId } = change;
  if (_destroy && _destroy !== 1) return void report('_destroy', 'not_one_of', { values: '0, 1' });
  // Lines are made of the work: the contract still takes one without an id, and so do we.
  if (!change.id) return _destroy ? void report('id', 'required') : undefined;
  const line = editing.lines.get(change.id.toLowerCase());
  if (!line) return void report('id', 'must_exist');
  if (line.correctsId) return void report('id', 'line_is_difference');
  if (named.has(line.id)) return void report('id', 'given_twice');
  named.add(line.id);
  const alike = [...editing.lines.values()].filter((one) => one.lineItemType === line.lineItemType && one.load?.id === line.load?.id);
  if (alike.length > 1) return void report('id', 'line_is_split');
  if (loadId && !editing.loads.has(loadId.toLowerCase())) report('loadId', 'must_exist');
  if (_destroy) {
    invoice.removedLines = [...invoice.removedLines, keyOfLine(line.lineItemType, line.load?.id)];
    return;
  }
  const { rate, quantity, payStartTime, payEndTime, billingAdjustmentMinutes: adjustment } = change;
  if (rate?.isNegative() && !viewerOf(tx).roles.includes('company_admin')) report('rate', 'negative_rate');
  if (line.rateType === 'RateCommission' && (rate || quantity)) report(rate ? 'rate' : 'quantity', 'commission_follows');
  // The times of a shift are those of its day.
  const isTime = invoice.job && (line.rateType === 'RatePerHour' || line.rateType === 'RatePerDay');
  if (!isTime) {
    for (const field of ['payStartTime', 'payEndTime', 'billingAdjustmentMinutes'] as const)
      if (change[field] != null && change[field] !== 0) report(field, 'only_of_time');
  }
  if (rate !== undefined) line.editedRate = rate;
  if (isTime) {
    if (payStartTime !== undefined) line.editedPayStartTime = payStartTime;
    if (payEndTime !== undefined) line.editedPayEndTime = payEndTime;
    if (adjustment !== undefined) line.billingAdjustmentMinutes = adjustment ?? 0;
    await checkTimes(editing, line, report);
  }
  if (quantity !== undefined) {
    const ticket = quantity && change.onlyThisSide !== true ? await ticketOf(editing, line, quantity) : undefined;
    if (ticket && quantity) {
      if (ticket.companyId !== invoice.company.id) report('quantity', 'ticket_of_other_company', { ticket: ticket.number });
      if (ticket.approvedInvoice) report('quantity', 'other_side_approved', { invoice: ticket.approvedInvoice });
      editing.written.push({ ticketId: ticket.id, quantity: ticketQuantity(ticket, line, quantity), reason: change.reason });
    }
    line.editedQuantity = ticket ? null : quantity;
  }
  note(tx, line);
}

/** An edit is compared with the work as it is now, from now on. */
function note(tx: TxContext, line: InvoiceLineItem): void {
  const { editedQuantity, editedRate, editedPayStartTime, editedPayEndTime, billingAdjustmentMinutes } = line;
  const isEdited = Boolean(editedQuantity ?? editedRate ?? editedPayStartTime ?? editedPayEndTime) || billingAdjustmentMinutes !== 0;
  if (isEdited) Object.assign(line, { editedById: viewerOf(tx).id, seenQuantity: null, seenRate: null });
  else followWork(line);
}

/** The ticket that says the quantity of a line, and another approved invoice that charges what it says: not one of other loads, or of the time. */
interface TicketOfLine {
  id: string;
  number: string;
  companyId: string;
  unit: UnitOfMeasure;
  approvedInvoice: string | null;
}

const TICKET = `select k.id, k.ticket_number as number, k.company_id as "companyId", k.unit_of_measure as unit,
    (select i.invoice_id from invoice i where i.job_id = $2 and i.id <> $3 and i.company_id = k.company_id and i.billing_approved_at is not null
      and i.state <> 'voided' and ${restsOnWeightSql('i', '$1', '$4')} order by i.created_at limit 1) as "approvedInvoice"
  from ticket k where k.load_id = $1 and k.voided_at is null and k.quantity is not null order by k.created_at, k.id limit 1`;

/** Quantities of lines by the load, by time and of commissions are no ticket's. */
async function ticketOf(
  { tx, invoice }: Editing,
  { load, unitOfMeasure }: InvoiceLineItem,
  quantity: Decimal,
): Promise<TicketOfLine | undefined> {
  if (!invoice.job || !load || !unitOfMeasure || unitOfMeasure === 'Load') return undefined;
  const [found] = await queryIn<TicketOfLine>(tx.em, TICKET, [load.id, invoice.job.id, invoice.id, quantity.isZero()]);
  return found && sizesOf(unitOfMeasure, found.unit) ? found : found?.unit === unitOfMeasure ? found : undefined;
}

/** The quantity in the unit of the ticket, with the four decimals that it has. */
const ticketQuantity = ({ unit }: TicketOfLine, { unitOfMeasure }: InvoiceLineItem, quantity: Decimal): Decimal =>
  convert(quantity, unitOfMeasure!, unit)!.toDecimalPlaces(4, Decimal.ROUND_HALF_UP);

type Report = (field: string, key: string, params?: ErrorItem['params']) => void;

async function checkTimes({ tx, invoice }: Editing, line: InvoiceLineItem, report: Report): Promise<void> {
  const job = await jobOf(tx, invoice);
  const from = line.editedPayStartTime ?? line.payStartTime;
  const to = line.editedPayEndTime ?? line.payEndTime;
  if (from && to) {
    if (from >= to) report('payEndTime', 'before_start');
    else if (minutesBetween(from, to) > DAY) report('payEndTime', 'longer_than_a_day');
    if (from >= to) return;
  }
  if (minutesOf(job, line, breaksOf(job, invoice))?.value.isNegative()) report('billingAdjustmentMinutes', 'more_than_was_worked');
}
