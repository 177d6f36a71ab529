import type { TxContext } from '../../../platform/commands/transact.ts';
import { Conflict } from '../../../platform/errors.ts';
import { Invoice } from '../invoice.entity.ts';
import { FOLLOWING } from '../invoice.machine.ts';

/**
 * Refuses what would bill again what a later supplement has billed as a difference (BILLING B2.1): that is voided first. The work must be locked.
 * @throws Conflict naming the supplement
 */
export async function refuseSupplemented(tx: TxContext, invoice: Invoice, event: string): Promise<void> {
  const { part, state } = invoice;
  // An invoice that follows the work is billed by no supplement.
  if (FOLLOWING.includes(state)) return;
  const later = (await supplementsOf(tx, invoice)).find((one) => one.part > part);
  if (later)
    throw new Conflict([{ model: 'Invoice', field: 'state', state, event, key: 'has_supplements', params: { invoice: later.invoiceId } }]);
}

/** The live supplements of the work of an invoice on its side. */
const supplementsOf = (tx: TxContext, invoice: Invoice): Promise<Invoice[]> =>
  tx.em.find(
    Invoice,
    { ...sameWork(invoice), reason: { $in: ['late_ticket', 'correction'] } },
    { filters: { tenant: false }, orderBy: { part: 'asc' } },
  );

/** Distinguishes the work of an invoice and its side. */
export const workOfSide = ({ job, driverDay, company, side, jobAssignment, vendorAccount, ofMaterial }: Invoice): string =>
  [(job ?? driverDay)!.id, company.id, side, jobAssignment?.id, ofMaterial && vendorAccount?.id].join(' ');

/** A live supplement of each work that some invoices are for on their sides, by `workOfSide`: the first one. */
export async function supplementsOfAll(tx: TxContext, invoices: readonly Invoice[]): Promise<Map<string, Invoice>> {
  const of = (work: 'job' | 'driverDay') => ({ [work]: { $in: invoices.flatMap((one) => one[work]?.id ?? []) } });
  const found = await tx.em.find(
    Invoice,
    { $or: [of('job'), of('driverDay')], reason: { $in: ['late_ticket', 'correction'] }, state: { $ne: 'voided' } },
    { filters: { tenant: false }, orderBy: { part: 'desc' } },
  );
  return new Map(found.map((one) => [workOfSide(one), one]));
}

/** The live invoices of the work of an invoice on its side. */
export const sameWork = ({ job, driverDay, company, side, jobAssignment, vendorAccount, ofMaterial }: Invoice) => ({
  ...(job ? { job: job.id } : { driverDay: driverDay!.id }),
  ...{ company: company.id, side, jobAssignment: jobAssignment?.id ?? null, ofMaterial },
  ...(ofMaterial ? { vendorAccount: vendorAccount!.id } : {}),
  state: { $ne: 'voided' as const },
});
