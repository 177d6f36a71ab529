import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Asked, FakeProvider, Plain, Reply } from './fake-provider.ts';
import { ago, FleetScene } from './fleet-scene.ts';

const at = new FleetScene();
beforeAll(() => at.start());
afterAll(() => at.stop());

const SECRET = 'secret-of-the-fleet';
const NAME = 'Truck 7';
const place = { latitude: 30.25, longitude: -97.75 };

/** A provider as its adapter knows it, of one vehicle that was somewhere at some times. */
interface Adapter {
  input(url: string): object;
  /** Whether a request is for positions. */
  isFeed(asked: Asked): boolean;
  /** The answer while nothing is wrong: everything once more at each request, and a next page that is the same one. */
  answer(asked: Asked, times: readonly string[], url: string): Plain;
  /** The answer to somebody who is not logged in. */
  refusal: Plain;
  /** Whether it has sessions, which end. */
  sessions?: boolean;
  /** What is said about half an answer. */
  half: RegExp;
}

const NO_JSON = /no JSON/;
const rpc = ({ body }: Asked): string => (JSON.parse(body) as { method: string }).method;

const ADAPTERS: Record<string, Adapter> = {
  samsara: {
    input: (server) => ({ provider: 'samsara', server, credentials: { token: SECRET } }),
    isFeed: ({ path }) => path === '/fleet/vehicles/stats/feed',
    answer: ({ path }, times) =>
      path === '/fleet/vehicles'
        ? { data: [] }
        : {
            data: [{ id: '281474977075805', name: NAME, gps: times.map((time) => ({ time, ...place })) }],
            pagination: { endCursor: 'c1', hasNextPage: true },
          },
    refusal: { status: 401 },
    half: NO_JSON,
  },
  geotab: {
    input: (server) => ({ provider: 'geotab', server, account: 'acme', credentials: { username: 'u', password: SECRET } }),
    isFeed: (asked) => rpc(asked) === 'GetFeed',
    answer: (asked, times) => {
      const method = rpc(asked);
      if (method === 'Authenticate')
        return { result: { credentials: { database: 'acme', sessionId: 's', userName: 'u' }, path: 'ThisServer' } };
      if (method === 'Get') return { result: [{ id: 'b28', name: NAME }] };
      return { result: { data: times.map((dateTime) => ({ device: { id: 'b28' }, dateTime, ...place })), toVersion: 'v1' } };
    },
    refusal: { error: { name: 'JSONRPCError', errors: [{ name: 'InvalidUserException', message: 'no' }] } },
    sessions: true,
    half: NO_JSON,
  },
  verizon_reveal: {
    input: (server) => ({ provider: 'verizon_reveal', server, account: 'app-1', credentials: { username: 'u', password: SECRET } }),
    isFeed: ({ path }) => path.endsWith('/location'),
    answer: ({ path }, times) => {
      if (path === '/token') return 'session';
      if (path === '/cmd/v1/vehicles') return [{ VehicleNumber: 'V9', Name: NAME }];
      return { Latitude: place.latitude, Longitude: place.longitude, UpdateUTC: times.at(-1)! };
    },
    refusal: { status: 401 },
    sessions: true,
    half: NO_JSON,
  },
  iso_15143: {
    input: (url) => ({ provider: 'iso_15143', server: `${url}/aemp`, credentials: { token: SECRET } }),
    isFeed: ({ path }) => path === '/aemp/Fleet/1',
    answer: (_, times, url) => ({
      ...{ status: 200, type: 'application/xml' },
      body: `<Fleet><Links><rel>next</rel><href>${url}/aemp/Fleet/1</href></Links><Equipment>
        <EquipmentHeader><OEMName>CAT</OEMName><EquipmentID>${NAME}</EquipmentID><PIN>P7</PIN></EquipmentHeader>
        <Location datetime="${times.at(-1)}"><Latitude>${place.latitude}</Latitude><Longitude>${place.longitude}</Longitude></Location></Equipment></Fleet>`,
    }),
    refusal: { status: 401 },
    half: /no fleet of ISO 15143-3/,
  },
  http_json: {
    input: (url) => ({
      ...{ provider: 'http_json', server: `${url}/positions`, credentials: { token: SECRET } },
      mapping: { items: 'list', key: 'id', name: 'name', time: 'at', lat: 'latitude', lon: 'longitude', next: 'next' },
    }),
    isFeed: ({ path }) => path === '/positions',
    answer: (_, times, url) => ({ list: times.map((time) => ({ id: 7, name: NAME, at: time, ...place })), next: `${url}/positions` }),
    refusal: { status: 401 },
    half: NO_JSON,
  },
};

/** A fleet of the adapter whose vehicle is known, and a provider that does what a test wants instead of sending positions. */
async function makeFleet(adapter: Adapter) {
  const times: string[] = [ago(600)];
  let instead: ((asked: Asked) => Reply | undefined) | undefined;
  const provider: FakeProvider = await at.provider(() => ({ status: 404 }));
  provider.answer = (asked) => (adapter.isFeed(asked) ? instead?.(asked) : undefined) ?? adapter.answer(asked, times, provider.url);
  const { id } = await at.connect(adapter.input(provider.url));
  expect((await at.poll(id)).state).toBe('connected');
  const truck = await at.link(id, NAME);
  await at.poll(id);
  return {
    id,
    /** The vehicle is somewhere at one more time. */
    moves: () => void times.push(ago(600 - times.length)),
    /** What the provider does instead of answering requests for positions; nothing: it answers. */
    has(reply?: typeof instead): void {
      instead = reply;
    },
    /** @returns the fleet after it was read once, and how often it was asked for positions meanwhile, and for anything */
    async read() {
      provider.asked.length = 0;
      const fleet = await at.poll(id);
      return { fleet, feeds: provider.asked.filter(adapter.isFeed).length, asked: provider.asked.length };
    },
    /** Whether exactly what the vehicle sent is stored, once. */
    async hasAll() {
      const stored = (await at.positions(truck)).map((one) => new Date(one.at).getTime());
      expect(stored).toEqual(times.map((time) => Date.parse(time)));
    },
  };
}
type Fleet = Awaited<ReturnType<typeof makeFleet>>;

/** Of a poll: the list of vehicles, the positions, a log-in, and the positions again. */
const MOST_REQUESTS = 4;

/** The fleet says what is wrong, without its secret; what the vehicle does meanwhile is stored, once, when the provider answers again. */
async function failsAndGoesOn(fleet: Fleet, reply: () => Reply, error: RegExp): Promise<void> {
  await fleet.hasAll();
  fleet.has(reply);
  const { fleet: failing, asked } = await fleet.read();
  expect(failing).toMatchObject({ state: 'failing', lastError: expect.stringMatching(error) });
  expect(failing.lastError).not.toContain(SECRET);
  expect(asked).toBeLessThanOrEqual(MOST_REQUESTS);
  await fleet.hasAll();
  fleet.moves();
  fleet.has();
  expect((await fleet.read()).fleet).toMatchObject({ state: 'connected', lastError: null, failingSince: null });
  await fleet.hasAll();
}

const MISHAPS: Record<string, (adapter: Adapter, fleet: Fleet) => Promise<void>> = {
  fails: (_, fleet) => failsAndGoesOn(fleet, () => ({ status: 503 }), /answers 503/),
  stalls: async (_, fleet) => {
    at.patience(200);
    const stalling = () => () => undefined;
    fleet.has(stalling);
    try {
      expect((await fleet.read()).fleet).toMatchObject({ state: 'failing', lastError: expect.stringMatching(/does not answer in time/) });
    } finally {
      at.patience(10_000);
    }
    fleet.moves();
    fleet.has();
    expect((await fleet.read()).fleet).toMatchObject({ state: 'connected', lastError: null });
    await fleet.hasAll();
  },
  repeats: async (_, fleet) => {
    await fleet.hasAll();
    for (let times = 0; times < 2; times++) {
      // A next page that is the same one leads to no further request.
      const { fleet: read, feeds } = await fleet.read();
      expect([read.state, feeds]).toEqual(['connected', 1]);
      await fleet.hasAll();
    }
    fleet.moves();
    await fleet.read();
    await fleet.hasAll();
  },
  truncates: async ({ half }, fleet) => {
    const cut = () => (res: ServerResponse) => {
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 500 }).write('{"data":[');
      res.destroy();
    };
    await failsAndGoesOn(fleet, cut, /cannot be reached/);
    // Half of it, as if it were the whole.
    await failsAndGoesOn(fleet, () => ({ status: 200, body: '{"data":[{"id":"28147', type: 'application/json' }), half);
    await failsAndGoesOn(fleet, () => ({ status: 200, body: '<Fleet><Equipment><EquipmentHeader>', type: 'application/xml' }), half);
  },
  'logs us out': async ({ refusal, sessions }, fleet) => {
    if (sessions) {
      let ended = false;
      fleet.has(() => {
        if (ended) return undefined;
        ended = true;
        return refusal;
      });
      fleet.moves();
      const { fleet: read, feeds } = await fleet.read();
      expect([ended, read.state, feeds]).toEqual([true, 'connected', 2]);
      await fleet.hasAll();
    }
    // For good: it is not asked in a loop, which would lock the company out.
    await failsAndGoesOn(fleet, () => refusal, /refuses the credentials/);
  },
};

test.each(Object.keys(ADAPTERS).flatMap((provider) => Object.keys(MISHAPS).map((mishap) => [provider, mishap])))(
  '%s: a provider that %s loses no position and doubles none',
  async (provider, mishap) => {
    const adapter = ADAPTERS[provider!]!;
    await MISHAPS[mishap!]!(adapter, await makeFleet(adapter));
  },
);
