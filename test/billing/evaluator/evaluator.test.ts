import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { WaitUnit } from '../../../src/billing/add-ons/add-on.entity.ts';
import type { ChargeTerms } from '../../../src/billing/pricing/charges.ts';
import { type Figure, given, sum } from '../../../src/billing/pricing/figure.ts';
import { figureJson } from '../../../src/billing/pricing/figure-json.ts';
import { freightLines, type LoadFacts, type Terms as ProductTerms, type WorkFacts } from '../../../src/billing/pricing/freight.ts';
import { type Priced, price } from '../../../src/billing/pricing/price.ts';
import type { TierMode } from '../../../src/directory/master-data/rate.entity.ts';
import type { RateType, UnitOfMeasure } from '../../../src/directory/master-data/units.ts';
import { type Amounts, type Case, type ChargeCase, evaluate, type Load, type Terms } from './evaluate.ts';
import { cents, read, round, times, written } from './fractions.ts';
import { type Explained, worth } from './leaves.ts';

/** A case, as the product takes it. */
function priced({ terms, loads, others, minutes, day, customer, material, charges, tax }: Case): Priced {
  const work: WorkFacts = {
    minutes: given('minutes', minutes),
    loads: loads.map(loadOf('load')),
    ...(others
      ? {
          order: {
            source: { type: 'Order', id: 'order' },
            loads: [...others.before.map(loadOf('before')), ...loads.map(loadOf('load')), ...others.after.map(loadOf('after'))],
          },
        }
      : {}),
    ...(day
      ? { day: { minutes: day.minutes.map((one) => given('minutes', one)), place: day.place, others: ['J-2'], ...totalOf(day) } }
      : {}),
  };
  const of = (one: Terms): ProductTerms => ({
    ...{ type: one.type as RateType, rate: given('rate', one.rate), minimum: one.minimum, increment: one.increment },
    ...(one.overtimeAfter === undefined ? {} : { overtimeAfter: one.overtimeAfter }),
    ...(day?.isMinimumOfDay ? { isByDay: true } : {}),
    ...(one.wage ? wageOf(one.wage) : {}),
    ...(one.tiers
      ? { tiers: { mode: one.tiers.mode as TierMode, bands: one.tiers.bands.map((band) => ({ ...band, rate: given('rate', band.rate) })) } }
      : {}),
  });
  return price({
    ...{ work, terms: of(terms), charges: charges.map(chargeOf) },
    ...(customer ? { receivable: freightLines(of(customer), work) } : {}),
    ...(material ? { material: { price: given('price', material.price), unit: material.unit as UnitOfMeasure } } : {}),
    ...(tax ? { tax: { ...tax, rate: given('tax', tax.rate), exempt: tax.isExempt } } : {}),
  });
}
function wageOf({ base, fringe, credit }: NonNullable<Terms['wage']>): Pick<ProductTerms, 'rate' | 'wage'> {
  const wage = { base: given('base', base), others: [given('fringe', fringe), given('less the credit', `-${credit}`)] };
  return { rate: sum('wage', [wage.base, ...wage.others]), wage };
}
const totalOf = ({ total }: NonNullable<Case['day']>) => (total === undefined ? {} : { total: given('minutes of the shift', total) });
const loadOf =
  (name: string) =>
  ({ quantity, unit, density, onSite = [] }: Load, i: number): LoadFacts => ({
    ...{ id: `${name} ${i}`, number: String(i), unit: unit as UnitOfMeasure },
    ...(density === undefined ? {} : { density: given('density', density) }),
    onSite: onSite.map((minutes) => given('minutes', minutes)),
    quantity: quantity === null ? null : given('quantity', quantity),
  });
function chargeOf({ type, value, quantity, taxable, isOfFuel, waiting }: ChargeCase): ChargeTerms {
  const zero = given('nothing', 0);
  const plain = { name: type, quantity: given('quantity', quantity), taxable, rate: zero, percentage: zero };
  const number = given('value', value ?? 0);
  if (type === 'RatePercentOfTotal') return { ...plain, type, percentage: number, percentageBase: isOfFuel ? 'lines_and_fuel' : 'lines' };
  if (type === 'Waiting') {
    const { unit, free, increment } = waiting!;
    return {
      ...plain,
      type: 'RateForEach',
      rate: number,
      waiting: { unit: unit as WaitUnit, free: Number(free), increment: Number(increment) },
    };
  }
  if (type === 'RateForEach' || type === 'PerLoad') return { ...plain, type, rate: number };
  const by = type === 'FuelPercentage' ? 'percentage' : 'per_unit';
  return { ...plain, type: 'FuelSurcharge', fuel: { type: by, billSurcharge: value === null ? null : number } };
}
const text = (figure: Figure) => figure.value.toFixed(2);
const amountsOf = ({ lines, charges, tax, total }: Priced): Amounts => ({
  lines: lines.map(({ amount }) => text(amount)),
  charges: charges.map(({ amount }) => text(amount)),
  tax: tax && text(tax),
  total: text(total),
});

const decimal = (min: number, max: number, places = 4) =>
  fc.integer({ min: min * 10 ** places, max: max * 10 ** places }).map((n) => String(n / 10 ** places));
const termsOf = (...types: string[]) =>
  fc.record({
    type: fc.constantFrom(...types),
    rate: decimal(0, 300),
    minimum: fc.constantFrom('0', '5', '15', '22', '22.5', '240', '480'),
    increment: fc.constantFrom('0', '0.25', '0.5', '1', '6', '15'),
  });
const PAID = ['RatePerTon', 'RatePerTonne', 'RatePerYard', 'RatePerBushel', 'RatePerLoad', 'RatePerHour', 'RatePerDay', 'RateFlatRate'];
const minutesOfWork = fc.integer({ min: 0, max: 900 }).map(String);
const unit = fc.constantFrom('Ton', 'Tonne', 'Yard', 'CubicMeter', 'Bushel', 'Load');
const load = fc.record(
  {
    ...{ quantity: fc.option(decimal(0, 40), { freq: 8 }), unit, density: decimal(1, 3) },
    onSite: fc.array(fc.integer({ min: 0, max: 120 }).map(String), { maxLength: 2 }),
  },
  { requiredKeys: ['quantity', 'unit'] },
);
const tiersOf = fc.record({
  mode: fc.constantFrom('slab', 'volume'),
  bands: fc
    .array(fc.record({ width: decimal(0, 80).map((width) => Number(width) + 1), rate: decimal(0, 300) }), { minLength: 1, maxLength: 3 })
    .map((widths) => {
      let from = 0;
      return widths.map(({ width, rate }) => {
        from = Number((from + width).toFixed(4));
        return { from: String(from), rate };
      });
    }),
});
const plainCase = fc.record({
  terms: termsOf(...PAID),
  loads: fc.array(load, { maxLength: 6 }),
  minutes: minutesOfWork,
  charges: fc.array(
    fc.record({
      type: fc.constantFrom<ChargeCase['type']>('RateForEach', 'Waiting', 'PerLoad', 'RatePercentOfTotal', 'FuelPercentage', 'FuelPerUnit'),
      value: decimal(-100, 100),
      quantity: decimal(0, 20),
      ...{ taxable: fc.boolean(), isOfFuel: fc.boolean() },
      waiting: fc.record({
        unit: fc.constantFrom('hour', 'minute'),
        free: fc.constantFrom('0', '30'),
        increment: fc.constantFrom('0', '7', '15'),
      }),
    }),
    { maxLength: 4 },
  ),
});
const extras = fc.record(
  {
    material: fc.record({ price: decimal(0, 50), unit }),
    tax: fc.record({ rate: decimal(0, 20), freight: fc.boolean(), material: fc.boolean(), addOns: fc.boolean(), isExempt: fc.boolean() }),
    commission: fc.record({ type: fc.constantFrom('RateCommission', 'RateFlatCommission'), rate: decimal(0, 100) }),
    day: fc.record({
      others: fc.array(minutesOfWork, { minLength: 1, maxLength: 3 }),
      place: fc.nat(3),
      isMinimumOfDay: fc.boolean(),
      total: fc.option(minutesOfWork),
    }),
    overtimeAfter: fc.integer({ min: 60, max: 600 }),
    tiers: tiersOf,
    wage: fc.record({ base: decimal(0, 60), fringe: decimal(10, 30), credit: decimal(0, 10) }),
    others: fc.record({ before: fc.array(load, { maxLength: 4 }), after: fc.array(load, { maxLength: 4 }) }),
  },
  { requiredKeys: [] },
);
const cases = fc.tuple(plainCase, extras).map(([plain, { commission, day, overtimeAfter, tiers, wage, ...more }]): Case => {
  // Only time is paid by the day.
  const isTime = plain.terms.type === 'RatePerHour' || plain.terms.type === 'RatePerDay';
  const place = day ? Math.min(day.place, day.others.length) : 0;
  const whole =
    day && isTime
      ? {
          ...{ minutes: day.others.toSpliced(place, 0, plain.minutes), place, isMinimumOfDay: day.isMinimumOfDay },
          ...(day.total !== null && plain.terms.type === 'RatePerHour' ? { total: day.total } : {}),
        }
      : undefined;
  const terms = {
    ...plain.terms,
    ...(plain.terms.type === 'RatePerHour' && overtimeAfter !== undefined ? { overtimeAfter } : {}),
    ...(tiers ? { tiers } : {}),
    ...(wage && plain.terms.type === 'RatePerHour' ? { wage } : {}),
  };
  return {
    ...{ ...plain, ...more, terms },
    ...(whole ? { day: whole } : {}),
    ...(commission ? { terms: { ...commission, minimum: '0', increment: '0' }, customer: terms } : {}),
  };
});

test('600 cases: every line, charge, tax and total is what an evaluator of its own works out', () => {
  let checked = 0;
  fc.assert(
    fc.property(cases, (one) => {
      expect(amountsOf(priced(one))).toEqual(evaluate(one));
      checked++;
    }),
    { numRuns: 600 },
  );
  expect(checked).toBeGreaterThanOrEqual(600);
});

const M10: Terms = { type: 'RatePerTon', rate: '4.25', minimum: '22', increment: '0' };
const tons = (...quantities: string[]) => quantities.map((quantity) => ({ quantity, unit: 'Ton' }));
const job = (more: Partial<Case>): Case => ({ terms: M10, loads: tons('23.21', '21.40', '24.06'), minutes: '0', charges: [], ...more });
const hourly = (rate: string, more: Partial<Terms> = {}): Terms => ({ type: 'RatePerHour', rate, minimum: '0', increment: '0', ...more });
const daily = (rate: string, minimum: string): Terms => ({ type: 'RatePerDay', rate, minimum, increment: '0' });
const ofDay = (minutes: string[], place: number, isMinimumOfDay = false, total?: string) => ({
  minutes: minutes[place]!,
  day: { minutes, place, isMinimumOfDay, ...(total === undefined ? {} : { total }) },
});

const WAGE = { base: '31.20', fringe: '18.45', credit: '2.10' };
const fives = tons('24', '24', '24', '24', '24');
const inBands = (mode: string): Terms => ({
  ...{ type: 'RatePerTon', rate: '6.00', minimum: '0', increment: '0' },
  tiers: { mode, bands: [{ from: '100', rate: '5.25' }] },
});

test.each([
  ['M10', job({}), ['98.64', '93.50', '102.26'], '294.40'],
  ['M11', job({ loads: [{ quantity: '20', unit: 'Tonne' }], terms: { ...M10, minimum: '0' } }), ['93.70'], '93.70'],
  ['M12', job({ terms: hourly('110', { minimum: '240', increment: '15' }), minutes: '466' }), ['880.00'], '880.00'],
  ['M13, portal', job({ terms: hourly('105', { increment: '15' }), ...ofDay(['310', '190'], 1, false, '588') }), ['399.00'], '399.00'],
  ['M14, 310', job({ terms: daily('900', '480'), ...ofDay(['310', '190'], 0) }), ['558.00'], '558.00'],
  ['M14, the last of three', job({ terms: daily('1000', '0'), ...ofDay(['5', '5', '5'], 2) }), ['333.34'], '333.34'],
  ['M15', job({ terms: { ...M10, type: 'RateCommission', rate: '33' }, customer: M10 }), ['32.55', '30.86', '33.75'], '97.16'],
  ['M16, slab', job({ loads: fives, terms: inBands('slab') }), ['144.00', '144.00', '144.00', '144.00', '24.00', '105.00'], '705.00'],
  ['M16, volume', job({ loads: fives, terms: inBands('volume') }), Array(5).fill('126.00'), '630.00'],
  ['overtime', job({ terms: hourly('32', { overtimeAfter: 480 }), minutes: '555' }), ['256.00', '60.00'], '316.00'],
  ['a prevailing wage', job({ terms: hourly('0', { wage: WAGE, overtimeAfter: 480 }), minutes: '570' }), ['380.40', '94.73'], '475.13'],
  ['a minimum of the day', job({ terms: hourly('60', { minimum: '240' }), ...ofDay(['125', '125'], 0, true) }), ['125.00'], '125.00'],
])('the evaluator and the product agree with the worked example: %s', (_name, one, lines, total) => {
  expect(evaluate(one)).toMatchObject({ lines, total });
  expect(amountsOf(priced(one))).toEqual(evaluate(one));
});

test('B-I12: the leaves of an explanation, as it is sent, come to the total; each amount in between is that of its parts', () => {
  fc.assert(
    fc.property(cases, (one) => {
      const { total } = priced(one);
      const explained: Explained = JSON.parse(JSON.stringify(figureJson(total)));
      expect(written(worth(explained))).toBe(text(total));
      const walk = (figure: Explained): void => {
        if (figure.parts) expect(round(worth(figure), 6)).toEqual(round(read(figure.amount), 6));
        figure.parts?.forEach(walk);
      };
      walk(explained);
    }),
    { numRuns: 300 },
  );
});

test('B-I1: a line is its printed quantity at its printed rate, unless it is a share that names its group', () => {
  fc.assert(
    fc.property(cases, (one) => {
      for (const line of priced(one).lines) {
        // A commission is a percentage of the payer's line, which is what it comes to for one, and what that is too little or too much.
        if (line.rateType === 'RateCommission') {
          const [first = line.amount] = line.amount.parts.length > 0 && line.amount.operation === 'sum' ? line.amount.parts : [];
          expect(text(first)).toBe(written(cents(times(read(line.quantity.value.toFixed()), read(line.rate.value.toFixed())))));
          continue;
        }
        if (line.amount.operation !== 'product') {
          expect([line.amount.operation, line.name.startsWith('day, shared with J-2')]).not.toContain(false);
          continue;
        }
        const [quantity, rate] = [line.quantity, line.rate].map((figure) => figure.value.toFixed());
        expect(text(line.amount)).toBe(written(cents(times(read(quantity!), read(rate!)))));
      }
    }),
  );
});

test('B-I9: a higher surcharge for fuel is never charged less', () => {
  fc.assert(
    fc.property(cases, fc.constantFrom('FuelPercentage', 'FuelPerUnit'), fc.nat(100), fc.nat(100), (one, type, low, more) => {
      const fuel = (value: number): number => {
        const charges: ChargeCase[] = [{ type, value: String(value), quantity: '1', taxable: false }];
        return Number(amountsOf(priced({ ...one, charges })).charges[0]);
      };
      expect(fuel(low + more)).toBeGreaterThanOrEqual(fuel(low));
    }),
  );
});

test('B-I10: the order of loads changes no total, apart from slabs, which are filled in their order', () => {
  fc.assert(
    fc.property(cases, (one) => {
      fc.pre((one.customer ?? one.terms).tiers?.mode !== 'slab');
      const { lines, ...totals } = amountsOf(priced(one));
      const { lines: turned, ...same } = amountsOf(priced({ ...one, loads: one.loads.toReversed() }));
      expect(same).toEqual(totals);
      expect(turned.toSorted()).toEqual(lines.toSorted());
    }),
  );
});
