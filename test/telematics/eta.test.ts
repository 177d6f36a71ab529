import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { arrivalOf } from '../../src/telematics/eta/eta.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { makeRoad } from './fences/road.ts';

const clock = (text: string) => Date.parse(`2026-11-23T${text}Z`);
const at = (arrival: number) => new Date(arrival).toISOString().slice(11, 19);

test('M7: 18,400 m at half what it drove and half what the road allows; a truck that is still loading comes later', () => {
  const facts = { at: clock('07:00:00'), route: { metres: 18_400, seconds: 1_150 }, speeds: [1.9, 15, 16, 17, 0], stays: 0 };
  const { arrivesAt, earliestAt, latestAt } = arrivalOf(facts);
  expect([arrivesAt, earliestAt, latestAt].map(at)).toEqual(['07:19:10', '07:15:20', '07:23:00']);
  // Loading takes 14 minutes on the order, of which 9 are over.
  expect(at(arrivalOf({ ...facts, stays: (14 - 9) * 60 }).arrivesAt)).toBe('07:24:10');
  // A truck that did not move has driven no speed, and nobody drives faster or slower than trucks do.
  expect(at(arrivalOf({ ...facts, speeds: [0, 0] }).arrivesAt)).toBe('07:19:10');
  expect(arrivalOf({ ...facts, speeds: [90] }).arrivesAt - facts.at).toBe(Math.round((18_400 / 30) * 1000));
  expect(arrivalOf({ ...facts, route: { metres: 100, seconds: 0 }, speeds: [] }).arrivesAt).toBeGreaterThan(facts.at);
});

test('who comes nearer along the road never arrives later by more than the time that has passed', () => {
  const metres = fc.double({ min: 0, max: 200_000, noNaN: true });
  fc.assert(
    fc.property(
      metres,
      metres,
      fc.integer({ min: 0, max: 600 }),
      fc.double({ min: 2.1, max: 40, noNaN: true }),
      (one, other, passed, speed) => {
        const [far, near] = [Math.max(one, other), Math.min(one, other)];
        const of = (left: number, seconds: number) =>
          arrivalOf({ at: seconds * 1000, route: { metres: left, seconds: left / 16 }, speeds: [speed], stays: 0 });
        const [before, after] = [of(far, 0), of(near, passed)];
        expect(after.arrivesAt - before.arrivesAt).toBeLessThanOrEqual(passed * 1000 + 1);
        expect(before.earliestAt <= before.arrivesAt && before.arrivesAt <= before.latestAt).toBe(true);
      },
    ),
  );
});

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('the office reads when the truck of a job arrives, and nothing when it goes nowhere or is silent; strangers read nothing', async () => {
  const road = await makeRoad(tenant);
  const query =
    'query ($job: ID!) { jobEta(jobId: $job) { siteId waypointType positionAt arrivesAt earliestAt latestAt remainingMeters basis } }';
  const eta = async (token?: string) => (await tenant.gql(query, { job: road.jobId }, token)).data?.jobEta;
  expect(await eta()).toBeNull();
  // Half an hour ago is too long.
  await road.drive([150, 4_000]);
  await road.press('enroute', 150);
  expect(await eta()).toBeNull();
  const [minutes, metres] = [179.5, 2_000];
  await road.drive([minutes, metres]);
  const found = await eta();
  expect(found).toMatchObject({ waypointType: 'pickup', positionAt: road.at(minutes), basis: 'great_circle', remainingMeters: 2_600 });
  // Sixty kilometres an hour, on 1.3 times the straight line.
  expect((Date.parse(found.arrivesAt) - Date.parse(found.positionAt)) / 1000).toBeCloseTo(2_600 / (1_000 / 60), 0);
  expect(Date.parse(found.latestAt) - Date.parse(found.arrivesAt)).toBe(Date.parse(found.arrivesAt) - Date.parse(found.earliestAt));
  // It is worked out once a minute.
  await road.drive([179.6, 1_900]);
  expect(await eta(road.driver.token)).toEqual(found);
  await road.press('arrive', 179.7);
  expect(await eta()).toMatchObject({ waypointType: 'drop_off' });
  const stranger = await makeTenant(app);
  expect((await stranger.gql(query, { job: road.jobId })).errors[0].extensions.code).toBe('object_not_found');
});

test('somebody takes all positions of their telephones with them, and nobody else gets them that way', async () => {
  const road = await makeRoad(tenant);
  await road.drive([0, 4_000], [1, 4_100], [2, 4_200]);
  const other = await makeRoad(tenant);
  await other.drive([1, 4_000]);
  const query = `query ($from: DateTime, $to: DateTime, $first: Int) { myLocationHistories(startAt: $from, endAt: $to, first: $first) {
    nodes { occurredAt lat deviceId } pageInfo { hasNextPage } } }`;
  const { data } = await road.driver.gql(query, { from: road.at(0), to: road.at(2), first: 1 });
  expect(data.myLocationHistories).toMatchObject({
    nodes: [{ occurredAt: road.at(0), deviceId: 'phone', lat: expect.stringMatching(/^30\.28/) }],
    pageInfo: { hasNextPage: true },
  });
  const all = await road.driver.gql(query);
  expect(all.data.myLocationHistories.nodes.map((one: { occurredAt: string }) => one.occurredAt)).toEqual([0, 1, 2].map(road.at));
  expect((await tenant.gql(query, { from: road.at(0), to: road.at(60) })).errors[0].extensions.code).toBe('object_not_found');
  const office = await tenant.gql(query, { from: road.at(0), to: road.at(60) }, await tenant.administrator());
  expect(office.data.myLocationHistories.nodes).toEqual([]);
});
