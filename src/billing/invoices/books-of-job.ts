import { JOB_FINISHED, type JobState } from '../../dispatch/model/states.ts';
import type { ChargeTerms } from '../pricing/charges.ts';
import { computed, type Figure, given } from '../pricing/figure.ts';
import type { Line, Terms, WorkFacts } from '../pricing/freight.ts';
import { type Priced, price } from '../pricing/price.ts';
import type { InvoiceBlocker, InvoiceSide } from './invoice.entity.ts';
import type { ChargeOfJob, JobFacts, RateFacts } from './job-facts.ts';

/** States of a job that nobody has accepted, or that came to nothing: nothing is invoiced. */
export const NOT_ACCEPTED: readonly JobState[] = ['created', 'assigned', 'sent', 'rejected', 'canceled'];

/** An invoice that there should be: one for each side of a job in each company's books. */
export interface Entry {
  companyId: string;
  side: InvoiceSide;
  jobAssignmentId: string | null;
  customerAccountId: string | null;
  vendorAccountId: string | null;
  /** Who is paid by a payable that has no vendor. */
  payeeDriverId: string | null;
  rate: RateFacts | undefined;
  /** The owner's receivable charges for material and tax. */
  isTop: boolean;
}

/**
 * Returns the invoices that there should be of a job (BILLING B1, B8): the owner's receivable; for each link a payable of the company that
 * passed the job on and a receivable of the one that received it; and the pay of the driver in the books of the driver's company. The
 * terms of a link are the same on both of its sides.
 */
export function booksOf(job: JobFacts): Entry[] {
  const plain = { jobAssignmentId: null, customerAccountId: null, vendorAccountId: null, payeeDriverId: null, isTop: false };
  const top: Entry = {
    ...plain,
    ...{ companyId: job.companyId, side: 'receivable', customerAccountId: job.accountId, rate: job.rates.customer, isTop: true },
  };
  const links = job.links.flatMap((link, i): Entry[] => {
    // The owner notes the rate of the first link, as its schedules and cards say it.
    const rate = i === 0 ? (job.rates.vendor ?? link) : link;
    const passed: Entry = {
      ...plain,
      ...{ companyId: link.customerCompanyId, side: 'payable', jobAssignmentId: link.id, vendorAccountId: link.vendorAccountId, rate },
    };
    const received: Entry[] = link.vendorCompanyId
      ? [
          {
            ...plain,
            ...{ companyId: link.vendorCompanyId, side: 'receivable', jobAssignmentId: link.id },
            ...{ customerAccountId: link.customerAccountId, rate },
          },
        ]
      : [];
    return [passed, ...received];
  });
  const payer = job.links.length === 0 ? job.companyId : job.links.at(-1)!.vendorCompanyId;
  const pay: Entry[] =
    job.driverId && payer && job.driverCompanyId === payer
      ? [
          {
            ...plain,
            ...{ companyId: payer, side: 'payable', payeeDriverId: job.driverId },
            // A driver's rate was noted by the owner of the job, for its own drivers.
            rate: payer === job.companyId ? job.rates.driver : undefined,
          },
        ]
      : [];
  return [top, ...links, ...pay];
}

/** Distinguishes the invoices of a job. */
export const keyOfBooks = (companyId: string, side: string, link: string | null | undefined): string =>
  `${companyId} ${side} ${link ?? ''}`;

/** The rate by which an invoice is priced: as it was noted, or as somebody set it by hand. */
export const isComplete = (rate: RateFacts | undefined): rate is RateFacts & { type: NonNullable<RateFacts['type']>; value: string } =>
  Boolean(rate?.type && rate.value !== null);

/** Prices an invoice of a finished job. @param receivable the freight of the payer's own receivable, for commissions */
export function priceEntry(job: JobFacts, entry: Entry, receivable: readonly Line[] | undefined): Priced | null {
  const { rate } = entry;
  if (!isComplete(rate)) return null;
  const terms: Terms = {
    type: rate.type,
    rate: given('rate', rate.value, rate.rateId ? { type: 'Rate', id: rate.rateId } : { type: 'Job', id: job.id, version: job.version }),
    ...(rate.minimum ? { minimum: rate.minimum } : {}),
    ...(rate.increment ? { increment: rate.increment } : {}),
  };
  const { sellPrice, materialUnit, taxRate, taxFreight, taxMaterial, taxAddOns } = job;
  const source = { type: 'Job', id: job.id, version: job.version };
  return price({
    work: workOf(job),
    terms,
    charges: chargesOf(job, entry),
    ...(receivable ? { receivable } : {}),
    ...(entry.isTop && sellPrice && materialUnit
      ? { material: { price: given('price of material', sellPrice, source), unit: materialUnit } }
      : {}),
    ...(entry.isTop && taxRate
      ? {
          tax: {
            rate: given('tax rate', taxRate, { type: 'Order', id: job.orderId }),
            ...{ freight: taxFreight, material: taxMaterial, addOns: taxAddOns, exempt: false },
          },
        }
      : {}),
  });
}

/**
 * Returns the charges that an invoice has of those that were requested in its books (BILLING B4): a customer pays those whose add-on is for
 * invoicing, a vendor or driver gets those that are for pay. A charge without an add-on is paid by the customer, and handed on if it has a cost.
 * What comes by itself is on the side for which it was assigned.
 */
function chargesOf({ charges }: JobFacts, { companyId, side, payeeDriverId }: Entry): ChargeTerms[] {
  const party = side === 'receivable' ? 'customer' : payeeDriverId === null ? 'vendor' : 'driver';
  const isOnIt = (one: ChargeOfJob) => (one.auto ? one.auto === party : side === 'receivable' ? isInvoiced(one) : isPaid(one));
  return charges
    .filter((one) => one.companyId === companyId && isOnIt(one))
    .map((one): ChargeTerms => {
      const { id, name, type, taxable, scheduleType, billSurcharge } = one;
      const source = { type: one.auto ? 'AutoAddOnAssignment' : 'AddOnCharge', id };
      const rate = (side === 'payable' ? one.costRate : null) ?? one.rate ?? 0;
      return {
        ...{ id, name, type, taxable, rate: given(`rate of ${name}`, rate, source) },
        percentage: given(`percentage of ${name}`, one.percentage ?? 0, source),
        quantity: given(`quantity of ${name}`, one.quantity, source),
        ...(type === 'FuelSurcharge'
          ? {
              fuel: {
                type: scheduleType ?? 'percentage',
                billSurcharge: billSurcharge == null ? null : given('price of fuel', billSurcharge, source),
              },
            }
          : {}),
      };
    });
}
const isInvoiced = ({ uses }: ChargeOfJob): boolean => uses === null || uses.includes('invoicing');
const isPaid = ({ uses, costRate }: ChargeOfJob): boolean => (uses === null ? costRate !== null : uses.includes('driver_pay'));

function workOf(job: JobFacts): WorkFacts {
  const loads = job.loads
    .filter(({ state }) => state === 'completed')
    .map(({ id, loadId, quantity, unit, ticketId, ticketVersion, version }) => {
      const source = ticketId ? { type: 'Ticket', id: ticketId, version: ticketVersion! } : { type: 'Load', id, version };
      return { id, number: loadId, unit, quantity: quantity === null ? null : given(`load ${loadId}`, quantity, source) };
    });
  return { loads, minutes: minutesOf(job) };
}

/** BILLING B3 RatePerHour: the hours that somebody set, otherwise the minutes that were approved, otherwise those that were worked. */
function minutesOf({ id, version, overridingHours, approvedMinutes, workedMinutes }: JobFacts): Figure {
  const source = { type: 'Job', id, version };
  if (overridingHours !== null) {
    return computed('product', 'billable minutes', [given('billable hours', overridingHours, source), given('minutes of an hour', 60)]);
  }
  if (approvedMinutes !== null) return given('approved minutes', approvedMinutes, source);
  return given('worked minutes', workedMinutes ?? 0, source);
}

/** Loads that are neither completed nor canceled keep a job from being invoiced. */
export const hasOpenLoad = ({ loads }: JobFacts): boolean => loads.some(({ state }) => state !== 'completed' && state !== 'canceled');
export const isFinished = ({ state }: JobFacts): boolean => JOB_FINISHED.includes(state);

/** Returns why an invoice cannot be approved (BILLING B2.2); empty if it can. */
export function blockersOf(job: JobFacts, entry: Entry, priced: Priced | null): InvoiceBlocker[] {
  const { rate, companyId } = entry;
  const blockers: InvoiceBlocker[] = [];
  if (!isFinished(job)) blockers.push('job_not_finished');
  else if (hasOpenLoad(job)) blockers.push('open_load');
  if (!isComplete(rate)) blockers.push('no_rate');
  if (!entry.customerAccountId && !entry.vendorAccountId && !entry.payeeDriverId) blockers.push('no_counterparty');
  const lines = priced?.lines ?? [];
  const paid = new Set(lines.flatMap(({ loadId }) => (loadId === null ? [] : [loadId])));
  if (job.loads.some(({ id, approvedBy }) => paid.has(id) && !approvedBy.includes(companyId))) blockers.push('load_not_approved');
  if (lines.some(({ loadId }) => loadId === null) && !job.approvedBy.includes(companyId)) blockers.push('job_not_approved');
  return [...blockers, ...(priced?.blockers ?? [])];
}
