import type { Entry } from '../invoices/books-of-job.ts';
import type { JobFacts } from '../invoices/facts/job-facts.ts';
import type { Line } from '../pricing/freight.ts';

/** Whether a ticket of what an invoice bills contradicts something else, in books whose company wants that settled first (BILLING B2.2, B10). */
export function isContradicted(
  { conflicts }: Pick<JobFacts, 'conflicts'>,
  { companyId, side, ofMaterial }: Pick<Entry, 'companyId' | 'side' | 'ofMaterial'>,
  lines: readonly Pick<Line, 'loadId'>[],
): boolean {
  if (ofMaterial) return false;
  const loads = new Set(conflicts.flatMap((one) => (one.companyId === companyId && one.side === side ? [one.loadId] : [])));
  return lines.some(({ loadId }) => (loadId === null ? loads.size > 0 : loads.has(loadId)));
}
