import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Rate } from '../../../src/directory/master-data/rate.entity.ts';
import { UnitOfMeasure } from '../../../src/directory/master-data/units.ts';
import { convert, convertSql } from '../../../src/dispatch/model/units-of-rates.ts';
import { costOf } from '../../../src/dispatch/pricing/calculate-cost.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { Decimal } from '../../../src/platform/decimal.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
const rateCards: Record<string, string> = {};
const SIDES = ['customer', 'vendor', 'driver'];
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  const flat = { type: 'RateFlatRate', flat_amount: 7 };
  for (const side of SIDES) rateCards[side] = (await tenant.must('POST', '/v1/rates', { name: side, owner_type: side, ...flat })).id;
  rateCards.own = (await tenant.must('POST', '/v1/rates', { name: 'own', driver_id: tenant.driver.id, ...flat })).id;
});
afterAll(() => app.close());

const seen = async (token: string, path = '/v1/rates') => {
  const found = (await tenant.must('GET', path, undefined, token)).map((one: Json) => one.name).sort();
  const one = async (id: string) => (await tenant.http('GET', `/v1/rates/${id}`, undefined, token)).status === 200;
  const byId = [];
  for (const [name, id] of Object.entries(rateCards)) if (await one(id)) byId.push(name);
  expect(byId.sort()).toEqual(found);
  return found;
};

test('each caller sees the rate cards of the permitted sides, and a driver their own, by list and by id', async () => {
  const as = async (role: string) => (await tenant.person({ roles: [role] })).token;
  const all = ['customer', 'driver', 'own', 'vendor'];
  for (const role of ['company_admin', 'biller', 'manager']) expect([role, await seen(await as(role))]).toEqual([role, all]);
  for (const role of ['dispatcher', 'foreman', 'it_admin', 'driver']) expect([role, await seen(await as(role))]).toEqual([role, []]);
  expect(await seen(tenant.driver.token)).toEqual(['own']);
  expect(await seen(tenant.driver.token, '/v1/rates/typeahead')).toEqual(['own']);
  const billers = (await makeTenant(app, { permissions: ['view_vendor_rates'] })).token;
  expect(await tenant.must('GET', '/v1/rates', undefined, billers)).toEqual([]);
});

test('changing a rate card requires seeing its side, and the refusal names the missing permission', async () => {
  const keeper = await makeTenant(app, { permissions: ['create_rate', 'edit_rate', 'delete_rate', 'view_vendor_rates'] });
  const body = (side: string) => ({ name: 'Mine', owner_type: side, type: 'RateFlatRate', flat_amount: 1 });
  const { id } = await keeper.must('POST', '/v1/rates', body('vendor'));
  expect((await keeper.must('PATCH', `/v1/rates/${id}`, { flat_amount: 2 })).flat_amount).toBe(2);
  const refused = await keeper.http('POST', '/v1/rates', body('customer'));
  expect([refused.status, refused.body.error.errors[0].field]).toEqual([403, 'view_customer_rates']);
  expect((await keeper.http('PATCH', `/v1/rates/${rateCards.customer}`, {})).status).toBe(404);
  const planted = await keeper.http('POST', '/v1/rates', { ...body('vendor'), company_id: tenant.company.id });
  expect([planted.status, fieldsOf(planted)]).toEqual([422, ['company_id']]);
});

test('the values of rate cards are hidden in the audit log from those who do not see all sides', async () => {
  const [row] = await tenant.must('GET', `/v1/audit_entries?filter[subject_id]=${rateCards.customer}`);
  expect(row.object_changes.flat_amount).toEqual([null, '7']);
  const auditor = await makeTenant(app, { permissions: ['create_rate', 'view_audit_log', 'view_customer_rates', 'view_vendor_rates'] });
  const { id } = await auditor.must('POST', '/v1/rates', { name: 'Mine', owner_type: 'vendor', type: 'RateFlatRate', flat_amount: 1 });
  const [hidden] = await auditor.must('GET', `/v1/audit_entries?filter[subject_id]=${id}`);
  expect(hidden.object_changes).toMatchObject({ name: [null, 'Mine'], type: [null, 'RateFlatRate'] });
  expect(hidden.object_changes.flat_amount).not.toEqual([null, '1']);
});

const rate = (fields: object): Rate => Object.assign(new Rate(), { name: 'R', ...fields });
const amounts = fc.integer({ min: 0, max: 10_000_00 }).map((cents) => new Decimal(cents).div(100));

test('a cost by the hour is the least multiple of the increment that covers the time and the minimum', () => {
  const cases = fc.tuple(
    fc.integer({ min: 1, max: 1440 }),
    fc.nat(600),
    fc.constantFrom(0, 1, 6, 15, 30, 60),
    amounts,
    fc.integer({ min: 1, max: 9 }),
  );
  fc.assert(
    fc.property(cases, ([minutes, least, step, price, trucks]) => {
      let paid = Math.max(minutes, least);
      while (step > 0 && paid % step !== 0) paid++;
      const hours = new Decimal(paid).div(60).toDecimalPlaces(4);
      const rateCard = rate({ type: 'RatePerHour', timeRate: price, timeMinimumMinutes: least, timeIncrementMinutes: step });
      // As exact as a client writes them.
      const haul = { hours: new Decimal(minutes).div(60).toDecimalPlaces(4), trucks, quantity: new Decimal(0), unit: 'Load' as const };
      expect(costOf(rateCard, haul).toFixed(2)).toBe(hours.mul(price).toDecimalPlaces(2, Decimal.ROUND_HALF_UP).mul(trucks).toFixed(2));
    }),
  );
});

test.each([
  ['by the hour', { type: 'RatePerHour', timeRate: '10.005' }, '30.03', '25.53', '3.03'],
  ['by the day', { type: 'RatePerDay', timeRate: '10.005' }, '30.03', '25.53', '3.03'],
  ['flat', { type: 'RateFlatRate', flatAmount: '10.005' }, '30.03', '25.53', '3.03'],
  // 2.5 loads: two whole ones and a half.
  ['by the load', { type: 'RatePerLoad', unitRate: '10.005' }, '25.02', '21.27', '2.52'],
  ['by the ton', { type: 'RatePerTon', unitRate: '10.005' }, '25.01', '21.26', '2.51'],
])('each line of an invoice is rounded by itself, %s', (_, fields, billed, share, each) => {
  const decimals = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, name === 'type' ? value : new Decimal(value)]));
  const customer = rate(decimals);
  const unit = fields.type === 'RatePerTon' ? ('Ton' as const) : ('Load' as const);
  const haul = { hours: new Decimal(1), trucks: 3, quantity: new Decimal('2.5'), unit };
  const commission = rate({ type: 'RateCommission', commissionPercentage: 85 });
  const amount = rate({ type: 'RateFlatCommission', commissionAmount: new Decimal('1.005') });
  const costs = [costOf(customer, haul), costOf(commission, haul, customer), costOf(amount, haul, customer)];
  expect(costs.map((cost) => cost.toFixed(2))).toEqual([billed, share, each]);
});

test('M16: a cost by a rate card with tiers is that of the bands which the order reaches', () => {
  const tiers = [{ from: '100', rate: '5.25' }];
  const cost = (quantity: string, more: object) =>
    costOf(rate({ type: 'RatePerTon', unitRate: new Decimal(6), tiers, ...more }), {
      ...{ hours: new Decimal(1), trucks: 1, quantity: new Decimal(quantity), unit: 'Ton' as const },
    }).toFixed(2);
  expect([cost('120', { tierMode: 'slab' }), cost('120', { tierMode: 'volume' })]).toEqual(['705.00', '630.00']);
  expect([cost('96', { tierMode: 'slab' }), cost('96', { tierMode: 'volume' }), cost('100', { tierMode: 'volume' })]).toEqual([
    '576.00',
    '576.00',
    '525.00',
  ]);
});

test('a quantity converted to a unit of the same kind and back is the same; other kinds do not convert', () => {
  const units = fc.constantFrom(...(Object.keys(UnitOfMeasure) as (keyof typeof UnitOfMeasure)[]));
  fc.assert(
    fc.property(amounts, units, units, (quantity, from, to) => {
      const there = convert(quantity, from, to);
      const back = there && convert(there, to, from);
      if (there) expect(back!.toDecimalPlaces(30).eq(quantity)).toBe(true);
      else expect([from === to, convert(quantity, to, from)]).toEqual([false, undefined]);
    }),
  );
  expect(convert(new Decimal(1), 'Ton', 'Tonne')?.toString()).toBe('0.90718474');
  expect(convert(new Decimal(1), 'Barrel', 'Gallon')?.toDecimalPlaces(9).toString()).toBe('42');
});

test('PostgreSQL converts like JavaScript', async () => {
  const units = [...Object.keys(UnitOfMeasure), null];
  const { rows } = await (await poolOf(app.orm.em.fork())).query<Json>(
    `select f.unit as "from", t.unit as "to", round(${convertSql('12.5', 'f.unit', 't.unit')}, 9)::text as converted
       from unnest($1::text[]) f(unit) cross join unnest($1::text[]) t(unit)`,
    [units],
  );
  expect(rows).toHaveLength(units.length ** 2);
  for (const { from, to, converted } of rows) {
    const ours = from && to ? convert(new Decimal('12.5'), from, to)?.toFixed(9) : from === to ? '12.500000000' : undefined;
    expect([from, to, converted ?? undefined]).toEqual([from, to, ours]);
  }
});

test('earnings, cost and margin of an order are computed from two rate cards', async () => {
  const rateCard = (owner_type: string, body: object) => tenant.must('POST', '/v1/rates', { name: 'C', owner_type, ...body });
  const ton = { type: 'RatePerTon', unit_rate: 10, unit_minimum: 0, unit_increment: 0 };
  const customer = await rateCard('customer', ton);
  const cost = (vendor: Json, more: object = {}) =>
    tenant.http('POST', '/v1/rates/calculate_cost', {
      ...{ estimated_hours: 8, order_quantity: 100, order_unit_of_measure: 'Ton', truck_count: 2 },
      ...{ customer_rate_id: customer.id, vendor_rate_id: vendor.id, ...more },
    });
  const hour = await rateCard('vendor', { type: 'RatePerHour', time_rate: '50.5', time_minimum_minutes: 0, time_increment_minutes: 0 });
  expect((await cost(hour)).body.data).toEqual({ customer_cost: '1000', vendor_cost: '808', cost_margin: '192' });
  const share = await rateCard('vendor', { type: 'RateCommission', commission_percentage: 80 });
  expect((await cost(share)).body.data).toMatchObject({ vendor_cost: '800' });
  const each = await rateCard('vendor', { type: 'RateFlatCommission', commission_amount: 1.5 });
  expect((await cost(each)).body.data).toMatchObject({ vendor_cost: '150' });
  expect((await cost(hour, { order_unit_of_measure: 'Tonne' })).body.data.customer_cost).toBe('1102.31');
  expect(fieldsOf(await cost(hour, { order_unit_of_measure: 'Yard' }))).toEqual(['order_unit_of_measure']);
  expect(fieldsOf(await cost(customer))).toEqual(['vendor_rate_id']);
  expect(fieldsOf(await cost({ id: tenant.company.id }))).toEqual(['vendor_rate_id']);
  const { data } = await tenant.gql('query($input: CalculateCostInput!) { calculateRateCost(input: $input) { costMargin } }', {
    input: { estimatedHours: '8', orderQuantity: 100, orderUnitOfMeasure: 'Ton', customerRateId: customer.id, vendorRateId: hour.id },
  });
  expect(data.calculateRateCost).toEqual({ costMargin: '596' });
});
