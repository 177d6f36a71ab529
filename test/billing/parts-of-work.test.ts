import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AddOnCharge } from '../../src/billing/charges/add-on-charge.entity.ts';
import { Invoice, InvoiceLineItem } from '../../src/billing/invoices/invoice.entity.ts';
import { typeOf } from '../../src/billing/invoices/lines/edits-of-lines.ts';
import { type Billed, differenceOf } from '../../src/billing/invoices/parts/difference.ts';
import { given } from '../../src/billing/pricing/figure.ts';
import { type Priced, price } from '../../src/billing/pricing/price.ts';
import { Decimal } from '../../src/platform/decimal.ts';

interface Load {
  id: string;
  tons: number;
}
const FUEL = 'fuel';

/** Freight by the ton with a minimum, material, fuel of 4 % and tax of 8.25 %. */
const priceOf = (loads: readonly Load[], rate: number): Priced =>
  price({
    work: {
      loads: loads.map(({ id, tons }) => ({ id, number: id, unit: 'Ton', quantity: given('ticket', tons) })),
      minutes: given('minutes', 0),
    },
    terms: { type: 'RatePerTon', rate: given('rate', rate), minimum: 22 },
    material: { price: given('price', 12.5), unit: 'Ton' },
    charges: [
      {
        ...{ id: FUEL, name: 'Fuel', type: 'FuelSurcharge', rate: given('rate', 0), percentage: given('percentage', 0) },
        ...{ quantity: given('quantity', 1), taxable: false, fuel: { type: 'percentage', billSurcharge: given('fuel', 4) } },
      },
    ],
    tax: { rate: given('tax', 8.25), freight: true, material: true, addOns: false, exempt: false },
  });

let number = 0;
/** An invoice as it is kept of a price. */
function billedFor({ lines, charges, tax }: Priced): Billed {
  const invoice = Object.assign(new Invoice(), { invoiceId: `INV-${++number}`, taxTotalAmount: tax?.value ?? null });
  const items = lines.map((line) =>
    Object.assign(new InvoiceLineItem(), {
      ...{ id: randomUUID(), lineItemType: typeOf(line), load: line.loadId === null ? null : { id: line.loadId }, name: line.name },
      ...{ correctsId: line.correctsId ?? null, deliveredQuantity: line.delivered.value, quantity: line.quantity.value },
      ...{ rate: line.rate.value, rateType: line.rateType, unitOfMeasure: line.unit, totalAmount: line.amount.value },
    }),
  );
  const copies = charges.map(({ id, name, amount, quantity, rate, percentage }) =>
    Object.assign(new AddOnCharge(), {
      ...{ id: randomUUID(), name, requestedCharge: { id }, amount: amount.value, quantity: quantity.value },
      ...{ revenueRateValue: rate.value, percentage: percentage.value, taxable: false },
    }),
  );
  return { invoice, items, charges: copies } as Billed;
}

const cents = fc.integer({ min: 0, max: 4_000 }).map((hundredths) => hundredths / 100);
const rates = fc.integer({ min: 1, max: 200_000 }).map((fine) => fine / 10_000);
const steps = fc.array(
  fc.oneof(
    fc.record({ rate: rates }),
    fc.record({ load: fc.nat(20), tons: cents }),
    fc.record({ late: fc.array(cents, { minLength: 1, maxLength: 3 }) }),
  ),
  { minLength: 1, maxLength: 6 },
);

test('B-I2: the parts of some work come to what one invoice of it would, whatever changes after each of them', () => {
  fc.assert(
    fc.property(fc.array(cents, { minLength: 1, maxLength: 5 }), rates, steps, (tons, firstRate, changes) => {
      let rate = firstRate;
      const loads = (list: readonly number[], from: number): Load[] => list.map((one, i) => ({ id: `load-${from + i}`, tons: one }));
      // Each part of the work is priced for its own loads.
      const parts = [loads(tons, 0)];
      const billed = [billedFor(priceOf(parts[0]!, rate))];
      const sum = (of: (one: Billed) => readonly (Decimal | null | undefined)[]): Decimal =>
        billed.flatMap(of).reduce<Decimal>((all, one) => all.plus(one ?? 0), new Decimal(0));
      for (const change of changes) {
        if ('rate' in change) rate = change.rate;
        else if ('late' in change) parts.push(loads(change.late, parts.flat().length));
        else {
          const all = parts.flat();
          all[change.load % all.length]!.tons = change.tons;
        }
        const wanted = parts.map((part) => ({ priced: priceOf(part, rate), itemized: true }));
        const difference = differenceOf(wanted, billed);
        if (!difference.isNone) billed.push(billedFor(difference));
        // Billed again, nothing differs.
        expect(differenceOf(wanted, billed).isNone).toBe(true);
        const one = priceOf(parts.flat(), rate);
        for (const line of one.lines) {
          const ofLine = sum(({ items }) =>
            items
              .filter(({ load, lineItemType }) => load?.id === line.loadId && lineItemType === typeOf(line))
              .map((item) => item.totalAmount),
          );
          expect(ofLine.toFixed(2)).toBe(line.amount.value.toFixed(2));
        }
        // Charges and tax are rounded once for each part.
        const within = (found: Decimal, exact: Decimal, cent: number) =>
          expect(found.minus(exact).abs().toNumber()).toBeLessThanOrEqual(cent * parts.length);
        const [fuel, tax] = [sum(({ charges }) => charges.map(({ amount }) => amount)), sum(({ invoice }) => [invoice.taxTotalAmount])];
        within(fuel, one.charges[0]!.amount.value, 0.01);
        within(tax, one.tax!.value, 0.02);
        // A line is its quantity times its rate, unless it corrects one that was rounded before.
        for (const { items } of billed)
          for (const item of items.filter(({ correctsId }) => !correctsId))
            expect(item.totalAmount.toFixed(2)).toBe(item.quantity.mul(item.rate).toDecimalPlaces(2, Decimal.ROUND_HALF_UP).toFixed(2));
      }
    }),
    { numRuns: 200 },
  );
});
