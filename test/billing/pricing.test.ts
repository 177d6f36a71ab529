import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ChargeTerms, chargeOf } from '../../src/billing/pricing/charges.ts';
import { given } from '../../src/billing/pricing/figure.ts';
import { figureJson } from '../../src/billing/pricing/figure-json.ts';
import { freightLines, type LoadFacts, linesTotal, type Terms, type WorkFacts } from '../../src/billing/pricing/freight.ts';
import { price } from '../../src/billing/pricing/price.ts';
import type { RateType, UnitOfMeasure } from '../../src/directory/master-data/units.ts';
import { written } from './evaluator/fractions.ts';
import { worth } from './evaluator/leaves.ts';

const loads = (quantities: (number | string | null)[], unit: UnitOfMeasure = 'Ton'): LoadFacts[] =>
  quantities.map((quantity, i) => ({
    ...{ id: `load ${i}`, number: String(i + 1), unit },
    quantity: quantity === null ? null : given('ticket', quantity, { type: 'Ticket', id: `ticket ${i}`, version: 1 }),
  }));
const work = (of: Partial<WorkFacts> = {}): WorkFacts => ({ loads: loads([23.21, 21.4, 24.06]), minutes: given('minutes', 0), ...of });
const terms = (type: RateType, rate: number, more: Partial<Terms> = {}): Terms => ({ type, rate: given('rate', rate), ...more });
const amounts = (of: Terms, facts = work(), receivable?: ReturnType<typeof freightLines>) =>
  freightLines(of, facts, receivable).map((line) => line.amount.value.toFixed(2));
const minutes = (count: number): WorkFacts => ({ loads: [], minutes: given('minutes', count) });
const charge = (more: Partial<ChargeTerms>): ChargeTerms => ({
  ...{ name: 'charge', type: 'RateForEach', rate: given('rate', 0), percentage: given('percentage', 0), quantity: given('quantity', 1) },
  ...{ taxable: false, ...more },
});
const fuel = (percentage: number) =>
  charge({ name: 'fuel', type: 'FuelSurcharge', fuel: { type: 'percentage', billSurcharge: given('fuel', percentage) } });

const M10 = terms('RatePerTon', 4.25, { minimum: 22 });

test('M10: freight by the ton, with the minimum of a load and with an increment', () => {
  expect(amounts(M10)).toEqual(['98.64', '93.50', '102.26']);
  expect(linesTotal(freightLines(M10, work())).value.toFixed(2)).toBe('294.40');
  expect(amounts(terms('RatePerTon', 4.25, { increment: 0.5 }), work({ loads: loads([23.21]) }))).toEqual(['99.88']);
  expect(amounts(terms('RatePerYard', 9.75, { minimum: 15 }), work({ loads: loads([14.25], 'Yard') }))).toEqual(['146.25']);
  expect(amounts(terms('RatePerLoad', 185), work({ loads: loads([1, 2, 3, 4, 5, 6, 7]) }))).toEqual(Array(7).fill('185.00'));
});

test('M11: units are converted; without a common base or a quantity there is a line of nothing, and why', () => {
  const tonnes = work({ loads: loads([20], 'Tonne') });
  const [line] = freightLines(terms('RatePerTon', 4.25), tonnes);
  expect([line!.quantity.value.toFixed(4), line!.amount.value.toFixed(2)]).toEqual(['22.0462', '93.70']);
  expect(amounts(terms('RatePerTonne', 4.7), work({ loads: loads([23.21]) }))).toEqual(['98.96']);
  const blocked = freightLines(terms('RatePerTon', 4.25, { minimum: 22 }), work({ loads: [...loads([9], 'Yard'), ...loads([null])] }));
  expect(blocked.map(({ blocker, amount }) => [blocker, amount.value.toFixed(2)])).toEqual([
    ['unit_mismatch', '0.00'],
    ['missing_quantity', '0.00'],
  ]);
});

test('M12: hours, with minimum and increment of minutes; the printed hours times the rate are the amount', () => {
  const hourly = terms('RatePerHour', 110, { minimum: 240, increment: 15 });
  const paid = [465, 253, 125, 466, 0].map((count) => amounts(hourly, minutes(count))[0]);
  expect(paid).toEqual(['852.50', '467.50', '440.00', '880.00', '0.00']);
  const [line] = freightLines(terms('RatePerHour', 95), minutes(470));
  expect([line!.quantity.value.toFixed(4), line!.amount.value.toFixed(2)]).toEqual(['7.8333', '744.16']);
});

test('M14: a day is whole from the minimum on, and in proportion below it', () => {
  const daily = terms('RatePerDay', 900, { minimum: 480 });
  expect([505, 480, 300, 0].map((count) => amounts(daily, minutes(count))[0])).toEqual(['900.00', '900.00', '562.50', '0.00']);
  expect(amounts(terms('RateFlatRate', 650))).toEqual(['650.00']);
  // Days have no unit, and hours do.
  expect(['RatePerDay', 'RatePerHour'].map((type) => freightLines(terms(type as RateType, 9), minutes(60))[0]!.unit)).toEqual([
    null,
    'Hour',
  ]);
});

test('M15: commissions are worked out line by line', () => {
  const receivable = freightLines(M10, work());
  expect(amounts(terms('RateCommission', 33), work(), receivable)).toEqual(['32.55', '30.86', '33.75']);
  const flat = freightLines(terms('RateFlatCommission', 2), work(), receivable);
  expect(linesTotal(flat).value.toFixed(2)).toBe('138.54');
  expect(freightLines(terms('RateCommission', 33), work())[0]!.blocker).toBe('commission_without_receivable');
});

const sand = (value: number) => ({ price: given('price', value), unit: 'Ton' as const });

test('M17 and M20: material by what was delivered, fuel, an untaxed wash, and the tax of an invoice', () => {
  const bought = price({ work: work(), terms: terms('RateFlatRate', 0), material: sand(9.8) });
  expect(linesTotal(bought.lines, 'material').value.toFixed(2)).toBe('672.97');
  const wash = charge({ name: 'wash', rate: given('rate', 25) });
  const tax = { rate: given('tax rate', 8.25), freight: true, material: true, addOns: false, exempt: false };
  const invoice = price({ work: work(), terms: M10, material: sand(12.5), charges: [fuel(4), wash], tax });
  expect(linesTotal(invoice.lines, 'material').value.toFixed(2)).toBe('858.38');
  expect(invoice.charges.map((one) => one.amount.value.toFixed(2))).toEqual(['11.78', '25.00']);
  const { pretax, tax: taxed, total } = invoice;
  expect([pretax, taxed!, total].map((figure) => figure.value.toFixed(2))).toEqual(['1189.56', '96.08', '1285.64']);
  const exempt = price({ work: work(), terms: M10, charges: [fuel(4)], tax: { ...tax, exempt: true } });
  expect([exempt.tax!.value.toFixed(2), exempt.total.value.toFixed(2)]).toEqual(['0.00', '306.18']);
});

test('M18: a vendor with a fee of the broker and fuel', () => {
  const fee = charge({ name: 'fee', type: 'RatePercentOfTotal', percentage: given('percentage', -8) });
  const vendor = price({ work: work(), terms: terms('RatePerTon', 3.6), charges: [fee, fuel(4)] });
  expect(vendor.lines.map((line) => line.amount.value.toFixed(2))).toEqual(['83.56', '77.04', '86.62']);
  expect(vendor.charges.map((one) => one.amount.value.toFixed(2))).toEqual(['-19.78', '9.89']);
  expect(vendor.total.value.toFixed(2)).toBe('237.33');
});

test('M22: what is left of the invoice of M20 after the vendor of M18 and the material that is bought', () => {
  const wash = charge({ name: 'wash', rate: given('rate', 25) });
  const invoice = price({ work: work(), terms: M10, material: sand(12.5), charges: [fuel(4), wash] });
  const fee = charge({ name: 'fee', type: 'RatePercentOfTotal', percentage: given('percentage', -8) });
  const vendor = price({ work: work(), terms: terms('RatePerTon', 3.6), charges: [fee, fuel(4)] });
  const bought = price({ work: work(), terms: terms('RateFlatRate', 0), material: sand(9.8) });
  const left = invoice.pretax.value.minus(vendor.total.value).minus(bought.total.value);
  expect([left.toFixed(2), left.div(invoice.pretax.value).mul(100).toFixed(1)]).toEqual(['279.26', '23.5']);
});

test('fuel by unit follows what is billed, and an unknown price is a blocker and not nothing', () => {
  const by = (type: RateType, facts: WorkFacts, billSurcharge: number, more: Partial<Terms> = {}) => {
    const of = { lines: freightLines(terms(type, 4, more), facts), terms: terms(type, 4), work: facts };
    const perUnit = charge({ type: 'FuelSurcharge', fuel: { type: 'per_unit', billSurcharge: given('fuel', billSurcharge) } });
    return chargeOf(perUnit, of).amount.value.toFixed(2);
  };
  expect(by('RatePerTon', work(), 0.35, { minimum: 22 })).toBe('24.24');
  expect(by('RatePerHour', minutes(465), 2)).toBe('15.50');
  expect([by('RateFlatRate', work(), 7), by('RatePerLoad', work(), 7)]).toEqual(['7.00', '21.00']);
  expect(by('RatePerLoad', work({ loads: loads([20, 0]) }), 7)).toBe('7.00');
  // M14: jobs that share a day share its fuel, and nobody pays fuel for no work.
  const shared = (place: number): WorkFacts => {
    const minutes = [310, 190].map((count) => given('minutes', count));
    return { loads: [], minutes: minutes[place]!, day: { minutes, place, others: ['JOB-2'] } };
  };
  expect([0, 1].map((place) => by('RatePerDay', shared(place), 50, { minimum: 480 }))).toEqual(['31.00', '19.00']);
  expect([by('RatePerDay', minutes(505), 50, { minimum: 480 }), by('RatePerDay', minutes(0), 50)]).toEqual(['50.00', '0.00']);
  const unknown = charge({ type: 'FuelSurcharge', fuel: { type: 'percentage', billSurcharge: null } });
  const priced = price({ work: work(), terms: M10, charges: [unknown] });
  expect([priced.blockers, priced.charges[0]!.amount.value.toFixed(2)]).toEqual([['fuel_price_missing'], '0.00']);
});

test('weight and volume are converted by the density of the material, which the line names', () => {
  const dense = (quantity: string, unit: UnitOfMeasure) =>
    work({ loads: loads([quantity], unit).map((load) => ({ ...load, density: given('density', '1.6') })) });
  const [line] = freightLines(terms('RatePerTonne', 10), dense('10', 'CubicMeter'));
  expect([line!.name, line!.delivered.value.toFixed(), line!.amount.value.toFixed(2)]).toEqual(['load 1 at 1.6 t/m³', '16', '160.00']);
  const [yards] = freightLines(terms('RatePerYard', 10, { minimum: 15 }), dense('20', 'Ton'));
  expect([yards!.delivered.value.toFixed(), yards!.amount.value.toFixed(2)]).toEqual(['14.8319', '150.00']);
  expect(freightLines(terms('RatePerBushel', 10), dense('20', 'Ton'))[0]!.blocker).toBe('unit_mismatch');
  const priced = price({
    work: dense('10', 'CubicMeter'),
    terms: terms('RateFlatRate', 0),
    material: { price: given('price', 2), unit: 'Tonne' },
  });
  expect(priced.lines[1]).toMatchObject({ name: 'material of load 1 at 1.6 t/m³' });
  expect(priced.total.value.toFixed(2)).toBe('32.00');
});

test('waiting beyond what is free is charged for each load and site; a rejected load pays no freight, minimum or fuel', () => {
  const waiting = (unit: 'hour' | 'minute', rate: number, increment: number, ...minutes: number[]) => {
    const facts = work({ loads: [{ ...loads([20])[0]!, onSite: minutes.map((one) => given('minutes', one)) }] });
    return price({ work: facts, terms: M10, charges: [charge({ rate: given('rate', rate), waiting: { unit, free: 30, increment } })] })
      .charges;
  };
  const text = (of: ReturnType<typeof waiting>) => of.map(({ quantity, amount }) => [quantity.value.toFixed(), amount.value.toFixed(2)]);
  expect(text(waiting('hour', 90, 15, 47))).toEqual([['0.5', '45.00']]);
  expect(text(waiting('minute', 1.5, 0, 47))).toEqual([['17', '25.50']]);
  expect(text(waiting('hour', 90, 15, 47, 31, 30))).toEqual([['0.75', '67.50']]);
  expect(waiting('hour', 90, 15, 30, 12)).toEqual([]);
  const rejected = price({ work: work({ loads: loads([0]) }), terms: M10, charges: [fuel(4)] });
  expect([rejected.total.value.toFixed(2), rejected.blockers]).toEqual(['0.00', []]);
});

test('B-I1, B-I9 and B-I12: every total follows from its leaves, however it is computed; more was never paid less', () => {
  const cents = (min: number, max: number) => fc.integer({ min: min * 10_000, max: max * 10_000 }).map((n) => n / 10_000);
  fc.assert(
    fc.property(
      fc.record({
        type: fc.constantFrom<RateType>('RatePerTon', 'RatePerTonne', 'RatePerHour', 'RatePerDay', 'RatePerLoad', 'RateFlatRate'),
        quantities: fc.array(cents(0, 40), { maxLength: 6 }),
        minutes: fc.integer({ min: 0, max: 1_440 }),
        ...{ rate: cents(0, 300), minimum: fc.integer({ min: 0, max: 480 }), increment: fc.integer({ min: 0, max: 60 }) },
        ...{ percentage: cents(-100, 100), fuel: cents(-20, 40), tax: cents(0, 20) },
      }),
      ({ type, quantities, minutes: worked, rate, minimum, increment, percentage, fuel: onTop, tax }) => {
        const facts = { loads: loads(quantities), minutes: given('minutes', worked) };
        const charges = [charge({ type: 'RatePercentOfTotal', percentage: given('percentage', percentage), taxable: true }), fuel(onTop)];
        const taxes = { rate: given('tax', tax), freight: true, material: true, addOns: true, exempt: false };
        const of = terms(type, rate, { minimum, increment });
        const priced = price({ work: facts, terms: of, charges, material: sand(3.3), tax: taxes });
        expect(priced.total.value.toFixed(2)).toBe(written(worth(figureJson(priced.total))));
        const more = freightLines(of, { loads: loads(quantities.map((one) => one + 1)), minutes: given('minutes', worked + 15) });
        const [before, after] = [linesTotal(freightLines(of, facts)), linesTotal(more)];
        expect(after.value.gte(before.value)).toBe(true);
      },
    ),
  );
});
