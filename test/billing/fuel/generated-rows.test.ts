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

let made = 0;
/** A schedule without rows, of an index with these prices, and the add-on that charges it. */
async function aSchedule(prices: Record<string, number>, surcharge_type = 'percentage'): Promise<{ schedule: Json; addOn: Json }> {
  const name = `Generated ${++made}`;
  const index = await tenant.must('POST', tenant.path('/fuel_price_indices'), { name });
  for (const [date, price] of Object.entries(prices))
    await tenant.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date, price });
  const schedule = await tenant.must('POST', tenant.path('/fuel_surcharge_schedules'), {
    ...{ name, fuel_price_index_id: index.id, surcharge_type },
  });
  const fuel = { name, add_on_types: ['invoicing'], revenue_cost_rate_type: 'FuelSurcharge', fuel_surcharge_schedule_id: schedule.id };
  return { schedule, addOn: await tenant.must('POST', tenant.path('/add_ons'), fuel) };
}
const pathOf = ({ id }: Json) => `/v1/fuel_surcharge_schedules/${id}/fuel_surcharge_schedule_prices`;
const generate = (schedule: Json, formula: object, token = tenant.token) =>
  tenant.http('POST', `${pathOf(schedule)}/generate`, formula, token);
const rowsOf = async (schedule: Json): Promise<Json[]> => tenant.must('GET', `${pathOf(schedule)}?page[limit]=100`);
const pairs = (rows: Json[]): string[][] => rows.map(({ price, bill_surcharge }) => [price, bill_surcharge]);
const chargedOn = async (addOn: Json, date: string): Promise<string> => {
  const { surcharge, surcharge_percentage } = await tenant.must(
    'GET',
    tenant.path(`/add_ons/${addOn.id}/fuel_surcharge_rate?filter[date]=${date}`),
  );
  return surcharge_percentage ?? surcharge;
};

test('B6, helper: ceil((P - base) / step) x pct; diesel at 4.132 is 4 %, and a dry run writes nothing', async () => {
  const { schedule, addOn } = await aSchedule({ '2026-11-16': 4.132, '2026-11-23': 4.289 });
  const formula = { base: 3.75, step: 0.25, per_step: 2, to: 4.5 };
  // At 4.00 the first step is full, and the second one has not begun.
  const expected = [
    ['3.75', '0'],
    ['3.7501', '2'],
    ['4.0001', '4'],
    ['4.2501', '6'],
  ];
  const dry = await generate(schedule, { ...formula, dry_run: true });
  expect([dry.status, pairs(dry.body.data), await rowsOf(schedule)]).toEqual([200, expected, []]);
  const done = await generate(schedule, formula);
  expect([done.status, pairs(done.body.data), pairs(await rowsOf(schedule))]).toEqual([200, expected, expected]);
  expect([await chargedOn(addOn, '2026-11-22'), await chargedOn(addOn, '2026-11-23')]).toEqual(['4', '6']);
});

test('B6, helper by the mile: (P - base) / mpg, and below the base a credit', async () => {
  const { schedule, addOn } = await aSchedule({ '2026-11-16': 3.132, '2026-11-23': 2.994 }, 'per_unit');
  const done = await generate(schedule, { base: 3, step: 0.002, miles_per_gallon: 6, from: 2.9, to: 3.2 });
  expect([done.status, done.body.data.length]).toEqual([200, 151]);
  // 0.132 / 6 and -0.006 / 6.
  expect([await chargedOn(addOn, '2026-11-16'), await chargedOn(addOn, '2026-11-23')]).toEqual(['0.022', '-0.001']);
});

test('B6: whatever the formula is, the rows charge it at every price', async () => {
  const tenths = (from: number, to: number) => fc.integer({ min: from, max: to });
  await fc.assert(
    fc.asyncProperty(
      ...[tenths(20_000, 50_000), tenths(100, 5_000), tenths(1, 30)],
      fc.uniqueArray(tenths(-4_000, 9_000), { minLength: 4, maxLength: 4 }),
      async (base, step, perStep, offsets) => {
        // Ten-thousandths, in which all prices are whole numbers.
        const days = ['2026-03-02', '2026-03-09', '2026-03-16', '2026-03-23'];
        const prices = offsets.map((offset) => base + offset);
        const { schedule, addOn } = await aSchedule(Object.fromEntries(days.map((day, i) => [day, prices[i]! / 10_000])));
        const bounds = { from: (base - 4_000) / 10_000, to: (base + 9_000) / 10_000 };
        const { status } = await generate(schedule, { base: base / 10_000, step: step / 10_000, per_step: perStep / 100, ...bounds });
        expect(status).toBe(200);
        for (const [i, day] of days.entries()) {
          const steps = Math.ceil((prices[i]! - base) / step);
          expect([prices[i], Number(await chargedOn(addOn, day))]).toEqual([prices[i], (steps * perStep) / 100 + 0]);
        }
      },
    ),
    { numRuns: runs(4) },
  );
});

test('rows that a formula replaces stay the same records, and invoices follow as if somebody had typed them', async () => {
  const { schedule, addOn } = await aSchedule({ '2026-11-16': 4.132 });
  await generate(schedule, { base: 3.75, step: 0.25, per_step: 2, to: 4.5 });
  const before = await rowsOf(schedule);
  const refused = await generate(schedule, { base: 3.75, step: 0.25, per_step: 3, to: 4.5 });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['replace']]);
  expect(await rowsOf(schedule)).toEqual(before);
  const done = await generate(schedule, { base: 3.75, step: 0.25, per_step: 3, to: 4, replace: true });
  expect(done.status).toBe(200);
  const after = await rowsOf(schedule);
  expect(after.map(({ id, price, bill_surcharge }) => [id, price, bill_surcharge])).toEqual([
    [before[0].id, '3.75', '0'],
    [before[1].id, '3.7501', '3'],
  ]);
  expect(await chargedOn(addOn, '2026-11-16')).toBe('3');
});

test('a formula that is wrong names its field and changes nothing; a clerk makes no rows', async () => {
  const { schedule } = await aSchedule({});
  const formula = { base: 3.75, step: 0.25, per_step: 2, to: 4.5 };
  const wrong: [object, string][] = [
    [{ ...formula, per_step: undefined }, 'per_step'],
    [{ ...formula, miles_per_gallon: 6 }, 'miles_per_gallon'],
    [{ ...formula, per_step: undefined, miles_per_gallon: 6 }, 'miles_per_gallon'],
    [{ ...formula, to: 3.5 }, 'to'],
    [{ ...formula, step: 0.001 }, 'step'],
    [{ ...formula, step: 0 }, 'step'],
    [{ ...formula, step: '0.12345' }, 'step'],
    [{ ...formula, base: 0 }, 'base'],
    [{ ...formula, per_step: 50 }, 'to'],
    [{ ...formula, per_step: 10, from: 1 }, 'from'],
    [{ ...formula, from: 101 }, 'from'],
    [{ ...formula, to: undefined }, 'to'],
  ];
  for (const [body, field] of wrong) {
    const answer = await generate(schedule, body);
    expect([body, answer.status, fieldsOf(answer)]).toEqual([body, 422, [field]]);
  }
  const [dispatcher, stranger] = [await tenant.person({ roles: ['dispatcher'] }), await makeTenant(app)];
  expect((await generate(schedule, formula, dispatcher.token)).status).toBe(403);
  expect((await generate(schedule, formula, stranger.token)).status).toBe(404);
  expect(await rowsOf(schedule)).toEqual([]);
});
