import { expect, test } from '@jest/globals';
import { fuelPriceSource } from '../../../src/billing/fuel/sources/fuel-price-source.ts';
import { startFuelPriceWorker } from '../../../src/billing/fuel/sources/price-worker.ts';
import { Decimal } from '../../../src/platform/decimal.ts';
import { until } from '../../helpers/until.ts';
import { chargesOfM20, M10, makeBooks } from '../books.ts';
import { approvedInvoice } from '../settled.ts';
import { closed, DAY, NEXT, openBooks, said } from './closed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const shared = makeBooks();

/** Has an index read what a source publishes. */
async function readPublished(books: Awaited<ReturnType<typeof openBooks>>, { id }: Json, published: Record<string, string>): Promise<Json> {
  const found = Object.entries(published).map(([date, price]) => ({ date, price: new Decimal(price) }));
  const times = { newestBy: () => found.at(-1)!.date, nextAfter: (now: Date) => new Date(now.getTime() + 86_400_000) };
  books.app.application.provide(fuelPriceSource, { name: 'made up', isSeries: () => true, read: async () => found, ...times });
  const worker = startFuelPriceWorker({ em: books.app.productOrm.em, log: { warn: () => undefined }, sweepEvery: 20 });
  try {
    await books.tenant.must('PATCH', `/v1/fuel_price_indices/${id}`, { series: 'WEEKLY' });
    const asked = `query($id: ID!) { fuelPriceIndex(id: $id) { pricesReadAt lastError } fuelPrices(fuelPriceIndexId: $id) { nodes { date price publishedPrice } } }`;
    let said: Json;
    await until(async () => {
      said = (await books.tenant.gql(asked, { id })).data;
      return said.fuelPriceIndex.pricesReadAt !== null;
    });
    return { ...said.fuelPriceIndex, prices: said.fuelPrices.nodes.map((one: Json) => [one.date, one.price, one.publishedPrice]) };
  } finally {
    await worker.stop();
    books.app.application.provide(fuelPriceSource, undefined);
  }
}

test('B6: what fuel cost is not changed on days by whose price closed invoices were charged', async () => {
  const books = await openBooks(shared);
  const { index, fuel, order } = await chargesOfM20(books);
  const paid = { ...order, driver_rate_value: 1, driver_rate_type: 'RatePerLoad' };
  await approvedInvoice(books, M10, { order: paid, charges: [fuel] });
  await closed(books, { ends_on: DAY, force: true, reason: 'pay comes later' });
  const prices = `/v1/fuel_price_indices/${index.id}/fuel_prices`;
  const [price]: Json[] = await books.tenant.must('GET', prices);
  const refusal = [422, [`is a price at which invoices of a closed period were charged; the books are closed through ${DAY}`]];
  expect(said(await books.tenant.http('POST', prices, { date: '2026-11-20', price: 4.5 }))).toEqual(refusal);
  expect(said(await books.tenant.http('PATCH', `/v1/fuel_prices/${price.id}`, { price: 4.5 }))).toEqual(refusal);
  expect(said(await books.tenant.http('DELETE', `/v1/fuel_prices/${price.id}`))).toEqual(refusal);
  // Nor is it by what is published: neither a price of a day between, nor another one of the same day that was read before.
  await books.app.orm.em.execute(`update fuel_price set source = 'made up', published_price = price where id = ?`, [price.id]);
  const read = await readPublished(books, index, { [price.date]: '4.5', '2026-11-20': '4.5', '2026-11-30': '4.4' });
  expect(read.lastError).toBe(`stays as it is, because its period is closed: ${price.date}, 2026-11-20`);
  expect(read.prices).toEqual([
    ['2026-11-30', '4.4', '4.4'],
    [price.date, '4.132', '4.132'],
  ]);
  const stored = await books.tenant.must('GET', prices);
  await books.tenant.must('DELETE', `/v1/fuel_prices/${stored.find(({ date }: Json) => date === '2026-11-30').id}`);
  // One that holds for later days, and one of earlier days by which nobody was charged.
  const after = await books.tenant.must('POST', prices, { date: NEXT, price: 4.5 });
  await books.tenant.must('PATCH', `/v1/fuel_prices/${after.id}`, { price: 4.6 });
  await books.tenant.must('POST', prices, { date: '2026-11-09', price: 4 });
  expect((await books.tenant.http('PATCH', `/v1/fuel_prices/${after.id}`, { date: DAY })).status).toBe(422);
  // Fuel goes by the day of the order, and the truck began on the next one; a customer may have weeks of its own.
  const earlier = { ...paid, load_at: '2026-11-23T12:00:00.000Z' };
  const invoice = await approvedInvoice(books, ['22'], { order: earlier, charges: [fuel] });
  await books.app.orm.em.execute(`update invoice set service_date = '2026-11-25', posting_date = '2026-11-25' where id = ?`, [invoice.id]);
  await closed(books, { ends_on: '2026-11-25', force: true, reason: 'pay comes later' });
  await books.tenant.must('PATCH', `/v1/fuel_prices/${after.id}`, { price: 4.7 });
  expect((await books.tenant.http('POST', prices, { date: DAY, price: 4.5 })).status).toBe(422);
  await books.biller.must('PATCH', books.biller.path(`/accounts/${books.tenant.account.id}/billing_profile`), { fuel_lag_weeks: 1 });
  expect((await books.tenant.http('PATCH', `/v1/fuel_prices/${price.id}`, { price: 4.5 })).status).toBe(422);
  await books.tenant.must('POST', prices, { date: DAY, price: 4.5 });
});
