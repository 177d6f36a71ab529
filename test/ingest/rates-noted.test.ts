import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { sweepRuns } from '../helpers/properties.ts';
import { makeTenant, orderInput, type Tenant } from '../helpers/tenant.ts';
import { send } from './dry-runs.ts';
import { order } from './payloads.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

const sql = (text: string, ...values: unknown[]): Promise<Json[]> => app.orm.em.getConnection().execute(text, values);
const jobsOf = (orderId: string) => sql('select id, rate_source from job where order_id = ? order by number', orderId);
let named = 0;
const rateCard = (body: object, at = tenant): Promise<Json> =>
  at.must('POST', '/v1/rates', { name: `Card ${++named}`, type: 'RateFlatRate', flat_amount: 100, ...body });
const hiring = (id: string, more: object = {}) =>
  order(id, { customer: { external_id: 'C', name: 'Customer' }, vendors: ['Vendor'], ...more });
const made = async (...orders: object[]): Promise<Json[]> => {
  const records = await send(app, tenant, 'orders', orders);
  expect(records.map(({ state }) => state)).toEqual(orders.map(() => 'processed'));
  return records;
};

/** Returns the noted rates of every job of an order, which must be those of the API. */
async function noted(orderId: string, at = tenant): Promise<Json[]> {
  const side = (one: Json) => {
    if (!one) return null;
    // Since when a rate card has been as it is, only explanations say.
    const { since: _, ...shown } = one;
    return { rate_id: null, rate_name: null, rate_type: null, ...shown, value: one.value && String(Number(one.value)) };
  };
  return Promise.all(
    (await jobsOf(orderId)).map(async ({ id, rate_source: rates }) => {
      const reported = { customer: side(rates.customer), vendor: side(rates.vendor), driver: side(rates.driver) };
      expect(reported).toEqual(await at.must('GET', `/v1/jobs/${id}/applied_rates`));
      return reported;
    }),
  );
}

test('jobs that an import assigns to a vendor have their rates noted, unassigned ones do not', async () => {
  const [customer, vendor] = [await rateCard({ owner_type: 'customer' }), await rateCard({ owner_type: 'vendor' })];
  const [given, own, nobody] = await made(
    hiring('A-1', { truck_count: 3 }),
    hiring('A-2', { vendor_rate_value: 7.5, vendor_rate_type: 'RatePerTon' }),
    hiring('A-3', { vendors: [], truck_count: 2 }),
  );
  const rateCards = { customer: { source: 'rate_card', rate_id: customer.id }, vendor: { source: 'rate_card', rate_id: vendor.id } };
  expect(await noted(given.result_id)).toMatchObject([rateCards, rateCards, rateCards]);
  expect(await noted(own.result_id)).toMatchObject([
    { customer: rateCards.customer, vendor: { source: 'order', value: '7.5', rate_type: 'RatePerTon' }, driver: null },
  ]);
  expect((await jobsOf(nobody.result_id)).map(({ rate_source }) => rate_source)).toEqual([null, null]);
});

test('changes of rates by an import are noted again, even on jobs assigned by people, but never after the work is done', async () => {
  const [first, second, third] = await made(hiring('A-1', { truck_count: 2 }), hiring('A-2', { vendors: [] }), hiring('A-3'));
  const [free] = await jobsOf(second.result_id);
  await tenant.must('PUT', tenant.path(`/jobs/${free.id}/assign_vendor`), { vendor_id: tenant.vendor.id });
  const [done] = await jobsOf(third.result_id);
  await sql(`update job set state = 'completed' where id = ?`, done.id);
  const more = { customer_rate_value: 9, customer_rate_type: 'RatePerTon' };
  await made(hiring('A-1', more), hiring('A-2', { vendors: [], ...more }), hiring('A-3', more));
  const now = { customer: { source: 'order', value: '9', rate_type: 'RatePerTon' } };
  expect(await noted(first.result_id)).toMatchObject([now, now]);
  expect(await noted(second.result_id)).toMatchObject([now]);
  expect((await jobsOf(third.result_id))[0].rate_source).toEqual({});
});

test('noting takes one statement for a batch, and none if nobody is assigned', async () => {
  const cost = async (tag: string, size: number, more: object) => {
    const orders = Array.from({ length: size }, (_, i) => hiring(`${tag}-${i}`, { truck_count: 2, ...more }));
    const { statements } = await app.countStatements(() => made(...orders));
    return statements.filter((text) => /as noted from/.test(text)).length;
  };
  expect([await cost('none', 3, { vendors: [] }), await cost('one', 1, {}), await cost('many', 100, {})]).toEqual([0, 1, 1]);
  // Changed again: in one statement, where something is noted and a rate may be another now.
  const rate = { vendor_rate_value: 5, vendor_rate_type: 'RatePerTon' };
  const costs = [await cost('none', 3, { vendors: [], ...rate }), await cost('many', 100, { notes: 'x' }), await cost('many', 100, rate)];
  expect(costs).toEqual([0, 0, 1]);
});

const rateCards = fc.array(
  fc.record({ side: fc.constantFrom('customer', 'vendor'), primary: fc.boolean(), account: fc.boolean(), service: fc.boolean() }),
  { maxLength: 5 },
);
const terms = fc.record(
  { side: fc.constantFrom('customer', 'vendor', 'driver'), value: fc.constantFrom(5, 6.25), trucks: fc.integer({ min: 1, max: 3 }) },
  { noNullPrototype: true },
);

test('for random rate cards and rates of orders, an import notes what POST /v1/orders notes', () =>
  fc.assert(
    fc.asyncProperty(rateCards, fc.array(terms, { minLength: 1, maxLength: 4 }), async (all, orders) => {
      tenant = await makeTenant(app);
      const primary = new Set<string>();
      for (const { side, account, service, ...one } of all) {
        const account_id = account ? (side === 'vendor' ? tenant.vendor : tenant.account).id : null;
        const key = `${side} ${account_id}`;
        await rateCard({
          ...{ owner_type: side, account_id, service_ids: service ? [tenant.service.id] : [] },
          primary: one.primary && !primary.has(key),
        });
        if (one.primary) primary.add(key);
      }
      const fields = ({ side, value, trucks }: Json) => ({
        ...{ truck_count: trucks, [`${side}_rate_value`]: value, [`${side}_rate_type`]: 'RatePerTon' },
      });
      const records = await made(...orders.map((one, i) => hiring(`A-${i}`, fields(one))));
      for (const [i, one] of orders.entries()) {
        const input = orderInput(tenant, { ...fields(one), vendor_id: tenant.vendor.id });
        const { id } = await tenant.must('POST', tenant.path('/orders'), input);
        expect(await noted(records[i].result_id)).toEqual(await noted(id));
      }
    }),
    { numRuns: sweepRuns(12) },
  ));
