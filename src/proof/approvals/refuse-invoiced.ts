import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict, Invalid } from '../../platform/errors.ts';

// The job is locked against the approval of its invoices, which locks it, too: one of both sees what the other has done.
const LOCK = 'select from job where id = $1 for key share';
const APPROVED = `select invoice_id as "invoiceId" from invoice where job_id = $1 and company_id = $2 and billing_approved_at is not null and state <> 'voided'
  order by created_at, id limit 1`;

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
