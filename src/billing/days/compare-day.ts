import { ref } from '@mikro-orm/core';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import type { RateFacts } from '../invoices/facts/job-facts.ts';
import { timeTermsOf } from '../invoices/following/follow-work.ts';
import { type Invoice, InvoiceLineItem } from '../invoices/invoice.entity.ts';
import { FOLLOWING, invoiceMachine, isSupplement } from '../invoices/invoice.machine.ts';
import { editsOf } from '../invoices/lines/edits-of-lines.ts';
import { withAutosAsBilled, withFuelAsBilled, withTimeAsBilled } from '../invoices/parts/as-billed.ts';
import { type Difference, differenceOf } from '../invoices/parts/difference.ts';
import { rateCardAsBilled, rateOfPart } from '../invoices/parts/rates-of-parts.ts';
import { rebilledInvoices } from '../invoices/parts/rebilled.ts';
import { writeDifferences } from '../invoices/parts/write-differences.ts';
import { writeCharges } from '../invoices/write-charges.ts';
import { numberOf, writePrice } from '../invoices/write-price.ts';
import type { Priced } from '../pricing/price.ts';
import type { DayFacts } from './day-facts.ts';
import { blockersOfDay, priceDay, rateOfDay } from './price-day.ts';

const isFollowing = ({ state }: Invoice): boolean => FOLLOWING.includes(state);

/**
 * Compares what should be paid for a day with what is (BILLING B2.4). A day is one part, as its time is; what was billed and is something else now is
 * a difference, which a supplement bills. Without one, what was billed is `stale`.
 * @param live all invoices that there are of it, the first part among them
 */
export async function compareDay(tx: TxContext, day: DayFacts, live: readonly Invoice[]): Promise<void> {
  const { itemsOf, copiesOf } = await contentsOf(tx, live);
  const first = live.find((one) => !isSupplement(one))!;
  const frozen = live.filter((one) => !isFollowing(one));
  const rebilled = await rebilledInvoices(tx, frozen);
  const rebilledOf = ({ id }: Invoice) => rebilled.get(id);
  const byHand = rateOfPart(first, { live, entry: { rate: undefined }, rebilledOf });
  const work = frozen.length > 0 ? asBilled(day, { first, frozen, copies: copiesOf(first) }) : day;
  const ofWork = priceDay(work, byHand);
  const edits = editsOf(undefined, first, itemsOf(first));
  const priced = edits.length > 0 ? priceDay(work, byHand, edits) : ofWork;
  const rate = byHand ?? rateOfDay(work);
  if (isFollowing(first)) {
    follow(tx, first, { day: work, rate, priced, ofWork, items: itemsOf(first), copies: copiesOf(first) });
    return;
  }
  const billed = frozen.map((invoice) => ({
    invoice,
    items: itemsOf(invoice),
    charges: copiesOf(invoice),
    rebilled: rebilledOf(invoice),
  }));
  const difference = priced && differenceOf([{ priced, itemized: false }], billed);
  const present = live.find((one) => isSupplement(one) && isFollowing(one));
  const isCovered = present !== undefined && difference !== null;
  for (const one of frozen) one.stale = one === first && !isCovered && !difference?.total.value.isZero();
  if (!present) return;
  if (difference?.isNone) {
    invoiceMachine.fire(tx, present, 'void');
    return;
  }
  follow(tx, present, {
    ...{ day: work, rate, priced: difference, ofWork: difference, items: itemsOf(present), copies: copiesOf(present) },
    ...(difference ? { difference } : {}),
  });
}

interface Followed {
  day: DayFacts;
  rate: RateFacts | undefined;
  priced: Priced | null;
  /** The price without what somebody set by hand. */
  ofWork: Priced | null;
  /** The lines and the charges that the invoice has. */
  items: readonly InvoiceLineItem[];
  copies: readonly AddOnCharge[];
  /** The difference to the amounts that were paid, which is paid instead of the day. */
  difference?: Difference;
}

/** Lets an invoice that nobody has approved say what the day says now. */
function follow(tx: TxContext, invoice: Invoice, { day, rate, priced, ofWork, items, copies, difference }: Followed): void {
  // Merging drivers and undoing it gives the day to another one.
  const driver = ref(User, day.driverId);
  Object.assign(invoice, {
    ...{ driver, payeeDriver: driver },
    rate: rate?.rateId ? ref(Rate, rate.rateId) : null,
    ...{ rateValue: numberOf(rate?.value), rateType: rate?.type ?? null },
    ...{ rateMinimum: numberOf(rate?.minimum), rateIncrement: numberOf(rate?.increment), rateTerms: rate?.terms ?? null },
    rateSince: rate?.since ?? null,
    timeTerms: difference ? null : timeTermsOf(day, rate),
    blockers: blockersOfDay(day, rate, priced),
  });
  writePrice(tx, invoice, { job: day, priced, ofWork, items, ...(difference ? { lines: difference.lines } : {}) });
  if (difference) writeDifferences(tx, invoice, { job: day, difference, copies });
  else writeCharges(tx, invoice, { job: day, priced, copies });
  if (day.endedAt === null) {
    if (invoice.state === 'pending') invoiceMachine.fire(tx, invoice, 'reopen');
    else if (invoice.state === 'created') invoiceMachine.fire(tx, invoice, 'begin');
  } else if (invoice.state !== 'pending') invoiceMachine.fire(tx, invoice, 'generate');
}

/** The day at what it was billed at: the rate card, what the company chose for time, and the price of fuel as they were (BILLING B5). */
function asBilled(
  day: DayFacts,
  { first, frozen, copies }: { first: Invoice; frozen: readonly Invoice[]; copies: readonly AddOnCharge[] },
): DayFacts {
  const jobs = day.jobs.map((job) => ({ ...job, rates: { ...job.rates, driver: rateCardAsBilled(first, job.rates.driver) } }));
  return withTimeAsBilled(withFuelAsBilled(withAutosAsBilled({ ...day, jobs }, first, copies), frozen), first);
}

async function contentsOf(tx: TxContext, live: readonly Invoice[]) {
  const ids = live.map(({ id }) => id);
  const all = { filters: { tenant: false } } as const;
  const items = await tx.em.find(InvoiceLineItem, { invoice: { $in: ids } }, { ...all, orderBy: { ordinality: 'asc', id: 'asc' } });
  const copies = await tx.em.find(AddOnCharge, { addOnApplicableId: { $in: ids } }, { ...all, orderBy: { id: 'asc' } });
  return {
    itemsOf: ({ id }: Invoice) => items.filter(({ invoice }) => invoice.id === id),
    copiesOf: ({ id }: Invoice) => copies.filter(({ addOnApplicableId }) => addOnApplicableId === id),
  };
}
