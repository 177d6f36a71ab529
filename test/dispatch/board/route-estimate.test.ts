import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { routing } from '../../../src/dispatch/orders/estimates/route-estimate.ts';
import { openRouter } from '../../../src/platform/routing.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let osrm: Server;
/** The next answer of the server, and the requests that it got. */
let next: { status?: number; body?: string; late?: number };
let asked: string[] = [];
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  osrm = createServer((request, response) => {
    asked.push(request.url ?? '');
    setTimeout(() => response.writeHead(next.status ?? 200, { 'Content-Type': 'application/json' }).end(next.body), next.late ?? 0);
  });
  await new Promise<void>((done) => osrm.listen(0, '127.0.0.1', done));
});
afterEach(() => {
  asked = [];
});
afterAll(async () => {
  osrm.closeAllConnections();
  osrm.close();
  await app.close();
});

const failures: unknown[] = [];
const connect = (suffix = '', timeout = 2_000) => {
  failures.length = 0;
  const url = `http://127.0.0.1:${(osrm.address() as AddressInfo).port}${suffix}`;
  app.application.provide(routing, { router: openRouter({ url, timeout }), onFailure: (error) => void failures.push(error) });
};
const PLACES = { pickup_site_lat: 30.25, pickup_site_lon: -97.75, drop_off_site_lat: 30.5, drop_off_site_lon: -97.5 };
const estimate = () => tenant.must('POST', '/v1/route_estimate', PLACES);
const route = (distance: unknown, duration: unknown) =>
  JSON.stringify({
    code: 'Ok',
    routes: [
      {
        geometry: undefined,
        legs: [{ steps: [], distance, duration, summary: '', weight: 1 }],
        weight_name: 'routability',
        distance,
        duration,
      },
    ],
    waypoints: [{ hint: 'x', distance: 4.1, name: 'Pit Rd', location: [-97.75, 30.25] }],
  });
const LINE = { pickup_to_drop_off_distance_meters: 47_729, pickup_to_drop_off_time_minutes: 48 };

test('coordinates can be texts, as sites return them, or numbers', async () => {
  app.application.provide(routing, {});
  const texts = Object.fromEntries(Object.entries(PLACES).map(([field, value]) => [field, String(value)]));
  expect(await tenant.must('POST', '/v1/route_estimate', texts)).toEqual(await estimate());
});

test('the roads of an OSRM server are used if one is configured', async () => {
  connect('/maps/?token=t1');
  next = { body: route(51_234.6, 2_461.2) };
  expect(await estimate()).toEqual({ pickup_to_drop_off_distance_meters: 51_235, pickup_to_drop_off_time_minutes: 42 });
  expect(asked).toEqual(['/maps/route/v1/driving/-97.750000,30.250000;-97.500000,30.500000?overview=false&token=t1']);
  const { data } = await tenant.gql(
    'query ($input: EstimateRouteInput!) { estimateRoute(input: $input) { source pickupToDropOffDistanceMeters } }',
    { input: { pickupSiteLat: 30.25, pickupSiteLon: -97.75, dropOffSiteLat: 30.5, dropOffSiteLon: -97.5 } },
  );
  expect(data.estimateRoute).toEqual({ source: 'roads', pickupToDropOffDistanceMeters: 51_235 });
});

test('without a server, or where it knows no road, the estimate is the line times a road factor', async () => {
  app.application.provide(routing, { router: openRouter({}) });
  expect(await estimate()).toEqual(LINE);
  connect();
  next = { status: 400, body: JSON.stringify({ code: 'NoRoute', message: 'Impossible route between points' }) };
  expect(await estimate()).toEqual(LINE);
  expect(failures).toEqual([]);
});

test.each([
  ['fails', { status: 500, body: 'oops' }],
  ['refuses', { status: 400, body: JSON.stringify({ code: 'InvalidQuery', message: 'no' }) }],
  ['answers a page', { body: '<html>' }],
  ['answers without routes', { body: JSON.stringify({ code: 'Ok', routes: [] }) }],
  ['answers nonsense', { body: route('far', -1) }],
  ['is too slow', { late: 400, body: route(1, 1) }],
])('a server that %s is logged, and the estimate is made without it', async (_, answer) => {
  connect('', 200);
  next = answer;
  expect(await estimate()).toEqual(LINE);
  expect(failures.length).toBe(1);
});

test('invalid coordinates are refused before the server is called', async () => {
  connect();
  const answer = await tenant.http('POST', '/v1/route_estimate', { ...PLACES, pickup_site_lat: 91 });
  expect([answer.status, asked]).toEqual([422, []]);
});
