import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LeaseFailure, type PolledFleet, pollFleet } from '../../src/telematics/fleets/poll-fleet.ts';
import type { FakeProvider, Reply } from './fake-provider.ts';
import { samsaraPage } from './fake-provider.ts';
import { FleetScene } from './fleet-scene.ts';

const at = new FleetScene();
beforeAll(() => at.start());
afterAll(() => at.stop());

/** The reactions of providers instead of an answer, and the text of the fleet about each. */
const MISHAPS: [Reply, RegExp][] = [
  [{ status: 503 }, /answers 503/],
  [{ status: 401 }, /refuses the credentials/],
  ['<html>Maintenance</html>', /no JSON/],
  [(res) => res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data":[{"id":"28147'), /no JSON/],
  [
    (res) => {
      res.writeHead(200, { 'Content-Length': 500 }).write('{"data":[');
      res.destroy();
    },
    /cannot be reached/,
  ],
  ['x'.repeat((4 << 20) + 1), /cannot be reached/],
  // Wherever else it leads, nobody follows with the token.
  [(res) => res.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end(), /answers 302/],
];

const connectTo = async (provider: FakeProvider) =>
  (await at.connect({ provider: 'samsara', server: provider.url, credentials: { token: 'secret-of-samsara' } })).id as string;
/** Lets fleets be read now, in this order. */
const makeDue = (ids: string[]) =>
  Promise.all(
    ids.map((id, i) =>
      at.app.orm.em.execute(
        `update telematics_fleet set next_poll_at = now() - ? * interval '1 minute', last_asked_at = null, attempts = 0, state = 'connected' where id = ?`,
        [ids.length - i, id],
      ),
    ),
  );

test('whatever a provider does, the fleet says so without its token, and the other fleets are read', async () => {
  const held: ServerResponse[] = [];
  let [stalls, released] = [false, false];
  const stalled = await at.provider(() => samsaraPage('c1'));
  // The one that stalls is let go when the last one is read, which so does not wait for it.
  const good = await at.provider(() => {
    released = stalls;
    if (released) for (const res of held) res.destroy();
    return samsaraPage('c1');
  });
  const bad = await Promise.all(MISHAPS.map(() => at.provider(() => samsaraPage('c1'))));
  const ids: string[] = [];
  for (const provider of [stalled, ...bad, good]) ids.push(await connectTo(provider));
  for (const [i, provider] of bad.entries()) provider.answer = () => MISHAPS[i]![0];
  stalled.answer = () => (res) => void (released ? res.destroy() : held.push(res));
  stalls = true;
  at.patience(120_000);
  await makeDue(ids);
  await at.app.settled();
  const [waiting, ...fleets] = await Promise.all(ids.map((id) => at.fleet(id)));
  expect(waiting).toMatchObject({ state: 'failing', lastError: expect.stringMatching(/cannot be reached/) });
  expect(fleets.map(({ state }) => state)).toEqual([...MISHAPS.map(() => 'failing'), 'connected']);
  for (const [i, [, reason]] of MISHAPS.entries()) {
    expect(fleets[i].lastError).toMatch(reason);
    expect(fleets[i].lastError).not.toContain('secret-of-samsara');
    // A minute, and not longer for the first failure.
    expect(fleets[i].seconds).toBeLessThanOrEqual(60);
  }
  expect(fleets.at(-1)).toMatchObject({ cursor: 'c1', lastError: null });
  released = false;
  at.patience(200);
  expect((await at.poll(ids[0]!)).lastError).toMatch(/does not answer in time/);
  at.patience(10_000);
});

test('a provider that answers once in 15 minutes is asked no more often, whoever begins anew and whatever it answers', async () => {
  let answered = 0;
  let fails = false;
  const provider = await at.provider(() => {
    if (Date.now() - answered < 900_000) return { status: 429 };
    answered = Date.now();
    if (fails) return { status: 503 };
    return { Fleet: { Links: [], Equipment: [{ EquipmentHeader: { OEMName: 'Volvo', SerialNumber: '77' } }] } };
  });
  const run = (name: string, id: string) => at.run(`mutation($id: ID!) { ${name}(id: $id) { id } }`, { id });
  const input = { name: 'Pavers', provider: 'iso_15143', server: provider.url, credentials: { token: 't' } };
  const { id } = await at.run('mutation($input: ConnectTelematicsFleetInput!) { connectTelematicsFleet(input: $input) { id } }', { input });
  const inQuarter = async () => {
    await at.app.settled();
    const fleet = await at.fleet(id);
    expect(fleet.seconds).toBeGreaterThan(880);
    expect(fleet.seconds).toBeLessThanOrEqual(900);
    return fleet.state;
  };
  /** Lets so many seconds pass. */
  const pass = (seconds: number) => {
    answered -= seconds * 1_000;
    const by = `- ${seconds} * interval '1 second'`;
    return at.app.orm.em.execute(
      `update telematics_fleet set next_poll_at = next_poll_at ${by}, last_asked_at = last_asked_at ${by} where id = ?`,
      [id],
    );
  };
  expect([await inQuarter(), provider.asked.length]).toEqual(['connected', 1]);
  await run('pauseTelematicsFleet', id);
  await run('resumeTelematicsFleet', id);
  expect([await inQuarter(), provider.asked.length]).toEqual(['connected', 1]);
  // Its process has died, and its lease is over.
  await at.app.orm.em.execute('update telematics_fleet set next_poll_at = now() where id = ?', [id]);
  expect([await inQuarter(), provider.asked.length]).toEqual(['connected', 1]);
  await pass(901);
  expect([await inQuarter(), provider.asked.length, (await at.vehicles(id)).length]).toEqual(['connected', 2, 1]);
  fails = true;
  await pass(901);
  expect([await inQuarter(), provider.asked.length]).toEqual(['failing', 3]);
  await run('resumeTelematicsFleet', id);
  expect([await inQuarter(), provider.asked.length]).toEqual(['failing', 3]);
  fails = false;
  await pass(901);
  expect([await inQuarter(), provider.asked.length]).toEqual(['connected', 4]);
});

test('what was stored before a provider failed is kept with its cursor, and the next poll goes on from there', async () => {
  let fails = true;
  const provider = await at.provider(({ query }) => {
    if (!query.get('after')) return samsaraPage('c1', {}, true);
    return fails ? { status: 500 } : samsaraPage('c2');
  });
  const id = await connectTo(provider);
  expect(await at.poll(id)).toMatchObject({ state: 'failing', cursor: 'c1' });
  expect(await at.vehicles(id)).toHaveLength(1);
  fails = false;
  provider.asked.length = 0;
  expect(await at.poll(id)).toMatchObject({ state: 'connected', cursor: 'c2', lastError: null, failingSince: null });
  expect(provider.asked.filter(({ path }) => path.endsWith('/feed')).map(({ query }) => query.get('after'))).toEqual(['c1']);
});

test('a provider that fails for a day is reported to the administrators, once', async () => {
  const admin = await at.tenant.person({ roles: ['company_admin'] });
  let fails = false;
  const provider = await at.provider(() => (fails ? { status: 500 } : samsaraPage('c1')));
  const id = await connectTo(provider);
  fails = true;
  await at.poll(id);
  await at.app.orm.em.execute(`update telematics_fleet set failing_since = now() - interval '25 hours' where id = ?`, [id]);
  await at.poll(id);
  await at.poll(id);
  const { mails } = await at.app.emails();
  const sent = mails.filter((mail) => JSON.stringify(mail).includes(admin.user.email!));
  expect(sent).toHaveLength(1);
  expect(JSON.stringify(sent[0])).not.toContain('secret-of-samsara');
});

test('a lease that cannot be renewed is no failure of the provider', async () => {
  const provider = await at.provider(() => samsaraPage('c1'));
  const id = await connectTo(provider);
  const fleet = {
    ...{ id, companyId: at.tenant.company.id, provider: 'samsara', server: provider.url, account: null, mapping: null },
    ...{ pollSeconds: 15, revision: 0, cursor: null, vehiclesListedAt: new Date() },
  } as PolledFleet;
  const renew = () => Promise.reject(new Error('the database is away'));
  const lease = { renew, signal: new AbortController().signal };
  provider.asked.length = 0;
  await expect(pollFleet(at.app.productOrm.em, fleet, lease, { warn() {} })).rejects.toThrow(LeaseFailure);
  expect(provider.asked).toEqual([]);
  // A mistake of the provider itself stays its own.
  provider.answer = () => ({ status: 503 });
  await expect(pollFleet(at.app.productOrm.em, fleet, { ...lease, renew: async () => {} }, { warn() {} })).rejects.toThrow(/answers 503/);
});
