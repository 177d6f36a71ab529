import { decimalText } from '../../../platform/decimal.ts';
import { type AddOnCharge, isCompanyFuel } from '../../charges/add-on-charge.entity.ts';
import { assignmentOf } from '../../charges/charged-bill.ts';
import type { FuelSurchargeScheduleType } from '../../fuel/fuel-surcharge-schedule.entity.ts';
import type { Source } from '../../pricing/figure.ts';
import { type FigureJson, PRICED_BY } from '../../pricing/figure-json.ts';
import type { ChargeOfJob, FuelOfCharge } from '../facts/charge-facts.ts';
import type { JobFacts, TimeChoices } from '../facts/job-facts.ts';
import { EXEMPT, taxedIn } from '../following/tax-description.ts';
import type { Invoice } from '../invoice.entity.ts';
import { FOLLOWING } from '../invoice.machine.ts';
import { FUEL_SURCHARGE, FUEL_SURCHARGE_BEFORE, ROW_OF_SCHEDULE } from '../price-entry.ts';
import { DENSITY } from '../work-of-job.ts';
import { keyOfCopy } from './difference.ts';

/**
 * The work with fuel at what it was billed at: a price that came or changed afterwards changes nothing of it, and no job has two prices of fuel
 * (BILLING B5, B15). What an invoice was billed at is in its explanation.
 */
export function withFuelAsBilled<W extends Pick<JobFacts, 'charges'>>(job: W, live: readonly Invoice[]): W {
  if (!job.charges.some(({ scheduleId }) => scheduleId)) return job;
  const billed = new Map<string, FuelAsBilled>();
  for (const explain of explanationsOf(live)) noteFuel(explain, billed);
  if (billed.size === 0) return job;
  const charges = job.charges.map((one) => {
    const of = billed.get(one.id);
    if (!of) return one;
    const { ofAccounts: _, ...rest } = one;
    return { ...rest, ...of.fuel };
  });
  return { ...job, charges };
}

/** The work with materials as dense as they were when it was billed by their densities: no job is weighed by two. */
export function withDensityAsBilled(job: JobFacts, live: readonly Invoice[]): JobFacts {
  const billed = new Map<string, FigureJson>();
  for (const explain of explanationsOf(live)) note(DENSITY, explain, billed);
  if (billed.size === 0) return job;
  const loads = job.loads.map((load) => {
    const of = billed.get(load.materialId ?? '');
    return of ? { ...load, density: of.amount, densitySince: of.source?.since ?? null } : load;
  });
  return { ...job, loads };
}

/** The explanations of the amounts that stay as they are. */
const explanationsOf = (live: readonly Invoice[]): FigureJson[] =>
  live.flatMap(({ state, explain }) => (!FOLLOWING.includes(state) && explain ? [explain as FigureJson] : []));

/** The work of an invoice with a customer who pays tax, or does not, as it was when it was billed. */
export function withTaxAsBilled(job: JobFacts, { taxDescription }: Invoice): JobFacts {
  const profile = job.profiles[job.accountId] ?? {
    poRequired: false,
    poPattern: null,
    exempt: false,
    fuelLagWeeks: null,
    breaksPaid: null,
  };
  const exempt = taxDescription === EXEMPT;
  return profile.exempt === exempt ? job : { ...job, profiles: { ...job.profiles, [job.accountId]: { ...profile, exempt } } };
}

/**
 * The work with what was taxed of it, and at which rate, as its invoice was: another rate of freight is no other tax. An invoice from before it said what was
 * taxed is taxed by what its order says now.
 */
export function withTaxedAsBilled(job: JobFacts, { taxRate, taxDescription, taxTotalAmount }: Invoice): JobFacts {
  const rated = { ...job, taxRate: taxRate ? decimalText(taxRate) : null };
  const taxed = taxedIn(taxDescription ?? '');
  if (taxed.length === 0 && (taxDescription || !taxTotalAmount?.isZero())) return rated;
  const isTaxed = (kind: (typeof taxed)[number]) => taxed.includes(kind);
  return { ...rated, taxFreight: isTaxed('freight'), taxMaterial: isTaxed('material'), taxAddOns: isTaxed('addOns') };
}

/** The work with what the company chose for the time that it pays, as it was when it was billed. */
export const withTimeAsBilled = <W extends TimeChoices>(work: W, { timeTerms }: Pick<Invoice, 'timeTerms'>): W =>
  timeTerms ? { ...work, ...timeTerms, overtimeOfDay: timeTerms.overtimeOfDay ?? false } : work;

/**
 * The work with what comes by itself as it was billed: those add-ons that an invoice charges, at what they were (BILLING B5). One that was assigned,
 * changed or taken away later is a matter of later work.
 * @param copies the charges of the invoice
 */
export function withAutosAsBilled<W extends Pick<JobFacts, 'charges' | 'isFurther'>>(
  work: W,
  { company, side, payeeDriver, explain }: Pick<Invoice, 'company' | 'side' | 'payeeDriver' | 'explain'>,
  copies: readonly AddOnCharge[],
): W {
  const party = side === 'receivable' ? 'customer' : payeeDriver ? 'driver' : 'vendor';
  const isTheirs = ({ auto, companyId }: ChargeOfJob) => auto === party && companyId === company.id;
  const now = new Map(work.charges.filter(isTheirs).map((one) => [one.id, one]));
  const fuel = new Map<string, FuelAsBilled>();
  const sources = new Map<string, Source>();
  if (explain) {
    noteFuel(explain as FigureJson, fuel);
    noteSources(explain as FigureJson, sources);
  }
  const billed = copies.flatMap((copy): ChargeOfJob[] => {
    const id = assignmentOf(copy);
    if (!id || (work.isFurther && copy.revenueCostRateType === 'RateForEach' && !now.get(id)?.waiting)) return [];
    const of = fuel.get(id);
    return [
      {
        ...(now.get(id) ?? { ...ASSIGNED_BEFORE, rootId: id, scheduleType: of?.type ?? null }),
        ...{
          id,
          since: sources.get(id)?.since ?? null,
          auto: party,
          companyId: company.id,
          addOnId: copy.addOn?.id ?? null,
          name: copy.name,
          taxable: copy.taxable,
        },
        ...{
          quantity: decimalText(copy.quantity),
          type: copy.revenueCostRateType,
          rate: decimalText(copy.revenueRateValue),
          costRate: null,
        },
        ...{ percentage: decimalText(copy.percentage), percentageBase: copy.percentageBase },
        ...(of ? { ...of.fuel, ofAccounts: undefined } : {}),
      },
    ];
  });
  return { ...work, charges: [...work.charges.filter((one) => !isTheirs(one)), ...billed] };
}

/**
 * The work with the waiting that an invoice charges (`withAutosAsBilled`), and not with that of times which were corrected since: that is a difference (BILLING B2.4), which a supplement
 * bills.
 */
export const withWaitingAsBilled = <W extends Pick<JobFacts, 'charges'>>(work: W): W => ({
  ...work,
  charges: work.charges.map(({ waiting: _, ...charge }) => charge),
});

/**
 * The work with the charges of an invoice and no others: what was requested as it is billed, and not as it was changed or withdrawn since, which is a
 * difference (BILLING B2.4).
 * @param copies the charges of the invoice
 */
export function withRequestsAsBilled<W extends Pick<JobFacts, 'charges'>>(
  work: W,
  { id: invoiceId, company, explain }: Pick<Invoice, 'id' | 'company' | 'explain'>,
  copies: readonly AddOnCharge[],
): W {
  const now = new Map(work.charges.map((one) => [one.id, one]));
  const assigned = new Set(copies.map(assignmentOf));
  const fuel = new Map<string, FuelAsBilled>();
  if (explain) noteFuel(explain as FigureJson, fuel);
  // The request is not there any more, and its fuel is the one that no other charge is for.
  const withdrawn = [...fuel].find(([id]) => !(now.has(id) || assigned.has(id)))?.[1];
  const billed = copies
    .filter((copy) => !(copy.requestedById || isCompanyFuel(copy) || assignmentOf(copy)))
    .map((copy): ChargeOfJob => {
      const id = keyOfCopy(copy);
      const { name, taxable, percentageBase, revenueCostRateType: type } = copy;
      return {
        ...(now.get(id) ?? { uses: null, scheduleId: null, ...withdrawn?.fuel, scheduleType: withdrawn?.type ?? null }),
        ...{ id, invoiceId, companyId: company.id, addOnId: copy.addOn?.id ?? null, name, taxable, percentageBase, type },
        ...{ quantity: decimalText(copy.quantity), rate: decimalText(copy.revenueRateValue), costRate: null },
        percentage: decimalText(copy.percentage),
      };
    });
  const isKept = ({ id, auto, invoiceId: own }: ChargeOfJob) => (auto ? assigned.has(id) : own === invoiceId);
  return { ...work, charges: [...work.charges.filter(isKept), ...billed] };
}
const ASSIGNED_BEFORE = { uses: null, scheduleId: null, gone: true } as const;

/** The rate at which a fuel surcharge was billed, and the charge that it was for. */
interface FuelAsBilled {
  fuel: Omit<FuelOfCharge, 'fuelWarnings'>;
  type: FuelSurchargeScheduleType;
}

function noteFuel({ operation, parts = [] }: FigureJson, billed: Map<string, FuelAsBilled>): void {
  for (const part of parts) {
    const { label, source } = part;
    if (!(label === FUEL_SURCHARGE || (label === FUEL_SURCHARGE_BEFORE && source?.type !== PRICED_BY))) noteFuel(part, billed);
    else if (source && !billed.has(source.id))
      billed.set(source.id, { fuel: fuelIn(part), type: operation === 'percent' ? 'percentage' : 'per_unit' });
  }
}

/** Returns the surcharge of an explanation: how much it is, and by which price and row. */
function fuelIn({ amount, source, parts = [] }: FigureJson): FuelAsBilled['fuel'] {
  const recordOf = (type: string) => {
    const found = parts.find((part) => part.source?.type === type);
    return found && { id: found.source!.id, since: found.source!.since ?? null, amount: found.amount };
  };
  const [price, row] = [recordOf(PRICED_BY), recordOf(ROW_OF_SCHEDULE)];
  return {
    billSurcharge: amount,
    ratedOn: source?.date ?? null,
    fuelPrice: price ? { id: price.id, since: price.since, price: price.amount } : null,
    fuelRow: row ? { id: row.id, since: row.since, from: row.amount } : null,
  };
}

/** Notes figures of a name, by the records that they are from. */
function note(name: string, figure: FigureJson, billed: Map<string, FigureJson>): void {
  const { label, source, parts = [] } = figure;
  if (label === name && source && !billed.has(source.id)) billed.set(source.id, figure);
  for (const part of parts) note(name, part, billed);
}

/** Notes the records that figures are from, as they were. */
function noteSources({ source, parts = [] }: FigureJson, known: Map<string, Source>): void {
  if (source && !known.has(source.id)) known.set(source.id, source);
  for (const part of parts) noteSources(part, known);
}
