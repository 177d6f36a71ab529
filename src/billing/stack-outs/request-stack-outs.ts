import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { booksOf, type Entry, isComplete } from '../invoices/books-of-job.ts';
import type { ChargeOfJob } from '../invoices/facts/charge-facts.ts';
import type { BooksCompany, JobFacts } from '../invoices/facts/job-facts.ts';

/** The name of the charge; the office may rename it. */
const NAME = 'Stack-out';
const MINUTE = 60_000;

/**
 * Requests a charge for the show-up minimum of a job that was canceled too late (BILLING B3 "stack-out"): after the truck had left for it, or within
 * the notice of the company. Each company of the chain requests it for itself, once; what the office makes of it stays. The charge is added to the facts.
 * @returns the companies in whose books that is settled, whether anything was requested or not
 */
export function requestStackOuts(tx: TxContext, job: JobFacts, companies: readonly string[]): string[] {
  const noted = job.companies.filter(({ id, stackOutNoted }) => companies.includes(id) && !stackOutNoted && isAccepted(job));
  const books = booksOf(job);
  for (const company of noted) {
    const [received, paid] = (['receivable', 'payable'] as const).map((side) =>
      books.find((one) => one.companyId === company.id && one.side === side),
    );
    const minutes = showUpMinutes(received);
    if (!isTooLate(job, company) || minutes === null) continue;
    job.charges.push(request(tx, job, company.id, { minutes, rate: received!.rate!.value!, cost: costOf(paid) }));
  }
  return noted.map(({ id }) => id);
}

/** Whether somebody had accepted a job before it was canceled: without that, no truck was promised. */
export const isAccepted = ({ canceled }: JobFacts): boolean =>
  canceled !== null && !['created', 'assigned', 'sent', 'rejected'].includes(canceled.from);

function isTooLate({ canceled, startAt }: JobFacts, { cancelNotice }: BooksCompany): boolean {
  if (!canceled || cancelNotice === null) return false;
  return canceled.from !== 'accepted' || Date.parse(canceled.at) > Date.parse(startAt) - cancelNotice * MINUTE;
}

/** The minutes that an hourly rate pays at least; null of other rates, and without a minimum. */
function showUpMinutes(entry: Entry | undefined): Decimal | null {
  const rate = entry?.rate;
  if (!isComplete(rate) || rate.type !== 'RatePerHour' || !rate.minimum) return null;
  const minutes = new Decimal(rate.minimum);
  return minutes.gt(0) ? minutes : null;
}

/** Returns the rate of a vendor or driver for an hour, if they are promised one, too. */
const costOf = (entry: Entry | undefined): string | null => (showUpMinutes(entry) ? entry!.rate!.value : null);

function request(
  tx: TxContext,
  job: JobFacts,
  companyId: string,
  { minutes, rate, cost }: { minutes: Decimal; rate: string; cost: string | null },
): ChargeOfJob {
  const quantity = minutes.div(60).toDecimalPlaces(4, Decimal.ROUND_HALF_UP);
  const charge = Object.assign(new AddOnCharge(), {
    ...{
      company: ref(Company, companyId),
      receivableCompanyId: companyId,
      job: ref(Job, job.id),
      name: NAME,
      quantity,
      percentage: new Decimal(0),
    },
    ...{ revenueRateValue: new Decimal(rate), costRateValue: cost === null ? null : new Decimal(cost) },
  });
  tx.em.persist(charge);
  emitEvent(tx, 'add_on_charge.created', charge);
  return {
    ...{ id: charge.id, companyId, addOnId: null, name: NAME, quantity: decimalText(quantity), type: 'RateForEach', rate, costRate: cost },
    ...{ percentage: '0', percentageBase: 'lines', taxable: false, uses: null, scheduleId: null, scheduleType: null },
  };
}
