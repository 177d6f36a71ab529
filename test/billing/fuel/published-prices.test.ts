import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eiaSource } from '../../../src/billing/fuel/sources/eia.ts';
import { type FuelPriceSource, fuelPriceSource } from '../../../src/billing/fuel/sources/fuel-price-source.ts';
import { startFuelPriceWorker } from '../../../src/billing/fuel/sources/price-worker.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { type Asked, FakeProvider, type Reply } from '../../telematics/fake-provider.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

let number = 0;
const fresh = (name: string) => `${name} ${++number}`;

test('prices end on Tuesday: the newest one is that of Monday, and the next one comes a week later, also when the clocks change', () => {
  const { newestBy, nextAfter } = eiaSource({ key: 'secret' });
  const at = (now: string) => [newestBy(new Date(now)), nextAfter(new Date(now)).toISOString()];
  expect(at('2026-11-23T20:00:00Z')).toEqual(['2026-11-16', '2026-11-24T15:30:00.000Z']);
  expect(at('2026-11-24T15:29:59Z')).toEqual(['2026-11-16', '2026-11-24T15:30:00.000Z']);
  expect(at('2026-11-24T15:30:00Z')).toEqual(['2026-11-23', '2026-12-01T15:30:00.000Z']);
  expect(at('2026-10-30T12:00:00Z')).toEqual(['2026-10-26', '2026-11-03T15:30:00.000Z']);
});

/** A provider of weekly prices, which behaves as a test says, and a worker that reads it. */
async function withSource(work: (eia: Eia) => Promise<void>): Promise<void> {
  const provider = await new FakeProvider().start();
  const eia: Eia = { provider, prices: {}, disturb: () => undefined };
  provider.answer = (asked) => eia.disturb(asked) ?? pageOf(eia.prices, asked);
  const source: FuelPriceSource = eiaSource({ key: 'secret-of-eia', url: provider.url, timeout: 300 });
  app.application.provide(fuelPriceSource, source);
  const warned: string[] = [];
  const log = { warn: (fields: object, message: string) => void warned.push(JSON.stringify(fields) + message) };
  const worker = startFuelPriceWorker({ em: app.productOrm.em, log, sweepEvery: 20, delays: [0, 0] });
  try {
    await work(eia);
    expect(warned.join()).not.toContain('secret-of-eia');
  } finally {
    await worker.stop();
    await provider.stop();
    app.application.provide(fuelPriceSource, undefined);
  }
}
interface Eia {
  provider: FakeProvider;
  /** Null is a week without a price. */
  prices: Record<string, string | number | null>;
  disturb(asked: Asked): Reply | undefined;
}
const SERIES = 'EMD_EPD2D_PTE_R30_DPG';
/** Returns the answer of the provider, in its form. @param most rows of an answer */
function pageOf(prices: Eia['prices'], { query }: Asked, most = Infinity): object {
  const rows = Object.entries(prices)
    .filter(([period]) => period >= query.get('start')!)
    .map(([period, value]) => ({ period, series: query.get('facets[series][]'), value, units: '$/GAL' }));
  const offset = Number(query.get('offset'));
  return { response: { total: String(rows.length), data: rows.slice(offset, offset + Math.min(most, Number(query.get('length')))) } };
}
/** When the file began, so that a week which begins meanwhile moves no Monday. */
const began = new Date();
/** The Monday of so many weeks ago. */
const monday = (weeks: number): string =>
  new Date(began.getTime() - (((began.getUTCDay() + 6) % 7) + 7 * weeks) * 86_400_000).toISOString().slice(0, 10);
const INDEX = `query($id: ID!) { fuelPriceIndex(id: $id) { series pricesReadAt lastError } fuelPrices(fuelPriceIndexId: $id) { nodes { date price source publishedPrice } } }`;
async function readIndex({ id }: Json): Promise<Json> {
  const { fuelPriceIndex, fuelPrices } = (await tenant.gql(INDEX, { id })).data;
  return { ...fuelPriceIndex, prices: fuelPrices.nodes.map((one: Json) => [one.date, one.price, one.source, one.publishedPrice]) };
}
const following = () => tenant.must('POST', tenant.path('/fuel_price_indices'), { name: fresh('EIA'), series: SERIES });
const readAgain = ({ id }: Json) => tenant.must('PATCH', `/v1/fuel_price_indices/${id}`, { series: SERIES });
async function readTo(index: Json, holds: (found: Json) => boolean): Promise<Json> {
  let found: Json;
  await until(async () => {
    found = await readIndex(index);
    return holds(found);
  });
  return found;
}
const dueIn = async ({ id }: Json): Promise<number> => {
  const [row] = await app.orm.em.execute(
    'select extract(epoch from next_read_at - now())::int as seconds from fuel_price_index where id = ?',
    [id],
  );
  return row!.seconds;
};

test('an index follows a published series; what people enter or delete stays, and no source is asked where there is none', async () => {
  const path = tenant.path('/fuel_price_indices');
  const without = await tenant.http('POST', path, { name: fresh('EIA'), series: SERIES });
  expect([without.status, fieldsOf(without)]).toEqual([422, ['series']]);
  await withSource(async (eia) => {
    const wrong = await tenant.http('POST', path, { name: fresh('EIA'), series: 'PET.EMD W' });
    expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['series']]);
    // A blank is no zero, numbers are as good as texts, and weeks come in any order.
    eia.prices = { [monday(2)]: '4.132', [monday(3)]: 4.1, [monday(4)]: null };
    const index = await following();
    const first = await readTo(index, ({ pricesReadAt }) => pricesReadAt !== null);
    expect(first).toMatchObject({ series: SERIES, lastError: null });
    expect(first.prices).toEqual([
      [monday(2), '4.132', 'eia', '4.132'],
      [monday(3), '4.1', 'eia', '4.1'],
    ]);
    expect(eia.provider.asked[0]!.query.get('api_key')).toBe('secret-of-eia');
    expect(eia.provider.asked[0]!.query.get('facets[series][]')).toBe(SERIES);
    // That of this week is not there yet: it is looked for again soon.
    expect(await dueIn(index)).toBeLessThan(7_300);

    const listed: Json[] = await tenant.must('GET', `/v1/fuel_price_indices/${index.id}/fuel_prices`);
    const idOf = (day: string) => listed.find(({ date }) => date === day).id;
    await tenant.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date: monday(1), price: 4.5 });
    await tenant.must('PATCH', `/v1/fuel_prices/${idOf(monday(2))}`, { price: 4.2 });
    await tenant.must('DELETE', `/v1/fuel_prices/${idOf(monday(3))}`);
    eia.prices = { [monday(3)]: 4.1, [monday(2)]: '4.133', [monday(1)]: '4.289', [monday(0)]: '4.3' };
    await readAgain(index);
    const again = await readTo(index, ({ prices }) => prices.length === 3);
    expect(again.prices).toEqual([
      [monday(0), '4.3', 'eia', '4.3'],
      [monday(1), '4.5', null, '4.289'],
      [monday(2), '4.2', null, '4.133'],
    ]);
    // A price that was published anew is what it is now; the weeks that were left out come with it.
    eia.prices = { ...eia.prices, [monday(6)]: '3.9', [monday(0)]: '4.31' };
    await readAgain(index);
    expect((await readTo(index, ({ prices }) => prices.length === 4)).prices[0]).toEqual([monday(0), '4.31', 'eia', '4.31']);
    // Nobody reads what is not followed any more.
    await tenant.must('PATCH', `/v1/fuel_price_indices/${index.id}`, { series: null });
    expect(await dueIn(index)).toBeNull();
  });
});

test('a source that fails, stalls, repeats itself or is cut short stores nothing, says why, and is tried three times', async () => {
  await withSource(async (eia) => {
    eia.prices = { [monday(1)]: '4.289', [monday(0)]: '4.3' };
    const cases: [string, Eia['disturb']][] = [
      ['the provider answers 503', () => ({ status: 503 })],
      ['the provider refuses the credentials (403)', () => ({ status: 403, body: { error: { code: 'API_KEY_INVALID' } } })],
      ['the provider does not answer in time', () => () => undefined],
      ['the answer of the provider is no JSON', (asked) => JSON.stringify(pageOf(eia.prices, asked)).slice(0, 60)],
      ['the answer of the provider has no list of prices', () => ({ response: { data: null } })],
      // One row of two, and the same one again.
      ['the answer of the provider is not complete', (asked) => pageOf(eia.prices, { ...asked, query: fromStart(asked.query) }, 1)],
      ['the answer of the provider is not complete', () => ({ response: { total: 2, data: [] } })],
      [`the provider has two prices for ${monday(0)}`, () => twice('4.3', '4.31')],
      [`the provider has no price for ${monday(0)}, but 0`, () => twice('0', '0')],
      [`the provider has no price for ${monday(0)}, but 4.12345`, () => twice('4.12345', '4.3')],
      ['the provider answers OTHER', () => ({ response: { total: 1, data: [{ period: monday(0), series: 'OTHER', value: 4 }] } })],
    ];
    const index = await following();
    await readTo(index, ({ pricesReadAt }) => pricesReadAt !== null);
    for (const [reason, disturb] of cases) {
      eia.disturb = disturb;
      eia.provider.asked.length = 0;
      await readAgain(index);
      // After the third try, on the next day.
      await until(async () => (await dueIn(index)) > 80_000);
      const { lastError, prices } = await readIndex(index);
      expect([lastError, prices.length, eia.provider.asked.length >= 3]).toEqual([reason, 2, true]);
    }
    eia.disturb = (asked) => pageOf(eia.prices, asked, 1);
    eia.prices = { ...eia.prices, [monday(2)]: '4' };
    // An answer in pages is read to its end, and a row that comes twice is one.
    await readAgain(index);
    expect((await readTo(index, ({ prices }) => prices.length === 3)).lastError).toBeNull();
    eia.disturb = () => twice('4.4', '4.4');
    await readAgain(index);
    await readTo(index, ({ prices }) => prices[0][1] === '4.4');
    eia.prices = {};
    eia.disturb = () => undefined;
    await readAgain(index);
    expect((await readTo(index, ({ lastError }) => lastError !== null)).lastError).toMatch(`the provider has no price of ${SERIES} since`);
  });
});
const fromStart = (query: URLSearchParams): URLSearchParams => {
  const asked = new URLSearchParams(query);
  asked.set('offset', '0');
  return asked;
};
const twice = (...values: string[]) => ({
  response: { total: values.length, data: values.map((value) => ({ period: monday(0), series: SERIES, value })) },
});
