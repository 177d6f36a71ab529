import { areSupplementsDue } from '../../dispatch/checks/supplements.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Conflict, Invalid } from '../../platform/errors.ts';
import type { Ticket } from '../ticket.entity.ts';

// The job is locked against the approval of its invoices, which locks it, too: one of both sees what the other has done.
const LOCK = 'select from job where id = $1 for key share';
const FIRST = 'order by created_at, id limit 1';
const APPROVED_ALL = `select invoice_id as "invoiceId" from invoice where job_id = $1 and company_id = $2 and billing_approved_at is not null and state <> 'voided'`;
const APPROVED = `${APPROVED_ALL} ${FIRST}`;

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

// A load that is paid for whatever it weighs is no matter of its ticket, unless that says that nothing was delivered.
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
