import { ref } from '@mikro-orm/core';
import { Account } from '../../../directory/accounts/account.entity.ts';
import { Company } from '../../../directory/companies/company.entity.ts';
import { Equipment } from '../../../directory/equipment/equipment.entity.ts';
import { Material } from '../../../directory/master-data/named.entities.ts';
import { Rate } from '../../../directory/master-data/rate.entity.ts';
import { User } from '../../../directory/people/user.entity.ts';
import { Site } from '../../../directory/sites/site.entity.ts';
import { nextNumbers } from '../../../dispatch/fields/numbers.ts';
import { Job } from '../../../dispatch/model/job.entity.ts';
import { JobAssignment } from '../../../dispatch/model/job-assignment.entity.ts';
import { Order } from '../../../dispatch/model/order.entity.ts';
import { Project } from '../../../dispatch/model/project.entity.ts';
import type { TxContext } from '../../../platform/commands/transact.ts';
import { Decimal } from '../../../platform/decimal.ts';
import type { AddOnCharge } from '../../charges/add-on-charge.entity.ts';
import { type Entry, isByTime, isComplete } from '../books-of-job.ts';
import type { BooksCompany, JobFacts, RateFacts, TimeChoices } from '../facts/job-facts.ts';
import { Invoice, type InvoiceLineItem } from '../invoice.entity.ts';
import { invoiceMachine } from '../invoice.machine.ts';
import type { Difference } from '../parts/difference.ts';
import { writeDifferences } from '../parts/write-differences.ts';
import type { blockersOf, priceEntry } from '../price-entry.ts';
import { isSettledWork, paysBreaks } from '../work-of-job.ts';
import { writeCharges } from '../write-charges.ts';
import { numberOf, writePrice } from '../write-price.ts';
import { EXEMPT, hasTaxRate, taxDescriptionOf } from './tax-description.ts';

/** Adds an invoice to the books of a company. @param number drawn for it */
export function begin(
  tx: TxContext,
  job: Pick<JobFacts, 'id' | 'orderId'> & { companies: readonly Pick<BooksCompany, 'id' | 'currency' | 'serviceDate'>[] },
  { companyId, side, jobAssignmentId, vendorAccountId, ofMaterial }: Begun,
  number: number,
  part: FurtherPart | null = null,
): Invoice {
  const { currency, serviceDate } = job.companies.find(({ id }) => id === companyId)!;
  const invoice = Object.assign(new Invoice(), {
    ...{ company: ref(Company, companyId), side, number, invoiceId: `INV-${number}`, currency, serviceDate },
    ...{ job: ref(Job, job.id), order: ref(Order, job.orderId), jobAssignment: refOf(JobAssignment, jobAssignmentId) },
    // There may be one for each supplier.
    ...(ofMaterial ? { ofMaterial, vendorAccount: refOf(Account, vendorAccountId) } : {}),
    ...part,
  });
  tx.em.persist(invoice);
  return invoice;
}

/** The fields that distinguish the invoices of a job. */
type Begun = Pick<Entry, 'companyId' | 'side' | 'jobAssignmentId' | 'vendorAccountId' | 'ofMaterial'>;

type FurtherPart = Partial<Pick<Invoice, 'part' | 'reason' | 'parentInvoice'>>;

/** The same of an invoice that there is in addition to those of the work itself, under the next number. */
export const beginPart = async (
  tx: TxContext,
  job: Parameters<typeof begin>[1],
  entry: Parameters<typeof begin>[2],
  part: FurtherPart,
): Promise<Invoice> => begin(tx, job, entry, await nextNumbers(tx.em, entry.companyId, 'invoice', 1), part);

const refOf = <T extends { id: string }>(entity: new () => T, id: string | null) => (id === null ? null : ref(entity, id as never));

export interface Followed {
  job: JobFacts;
  entry: Entry;
  rate: Entry['rate'];
  /** The rate of the books' own receivable. */
  received: Entry['rate'];
  priced: ReturnType<typeof priceEntry>;
  /** The price without what somebody set by hand. */
  ofWork: ReturnType<typeof priceEntry>;
  blockers: ReturnType<typeof blockersOf>;
  /** The lines that the invoice has. */
  items: readonly InvoiceLineItem[];
  /** The charges that the invoice has. */
  copies: readonly AddOnCharge[];
  /** The difference to the amounts that were billed, which is billed instead of the work. */
  difference?: Difference;
}

/** Lets an invoice that nobody has approved say what the work says now. */
export function follow(tx: TxContext, invoice: Invoice, followed: Followed): void {
  const { job, entry, rate, received, priced, ofWork, blockers, items, copies, difference } = followed;
  const { companyId, side, payeeDriverId } = entry;
  const { serviceDate } = job.companies.find(({ id }) => id === companyId)!;
  const isTaxed = entry.isTop && hasTaxRate(job);
  const isExempt = isTaxed && job.profiles[job.accountId]?.exempt === true;
  Object.assign(invoice, {
    serviceDate,
    project: companyId === job.companyId ? refOf(Project, job.projectId) : null,
    customerAccount: refOf(Account, entry.customerAccountId),
    vendorAccount: refOf(Account, entry.vendorAccountId),
    driver: refOf(User, job.driverId),
    payeeDriver: refOf(User, payeeDriverId),
    receivableCompanyId: side === 'receivable' ? companyId : null,
    vendorCompanyId: side === 'payable' && payeeDriverId === null ? companyId : null,
    driverCompanyId: side === 'payable' && payeeDriverId !== null ? companyId : null,
    equipment: refOf(Equipment, job.equipmentId),
    material: refOf(Material, job.materialId),
    pickupSite: refOf(Site, job.pickupSiteId),
    dropoffSite: refOf(Site, job.dropoffSiteId),
    rate: refOf(Rate, rate?.rateId ?? null),
    rateValue: numberOf(rate?.value),
    rateType: rate?.type ?? null,
    rateMinimum: numberOf(rate?.minimum),
    rateIncrement: numberOf(rate?.increment),
    rateTerms: rate?.terms ?? null,
    rateSince: rate?.since ?? null,
    timeTerms: difference ? null : timeTermsOf({ ...job, accountBreaks: paysBreaks(job, entry) }, rate),
    ...commissionOf(rate, received),
    materialRateItemized: entry.ofMaterial || (entry.isTop && job.itemized),
    materialRateSellPrice: entry.isTop ? numberOf(job.sellPrice) : null,
    materialRateUnitOfMeasure: entry.isTop || entry.ofMaterial ? job.materialUnit : null,
    taxRate: isTaxed ? numberOf(isExempt ? '0' : job.taxRate) : null,
    taxDescription: isExempt ? EXEMPT : taxDescriptionOf(job, priced),
    blockers,
  });
  writePrice(tx, invoice, { job, priced, ofWork, items, ...(difference ? { lines: difference.lines } : {}) });
  if (difference) writeDifferences(tx, invoice, { job, difference, copies });
  else writeCharges(tx, invoice, { job, priced, copies });
  const isDone = isSettledWork(job);
  if (isDone && invoice.state !== 'pending') invoiceMachine.fire(tx, invoice, 'generate');
  else if (!isDone && invoice.state === 'pending') invoiceMachine.fire(tx, invoice, 'reopen');
  else if (!isDone && invoice.state === 'created' && job.state !== 'accepted') invoiceMachine.fire(tx, invoice, 'begin');
}

/** By what time is paid; null where it is not. A difference is one to what was paid, by what that was paid by. */
export const timeTermsOf = ({ overtimeAfter, breaksPaid, accountBreaks }: TimeChoices, rate: RateFacts | undefined): TimeChoices | null =>
  rate?.type && isByTime(rate.type)
    ? {
        overtimeAfter,
        ...(overtimeAfter === null ? {} : { overtimeOfDay: true }),
        breaksPaid,
        ...(accountBreaks === undefined ? {} : { accountBreaks }),
      }
    : null;

/** The amount of a commission for a unit of the customer's rate (DOMAIN 3.4). */
function commissionOf(rate: Entry['rate'], received: Entry['rate']): Pick<Invoice, 'commissionRateValue' | 'commissionRateType'> {
  const isShare = rate?.type === 'RateCommission';
  if (!(isShare || rate?.type === 'RateFlatCommission') || !isComplete(rate) || !isComplete(received))
    return { commissionRateValue: null, commissionRateType: null };
  const value = isShare ? new Decimal(received.value).mul(rate.value).div(100) : new Decimal(rate.value);
  return { commissionRateValue: value.toDecimalPlaces(4, Decimal.ROUND_HALF_UP), commissionRateType: received.type };
}
