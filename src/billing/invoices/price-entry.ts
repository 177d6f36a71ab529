import type { RateType } from '../../directory/master-data/units.ts';
import type { RateTerms } from '../../dispatch/pricing/rate-statement.ts';
import { Decimal } from '../../platform/decimal.ts';
import { isContradicted } from '../matching/contradicted.ts';
import { type ChargeTerms, COMPANY_FUEL } from '../pricing/charges.ts';
import type { LineEdit } from '../pricing/edits.ts';
import { computed, type Figure, given, type Source, sourceSince, sum } from '../pricing/figure.ts';
import { PRICED_BY } from '../pricing/figure-json.ts';
import type { Line, LoadFacts, Terms } from '../pricing/freight.ts';
import type { MaterialTerms } from '../pricing/material.ts';
import { type Priceable, type Priced, price } from '../pricing/price.ts';
import { fitsPurchaseOrder } from '../profiles/purchase-order.ts';
import { type Entry, isComplete } from './books-of-job.ts';
import type { ChargeOfJob, FuelOfCharge } from './facts/charge-facts.ts';
import type { JobFacts, RateFacts } from './facts/job-facts.ts';
import { hasTaxRate } from './following/tax-description.ts';
import type { InvoiceBlocker, InvoiceSide } from './invoice-enums.ts';
import { orderOf } from './tiers/tiers-of-order.ts';
import { overtimeOf, timeOf, waitsForDay } from './time-of-job.ts';
import { hasOpenLoad, isFinished, workOf } from './work-of-job.ts';

/** Returns the terms by which a side is paid, with where they were agreed on: a rate card, or else the record that says so. */
export function termsOfRate(rate: RateFacts & { type: RateType; value: string }, source: Source): Terms {
  const { minimumPer, tierMode, tiers, wage } = rate.terms ?? {};
  const from = rate.rateId ? sourceSince('Rate', rate.rateId, rate.since) : source;
  // A rate that was noted before sources were has none.
  const because = rate.chosen?.source ? { chosen: rate.chosen } : {};
  const bands = (tiers ?? []).map((tier) => ({
    from: tier.from,
    rate: { ...given(`rate from ${tier.from} on`, tier.rate, from), ...because },
  }));
  const paid = wage && wageOf(wage, rate.since);
  return {
    type: rate.type,
    rate: { ...(paid ? sum('wage', [paid.base, ...paid.others]) : given('rate', rate.value, from)), ...because },
    ...(paid ? { wage: paid } : {}),
    ...(rate.minimum ? { minimum: rate.minimum } : {}),
    ...(rate.increment ? { increment: rate.increment } : {}),
    ...(minimumPer === 'day' ? { isByDay: true } : {}),
    ...(tierMode ? { tiers: { mode: tierMode, bands } } : {}),
  };
}

function wageOf(
  { projectId, base, fringe, credit }: NonNullable<RateTerms['wage']>,
  since: RateFacts['since'],
): NonNullable<Terms['wage']> {
  const source = sourceSince('Project', projectId, since);
  const taken = given('less what is paid otherwise', new Decimal(credit).neg(), source);
  return { base: given('base wage', base, source), others: [given('fringe', fringe, source), taken] };
}

/** The other facts on which the price of an invoice depends. */
export interface Around {
  /** The freight of the payer's own receivable, for commissions. */
  receivable?: readonly Line[] | undefined;
  /** The invoice, whose own charges count. */
  invoiceId?: string;
  /** The edits of its lines. */
  edits?: readonly LineEdit[];
  /** Material is a line of its own. */
  itemized?: boolean;
  /** The rate by which the jobs of a day share it; by default, that of the entry. */
  sharedAt?: Entry['rate'];
}

/** Prices an invoice of a finished job. */
export function priceEntry(job: JobFacts, entry: Entry, around: Around): Priced | null {
  const { receivable, invoiceId, edits = [], itemized = false, sharedAt } = around;
  const { rate } = entry;
  if (job.state === 'canceled') return priceCanceled(job, entry, invoiceId);
  if (entry.ofMaterial) return priceBought(job, entry, around);
  if (!isComplete(rate)) return null;
  const source = { type: 'Job', id: job.id, version: job.version };
  return price({
    work: { ...workOf(job, entry.companyId), ...timeOf(job, sharedAt ? { ...entry, rate: sharedAt } : entry), ...orderOf(job, entry) },
    terms: { ...termsOfRate(rate, source), ...overtimeOf(job, entry) },
    charges: withCompanyFuel(chargesOf(job, entry, invoiceId), rate, sourceOfCompany(job)),
    edits,
    folded: !itemized,
    ...(receivable ? { receivable } : {}),
    ...(entry.isTop ? { material: materialOf(job, 'sellPrice') } : {}),
    ...taxOf(job, entry),
  });
}

/** The owner of a job as the source of charges for all of its work. */
const sourceOfCompany = ({ companyId, companies }: JobFacts): Source =>
  sourceSince('Company', companyId, companies.find(({ id }) => id === companyId)?.since);

/** The price at which the material of each load is sold or bought. */
export function materialOf(job: JobFacts, price: 'sellPrice' | 'buyPrice'): (load: LoadFacts) => MaterialTerms | undefined {
  const loads = new Map(job.loads.map((load) => [load.id, load]));
  return ({ id }) => {
    const { [price]: money, materialUnit: unit, ownPrice, version } = loads.get(id)!;
    const source = ownPrice ? { type: 'Load', id, version } : { type: 'Job', id: job.id, version: job.version };
    return money && unit ? { price: given('price of material', money, source), unit } : undefined;
  };
}

/** Returns the price that a supplier gets for the material of the loads that were bought there (BILLING B3): there is no freight, and nothing comes by itself. */
function priceBought(job: JobFacts, entry: Entry, { invoiceId, edits = [] }: Around): Priced {
  const bought = new Set(job.loads.flatMap(({ id, supplierId }) => (supplierId === entry.vendorAccountId ? [id] : [])));
  return price({
    work: { loads: workOf(job, entry.companyId).loads.filter(({ id }) => bought.has(id)), minutes: given('not worked', 0) },
    terms: { type: 'RateFlatRate', rate: given('nothing', 0) },
    ...{ freight: [], material: materialOf(job, 'buyPrice'), charges: chargesOf(job, entry, invoiceId), edits },
  });
}

/** Returns the price of the requests for a job that came to nothing (BILLING B2.1): there is no freight, and nothing comes by itself. */
function priceCanceled(job: JobFacts, entry: Entry, invoiceId?: string): Priced {
  return price({
    work: { loads: [], minutes: given('not worked', 0) },
    terms: { type: 'RateFlatRate', rate: given('nothing', 0) },
    ...{ freight: [], charges: chargesOf(ofCanceled(job), entry, invoiceId) },
    ...taxOf(job, entry),
  });
}

/** The requests for a job, without the charges that come by themselves. */
const ofCanceled = ({ charges }: JobFacts): Pick<JobFacts, 'charges'> => ({
  charges: charges.filter(({ auto, dayId }) => !(auto || dayId)),
});

/** Whether anything was requested for a canceled job on a side. */
export const hasRequests = (job: JobFacts, entry: Entry): boolean => chargesOf(ofCanceled(job), entry).length > 0;

/** The owner's customer pays tax. */
function taxOf(
  { taxRate, taxFreight, taxMaterial, taxAddOns, orderId, orderVersion, profiles, accountId }: JobFacts,
  { isTop }: Entry,
): Pick<Priceable, 'tax'> {
  if (!isTop || taxRate === null || !hasTaxRate({ taxRate })) return {};
  const applies = { freight: taxFreight, material: taxMaterial, addOns: taxAddOns, exempt: profiles[accountId]?.exempt ?? false };
  return { tax: { rate: given('tax rate', taxRate, { type: 'Order', id: orderId, version: orderVersion }), ...applies } };
}

/**
 * Returns the charges that an invoice has of those that were requested in its books (BILLING B4): a customer pays those whose add-on is for
 * invoicing, a vendor or driver gets those that are for pay. A charge without an add-on is paid by the customer, and handed on if it has a cost.
 * A charge that comes by itself is on the side for which it was assigned.
 */
function chargesOf(
  { charges }: Pick<JobFacts, 'charges'>,
  { companyId, side, payeeDriverId, rate, ofMaterial = false }: Payee,
  invoiceId?: string,
): ChargeTerms[] {
  // An hourly rate pays for waiting already; a day costs the same however long a truck waits in it.
  const isHourly = isComplete(rate) && rate.type === 'RatePerHour';
  const party = side === 'receivable' ? 'customer' : payeeDriverId === null ? 'vendor' : 'driver';
  const isOnIt = (one: ChargeOfJob) =>
    one.dayId
      ? payeeDriverId !== null && isPaidWithDay(one)
      : one.invoiceId
        ? one.invoiceId === invoiceId
        : // What is requested or comes by itself is for who hauls, or for whom.
          ofMaterial
          ? false
          : one.auto
            ? one.auto === party
            : side === 'receivable'
              ? isInvoiced(one)
              : isPaid(one);
  return charges.filter((one) => one.companyId === companyId && isOnIt(one) && !(one.waiting && isHourly)).map((one) => termsOf(one, side));
}
type Payee = Pick<Entry, 'companyId' | 'side' | 'payeeDriverId' | 'rate'> & Partial<Pick<Entry, 'ofMaterial'>>;

/**
 * Adds what the company charges for fuel by percentage if the rate card says so, and nothing else is charged for fuel (BILLING B6 "legacy"). It is a term of the
 * rate card, noted with it.
 */
export function withCompanyFuel(charges: readonly ChargeTerms[], rate: RateFacts, source: Source): readonly ChargeTerms[] {
  const percentage = rate.terms?.fuelPercentage;
  if (!percentage || charges.some(({ type }) => type === 'FuelSurcharge')) return charges;
  const from = rate.rateId ? sourceSince('Rate', rate.rateId, rate.since) : source;
  const charged = given('percentage for fuel', percentage, from);
  const fuel: ChargeTerms = {
    ...{ id: COMPANY_FUEL, name: 'Fuel surcharge', type: 'FuelSurcharge', taxable: false, rate: given('rate', 0), percentage: charged },
    ...{ quantity: given('quantity', 1), fuel: { type: 'percentage', billSurcharge: charged } },
  };
  return [...charges, fuel];
}

/** The label in explanations for the charge of a schedule, percent or money for each unit. */
export const FUEL_SURCHARGE = 'surcharge for fuel';
/** Their earlier label for it, from before they said which price and which row it was. */
export const FUEL_SURCHARGE_BEFORE = 'price of fuel';
/** The record of a row of a schedule. */
export const ROW_OF_SCHEDULE = 'FuelSurchargeSchedulePrice';

/** Returns the charge of a schedule, looked up by the price of fuel: that of the row from which on it holds, or nothing below the first one (BILLING B6). */
function surchargeFigure(surcharge: string, { ratedOn, fuelPrice, fuelRow }: Partial<FuelOfCharge>, of: Source): Figure {
  const source = ratedOn ? { ...of, date: ratedOn } : of;
  // A surcharge that was billed before that was noted is explained by itself alone.
  if (!fuelPrice || !ratedOn) return given(FUEL_SURCHARGE, surcharge, source);
  const price = given('price of fuel', fuelPrice.price, { ...sourceSince(PRICED_BY, fuelPrice.id, fuelPrice.since), date: ratedOn });
  const below = given(fuelRow ? 'surcharge below the row' : 'surcharge below the first row', 0);
  const row = fuelRow ? rowFigures(surcharge, fuelRow) : [];
  return { ...computed('reached', FUEL_SURCHARGE, [price, below, ...row]), source };
}

function rowFigures(surcharge: string, { id, since, from }: NonNullable<FuelOfCharge['fuelRow']>): Figure[] {
  const source = sourceSince(ROW_OF_SCHEDULE, id, since);
  const price = new Decimal(from);
  const text = price.toFixed(Math.max(PLACES_OF_PRICES, price.decimalPlaces()));
  return [given('price from which the row holds', price, source), given(`surcharge of the row from ${text} on`, surcharge, source)];
}
/** Decimals of a price of fuel that are written at least. */
const PLACES_OF_PRICES = 2;

/** The terms of a charge on a side: vendors and drivers get what it costs, or else what customers pay. */
export function termsOf(one: ChargeOfJob, side: InvoiceSide): ChargeTerms {
  const { id, name, type, taxable, percentageBase, scheduleType } = one;
  const fuel = fuelOf(one, side);
  const { billSurcharge: surcharge } = fuel;
  const source = sourceSince(one.auto ? 'AutoAddOnAssignment' : 'AddOnCharge', id, one.since);
  const rate = (side === 'payable' ? one.costRate : null) ?? one.rate ?? 0;
  return {
    ...{ id, name, type, taxable, percentageBase, rate: given(`rate of ${name}`, rate, source) },
    percentage: given(`percentage of ${name}`, one.percentage ?? 0, source),
    quantity: given(`quantity of ${name}`, one.quantity, source),
    ...(one.waiting ? { waiting: one.waiting } : {}),
    ...(one.loadIds ? { loadIds: one.loadIds } : {}),
    ...(type === 'FuelSurcharge'
      ? {
          fuel: {
            type: scheduleType ?? 'percentage',
            billSurcharge: surcharge == null ? null : surchargeFigure(surcharge, fuel, source),
          },
        }
      : {}),
  };
}
/** Returns a charge's surcharge on a side, by its schedule: by the weeks of the customer or vendor before its own. */
export const fuelOf = (one: ChargeOfJob, side: InvoiceSide): Partial<FuelOfCharge> => one.ofAccounts?.[side] ?? one;
const isInvoiced = ({ uses }: ChargeOfJob): boolean => uses === null || uses.includes('invoicing');
/** A request for a day is paid to its driver, unless it is charged to customers only. */
export const isPaidWithDay = ({ uses, costRate }: ChargeOfJob): boolean =>
  uses === null ? costRate !== null : uses.includes('driver_pay') || uses.includes('driver_day');
const isPaid = ({ uses, costRate }: ChargeOfJob): boolean => (uses === null ? costRate !== null : uses.includes('driver_pay'));

/** Returns why an invoice cannot be approved (BILLING B2.2); empty if it can. */
export function blockersOf(job: JobFacts, entry: Entry, priced: Priced | null): InvoiceBlocker[] {
  const { rate, companyId } = entry;
  const blockers: InvoiceBlocker[] = [];
  const isCanceled = job.state === 'canceled';
  if (!isFinished(job) && !isCanceled) blockers.push('job_not_finished');
  else if (hasOpenLoad(job)) blockers.push('open_load');
  else if (waitsForDay(job, entry)) blockers.push('day_not_finished');
  if (!isComplete(rate) && !isCanceled && !entry.ofMaterial) blockers.push('no_rate');
  const profile = entry.side === 'receivable' && entry.customerAccountId ? job.profiles[entry.customerAccountId] : undefined;
  if (profile && !fitsPurchaseOrder(job.purchaseOrder, profile)) blockers.push('po_missing');
  if (!entry.customerAccountId && !entry.vendorAccountId && !entry.payeeDriverId) blockers.push('no_counterparty');
  const lines = priced?.lines ?? [];
  blockers.push(...unapproved(job, companyId, lines), ...ticketProblems(job, lines));
  if (isContradicted(job, entry, lines)) blockers.push('ticket_conflict');
  return [...blockers, ...(priced?.blockers ?? [])];
}

/** Returns the tickets and quantities that are expected and missing: a ticket that an order wants, and the quantity of one by which a load is paid. */
function ticketProblems({ loads }: JobFacts, lines: readonly Line[]): InvoiceBlocker[] {
  if (loads.every(({ ticketProblem }) => ticketProblem === null)) return [];
  const ofLoads = Map.groupBy(lines, ({ loadId }) => loadId);
  const problems = loads.flatMap(({ id, ticketProblem }) => {
    const own = ofLoads.get(id);
    if (!ticketProblem || !own) return [];
    return ticketProblem === 'ticket_incomplete' && own.every(isByLoad) ? [] : [ticketProblem];
  });
  return [...new Set(problems)];
}

/** Whether a line pays for a load whatever it weighs, or is a share of one that does. */
const isByLoad = ({ kind, rateType, unit }: Line): boolean => kind === 'freight' && (rateType === 'RatePerLoad' || unit === 'Load');

/** Returns the work that is to be approved for billing before its invoice is, unless the company does without. */
function unapproved(job: JobFacts, companyId: string, lines: readonly Line[]): InvoiceBlocker[] {
  if (!job.companies.find(({ id }) => id === companyId)?.approvesWork) return [];
  const blockers: InvoiceBlocker[] = [];
  const paid = new Set(lines.flatMap(({ loadId }) => (loadId === null ? [] : [loadId])));
  if (job.loads.some(({ id, approvedBy }) => paid.has(id) && !approvedBy.includes(companyId))) blockers.push('load_not_approved');
  if (lines.some(({ loadId }) => loadId === null) && !job.approvedBy.includes(companyId)) blockers.push('job_not_approved');
  return blockers;
}
