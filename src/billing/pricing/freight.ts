import type { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { sizesOf, UNIT_OF_RATE } from '../../dispatch/model/units-of-rates.ts';
import { amount, computed, FINE, type Figure, given, type Source, share, sum } from './figure.ts';
import { countedOf, type Tiers, tieredParts } from './tiers.ts';
import { type DayOfWork, dayOf, hoursOf, type TimePart, type TimeTerms } from './time.ts';

/** The terms by which a side is paid, as they were when the work was done. */
export interface Terms extends Pick<TimeTerms, 'isByDay' | 'overtimeAfter' | 'wage'> {
  type: RateType;
  /** Money for a unit, an hour, a day, a load or the whole, by the type; percent of a commission. */
  rate: Figure;
  /** Units of a load, or minutes, that are paid at least; 0 for none. */
  minimum?: string | number;
  /** Units or minutes up to which is rounded; 0 for not at all. */
  increment?: string | number;
  /** Other rates from a quantity on, of rates by the unit or the load. */
  tiers?: Tiers;
}

/** The facts of one load. */
export interface LoadFacts {
  id: string;
  version?: number;
  number: string;
  /** The quantity of its ticket, or else the reported one; null if there is neither. */
  quantity: Figure | null;
  unit: UnitOfMeasure | null;
  /** Tonnes of a cubic metre of its material, if somebody said it. */
  density?: Figure;
  /** Minutes at each of its sites. */
  onSite?: readonly Figure[];
}

/** The work that was done on a job. */
export interface WorkFacts {
  /** The completed loads, in their order. */
  loads: readonly LoadFacts[];
  /** Minutes that are paid: the work less unpaid breaks, or what somebody decided instead of it. */
  minutes: Figure;
  /** The day of which it is a part, if it is paid by the day. */
  day?: DayOfWork;
  /** False if nobody knows the time that is to be paid. */
  isTimeKnown?: boolean;
  /** Lines that are not for a load, such as time, are paid with another part of the same work. */
  isFurther?: boolean;
  /** The completed loads over which tiers are counted, in the order of their completion, these among them; by default, they are alone. */
  order?: { source: Source; loads: readonly LoadFacts[] };
}

/** Why something cannot be billed yet (BILLING B2.2). */
export type PricingBlocker = 'missing_quantity' | 'unit_mismatch' | 'commission_without_receivable' | 'missing_time';

/** A line of an invoice. */
export interface Line {
  kind: 'freight' | 'material';
  loadId: string | null;
  name: string;
  /** The delivered quantity, in the unit of the rate, before minimum and increment. */
  delivered: Figure;
  /** The quantity that is paid. */
  quantity: Figure;
  unit: UnitOfMeasure | null;
  rate: Figure;
  /** Null of a line of material. */
  rateType: RateType | null;
  amount: Figure;
  blocker?: PricingBlocker;
  /** Of a difference: the line that was billed. */
  correctsId?: string;
}

/** No quantity. */
export const NOTHING = given('nothing', 0);
const ONE = given('one', 1);

/**
 * Returns the freight of a job by its terms (BILLING B3): a line for each load by unit or load, and otherwise one for the whole.
 * @param receivable the freight of the payer's own invoice, of which commissions are a share
 */
export function freightLines(terms: Terms, work: WorkFacts, receivable?: readonly Line[]): Line[] {
  if (work.isFurther && isForAll(terms)) return [];
  switch (terms.type) {
    case 'RateCommission':
      return commissionLines(terms, receivable, (line) => ({
        rate: {
          ...given('commission for one', share('commission for one', terms.rate, line.rate, FINE).value, terms.rate.source),
          ...(terms.rate.chosen ? { chosen: terms.rate.chosen } : {}),
        },
        total: share('commission', terms.rate, line.amount),
      }));
    case 'RateFlatCommission':
      return commissionLines(terms, receivable, (line) => ({ rate: terms.rate, total: amount('commission', line.quantity, terms.rate) }));
    case 'RatePerHour':
      return hoursOf(terms, work.minutes, work.day).map((part) => timeLine(terms, work, part));
    case 'RatePerDay':
      return [timeLine(terms, work, dayOf(terms, work.minutes, work.day))];
    case 'RateFlatRate':
      return [lineOf(terms, { loadId: null, name: 'flat rate', delivered: ONE, quantity: ONE, unit: null })];
    default:
      return tieredLines(terms, work);
  }
}

/** Whether a rate is a share of the payer's own receivable, line by line. */
export const isShareOf = ({ type }: Terms): boolean => type === 'RateCommission' || type === 'RateFlatCommission';

/** Whether a rate pays all of the work at once, and not each load of it. */
const isForAll = ({ type }: Terms): boolean => type === 'RatePerHour' || type === 'RatePerDay' || type === 'RateFlatRate';

/** A line for each load, and several for one that reaches into another band of its rate. */
function tieredLines(terms: Terms, { loads, order }: WorkFacts): Line[] {
  const { tiers } = terms;
  const bounds = boundsOf(terms);
  if (!tiers) return loads.map((load) => loadLine(terms, load, bounds));
  const own = new Map(loads.map((load) => [load.id, load]));
  const lines = (order?.loads ?? loads).map((load) => loadLine(terms, own.get(load.id) ?? load, bounds));
  const counted = countedOf(
    lines.map(({ quantity }) => quantity),
    order?.source,
  );
  const byLoad = new Map(lines.map((line, i) => [line.loadId, { line, counted: counted[i]! }]));
  return loads.flatMap(({ id }) => {
    const { line, counted } = byLoad.get(id)!;
    return tieredParts(tiers, terms.rate, line, counted).map(({ from, rate, delivered, quantity }) => {
      const name = from === null ? line.name : `${line.name}, from ${from} on`;
      return { ...line, name, delivered, quantity, rate, amount: amount(`freight of ${name}`, quantity, rate) };
    });
  });
}

/** What is paid of each load at least, and up to what it is rounded: the same figures for all of them. */
interface Bounds {
  minimum: Figure;
  increment: Figure;
}

const boundsOf = ({ minimum, increment, rate: { source } }: Terms): Bounds => ({
  minimum: given('minimum of a load', minimum ?? 0, source),
  increment: given('increment', increment ?? 0, source),
});

function loadLine(terms: Terms, load: LoadFacts, bounds: Bounds): Line {
  if (terms.type !== 'RatePerLoad') return unitLine(terms, load, bounds);
  const name = `load ${load.number}`;
  const one = given(name, isRejected(load) ? 0 : 1, {
    type: 'Load',
    id: load.id,
    ...(load.version === undefined ? {} : { version: load.version }),
  });
  return lineOf(terms, { loadId: load.id, name, delivered: one, quantity: one, unit: 'Load' });
}

/** Whether a load was turned away: its ticket, or whoever reported it, says that nothing was delivered (BILLING B15). */
export const isRejected = ({ quantity }: LoadFacts): boolean => quantity?.value.isZero() ?? false;

type Parts = Pick<Line, 'loadId' | 'name' | 'delivered' | 'quantity' | 'unit'>;

const lineOf = (terms: Terms, parts: Parts): Line => ({
  kind: 'freight',
  ...parts,
  rate: terms.rate,
  rateType: terms.type,
  amount: amount(`freight of ${parts.name}`, parts.quantity, terms.rate),
});

/** Makes the line of a load by the unit: the delivered quantity counts unrounded until minimum and increment have been applied, and is then rounded to four places. */
function unitLine(terms: Terms, load: LoadFacts, { minimum, increment }: Bounds): Line {
  const unit = UNIT_OF_RATE[terms.type]!;
  const name = nameOf(load, unit);
  const converted = inUnit(load, unit);
  if (typeof converted === 'string') {
    const parts = { loadId: load.id, name, delivered: NOTHING, quantity: NOTHING, unit };
    return { ...lineOf(terms, parts), blocker: converted };
  }
  const least = computed('atLeast', 'minimum', [converted, minimum]);
  const quantity = computed('upTo', 'billed quantity', [least, increment], FINE);
  return lineOf(terms, { loadId: load.id, name, delivered: computed('sum', 'delivered', [converted], FINE), quantity, unit });
}

/** Returns what a load delivered in another unit, unrounded, or why it is not known. */
export function inUnit(load: LoadFacts, wanted: UnitOfMeasure): Figure | PricingBlocker {
  const { quantity, unit } = load;
  if (!quantity || !unit) return 'missing_quantity';
  if (unit === wanted) return quantity;
  const sizes = sizesOf(unit, wanted);
  if (!sizes) return byDensity(load, wanted) ?? 'unit_mismatch';
  const base = computed('product', 'in the base unit', [quantity, given(`size of a ${unit}`, sizes.from)]);
  return computed('quotient', `as ${wanted}`, [base, given(`size of a ${wanted}`, sizes.to)]);
}

/** Returns the volume of a weight or the weight of a volume; undefined without a density, and for anything else. */
function byDensity({ quantity, unit, density }: LoadFacts, wanted: UnitOfMeasure): Figure | undefined {
  if (!quantity || !unit || !density || density.value.lte(0)) return undefined;
  const base = (figure: string) => computed('product', `as ${figure}`, [quantity, given(`size of a ${unit}`, (weight ?? volume)!.from)]);
  const [weight, volume] = [sizesOf(unit, 'Tonne'), sizesOf(unit, 'CubicMeter')];
  const size = sizesOf(wanted, weight ? 'CubicMeter' : 'Tonne')?.from;
  if (!size || !(weight ?? volume)) return undefined;
  const other = weight
    ? computed('quotient', 'as CubicMeter', [base('Tonne'), density])
    : computed('product', 'as Tonne', [base('CubicMeter'), density]);
  return computed('quotient', `as ${wanted}`, [other, given(`size of a ${wanted}`, size)]);
}

/** Returns the name of a load's line, which says by which density the load was converted. */
export function nameOf(load: LoadFacts, unit: UnitOfMeasure): string {
  const isByDensity = load.unit && load.unit !== unit && !sizesOf(load.unit, unit) && byDensity(load, unit);
  return isByDensity ? `load ${load.number} at ${load.density!.value.toFixed()} t/m³` : `load ${load.number}`;
}

/** A line of time: how much was worked is shown next to what is paid. */
const timeLine = (terms: Terms, work: WorkFacts, { name, quantity, rate, amount }: TimePart): Line => {
  const line: Line = {
    // No unit is a day.
    ...{
      kind: 'freight',
      loadId: null,
      name,
      quantity,
      unit: terms.type === 'RatePerHour' ? 'Hour' : null,
      rate,
      rateType: terms.type,
      amount,
    },
    delivered: computed('quotient', 'worked', [work.minutes, given('minutes of an hour', 60)], FINE),
  };
  return work.isTimeKnown === false ? { ...line, blocker: 'missing_time' } : line;
};

/**
 * A commission is worked out for each line of the payer's receivable, never on the total; material and charges have none. Its explanation says what it comes
 * to for one of what was hauled: whoever gets it does not read what the customer pays (BILLING B9), nor the percentage, by which that could be found out.
 */
function commissionLines(
  terms: Terms,
  receivable: readonly Line[] | undefined,
  of: (line: Line) => { rate: Figure; total: Figure },
): Line[] {
  if (!receivable) {
    const parts = { loadId: null, name: 'commission', delivered: NOTHING, quantity: NOTHING, unit: null };
    return [{ ...lineOf(terms, parts), blocker: 'commission_without_receivable' }];
  }
  return receivable
    .filter(({ kind }) => kind === 'freight')
    .map((line) => {
      const { rate, total } = of(line);
      const quantity = withoutTerms(line.quantity);
      const label = `commission on ${line.name}`;
      const paid = amount(label, quantity, rate);
      // The share of an amount that is rounded is not always the amount at the share of its rate.
      const rest = total.value.minus(paid.value);
      return {
        ...{ ...line, quantity, rate, rateType: terms.type },
        amount: rest.isZero() ? paid : sum(label, [paid, given('rounding of the commission', rest)]),
      };
    });
}

const OF_WORK = ['Ticket', 'Load', 'Job', 'DriverDay'];

/** A quantity with the work that it is of, and without how the customer's rate makes it what it is. */
function withoutTerms({ label, value, ...of }: Figure): Figure {
  const sourceOf = ({ source, parts }: Pick<Figure, 'source' | 'parts'>): Source | undefined =>
    source && OF_WORK.includes(source.type) ? source : parts.map(sourceOf).find((one) => one !== undefined);
  return given(label, value, sourceOf(of));
}

/** Whether the load of a line has several of its kind. */
export const isSplit = (lines: readonly Line[], { kind, loadId }: Pick<Line, 'kind' | 'loadId'>): boolean =>
  lines.filter((line) => line.kind === kind && line.loadId === loadId).length > 1;

/** Returns the sum of the lines of a kind. */
export const linesTotal = (lines: readonly Line[], kind?: Line['kind']): Figure =>
  sum(
    kind ?? 'lines',
    lines.filter((line) => kind === undefined || line.kind === kind).map((line) => line.amount),
  );
