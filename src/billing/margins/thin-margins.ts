import { Decimal } from '../../platform/decimal.ts';
import type { JobFacts } from '../invoices/facts/job-facts.ts';
import type { Invoice } from '../invoices/invoice.entity.ts';
import { materialOf } from '../invoices/price-entry.ts';
import { workOf } from '../invoices/work-of-job.ts';
import { linesTotal } from '../pricing/freight.ts';
import { materialLines } from '../pricing/material.ts';

/**
 * Notes on the first receivable of a job in the books of a company whether little is left of all of them (BILLING B8 "thin_margin"): less than the
 * percentage that the company chose remains after what it pays to vendors and drivers, and for material. While a side has no price, or is paid with a day, nobody knows.
 * @param invoices those of the job in these books
 */
export function noteThinMargin(job: JobFacts, invoices: readonly Invoice[], thinBelow: number): void {
  const live = invoices.filter(({ state }) => state !== 'voided');
  const receivables = live.filter(({ side }) => side === 'receivable');
  const payables = live.filter(({ side }) => side === 'payable');
  const [first] = receivables;
  if (!first) return;
  const owed = sumOf(receivables);
  const isKnown = payables.some(({ ofMaterial }) => !ofMaterial) && live.every(({ explain }) => explain);
  first.thinMargin = isKnown && owed.minus(sumOf(payables)).minus(boughtBy(job, first)).lt(owed.mul(thinBelow).div(100));
}

const sumOf = (invoices: readonly Invoice[]): Decimal => invoices.reduce((sum, one) => sum.plus(pretax(one)), new Decimal(0));
const pretax = ({ totalAmount, taxTotalAmount }: Invoice): Decimal => totalAmount.minus(taxTotalAmount ?? 0);

/** Returns the cost of material for the owner of a job, where no payable says to whom that is owed. */
function boughtBy(job: JobFacts, { company }: Invoice): Decimal {
  if (company.id !== job.companyId) return new Decimal(0);
  const owed = new Set(job.loads.flatMap(({ id, supplierId }) => (supplierId === null ? [] : [id])));
  const loads = workOf(job, job.companyId).loads.filter(({ id }) => !owed.has(id));
  return linesTotal(materialLines(materialOf(job, 'buyPrice'), loads)).value;
}
