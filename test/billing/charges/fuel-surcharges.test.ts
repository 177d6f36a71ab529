import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

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
const anIndex = (prices: Record<string, number> = {}, of: Tenant = tenant): Promise<Json> =>
  of.must('POST', of.path('/fuel_price_indices'), { name: fresh('Diesel') }).then(async (index) => {
    for (const [date, price] of Object.entries(prices))
      await of.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date, price });
    return index;
  });
const aSchedule = async (index: Json, rows: [number, number][], more: object = {}): Promise<Json> => {
  const input = { name: fresh('Schedule'), fuel_price_index_id: index.id, surcharge_type: 'percentage', ...more };
  const schedule = await tenant.must('POST', tenant.path('/fuel_surcharge_schedules'), input);
  for (const [price, bill_surcharge] of rows) await tenant.must('POST', rowsOf(schedule), { price, bill_surcharge });
  return schedule;
};
const rowsOf = ({ id }: Json) => `/v1/fuel_surcharge_schedules/${id}/fuel_surcharge_schedule_prices`;
const aFuelAddOn = (schedule: Json): Promise<Json> =>
  tenant.must('POST', tenant.path('/add_ons'), {
    ...{ name: fresh('Fuel'), add_on_types: ['invoicing'], revenue_cost_rate_type: 'FuelSurcharge' },
    fuel_surcharge_schedule_id: schedule.id,
  });
const rateOn = (addOn: Json, date?: string): Promise<Json> =>
  tenant.must('GET', tenant.path(`/add_ons/${addOn.id}/fuel_surcharge_rate${date ? `?filter[date]=${date}` : ''}`));
const WHY = `query($id: ID!, $date: Date) { addOnFuelSurchargeRate(id: $id, filter: { date: $date }) {
  surcharge surchargePercentage fuelPrice fuelPriceDate rowPrice warnings } }`;
const whyOn = async (addOn: Json, date: string): Promise<Json> => {
  const { data, errors } = await tenant.gql(WHY, { id: addOn.id, date });
  return data?.addOnFuelSurchargeRate ?? errors;
};

/** The prices and rows of BILLING's example M19. */
const M19 = { '2026-11-16': 4.132, '2026-11-23': 4.289 };
const M19_ROWS: [number, number][] = [
  [3.5, 0],
  [3.75, 2],
  [4, 4],
  [4.25, 6],
];

test('M19: the latest price by the day of the work chooses the row, a week later with a lag of a week', async () => {
  const index = await anIndex(M19);
  const addOn = await aFuelAddOn(await aSchedule(index, M19_ROWS));
  expect(await rateOn(addOn, '2026-11-22')).toEqual({ surcharge: null, surcharge_percentage: '4' });
  expect(await rateOn(addOn, '2026-11-23')).toEqual({ surcharge: null, surcharge_percentage: '6' });
  expect(await whyOn(addOn, '2026-11-23')).toEqual({
    ...{ surcharge: null, surchargePercentage: '6', fuelPrice: '4.289', fuelPriceDate: '2026-11-23', rowPrice: '4.25', warnings: [] },
  });
  const { data } = await tenant.gql(
    'mutation($id: ID!) { updateFuelSurchargeSchedule(id: $id, input: { lagWeeks: 1 }) { lagWeeks fuelPriceIndex { name } } }',
    { id: addOn.fuel_surcharge_schedule.id },
  );
  expect(data.updateFuelSurchargeSchedule).toEqual({ lagWeeks: 1, fuelPriceIndex: { name: index.name } });
  expect(await rateOn(addOn, '2026-11-23')).toEqual({ surcharge: null, surcharge_percentage: '4' });
});

test('a row holds from its price on; nothing is known without a price or a row, and cheap fuel costs nothing', async () => {
  const index = await anIndex({ '2026-01-05': 3.75, '2026-01-12': 3.7499, '2026-01-19': 3.2 });
  const schedule = await aSchedule(index, [], { surcharge_type: 'per_unit' });
  const addOn = await aFuelAddOn(schedule);
  expect(await whyOn(addOn, '2026-01-05')).toMatchObject({ surcharge: null, warnings: ['schedule_empty'], fuelPrice: '3.75' });
  for (const [price, bill_surcharge] of M19_ROWS) await tenant.must('POST', rowsOf(schedule), { price, bill_surcharge });
  expect(await whyOn(addOn, '2026-01-04')).toMatchObject({ surcharge: null, warnings: ['fuel_price_missing'], fuelPrice: null });
  expect(await whyOn(addOn, '2026-01-11')).toMatchObject({ surcharge: '2', surchargePercentage: null, rowPrice: '3.75', warnings: [] });
  expect(await whyOn(addOn, '2026-01-12')).toMatchObject({ surcharge: '0', rowPrice: '3.5', warnings: [] });
  expect(await whyOn(addOn, '2026-01-19')).toMatchObject({ surcharge: '0', rowPrice: null, warnings: ['below_schedule'] });
  expect(await whyOn(addOn, '2026-01-29')).toMatchObject({ warnings: ['below_schedule'] });
  expect(await whyOn(addOn, '2026-01-30')).toMatchObject({ warnings: ['fuel_price_stale', 'below_schedule'] });
  expect(await rateOn(addOn)).toMatchObject({ surcharge: '0', surcharge_percentage: null });
});

test('B-I9: of rows that rise with the price, dearer fuel never has a lower surcharge', async () => {
  const price = fc.integer({ min: 1_000, max: 90_000 }).map((n) => n / 10_000);
  const rising = fc.uniqueArray(price, { minLength: 2, maxLength: 6 }).map((all) => all.toSorted((a, b) => a - b));
  await fc.assert(
    fc.asyncProperty(rising, rising, fc.uniqueArray(price, { minLength: 4, maxLength: 4 }), async (of, surcharges, prices) => {
      const days = ['2026-03-02', '2026-03-09', '2026-03-16', '2026-03-23'];
      const index = await anIndex(Object.fromEntries(days.map((day, i) => [day, prices[i]!])));
      const rows = of.slice(0, surcharges.length).map((from, i): [number, number] => [from, surcharges[i]!]);
      const addOn = await aFuelAddOn(await aSchedule(index, rows));
      const charged: [number, number][] = [];
      for (const [i, day] of days.entries()) charged.push([prices[i]!, Number((await whyOn(addOn, day)).surchargePercentage ?? 0)]);
      const amounts = charged.toSorted(([a], [b]) => a - b).map(([, amount]) => amount);
      expect(amounts).toEqual(amounts.toSorted((a, b) => a - b));
      expect(amounts.at(-1)).toBe(rows.findLast(([from]) => from <= Math.max(...prices))?.[1] ?? 0);
    }),
    { numRuns: runs(4) },
  );
});

test('indices, prices, schedules and rows are listed, changed and deleted; the price before a deleted one holds again', async () => {
  const own = await makeTenant(app);
  const index = await anIndex({ '2026-11-02': 4, '2026-11-16': 4.2, '2026-11-09': 4.1 }, own);
  const prices = await own.must('GET', `/v1/fuel_price_indices/${index.id}/fuel_prices`);
  expect(prices.map(({ date, price }: Json) => [date, price])).toEqual([
    ['2026-11-16', '4.2'],
    ['2026-11-09', '4.1'],
    ['2026-11-02', '4'],
  ]);
  expect(await own.must('PATCH', `/v1/fuel_prices/${prices[1].id}`, { price: 4.15, date: '2026-11-10' })).toMatchObject({
    ...{ id: prices[1].id, date: '2026-11-10', price: '4.15' },
  });
  expect((await own.http('DELETE', `/v1/fuel_prices/${prices[0].id}`)).status).toBe(204);
  expect((await own.http('PATCH', `/v1/fuel_prices/${prices[0].id}`, { price: 5 })).status).toBe(404);
  const left = await own.must('GET', `/v1/fuel_price_indices/${index.id}/fuel_prices`);
  expect(left.map(({ price }: Json) => price)).toEqual(['4.15', '4']);
  // The day is free again.
  await own.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date: '2026-11-16', price: 4.25 });

  const renamed = await own.must('PATCH', `/v1/fuel_price_indices/${index.id}`, { name: ' Gulf Coast ' });
  expect(await own.must('GET', own.path('/fuel_price_indices'))).toEqual([{ ...renamed, name: 'Gulf Coast' }]);
  expect(await own.must('GET', own.path('/fuel_price_indices/typeahead?search[query]=gulf'))).toEqual([
    { id: index.id, name: 'Gulf Coast' },
  ]);
  const schedule = await own.must('POST', own.path('/fuel_surcharge_schedules'), {
    ...{ name: 'Standard', fuel_price_index_id: index.id, surcharge_type: 'per_unit' },
  });
  expect(schedule).toEqual({
    ...{ id: expect.any(String), created_at: schedule.created_at, updated_at: schedule.updated_at, name: 'Standard' },
    ...{ fuel_price_index: { id: index.id, name: 'Gulf Coast' }, surcharge_type: 'per_unit' },
  });
  const row = await own.must('POST', rowsOf(schedule), { price: 4, bill_surcharge: 0.35, bill_surcharge_percentage: 0 });
  expect(row).toMatchObject({ price: '4', bill_surcharge: '0.35', bill_surcharge_percentage: '0' });
  await own.must('PATCH', `/v1/fuel_surcharge_schedules/${schedule.id}`, { surcharge_type: 'percentage' });
  const changed = await own.must('PATCH', `/v1/fuel_surcharge_schedule_prices/${row.id}`, { bill_surcharge_percentage: 2.5 });
  expect(changed).toMatchObject({ bill_surcharge: '2.5', bill_surcharge_percentage: '2.5' });
  const newer = { price: 4.25, bill_surcharge: 6, bill_surcharge_percentage: 6 };
  // Clients that know both names send both, of a new row, too.
  const both = await own.must('POST', rowsOf(schedule), newer);
  expect(both).toMatchObject({ price: '4.25', bill_surcharge: '6', bill_surcharge_percentage: '6' });
  const differing = await own.http('POST', rowsOf(schedule), { ...newer, price: 4.5, bill_surcharge_percentage: 5 });
  expect([differing.status, differing.body.error.errors]).toMatchObject([
    422,
    [{ field: 'bill_surcharge_percentage', message: 'differs from bill_surcharge; leave one of them out' }],
  ]);
  expect((await own.http('DELETE', `/v1/fuel_surcharge_schedule_prices/${both.id}`)).status).toBe(204);
  await own.must('POST', rowsOf(schedule), { price: 3, bill_surcharge: -1 });
  expect((await own.must('GET', rowsOf(schedule))).map((one: Json) => [one.price, one.bill_surcharge])).toEqual([
    ['3', '-1'],
    ['4', '2.5'],
  ]);
  // An index that is used cannot be deleted.
  const used = await own.http('DELETE', `/v1/fuel_price_indices/${index.id}`);
  expect([used.status, used.body.errors?.[0] ?? used.body]).toMatchObject([422, expect.anything()]);
  expect((await own.http('DELETE', `/v1/fuel_surcharge_schedule_prices/${row.id}`)).status).toBe(204);
  expect((await own.http('DELETE', `/v1/fuel_surcharge_schedules/${schedule.id}`)).status).toBe(204);
  expect((await own.http('GET', rowsOf(schedule))).status).toBe(404);
  expect((await own.http('DELETE', `/v1/fuel_price_indices/${index.id}`)).status).toBe(204);
  expect(await own.must('GET', own.path('/fuel_price_indices'))).toEqual([]);
});

test('B14, fuel price "" and 0: wrong prices, rows and references name their fields and change nothing', async () => {
  const index = await anIndex(M19);
  const schedule = await aSchedule(index, M19_ROWS);
  const stranger = await makeTenant(app);
  const theirs = await anIndex({}, stranger);
  const soon = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10);
  const prices = `/v1/fuel_price_indices/${index.id}/fuel_prices`;
  const schedules = tenant.path('/fuel_surcharge_schedules');
  const units = await aSchedule(index, [], { surcharge_type: 'per_unit' });
  const wrong: [string, object, string[]][] = [
    [prices, { date: '2026-11-09', price: 0 }, ['price']],
    [prices, { date: '2026-11-09', price: 100.01 }, ['price']],
    [prices, { date: '2026-11-09', price: '4.12345' }, ['price']],
    [prices, { date: '2026-11-09', price: '' }, ['price']],
    [prices, { date: '2026-11-16', price: 4 }, ['date']],
    [prices, { date: soon, price: 4 }, ['date']],
    [prices, { date: '2026-11-31', price: 4 }, ['date']],
    [prices, {}, ['date', 'price']],
    [rowsOf(schedule), { price: 4, bill_surcharge: 5 }, ['price']],
    [rowsOf(schedule), { price: 5, bill_surcharge: 101 }, ['bill_surcharge']],
    [rowsOf(schedule), { price: 5, bill_surcharge: 5, bill_surcharge_percentage: 6 }, ['bill_surcharge_percentage']],
    [rowsOf(units), { price: 5, bill_surcharge: 5, bill_surcharge_percentage: 5 }, ['bill_surcharge_percentage']],
    [schedules, { name: 'X', fuel_price_index_id: theirs.id, surcharge_type: 'percentage' }, ['fuel_price_index_id']],
    [schedules, { name: schedule.name.toUpperCase(), fuel_price_index_id: index.id, surcharge_type: 'percentage' }, ['name']],
    [schedules, { name: ' ', fuel_price_index_id: index.id, surcharge_type: 'monthly' }, ['surcharge_type']],
    [tenant.path('/fuel_price_indices'), { name: index.name.toLowerCase() }, ['name']],
    [
      tenant.path('/add_ons'),
      { name: fresh('Wash'), add_on_types: ['job'], fuel_surcharge_schedule_id: schedule.id },
      ['fuel_surcharge_schedule_id'],
    ],
  ];
  for (const [path, body, fields] of wrong) {
    const said: string[] = [];
    for (const language of ['en', 'es-us']) {
      const answer = await app.http('POST', path, { token: tenant.token, body, headers: { 'Accept-Language': language } });
      expect([path, body, answer.status, fieldsOf(answer)]).toEqual([path, body, 422, fields]);
      said.push(answer.body.error.errors[0].message);
    }
    expect(said[1]).not.toBe(said[0]);
  }
  const addOn = await aFuelAddOn(schedule);
  for (const path of [`/v1/fuel_surcharge_schedules/${schedule.id}`, `/v1/fuel_price_indices/${index.id}`])
    expect((await tenant.http('DELETE', path)).status).toBe(422);
  expect((await tenant.must('GET', rowsOf(schedule))).length).toBe(M19_ROWS.length);
  // An add-on that charges something else has no schedule, and no rate of fuel.
  const washed = await tenant.must('PATCH', `/v1/add_ons/${addOn.id}`, { revenue_cost_rate_type: 'PerLoad' });
  expect(washed).not.toHaveProperty('fuel_surcharge_schedule');
  expect((await tenant.http('GET', tenant.path(`/add_ons/${addOn.id}/fuel_surcharge_rate`))).status).toBe(422);
  expect((await tenant.http('DELETE', `/v1/fuel_surcharge_schedules/${schedule.id}`)).status).toBe(204);
});

test('the office sees fuel, dispatchers too; the crew and strangers do not', async () => {
  const index = await anIndex(M19);
  const schedule = await aSchedule(index, M19_ROWS);
  const addOn = await aFuelAddOn(schedule);
  const reads = [
    tenant.path('/fuel_price_indices'),
    tenant.path('/fuel_surcharge_schedules/typeahead'),
    `/v1/fuel_price_indices/${index.id}/fuel_prices`,
    rowsOf(schedule),
    tenant.path(`/add_ons/${addOn.id}/fuel_surcharge_rate`),
  ];
  const statuses = async (token: string) =>
    Promise.all(reads.map(async (path) => (await tenant.http('GET', path, undefined, token)).status));
  const [dispatcher, driver] = await Promise.all(['dispatcher', 'driver'].map((role) => tenant.person({ roles: [role] })));
  expect(await statuses(dispatcher!.token)).toEqual([200, 200, 200, 200, 200]);
  expect(await statuses(driver!.token)).toEqual([404, 404, 404, 404, 404]);
  expect((await tenant.http('POST', rowsOf(schedule), { price: 9, bill_surcharge: 9 }, dispatcher!.token)).status).toBe(403);
  // The schedule that an add-on names is not a way around.
  const nested = await tenant.gql(`{ addOns(first: 50) { nodes { fuelSurchargeSchedule { name } } } }`, {}, driver!.token);
  expect(JSON.stringify(nested)).not.toMatch(/4\.25|4\.289/);
  const stranger = await makeTenant(app);
  expect(await statuses(stranger.token)).toEqual([404, 404, 404, 404, 404]);
});

test('whoever deletes an index while a schedule begins to follow it is second, or the schedule is', async () => {
  for (let round = 0; round < 5; round++) {
    const index = await anIndex();
    const input = { name: fresh('Late'), fuel_price_index_id: index.id, surcharge_type: 'percentage' };
    const [made, deleted] = await Promise.all([
      tenant.http('POST', tenant.path('/fuel_surcharge_schedules'), input),
      tenant.http('DELETE', `/v1/fuel_price_indices/${index.id}`),
    ]);
    expect([
      [201, 422],
      [422, 204],
    ]).toContainEqual([made.status, deleted.status]);
  }
});
