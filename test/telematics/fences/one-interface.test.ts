// What a new user tries, by REST alone and by GraphQL alone.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Person, type Tenant } from '../../helpers/tenant.ts';
import { type Client, graphqlOf, restOf } from './one-interface.ts';
import { settled } from './road.ts';

const METRE = 180 / Math.PI / 6_371_008.8;
const LAT = 31;
const INTERFACES = [
  ['REST', restOf],
  ['GraphQL', graphqlOf],
] as const;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

let roads = 0;

/** An accepted job of a driver on duty, on a road north of its pit that no other one crosses. */
async function begin(client: Client) {
  const began = Date.now() - 120 * 60_000;
  const at = (minutes: number) => new Date(began + minutes * 60_000).toISOString();
  const lon = String(-101 - roads++ / 10);
  const north = (metres: number) => (LAT + metres * METRE).toFixed(9);
  const [pit, bridge] = [await client.site('Pit', north(0), lon), await client.site('Bridge', north(5_000), lon)];
  const driver = await tenant.person({ roles: ['driver'] });
  const { order, job } = await client.order(driver.id, at(0), pit, bridge);
  await client.accept(driver, order, job);
  await client.duty(driver, 'on_duty', at(-30));
  /** Where the truck stands, every half minute unless it reports less often. */
  const stay = (from: number, to: number, metres: number, every = 0.5) =>
    Array.from({ length: (to - from) / every + 1 }, (_, i) => ({ at: at(from + i * every), lat: north(metres), lon }));
  const report = async (...way: ReturnType<typeof stay>) => {
    await client.report(driver, job, way);
    await settled(tenant);
  };
  return { job, driver, at, stay, report };
}

test.each(INTERFACES)(
  'by %s alone: a shift with a break, a load that positions drive from accepted to completed, and its approval',
  async (_, of) => {
    const client = of(tenant);
    const { job, driver, at, stay, report } = await begin(client);
    expect(await client.states(job)).toMatchObject({ job: 'accepted' });
    await report(...stay(0, 1, -800), ...stay(3, 20, 0), ...stay(22, 24, 2_500));
    expect(await client.states(job)).toEqual({ job: 'to_dropoff', load: 'to_dropoff' });
    await report(...stay(30, 40, 5_000), ...stay(42, 44, 3_000));
    expect((await client.states(job)).load).toBe('completed');
    await client.duty(driver, 'break', at(60));
    await client.duty(driver, 'on_duty', at(90));
    const { id } = await client.duty(driver, 'off_duty', at(110));
    const biller = await tenant.person({ roles: ['biller'] });
    expect(await client.approve(biller, id)).toEqual({ approved: true, minutes: 140 });
  },
);

test.each(INTERFACES)('by %s alone: the office undoes one automatic state, and confirms and dismisses others', async (_, of) => {
  const client = of(tenant);
  const office: Person = await tenant.person({ roles: ['dispatcher'] });
  const [wrong, right, doubtful] = [await begin(client), await begin(client), await begin(client)];
  // Arrived without a doubt: nobody is asked, and the office knows better.
  const before = await client.states(wrong.job);
  await wrong.report(...wrong.stay(3, 8, 0));
  expect(await client.states(wrong.job)).toEqual({ job: 'arrived_pickup', load: 'arrived_pickup' });
  expect(await client.crossings(office, wrong.job, true)).toEqual([]);
  const [arrived] = await client.crossings(office, wrong.job);
  expect(arrived).toMatchObject({ state: 'applied', undoable: true, jobEventId: expect.any(String) });
  expect(await client.undo(office, arrived!.jobEventId!)).toBe('accepted');
  expect(await client.states(wrong.job)).toEqual(before);
  expect(await client.undo(office, arrived!.jobEventId!)).toBe('conflict');
  // One position in two minutes is too few to be certain.
  for (const { job, report, stay } of [right, doubtful]) {
    await report(...stay(3, 5, 0, 2));
    expect(await client.states(job)).toMatchObject({ job: 'accepted' });
    expect(await client.crossings(office, job, true)).toMatchObject([{ state: 'proposed', undoable: false, jobEventId: null }]);
  }
  const decide = async (job: string, what: 'confirm' | 'dismiss') => {
    const [{ id } = { id: '' }] = await client.crossings(office, job, true);
    const became = await client.decide(office, what, id);
    return [became, (await client.states(job)).job, (await client.crossings(office, job, true)).length];
  };
  expect(await decide(right.job, 'confirm')).toEqual(['applied', 'arrived_pickup', 0]);
  expect(await decide(doubtful.job, 'dismiss')).toEqual(['skipped', 'accepted', 0]);
});
