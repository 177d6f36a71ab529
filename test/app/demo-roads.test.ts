import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HIGHWAYS } from '../../src/demo/highways.ts';
import { PLACES } from '../../src/demo/road-places.ts';
import { wayBetween } from '../../src/demo/roads.ts';
import { HAULS, SITES } from '../../src/demo/sites.ts';
import { greatCircle, type RoutePoint } from '../../src/platform/routing.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** Metres: of the longest straight piece of a road or spur, and by which places may miss a line for rounding. */
const LONGEST = 9_500;
const ROUNDING = 1;

const placeOf = ({ lat, lon }: { lat: string; lon: string }): RoutePoint => ({ lat: Number(lat), lon: Number(lon) });
const lengthOf = (way: readonly RoutePoint[]): number => way.slice(1).reduce((sum, place, i) => sum + greatCircle(way[i]!, place), 0);

/** The metres from a place to a line, on a plane around the place. */
function metresTo(line: readonly RoutePoint[], { lat, lon }: RoutePoint): number {
  const flat = line.map((point) => [(point.lon - lon) * Math.cos((lat * Math.PI) / 180) * 111_195, (point.lat - lat) * 111_195] as const);
  const pieces = flat.slice(1).map(([x, y], i) => {
    const [a, b] = flat[i]!;
    const [east, north] = [x - a, y - b];
    const share = Math.max(0, Math.min(1, -(a * east + b * north) / (east ** 2 + north ** 2 || 1)));
    return Math.hypot(a + share * east, b + share * north);
  });
  return Math.min(...pieces);
}

/** The degrees by which one turns at a place between two others. */
function turnAt(before: RoutePoint, { lat, lon }: RoutePoint, after: RoutePoint): number {
  const bearing = (from: RoutePoint, to: RoutePoint) =>
    (Math.atan2((to.lon - from.lon) * Math.cos((lat * Math.PI) / 180), to.lat - from.lat) * 180) / Math.PI;
  const turn = Math.abs(bearing({ lat, lon }, after) - bearing(before, { lat, lon }));
  return Math.min(turn, 360 - turn);
}

const PAIRS = SITES.flatMap((from, i) => SITES.slice(i + 1).map((to) => [from, to] as const));

test('between any two sites of the demo a way leads along named roads, and the same one back', () => {
  const wrong: string[] = [];
  for (const [from, to] of PAIRS) {
    const way = wayBetween(from, to);
    const check = (right: boolean, what: string) => right || wrong.push(`${from.name} to ${to.name} ${what}`);
    check(greatCircle(way[0]!, placeOf(from)) < ROUNDING && greatCircle(way.at(-1)!, placeOf(to)) < ROUNDING, 'ends elsewhere');
    check(JSON.stringify(wayBetween(to, from)) === JSON.stringify(way.toReversed()), 'is another one back');
    for (const [i, place] of way.slice(1).entries()) check(greatCircle(way[i]!, place) < LONGEST, `jumps at ${i}`);
    const inner = way.slice(1, -1);
    for (const place of inner)
      check(
        HIGHWAYS.some(({ course }) => metresTo(course, place) < ROUNDING),
        `is on no road at ${place.lat}, ${place.lon}`,
      );
    // From the middle of each piece of a road as well: it goes along the road, and not from one to another across fields.
    for (const [i, { lat, lon }] of inner.slice(1).entries()) {
      const middle = { lat: (lat + inner[i]!.lat) / 2, lon: (lon + inner[i]!.lon) / 2 };
      check(
        HIGHWAYS.some(({ course }) => metresTo(course, middle) < ROUNDING),
        `leaves the roads at ${i}`,
      );
    }
    // A way that ran past its site would turn back on the road.
    for (const [i, place] of way.slice(1, -1).entries()) check(turnAt(way[i]!, place, way[i + 2]!) < 150, `turns back at ${i + 1}`);
    // Between neighbours the next bridge over the Colorado may be far away.
    const straight = greatCircle(placeOf(from), placeOf(to));
    check(lengthOf(way) >= straight && lengthOf(way) <= 1.5 * straight + 20_000, `is ${Math.round(lengthOf(way))} m for ${straight}`);
  }
  expect(wrong).toEqual([]);
});

test('two sites at the same stretch of a road have only that stretch between them', () => {
  // On either side of FM 969, between Wilbarger Creek and Utley.
  const one = { lat: 30.1985, lon: -97.4245 };
  const other = { lat: 30.188, lon: -97.4195 };
  const way = wayBetween(one, other);
  expect(way).toHaveLength(4);
  const [a, b, c, d] = way as [RoutePoint, RoutePoint, RoutePoint, RoutePoint];
  expect([turnAt(a, b, c), turnAt(b, c, d)].map(Math.round)).toEqual([90, 90]);
  expect(lengthOf(way)).toBeLessThan(greatCircle(one, other) + greatCircle(a, b) + greatCircle(c, d));
});

test('along I-35 the places are as far from each other as the numbers of its exits say', () => {
  // Exits of Texas have the number of their mile.
  const exits = [
    ['San Marcos', 205],
    ['Kyle', 213],
    ['Ben White Boulevard', 230],
    ['Cameron Road', 238],
    ['Round Rock', 253],
    ['Georgetown', 261],
    ['Jarrell', 275],
    ['Salado', 284],
  ] as const;
  const road = HIGHWAYS.find(({ name }) => name === 'I-35')!.course;
  const mileOf = (name: keyof typeof PLACES): number => {
    const [lat, lon] = PLACES[name];
    return lengthOf(road.slice(0, road.findIndex((place) => place.lat === lat && place.lon === lon) + 1)) / 1609.344;
  };
  const first = mileOf('San Marcos');
  const wrong = exits.filter(([name, mile]) => Math.abs(mileOf(name) - first - (mile - 205)) > 1.5);
  expect(wrong).toEqual([]);
});

test('each haul of the demo is one that its trucks can drive in the minutes that they take', () => {
  const sites = new Map(SITES.map((site) => [site.externalId, site]));
  for (const [from, to] of HAULS) {
    const kilometres = lengthOf(wayBetween(sites.get(from)!, sites.get(to)!)) / 1000;
    expect(kilometres).toBeGreaterThan(15);
    expect(kilometres).toBeLessThan(27);
  }
});

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startTestApp({ demo: true });
  const { email, password } = app.access!.users.find(({ role }) => role === 'dispatcher')!;
  token = (await app.http('POST', '/v1/auth/login', { body: { email, password } })).body.data.session_jwt;
});
afterAll(() => app.close());

const ask = async (query: string, variables: Record<string, unknown> = {}): Promise<Json> => {
  const { body } = await app.graphql(query, variables, { token });
  expect(body.errors).toBeUndefined();
  return body.data;
};

const POSITIONS = `query($job: ID!) { jobLocationHistories(jobId: $job, first: 100) { pageInfo { hasNextPage } nodes { lat lon occurredAt speed: speedMetersPerSecond } } }`;

test('the trucks of the demo drive along the roads between the sites of their jobs, as fast as trucks do, and arrive', async () => {
  const { jobs } = await ask('{ jobs(first: 100) { nodes { id jobId state completedLoadsCount waypoints { type site { lat lon } } } } }');
  const wrong: string[] = [];
  const seen = { moving: 0, arrived: 0 };
  for (const { id, jobId, state, completedLoadsCount, waypoints } of jobs.nodes) {
    const [from, to] = ['pickup', 'drop_off'].map((type) => waypoints.find((one: Json) => one.type === type).site);
    const way = wayBetween(from, to);
    const { nodes, pageInfo } = (await ask(POSITIONS, { job: id })).jobLocationHistories;
    expect(pageInfo.hasNextPage).toBe(false);
    const check = (right: boolean, what: string) => right || wrong.push(`${jobId} (${state}) ${what}`);
    for (const [i, one] of nodes.entries()) {
      const place = placeOf(one);
      check(metresTo(way, place) < 300, `is off the road at ${one.occurredAt}`);
      check(Number(one.speed) * 3.6 < 80, `drives ${one.speed} m/s`);
      if (Number(one.speed) > 0) {
        seen.moving++;
        check(Number(one.speed) * 3.6 > 30, `crawls with ${one.speed} m/s`);
      }
      const before = nodes[i - 1];
      if (!before) continue;
      const hours = (Date.parse(one.occurredAt) - Date.parse(before.occurredAt)) / 3_600_000;
      check(greatCircle(placeOf(before), place) / 1000 / hours < 80, `jumps at ${one.occurredAt}`);
    }
    if (nodes.length === 0 || completedLoadsCount === 0) continue;
    seen.arrived++;
    for (const site of [from, to])
      check(
        nodes.some((one: Json) => greatCircle(placeOf(one), placeOf(site)) < 50),
        'never arrives',
      );
  }
  expect(wrong).toEqual([]);
  expect(seen.moving).toBeGreaterThan(500);
  expect(seen.arrived).toBeGreaterThan(10);
});

test('a truck under way is where its job says, which has said so for less than an hour', async () => {
  const { latestLocations } = await ask('{ latestLocations { jobId lat lon speed: speedMetersPerSecond } }');
  const { jobs } = await ask(
    'query($filter: JobFilter) { jobs(first: 100, filter: $filter) { nodes { id state stateChangedAt pausedAt waypoints { type site { lat lon } } } } }',
    {
      filter: { ids: latestLocations.map(({ jobId }: Json) => jobId) },
    },
  );
  const found = jobs.nodes.map(({ id, state, stateChangedAt, pausedAt, waypoints }: Json) => {
    expect(Date.now() - Date.parse(stateChangedAt)).toBeLessThan(3_600_000);
    const at = latestLocations.find(({ jobId }: Json) => jobId === id);
    const near = waypoints.find(({ site }: Json) => greatCircle(placeOf(site), placeOf(at)) < 250)?.type ?? 'between';
    return [state, near, Number(at.speed) > 0 ? 'moves' : pausedAt ? 'is paused' : 'waits'];
  });
  expect(found.sort()).toEqual([
    ['arrived_dropoff', 'drop_off', 'waits'],
    ['arrived_pickup', 'pickup', 'waits'],
    ['loaded', 'between', 'moves'],
    ['to_dropoff', 'between', 'is paused'],
    ['to_pickup', 'between', 'moves'],
    ['unloaded', 'drop_off', 'waits'],
  ]);
});
