import { Decimal } from '../../platform/decimal.ts';
import type { Invoice } from '../invoices/invoice.entity.ts';
import type { JobFacts } from '../invoices/job-facts.ts';
import { workOf } from '../invoices/work-of-job.ts';
import { given } from '../pricing/figure.ts';
import { linesTotal, materialLines } from '../pricing/freight.ts';

/**
 * Notes on the receivable of a job in the books of a company whether little is left of it (BILLING B8 "thin_margin"): less than the percentage that the
 * company chose remains after what it pays to vendors and drivers, and for material. While a side has no price, or is paid with a day, nobody knows.
 * @param invoices those of the job in these books
 */
export function noteThinMargin(job: JobFacts, invoices: readonly Invoice[], thinBelow: number): void {
  const receivable = invoices.find(({ side }) => side === 'receivable');
  if (!receivable) return;
  const payables = invoices.filter(({ side }) => side === 'payable');
  const isKnown = payables.length > 0 && invoices.every(({ explain }) => explain);
  const left = payables.reduce((rest, one) => rest.minus(pretax(one)), pretax(receivable)).minus(boughtBy(job, receivable));
  receivable.thinMargin = isKnown && left.lt(pretax(receivable).mul(thinBelow).div(100));
}

const pretax = ({ totalAmount, taxTotalAmount }: Invoice): Decimal => totalAmount.minus(taxTotalAmount ?? 0);

/** What the owner of a job pays for its material. */
function boughtBy(job: JobFacts, { company }: Invoice): Decimal {
  const { buyPrice, materialUnit, companyId } = job;
  if (company.id !== companyId || buyPrice === null || !materialUnit) return new Decimal(0);
  return linesTotal(materialLines({ price: given('price of material', buyPrice), unit: materialUnit }, workOf(job).loads)).value;
}
