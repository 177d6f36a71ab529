import { areSupplementsDue } from '../../dispatch/checks/supplements.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Conflict, Invalid } from '../../platform/errors.ts';
import type { Ticket } from '../ticket.entity.ts';

// The job is locked against the approval of its invoices, which locks it, too: one of both sees what the other has done.
const LOCK = 'select from job where id = $1 for key share';
const approved = (work: string): string =>
  `select invoice_id as "invoiceId" from invoice where ${work} and company_id = $2 and billing_approved_at is not null and state <> 'voided'`;
const FIRST = 'order by created_at, id limit 1';
const APPROVED_ALL = approved('job_id = $1');
const APPROVED = `${APPROVED_ALL} ${FIRST}`;
// Its approval approved its jobs, and is taken back with theirs. The day is locked by who asks.
const APPROVED_OF_DAY = `${approved('(driver_day_id = $1 or job_id in (select j.id from job j where j.driver_day_id = $1))')} ${FIRST}`;

/**
 * Refuses to change what an approved invoice was priced by, as `refuseInvoiced` does, unless the caller wants a supplement and the approval cannot be taken
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
export async function refuseInvoiced(
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

/** The same for the approval of a driver day: its payable and the invoices of its jobs rest on it. @throws Invalid naming the invoice */
export async function refuseInvoicedDay(tx: TxContext, { dayId, companyId }: { dayId: string; companyId: string }): Promise<void> {
  const [found] = await queryIn<{ invoiceId: string }>(tx.em, APPROVED_OF_DAY, [dayId, companyId]);
  if (found) throw new Invalid([{ model: 'DriverDay', field: '', key: 'invoice_approved', params: { invoice: found.invoiceId } }]);
}
