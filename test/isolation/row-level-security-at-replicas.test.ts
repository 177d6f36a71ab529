import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { OF_PRIMARY, type Standby, startStandby } from '../../scripts/drill/standby.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { readReplicas } from '../../src/platform/database/replicas/open-replicas.ts';
import { leaksIn, muteIn, WithoutConditions } from '../helpers/isolation/without-conditions.ts';
import { allGone, copyStarted, dataFolder, removeFolder } from '../helpers/product.ts';
import { until } from '../helpers/until.ts';

/** Milliseconds that the standby may be behind; whether it is left out soon enough is tested elsewhere. */
const MOST_LAG = 60_000;
/** The callers: somebody who sees all of a company, somebody who sees a part of it, and a program. */
const CALLERS = ['company_admin', 'driver', 'machine client'];

const data = dataFolder();
let primary: EmbeddedPostgres;
let standby: Standby;
let world: WithoutConditions;
beforeAll(async () => {
  const folders = { primary: join(data, 'primary'), standby: join(data, 'standby') };
  await copyStarted(folders.primary);
  primary = await startEmbeddedPostgres({ dataDir: folders.primary, settings: { ...OF_PRIMARY, fsync: 'off', full_page_writes: 'off' } });
  standby = await startStandby(primary, folders, 'standby', { fsync: 'off', hot_standby_feedback: 'on' });
  const server = { url: primary.url, readUrls: [standby.server.url], mostLag: MOST_LAG };
  world = await WithoutConditions.open({ server });
}, 300_000);
afterAll(async () => {
  await world.app.close();
  await standby.server.stop();
  await primary.stop();
  await allGone(data);
  removeFolder(data);
});

const replicas = () => readReplicas.of(world.app.application)!;
/** Asks everything, and has nearly all of it answered by the replica. */
async function askAtReplica(caller: string) {
  await until(() => replicas().all.every(({ out }) => !out));
  const before = { ...replicas().counts };
  const answers = await world.askAll(world.tokens.get(caller)!);
  const { replica, primary: atPrimary } = replicas().counts;
  // One that is a moment behind, because the machine is busy, leaves a read to the primary.
  expect(replica - before.replica).toBeGreaterThan(atPrimary - before.primary);
  return answers;
}

let walled: Awaited<ReturnType<typeof askAtReplica>>;
test("a replica returns no row of another company either, with the application's conditions on companies removed", async () => {
  for (const caller of CALLERS) {
    walled = await askAtReplica(caller);
    expect([caller, leaksIn(walled)]).toEqual([caller, []]);
  }
  expect(world.removed.atReplicas).toBeGreaterThan(200);
}, 300_000);

test('it was row-level security that held at the replica: without it, the same queries return such rows', async () => {
  await world.disableRowLevelSecurity();
  const now = await askAtReplica('machine client');
  const mute = muteIn(now, walled);
  expect([mute, mute.length < now.length / 10]).toEqual([mute, true]);
}, 120_000);
