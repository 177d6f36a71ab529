import type { AddOnRateType, PercentageBase, WaitUnit } from '../add-ons/add-on.entity.ts';
import type { FuelSurchargeScheduleType } from '../fuel/fuel-surcharge-schedule.entity.ts';
import { amount, computed, FINE, type Figure, given, share, sum } from './figure.ts';
import { isRejected, type Line, linesTotal, type Terms, type WorkFacts } from './freight.ts';

/** The id of the charge for fuel that a rate card brings along without a schedule. */
export const COMPANY_FUEL = 'fuel of the company';

/** The terms of a charge in addition to freight, as they were agreed on. */
export interface ChargeTerms {
  /** Of the request, or `COMPANY_FUEL`; undefined of a charge that nobody requested. */
  id?: string;
  name: string;
  type: AddOnRateType;
  /** Money for each. */
  rate: Figure;
  /** Of a percentage: of which 100 is the whole. */
  percentage: Figure;
  /** Of what the percentage is taken; by default, of the lines. */
  percentageBase?: PercentageBase;
  quantity: Figure;
  taxable: boolean;
  /** Of a charge for each load: the delivered ones that it is for; by default, those of the work. */
  loadIds?: readonly string[];
  /** Of a charge for waiting: the rules by which minutes of waiting are counted. */
  waiting?: { unit: WaitUnit; free: number; increment: number };
  /** Of a fuel surcharge: what the schedule says for the day; null if nobody knows. */
  fuel?: { type: FuelSurchargeScheduleType; billSurcharge: Figure | null };
}

export interface Charge extends Pick<ChargeTerms, 'id' | 'name' | 'taxable' | 'rate' | 'percentage'> {
  isFuel: boolean;
  quantity: Figure;
  /** The figure of which a percentage was taken. */
  base?: Figure;
  amount: Figure;
  blocker?: 'fuel_price_missing';
}

interface Charged {
  lines: readonly Line[];
  terms: Terms;
  work: WorkFacts;
  /** The loads that were taken off the invoice; those of the work are without them. */
  taken?: ReadonlySet<string>;
  /** The fuel surcharges of the invoice, for percentages that are taken of them, too. */
  fuel?: readonly Charge[];
}

/**
 * Returns what each add-on charges on an invoice (BILLING B4, B6), in their order. Percentages are of the lines, or of lines and fuel, never of other
 * charges.
 */
export function chargesOn(wanted: readonly ChargeTerms[], of: Charged): Charge[] {
  const isFuel = ({ type }: ChargeTerms) => type === 'FuelSurcharge';
  const fuel = wanted.filter(isFuel).map((one) => chargeOf(one, of));
  let next = 0;
  return (
    wanted
      .map((one) => ({ waiting: one.waiting, charge: isFuel(one) ? fuel[next++]! : chargeOf(one, { ...of, fuel }) }))
      // Nobody waited: there is nothing to charge.
      .flatMap(({ waiting, charge }) => (waiting && charge.quantity.value.isZero() ? [] : [charge]))
  );
}

/** Returns what an add-on charges. */
export function chargeOf(charge: ChargeTerms, of: Charged): Charge {
  const { id, name, taxable, type, rate, percentage, quantity } = charge;
  const plain = { ...(id === undefined ? {} : { id }), name, taxable, rate, percentage, quantity, isFuel: false };
  switch (type) {
    case 'RateForEach': {
      if (charge.waiting) {
        const waited = waitedOf(charge.waiting, of.work);
        return { ...plain, quantity: waited, amount: amount(name, waited, rate) };
      }
      return { ...plain, amount: amount(name, quantity, rate) };
    }
    case 'PerLoad': {
      const loads = given('completed loads', loadsOf(charge, of).length);
      return { ...plain, quantity: loads, amount: amount(name, loads, rate) };
    }
    case 'RatePercentOfTotal': {
      const base = charge.percentageBase === 'lines_and_fuel' ? withFuel(of) : linesTotal(of.lines);
      return { ...plain, base, amount: share(name, percentage, base) };
    }
    case 'FuelSurcharge':
      return { ...plain, isFuel: true, ...fuelOf(charge, of) };
  }
}

const loadsOf = ({ loadIds }: ChargeTerms, { work, taken }: Charged): readonly unknown[] =>
  loadIds ? loadIds.filter((id) => !taken?.has(id)) : work.loads.filter((load) => !isRejected(load));

const withFuel = ({ lines, fuel = [] }: Charged): Figure => sum('lines and fuel', [linesTotal(lines), ...fuel.map((one) => one.amount)]);

/** Returns how long the trucks waited beyond what is free, at each site of each load by itself (BILLING B3 "wait, standby"). */
function waitedOf({ unit, free, increment }: NonNullable<ChargeTerms['waiting']>, { loads }: WorkFacts): Figure {
  const stops = loads.flatMap(({ onSite = [] }) => onSite);
  const paid = stops.map((minutes) => {
    const beyond = computed('rest', 'minutes of waiting', [minutes, given('minutes that are free', free)]);
    return computed('upTo', 'billed minutes of waiting', [beyond, given('increment of minutes', increment)]);
  });
  const minutes = sum('waiting', paid);
  return unit === 'minute' ? minutes : computed('quotient', 'hours of waiting', [minutes, given('minutes of an hour', 60)], FINE);
}

function fuelOf({ name, fuel }: ChargeTerms, { lines, terms, work }: Charged): Pick<Charge, 'amount' | 'blocker'> {
  if (!fuel?.billSurcharge) return { amount: given('not known', 0), blocker: 'fuel_price_missing' };
  const freight = lines.filter(({ kind }) => kind === 'freight');
  if (fuel.type === 'percentage') return { amount: share(name, fuel.billSurcharge, linesTotal(freight)) };
  // A day that several jobs share is one for all of them, by the days of their lines.
  const units =
    terms.type === 'RateFlatRate'
      ? given(work.isFurther ? 'with another part' : 'once', work.isFurther ? 0 : 1)
      : sum(
          'billed units',
          freight.map(({ quantity }) => quantity),
        );
  return { amount: amount(name, units, fuel.billSurcharge) };
}
