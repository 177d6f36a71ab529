import { closedThroughSql } from '../../dispatch/access/closed-books.ts';
import { areSupplementsDue } from '../../dispatch/checks/supplements.ts';
import { settlementOfSql } from '../../dispatch/fields/settlement-number.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Conflict, Invalid } from '../../platform/errors.ts';
import type { Ticket } from '../ticket.entity.ts';

// The job is locked against the approval of its invoices, which locks it, too: one of both sees what the other has done.
const LOCK = 'select from job where id = $1 for key share';
const approved = (work: string, more = ''): string =>
  `select invoice_id as "invoiceId"${more} from invoice where ${work} and company_id = $2 and billing_approved_at is not null and state <> 'voided'`;
const FIRST = 'order by created_at, id limit 1';
const APPROVED_ALL = approved('job_id = $1');
const APPROVED = `${APPROVED_ALL} ${FIRST}`;
const IS_CLOSED = `coalesce(posting_date <= ${closedThroughSql('$2')}, false)`;
// What a settlement holds says more than that it is approved: the settlement has to be voided before. So does a closed period, which is not undone at all.
const heldBy = (work: string): string =>
  `select h.* from (${approved(work, `, ${settlementOfSql('invoice.id')} as settlement, ${IS_CLOSED} as closed, created_at, id`)}) h
    order by h.settlement is null, not h.closed, h.created_at, h.id limit 1`;
const HELD = heldBy('job_id = $1');
// The approval of a day approved its jobs, and is taken back with theirs. The day is locked by who asks.
const HELD_OF_DAY = heldBy('(driver_day_id = $1 or job_id in (select j.id from job j where j.driver_day_id = $1))');

/**
 * Refuses to change what an approved invoice was priced by, unless the caller wants a supplement and the approval cannot be taken
 * back any more (BILLING B5).
 * @returns whether the difference is to be billed by a supplement
 * @throws Invalid or Conflict naming the invoice
 */
export async function supplementOrRefuse(
  tx: TxContext,
  work: { jobId: string; companyId: string },
  { supplement, refusal }: { supplement?: boolean | null; refusal?: typeof Invalid | typeof Conflict },
): Promise<boolean> {
  if (supplement && (await areSupplementsDue(tx, work))) return true;
  await refuseInvoiced(tx, 'Ticket', work, refusal);
  return false;
}

/**
 * Refuses to change what an approved invoice was priced by (BILLING B5): its approval has to be taken back first. Each company approves in its
 * own books; invoices of others become stale.
 * @param refusal the error of the operation in the contract
 * @throws Invalid or Conflict naming the invoice
 */
async function refuseInvoiced(
  tx: TxContext,
  model: string,
  { jobId, companyId }: { jobId: string; companyId: string },
  refusal: typeof Invalid | typeof Conflict = Invalid,
): Promise<void> {
  await queryIn(tx.em, LOCK, [jobId]);
  const [found] = await queryIn<{ invoiceId: string }>(tx.em, APPROVED, [jobId, companyId]);
  if (found) throw new refusal([{ model, field: '', key: 'invoice_approved', params: { invoice: found.invoiceId } }]);
}

// What is paid for a load whatever it weighs is no matter of its ticket, unless that says that nothing was delivered.
const BY_TICKET = `${APPROVED_ALL} and exists (select from invoice_line_item li where li.invoice_id = invoice.id and li.load_id = $3
  and (li.rate_type is distinct from 'RatePerLoad' or li.quantity = 0 or $4)) ${FIRST}`;

/**
 * The same of what a ticket says of its load, while other loads of the job may follow theirs: a ticket that says nothing yet is refused nothing.
 * @param says the quantity that it is to say
 * @returns whether the difference is to be billed by a supplement
 * @throws Invalid naming the invoice
 */
export async function supplementOrRefuseTicket(
  tx: TxContext,
  { job, load, company, quantity }: Pick<Ticket, 'job' | 'load' | 'company' | 'quantity'>,
  { supplement, says }: { supplement?: boolean | null | undefined; says?: Decimal | null | undefined } = {},
): Promise<boolean> {
  if (!job || !load || !quantity) return false;
  await queryIn(tx.em, LOCK, [job.id]);
  const [found] = await queryIn<{ invoiceId: string }>(tx.em, BY_TICKET, [job.id, company.id, load.id, says?.isZero() ?? false]);
  if (!found) return false;
  if (supplement && (await areSupplementsDue(tx, { jobId: job.id, companyId: company.id }))) return true;
  throw new Invalid([{ model: 'Ticket', field: '', key: 'invoice_approved', params: { invoice: found.invoiceId } }]);
}

/**
 * Refuses to take back the approval of a job or of a load of it on which an approved invoice rests (PROOF A2, BILLING B5). @throws Invalid naming the
 * invoice, the settlement that holds it, or that its period is closed
 */
export async function refuseHeld(tx: TxContext, model: 'Job' | 'Load', work: { jobId: string; companyId: string }): Promise<void> {
  await queryIn(tx.em, LOCK, [work.jobId]);
  refuse(model, await queryIn<Held>(tx.em, HELD, [work.jobId, work.companyId]));
}

/** The same of a driver day: its payable and the invoices of its jobs rest on its approval. @throws Invalid */
export async function refuseHeldDay(tx: TxContext, { dayId, companyId }: { dayId: string; companyId: string }): Promise<void> {
  refuse('DriverDay', await queryIn<Held>(tx.em, HELD_OF_DAY, [dayId, companyId]));
}

interface Held {
  invoiceId: string;
  /** What the settlement is called that has the invoice. */
  settlement: string | null;
  /** The invoice counts in a period that is closed. */
  closed: boolean;
}

function refuse(model: string, [found]: readonly Held[]): void {
  if (!found) return;
  const { invoiceId: invoice, settlement, closed } = found;
  const of = { model, field: '' };
  if (settlement) throw new Invalid([{ ...of, key: 'in_settlement', params: { settlement } }]);
  throw new Invalid([{ ...of, key: closed ? 'period_closed' : 'invoice_approved', params: { invoice } }]);
}
