import type { ChargeOfJob } from '../facts/charge-facts.ts';
import type { JobFacts, LoadOfJob } from '../facts/job-facts.ts';
import type { Invoice, InvoiceLineItem } from '../invoice.entity.ts';
import { FOLLOWING, isSupplement } from '../invoice.machine.ts';
import { isProven } from '../work-of-job.ts';

/** A part of the work of a job, with the invoice that is for it. */
export interface PartOfWork {
  invoice: Invoice;
  /** The job with the loads of this part alone. */
  job: JobFacts;
}

export interface PartsOfWork {
  parts: PartOfWork[];
  /** Loads that no part has, and none takes: they came after the work was billed. Null if none of them was hauled. */
  late: JobFacts | null;
}

/**
 * Divides the work of a job among the live invoices of one side in one company's books, in the order of their parts (BILLING B2.4): a part that was
 * split off has the loads that somebody named, what was billed has the loads of its lines, and the first one has all others as long as it follows
 * the work. So each load is in exactly one part. What is paid by time is one part.
 */
export function divideWork(
  job: JobFacts,
  live: readonly Invoice[],
  itemsOf: (invoice: Invoice) => readonly InvoiceLineItem[],
): PartsOfWork {
  const holders = live.filter((one) => !isSupplement(one) || !FOLLOWING.includes(one.state));
  const claimed = new Map<Invoice, string[] | 'rest'>();
  const taken = new Set<string>();
  for (const one of holders) {
    const claim = claimOf(job, one, itemsOf(one));
    // A part that corrects a load which another part has is not another part of it.
    claimed.set(one, claim === 'rest' ? claim : claim.filter((id) => !taken.has(id)));
    if (claim !== 'rest') for (const id of claim) taken.add(id);
  }
  const rest = job.loads.filter(({ id }) => !taken.has(id));
  const heir = holders.find((one) => claimed.get(one) === 'rest');
  const [first] = holders;
  const parts = holders.flatMap((invoice): PartOfWork[] => {
    const claim = claimed.get(invoice)!;
    const loads = invoice === heir ? rest : job.loads.filter(({ id }) => claim !== 'rest' && claim.includes(id));
    if (isSupplement(invoice) && loads.length === 0) return [];
    return [{ invoice, job: partOf(job, loads, invoice === first) }];
  });
  // What nobody has completed yet has no price, and is no matter of what was billed unless a ticket proves it.
  const isLate = rest.some((load) => load.state === 'completed' || isProven(load));
  return { parts, late: heir || !isLate ? null : partOf(job, rest, false) };
}

/**
 * The loads of an invoice, or the rest: of one that follows the work, or is for its time. A load whose line was removed is not billed, unless its ticket came
 * after the approval: then it is late.
 */
function claimOf(job: JobFacts, invoice: Invoice, items: readonly InvoiceLineItem[]): string[] | 'rest' {
  const own = items.filter(({ correctsId }) => !correctsId);
  const billed = own.flatMap(({ load }) => load?.id ?? []);
  const isLate = (id: string) => job.loads.some((load) => load.id === id && ticketedAfter(load, invoice));
  const removed = removedLoads(invoice);
  if (invoice.loadIds.length > 0) return invoice.loadIds.filter((id) => billed.includes(id) || !(removed.includes(id) && isLate(id)));
  if (!isSupplement(invoice) && (FOLLOWING.includes(invoice.state) || own.some(({ load }) => !load))) return 'rest';
  return [...billed, ...removed.filter((id) => !isLate(id))];
}

/** The loads whose lines were taken off an invoice. */
const removedLoads = ({ removedLines }: Invoice): string[] => removedLines.flatMap((key) => key.split(' ')[1] || []);

/** Whether somebody said of a load that it is for this invoice, or took it off. */
export const namesLoad = (invoice: Invoice, id: string): boolean => invoice.loadIds.includes(id) || removedLoads(invoice).includes(id);

const ticketedAfter = ({ ticketedAt }: LoadOfJob, { billingApprovedAt }: Invoice): boolean =>
  Boolean(ticketedAt && billingApprovedAt && new Date(ticketedAt) > billingApprovedAt);

/** A charge for each is on the first part alone; others follow the lines or the loads of each. */
const isOfEach = ({ type, waiting, invoiceId }: ChargeOfJob): boolean => Boolean(invoiceId ?? waiting) || type !== 'RateForEach';

const partOf = (job: JobFacts, loads: JobFacts['loads'], isFirst: boolean): JobFacts =>
  isFirst && loads.length === job.loads.length
    ? job
    : {
        ...job,
        loads,
        charges: isFirst ? job.charges : job.charges.filter(isOfEach),
        ...(isFirst ? {} : { isFurther: true }),
      };
