import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { evaluatedPositions, PHONES_COMPARED, type Position } from '../../../src/telematics/fences/evaluated-positions.ts';
import { findTriggers, type Progress, type Rule } from '../../../src/telematics/fences/find-triggers.ts';
import { regionOf } from '../../../src/telematics/fences/region.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { became, makeRoad, type Road } from './road.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const CYCLE = ['enter pickup applied', 'exit pickup applied', 'enter drop_off applied', 'exit drop_off applied'];
const HOME = -9_000;

/** Drives to the pit, waits there for a quarter of an hour, drives to the bridge and on. Every few minutes the other telephones report from home. */
async function haul(road: Road, ...atHome: Road[]): Promise<void> {
  const way: [[number, number], [number, number]][] = [
    [
      [0, -3_000],
      [4, 0],
    ],
    ...[4, 9, 14].map((minute): [[number, number], [number, number]] => [
      [minute + 0.5, 0],
      [minute + 5, 0],
    ]),
    [
      [19.5, 0],
      [26, 5_000],
    ],
    [
      [26.5, 5_000],
      [31, 5_000],
    ],
    [
      [31.5, 5_600],
      [34, 9_000],
    ],
  ];
  for (const [from, to] of way) {
    await road.go(from, to);
    for (const home of atHome) await home.go([from[0], HOME], [to[0], HOME]);
  }
}

test('a second telephone that was left at home moves no job, whichever of them began to report and reports more', async () => {
  const road = await makeRoad(tenant);
  const [first, other] = [road.on('a telephone'), road.on('z telephone')];
  await first.go([-10, HOME], [-5, HOME]);
  await road.drive([-4.5, -3_000]);
  await haul(road, first, other);
  expect(await became(road)).toEqual(CYCLE);
  const [{ occurred_at: entered }, { occurred_at: left }] = (await road.triggers()) as [{ occurred_at: string }, { occurred_at: string }];
  expect(new Date(entered).getTime()).toBeLessThanOrEqual(new Date(road.at(4)).getTime());
  expect(new Date(left).getTime()).toBeGreaterThan(new Date(road.at(19.5)).getTime());
});

test('whoever goes on with another telephone is followed by it: at once when it is under way, and after half an hour of silence in any case', async () => {
  const road = await makeRoad(tenant);
  await road.go([0, -3_000], [4, 0]);
  await road.go([4.5, 0], [6, 0]);
  const other = road.on('another');
  // The first one is off from now on.
  await other.go([6.5, 0], [10, 0]);
  await other.go([10.5, 0], [17, 5_000]);
  await other.go([17.5, 5_000], [22, 5_000]);
  await other.go([22.5, 5_600], [25, 9_000]);
  expect(await became(road)).toEqual(CYCLE);
  const waiting = await makeRoad(tenant);
  await waiting.drive([0, -1_000]);
  const third = waiting.on('a third');
  // It stays in the pit, where it was switched on.
  await third.go([5, 0], [29, 0]);
  expect(await became(waiting)).toEqual([]);
  await third.go([29.5, 0], [35, 0]);
  expect(await became(waiting)).toEqual(['enter pickup applied']);
});

test('a job that comes while its driver waits does not have the other telephone count, although that was the first of those minutes', async () => {
  const road = await makeRoad(tenant);
  const home = road.on('a telephone');
  await road.go([0, -3_000], [4, 0]);
  await home.go([0, HOME], [4, HOME]);
  for (const minute of [4, 36, 68]) {
    await road.go([minute + 0.5, 0], [minute + 32, 0]);
    await home.go([minute + 0.5, HOME], [minute + 32, HOME]);
  }
  expect(await became(road)).toEqual(['enter pickup applied']);
  const waypoints = [
    { type: 'pickup', site_id: (await road.site('Other pit', 20_000)).id, ordinality: 0 },
    { type: 'drop_off', site_id: (await road.site('Other bridge', 25_000)).id, ordinality: 1 },
  ];
  // Positions count from three hours before its start: from the middle of the wait.
  const order = await makeOrder(tenant, { load_at: road.at(240), driver_id: road.driver.id, waypoints });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [{ id }] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await road.driver.must('PUT', `/v1/jobs/${id}/accept`, {});
  for (const minute of [100, 105]) {
    await road.go([minute + 0.5, 0], [minute + 5, 0]);
    await home.go([minute + 0.5, HOME], [minute + 5, HOME]);
  }
  expect(await became(road)).toEqual(['enter pickup applied']);
});

const METRE = 180 / Math.PI / 6_371_008.8;
const PIT = { lat: 41.85, lon: -87.7 };
const region = regionOf({ kind: 'circle', center: PIT, radius: 150 });

/** Ways of some telephones and a truck, which report in turn. */
const ways = fc
  .array(
    fc.record({
      after: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 600, max: 2_400 })),
      metres: fc.oneof(fc.integer({ min: -400, max: 400 }), fc.integer({ min: -20, max: 20 })),
      accuracy: fc.option(fc.integer({ min: 1, max: 250 })),
      device: fc.constantFrom('a', 'a', 'b', 'b', 'c', 'truck'),
    }),
    { minLength: 1, maxLength: 80 },
  )
  .map((steps) => {
    let seconds = 0;
    return steps.map(({ after, metres, accuracy, device }, i): Position => {
      seconds += after;
      const source = device === 'truck' ? 'telematics' : 'phone';
      return { id: String(i).padStart(3, '0'), at: seconds * 1_000, lat: PIT.lat + metres * METRE, lon: PIT.lon, accuracy, source, device };
    });
  });

test('which telephone counts is a function of the positions alone, in whatever order and parts they come', () => {
  const rule: Rule = { strategy: 'live', delaySeconds: 30 };
  fc.assert(
    fc.property(ways, fc.infiniteStream(fc.nat()), fc.nat(80), fc.integer({ min: 1, max: 200 }), (way, draws, cut, minutes) => {
      const whole = evaluatedPositions(way);
      const shuffled = [...way, ...way.slice(cut)].map((one) => ({ one, by: draws.next().value })).toSorted((a, b) => a.by - b.by);
      expect(evaluatedPositions(shuffled.map(({ one }) => one))).toEqual(whole);
      expect(whole.every(({ at }, i) => i === 0 || at > whole[i - 1]!.at)).toBe(true);
      // What is known up to a moment, kept as JSON, and then the rest with the last minutes before it.
      const moment = way[Math.min(cut, way.length - 1)]!.at;
      const early = findTriggers(region, evaluatedPositions(way.filter(({ at }) => at <= moment)), rule);
      const known = JSON.parse(JSON.stringify(early.progress)) as Progress;
      const since = way.filter(({ at }) => at > known.at - PHONES_COMPARED * 60_000);
      const rest = evaluatedPositions(since, known.phone === undefined ? undefined : { phone: known.phone, at: known.at });
      const crossed = ({ triggers }: ReturnType<typeof findTriggers>) =>
        triggers.map(({ type, position, confirmedAt }) => [type, position.id, confirmedAt]);
      expect([...crossed(early), ...crossed(findTriggers(region, rest, rule, known))]).toEqual(crossed(findTriggers(region, whole, rule)));
      if (known.phone === undefined) return;
      // Nothing is known of another geofence, of which positions count from before that.
      const from = known.at - minutes * 60_000;
      const wider = way.filter(({ at }) => at > from - PHONES_COMPARED * 60_000);
      const again = evaluatedPositions(wider, { phone: known.phone, at: known.at }, from);
      expect([...crossed(early), ...crossed(findTriggers(region, again, rule, known))]).toEqual(crossed(findTriggers(region, whole, rule)));
      const until = evaluatedPositions(wider.filter(({ at }) => at <= known.at));
      expect(again.slice(0, until.length).map(({ id }) => id)).toEqual(until.map(({ id }) => id));
    }),
    { numRuns: runs(300) },
  );
});
