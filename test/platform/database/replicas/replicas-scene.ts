import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import pg from 'pg';
import { OF_PRIMARY, type Standby, startStandby } from '../../../../scripts/drill/standby.ts';
import { findPgBouncer, type PgBouncer, startPgBouncer } from '../../../../scripts/pooler/pgbouncer.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../../src/platform/database/embedded.ts';
import { readReplicas } from '../../../../src/platform/database/replicas/open-replicas.ts';
import { startTestApp, type TestApp } from '../../../helpers/app.ts';
import { allGone, copyStarted, dataFolder, removeFolder } from '../../../helpers/product.ts';
import { makeTenant, type Tenant } from '../../../helpers/tenant.ts';
import { until } from '../../../helpers/until.ts';
import { recorded } from '../../tracing/recorded.ts';

/** Milliseconds that a standby may be behind. */
const MOST_LAG = 2_000;
let data: string;
export let primary: EmbeddedPostgres;
export const standbys: Standby[] = [];
const poolers: PgBouncer[] = [];
export let apps: TestApp[] = [];
export const traced = recorded();
export let tenant: Tenant;
export let other: Tenant;

/** Starts what each file about replicas asks: a primary with two standbys, and two processes of the product that read at them. */
export function openReplicated(): void {
  beforeAll(async () => {
    data = dataFolder();
    const folder = (name: string) => join(data, name);
    await copyStarted(folder('primary'));
    // A power cut is no part of this; what is acknowledged is sent to the standbys at once, as in production.
    const settings = { ...OF_PRIMARY, fsync: 'off', full_page_writes: 'off' };
    primary = await startEmbeddedPostgres({ dataDir: folder('primary'), settings });
    for (const name of ['one', 'two']) {
      const folders = { primary: folder('primary'), standby: folder(name) };
      standbys.push(await startStandby(primary, folders, name, { fsync: 'off', hot_standby_feedback: 'on' }));
    }
    const server = { url: primary.url, readUrls: standbys.map((one) => one.server.url), mostLag: MOST_LAG };
    // The second process reads through a pooler in front of each, where there is one. It asks for a standby that was away once a second.
    const pooler = findPgBouncer();
    if (pooler) for (const url of server.readUrls) poolers.push(await startPgBouncer(pooler, url, [url], { server_login_retry: 1 }));
    const readUrls = server.readUrls.map((url, at) => poolers[at]?.through(url) ?? url);
    apps = [await startTestApp({ server, tracing: traced.tracing }), await startTestApp({ server: { ...server, readUrls } })];
    tenant = await makeTenant(apps[0]!);
    other = await makeTenant(apps[0]!);
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await traced.tracing.close();
    for (const one of poolers) await one.stop();
    for (const one of standbys) await one.server.stop();
    await primary.stop();
    await allGone(data);
    removeFolder(data);
  });
}

export const replicasOf = (app = apps[0]!) => readReplicas.of(app.application)!;
/** Resolves when all replicas are let in. */
export const allIn = () => until(() => apps.every((app) => replicasOf(app).all.every((one) => !one.out)));
/** How many requests were answered by replicas, and by the primary, while something ran. */
export async function counted(work: () => Promise<unknown>): Promise<{ replica: number; primary: number; again: number }> {
  const before = { ...replicasOf().counts };
  await work();
  const { replica, primary, again } = replicasOf().counts;
  return { replica: replica - before.replica, primary: primary - before.primary, again: again - before.again };
}
/** Has all standbys stand still while something runs. */
export async function paused(work: () => Promise<void>): Promise<void> {
  const clients = await Promise.all(
    standbys.map(async ({ server }) => {
      const client = new pg.Client(server.url);
      await client.connect();
      await client.query('select pg_wal_replay_pause()');
      return client;
    }),
  );
  try {
    await work();
  } finally {
    for (const client of clients) {
      await client.query('select pg_wal_replay_resume()');
      await client.end();
    }
  }
}

/** Asks until a replica has answered: one that is behind, because the machine is busy, leaves it to the primary. */
export async function atReplica<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  let answer!: T;
  await until(async () => {
    const { replica, primary } = await counted(async () => (answer = await ask()));
    expect(replica + primary).toBe(1);
    return replica === 1;
  });
  return answer;
}
/** A read that sends the position of another answer along. */
export const readFrom = (position: string, path: string, app = apps[0]!) =>
  app.http('GET', path, { token: tenant.token, headers: { 'X-Read-Position': position } });
export const positionIn = ({ headers }: { headers: Headers }): string => headers.get('x-read-position')!;
export const renamed = (id: string, notes: string, app = apps[0]!) =>
  app.http('PATCH', `/v1/orders/${id}`, { token: tenant.token, body: { notes } });
