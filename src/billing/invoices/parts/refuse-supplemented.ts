import type { TxContext } from '../../../platform/commands/transact.ts';
import { Conflict } from '../../../platform/errors.ts';
import { Invoice } from '../invoice.entity.ts';

/**
 * Refuses what would bill again what a later supplement has billed as a difference (BILLING B2.1): that is voided first. The work must be locked.
 * @throws Conflict naming the supplement
 */
export async function refuseSupplemented(tx: TxContext, invoice: Invoice, event: string): Promise<void> {
  if (!invoice.job) return;
  const { job, company, side, jobAssignment, part, state } = invoice;
  const same = { job: job.id, company: company.id, side, jobAssignment: jobAssignment?.id ?? null };
  const later = await tx.em.findOne(
    Invoice,
    { ...same, part: { $gt: part }, reason: { $in: ['late_ticket', 'correction'] }, state: { $ne: 'voided' } },
    { filters: { tenant: false }, orderBy: { part: 'asc' } },
  );
  if (later)
    throw new Conflict([{ model: 'Invoice', field: 'state', state, event, key: 'has_supplements', params: { invoice: later.invoiceId } }]);
}
