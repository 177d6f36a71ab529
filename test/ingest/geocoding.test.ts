import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { geocoder } from '../../src/directory/contacts/geocoded-addresses.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { openGeocoder } from '../../src/platform/geocoding.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** The answers of a Nominatim server, offline: by address, with the requests that it got and whether an import had a transaction open then. */
let provider: Server;
let asked: { address: string; open: number }[] = [];
let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  const pool = await poolOf(app.orm.em.fork());
  provider = createServer((req, res) => {
    const address = new URL(req.url!, 'http://x').searchParams.get('q') ?? '';
    openTransactions(pool).then((open) => {
      asked.push({ address, open });
      if (address.startsWith('Broken')) return void res.writeHead(500).end('{"error": "down"}');
      if (address.startsWith('Slow')) return;
      const [lat, lon] = address.startsWith('Nonsense')
        ? ['n/a', '-97.7431']
        : address.startsWith('Mars')
          ? ['30', '999']
          : ['30.2672', '-97.7431'];
      const found = address.startsWith('Nowhere') ? [] : [{ lat, lon, display_name: address, address: {} }];
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
    });
  });
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  app.application.provide(
    geocoder,
    await openGeocoder({ provider: 'openstreetmap', url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`, timeout: 300 }),
  );
});
afterAll(async () => {
  provider.closeAllConnections();
  provider.close();
  await app.close();
});
beforeEach(async () => {
  asked = [];
  tenant = await makeTenant(app);
});

/** Returns how many transactions wait while a provider is asked. Other workers have some for a moment: one that waits for the provider is there at each look. */
async function openTransactions(pool: Pool): Promise<number> {
  let least = Infinity;
  for (let look = 0; look < 5 && least > 0; look++, await sleep(10)) {
    const { rows } = await pool.query(
      "select count(*)::int as open from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
    );
    least = Math.min(least, rows[0].open);
  }
  return least;
}

const order = (id: string, address: string, more: object = {}): Json => ({
  external_id: id,
  load_at: '2026-12-01T07:00:00',
  customer: { external_id: 'C-1', name: 'Acme' },
  sites: [{ waypoint: 'pickup', full_address: address, ...more }],
});
async function send(kind: string, ...elements: unknown[]): Promise<Json[]> {
  const { records } = await tenant.must('POST', `/ingest/${kind}`, { [kind]: elements });
  await app.settled();
  return Promise.all(records.map(({ id }: Json) => tenant.must('GET', `/v1/imported_records/${id}`)));
}
const sites = async (): Promise<Json[]> => {
  const { data } = await tenant.gql('{ orders(first: 50) { nodes { externalId waypoints { site { fullAddress lat lon routable } } } } }');
  return data.orders.nodes.map((one: Json) => [one.externalId, one.waypoints[0].site]).sort();
};
/** Addresses are remembered over all companies: each test has its own. */
let made = 0;
const fresh = (word: string) => `${word} Road ${++made}, Austin`;

test('a new site with only an address is geocoded, outside any transaction', async () => {
  const address = fresh('Quarry');
  const [record] = await send('orders', order('A-1', address));
  expect(record).toMatchObject({ state: 'processed', warnings: [] });
  expect(await sites()).toEqual([['A-1', { fullAddress: address, lat: '30.2672', lon: '-97.7431', routable: true }]]);
  expect(asked).toEqual([{ address, open: 0 }]);
});

test('an address is geocoded once, whoever names it and however it is written', async () => {
  const address = fresh('Plant');
  await send('orders', order('A-1', address), order('A-2', `  ${address.toUpperCase()} `));
  tenant = await makeTenant(app);
  await send('projects', { external_id: 'P-1', customer: { external_id: 'C-1' }, sites: [{ waypoint: 'pickup', full_address: address }] });
  expect(asked.length).toBe(1);
});

test('an unknown address stays without coordinates, and is not geocoded again that day', async () => {
  const address = fresh('Nowhere');
  for (const id of ['A-1', 'A-2']) {
    const [record] = await send('orders', order(id, address, { name: `Site ${id}`, external_id: id }));
    expect(record).toMatchObject({ state: 'processed', warnings: [{ code: 'site_not_routable', pointer: '/sites/0', given: address }] });
  }
  expect(asked.length).toBe(1);
});

test.each(['Broken', 'Slow'])('a provider that is %s delays no order; the address is geocoded with the next new site', async (word) => {
  const address = fresh(word);
  const [record] = await send('orders', order('A-1', address));
  expect(record).toMatchObject({ state: 'processed', warnings: [{ code: 'site_not_routable' }] });
  await send('orders', order('A-2', address, { external_id: 'S-2', name: 'Two' }));
  expect(asked.map((one) => one.address)).toEqual([address, address]);
});

test.each(['Nonsense', 'Mars'])(
  'if a provider answers with %s, the site has no coordinates, and other addresses have theirs',
  async (word) => {
    const odd = await send('orders', order('A-1', fresh(word)), order('A-2', fresh('Sound')));
    expect(odd.map(({ warnings }) => warnings.map(({ code }: Json) => code))).toEqual([['site_not_routable'], []]);
    expect((await sites()).map(([, { lat, routable }]) => [lat, routable])).toEqual([
      [null, false],
      ['30.2672', true],
    ]);
  },
);

test('coordinates that were sent are used without geocoding', async () => {
  await send('orders', order('A-1', fresh('Pit'), { lat: 31, lon: -98 }));
  expect((await sites())[0][1]).toMatchObject({ lat: '31', lon: '-98', routable: true });
  expect(asked).toEqual([]);
});

test('an address is geocoded if the coordinates next to it are left out', async () => {
  const coordinates = [
    { lat: '', lon: ' ' },
    { lat: 0, lon: 0 },
    { lat: 95, lon: -97 },
    { lat: '30.2 N', lon: '97.7 W' },
  ];
  const addresses = coordinates.map(() => fresh('Ridge'));
  const records: Json[] = [];
  for (const [i, given] of coordinates.entries()) records.push(...(await send('orders', order(`A-${i}`, addresses[i]!, given))));
  expect(records.map(({ warnings }) => warnings.map(({ code }: Json) => code))).toEqual([
    [],
    ['zero_coordinates'],
    ['incomplete_coordinates'],
    ['incomplete_coordinates'],
  ]);
  expect((await sites()).map(([, { lat, routable }]) => [lat, routable])).toEqual(coordinates.map(() => ['30.2672', true]));
  expect(asked.map(({ address }) => address).sort()).toEqual(addresses.sort());
});

test('a dry run geocodes, too, so that it reports what the real run then does', async () => {
  const address = fresh('Depot');
  const { records } = await tenant.must('POST', '/ingest/orders?dry_run=true', { orders: [order('A-1', address)] });
  expect(records[0].warnings).toEqual([]);
  expect((await send('orders', order('A-1', address)))[0].warnings).toEqual([]);
  expect(asked.length).toBe(1);
});

test('without a provider a site with only an address stays unroutable with a warning', async () => {
  const provided = await openGeocoder({
    provider: 'openstreetmap',
    url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    timeout: 300,
  });
  app.application.provide(geocoder, await openGeocoder({ provider: 'none' }));
  const [record] = await send('orders', order('A-1', fresh('Silent')));
  app.application.provide(geocoder, provided);
  expect(record.warnings).toMatchObject([{ code: 'site_not_routable' }]);
  expect(asked).toEqual([]);
});
