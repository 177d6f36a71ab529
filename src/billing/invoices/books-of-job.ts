import type { RateType } from '../../directory/master-data/units.ts';
import type { Agreed, JobFacts, RateFacts } from './facts/job-facts.ts';
import type { InvoiceSide } from './invoice-enums.ts';
import { isFinished } from './work-of-job.ts';

/** An invoice that there should be: one for each side of a job in each company's books. */
export interface Entry {
  companyId: string;
  side: InvoiceSide;
  jobAssignmentId: string | null;
  customerAccountId: string | null;
  vendorAccountId: string | null;
  /** The payee of a payable that has no vendor. */
  payeeDriverId: string | null;
  rate: RateFacts | undefined;
  /** The owner's receivable charges for material and tax. */
  isTop: boolean;
  /** It pays a supplier for material, at the price at which that is bought, and for nothing else. */
  ofMaterial: boolean;
}

const PLAIN = {
  ...{ jobAssignmentId: null, customerAccountId: null, vendorAccountId: null, payeeDriverId: null },
  ...{ isTop: false, ofMaterial: false },
} as const;

/**
 * Returns the invoices that there should be of a job (BILLING B1, B8): the owner's receivable; for each link a payable of the company that
 * passed the job on and a receivable of the one that received it; and the pay of the driver in the books of the driver's company. The
 * terms of a link are the same on both of its sides.
 */
export function booksOf(job: Agreed): Entry[] {
  const plain = PLAIN;
  const top: Entry = {
    ...plain,
    ...{ companyId: job.companyId, side: 'receivable', customerAccountId: job.accountId, rate: job.rates.customer, isTop: true },
  };
  const links = job.links.flatMap((link, i): Entry[] => {
    // The rate that was agreed on for a link is the one it pays. Otherwise the owner notes the rate of the first one, as its schedules and rate cards say it.
    const rate = i === 0 && !link.ownRate ? (job.rates.vendor ?? ofLink(link)) : ofLink(link);
    const passed: Entry = {
      ...plain,
      ...{ companyId: link.customerCompanyId, side: 'payable', jobAssignmentId: link.id, vendorAccountId: link.vendorAccountId, rate },
    };
    const received: Entry[] = link.vendorCompanyId
      ? [
          {
            ...plain,
            ...{ companyId: link.vendorCompanyId, side: 'receivable', jobAssignmentId: link.id },
            // By which conditions the payer chose it is the payer's affair.
            ...{ customerAccountId: link.customerAccountId, rate: ofLink(rate) },
          },
        ]
      : [];
    return [passed, ...received];
  });
  const payer = job.links.length === 0 ? job.companyId : job.links.at(-1)!.vendorCompanyId;
  // A driver's rate was noted by the owner of the job, for its own drivers.
  const rate = payer === job.companyId ? job.rates.driver : undefined;
  const pay: Entry[] =
    job.driverId && payer && job.driverCompanyId === payer && !isPaidByDay(job, rate)
      ? [
          {
            ...plain,
            ...{ companyId: payer, side: 'payable', payeeDriverId: job.driverId },
            rate,
          },
        ]
      : [];
  return [top, ...links, ...pay];
}

/** The rate that was agreed on along a link: nobody chose it among others. */
const ofLink = (rate: RateFacts): RateFacts => ({ ...rate, chosen: { source: 'link', matched: [] } });

/**
 * The payables of the owner of a job to those who sell the material of its loads (BILLING B3 "material itemized"), one for each. When the job is finished, a
 * load that nobody began has got nothing.
 */
export function suppliesOf({ companyId, state, loads }: Pick<JobFacts, 'companyId' | 'state' | 'loads'>): Entry[] {
  const without = isFinished({ state }) ? ['canceled', 'created'] : ['canceled'];
  const suppliers = new Set(loads.flatMap((load) => (load.supplierId === null || without.includes(load.state) ? [] : [load.supplierId])));
  return [...suppliers].map((id) => ({
    ...PLAIN,
    ...{ companyId, side: 'payable', vendorAccountId: id, rate: undefined, ofMaterial: true },
  }));
}

/**
 * Whether the driver of a job is paid for it with the day: by hours or days, or by what somebody sets for the day. A finished job that belongs to no
 * day is paid by itself.
 */
export const isPaidByDay = (job: Agreed, rate: RateFacts | undefined): boolean =>
  job.paidByDay && (job.driverDayId !== null || !isFinished(job)) && (!isComplete(rate) || isByTime(rate.type));

/** Whether hours or days are paid. */
export const isByTime = (type: RateType): boolean => type === 'RatePerHour' || type === 'RatePerDay';

/** Whether a share is paid of what is received for the same work. */
export const isCommission = (rate: RateFacts | undefined): boolean =>
  rate?.type === 'RateCommission' || rate?.type === 'RateFlatCommission';

/**
 * Returns the company of whose receivable a commission of an entry is a share (BILLING B8): its own of what it pays; of what it receives along a link that
 * was agreed on as a commission, that of whoever pays it. Undefined of any other receivable.
 */
export function payerOfShare({ links }: Pick<Agreed, 'links'>, entry: Entry): string | undefined {
  if (entry.side === 'payable') return entry.companyId;
  return isCommission(entry.rate) ? links.find(({ id }) => id === entry.jobAssignmentId)?.customerCompanyId : undefined;
}

/** Distinguishes the invoices of a job. What suppliers get for material has no link, and is distinguished by who gets it. */
export const keyOfBooks = ({ companyId, side, jobAssignmentId, vendorAccountId, ofMaterial }: Books): string =>
  `${companyId} ${side} ${jobAssignmentId ?? ''}${ofMaterial ? `material ${vendorAccountId}` : ''}`;
type Books = Pick<Entry, 'companyId' | 'side' | 'jobAssignmentId' | 'vendorAccountId' | 'ofMaterial'>;

/** The rate by which an invoice is priced: as it was noted, or as somebody set it by hand. */
export const isComplete = (rate: RateFacts | undefined): rate is RateFacts & { type: NonNullable<RateFacts['type']>; value: string } =>
  // A rate that was noted without a value has no such key.
  Boolean(rate?.type && rate.value != null);
