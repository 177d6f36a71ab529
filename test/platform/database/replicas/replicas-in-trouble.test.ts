import { expect, test } from '@jest/globals';
import pg from 'pg';
import { Caller, type Counted, drawFrom, Troubles } from '../../../../scripts/drill/replica-callers.ts';
import type { Standby } from '../../../../scripts/drill/standby.ts';
import { readConfig } from '../../../../src/app/config.ts';
import { examineHosts } from '../../../../src/app/doctor/examine-hosts.ts';
import { examineReplicas } from '../../../../src/app/doctor/examine-replicas.ts';
import { positionOf } from '../../../../src/platform/database/replicas/position.ts';
import type { ReplicaUse } from '../../../../src/platform/database/replicas/replica-use.ts';
import { inRequest, RequestWork } from '../../../../src/platform/database/request-work.ts';
import { poolOf } from '../../../../src/platform/database/sql.ts';
import { makeOrder } from '../../../helpers/tenant.ts';
import { until } from '../../../helpers/until.ts';
import {
  allIn,
  apps,
  atReplica,
  counted,
  openReplicated,
  paused,
  positionIn,
  primary,
  readFrom,
  renamed,
  replicasOf,
  standbys,
  tenant,
} from './replicas-scene.ts';

/** Milliseconds for which everybody reads and writes while standbys are in trouble. */
const LONG = Number(process.env.HAULGATE_TEST_REPLICA_SECONDS ?? 20) * 1_000;

openReplicated();

test('a replica that lags is left out, and comes back by itself', async () => {
  await allIn();
  await paused(async () => {
    await until(async () => {
      await makeOrder(tenant);
      return replicasOf().all.every(({ out }) => out === 'late');
    });
    // Whatever position is sent.
    expect(await counted(() => readFrom('1-0/1', tenant.path('/orders')))).toEqual({ replica: 0, primary: 1, again: 0 });
  });
  await allIn();
});

test('a read on a replica that dies or hangs is answered by the primary', async () => {
  await allIn();
  const [standby] = standbys as [Standby, Standby];
  const [replica] = replicasOf().all;
  const list = () => tenant.http('GET', tenant.path('/orders'));
  await atReplica(list);
  const killed = standby.server.pid;
  process.kill(killed, 'SIGKILL');
  await standby.server.stop();
  // Half of them are sent to it first, as long as nobody has noticed.
  const answers = await Promise.all(Array.from({ length: 8 }, list));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await until(() => replica!.out === 'gone');
  expect((await list()).status).toBe(200);
  await standby.startAgain();
  await allIn();
  await atReplica(list);
});

test('a read goes on at a replica that says nothing for once', async () => {
  await allIn();
  const [standby] = standbys as [Standby, Standby];
  const [replica] = replicasOf().all;
  const use = { replicas: replicasOf(), usedPrimary: false } as ReplicaUse;
  await until(async () => {
    use.route = await replicasOf().begin(undefined, undefined);
    return use.route.replica === replica;
  });
  const pool = await poolOf(apps[0]!.productOrm.em);
  const client = new pg.Client(standby.server.url);
  await client.connect();
  const slow = inRequest(Object.assign(new RequestWork(0), { replicas: use }), () => pool.query('select pg_sleep(3)'));
  const others = `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() and query not like '%pg_sleep%'
    and exists (select from pg_stat_activity where query like 'select pg_sleep%' and wait_event = 'PgSleep')`;
  let pids: number[] = [];
  await until(async () => {
    pids = (await client.query<{ pid: number }>(others)).rows.map(({ pid }) => pid);
    return pids.length > 0;
  });
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    await until(() => replica!.out === 'gone');
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
  await allIn();
  await slow;
  expect([use.route!.isAtReplica, use.usedPrimary]).toEqual([true, false]);
  await client.end();
});

test('nobody waits for a replica that lags, or for what the primary does not have', async () => {
  await allIn();
  let asked = 0;
  const { all } = replicasOf();
  for (const one of all) {
    const ask = one.ask.bind(one);
    one.ask = () => {
      asked++;
      return ask();
    };
  }
  try {
    // A look asks each of them twice at most.
    await until(async () => {
      asked = 0;
      for (let at = 0; at < 20; at++) expect((await replicasOf().begin(positionOf('1-FFFFFFFF/0'), undefined)).replica).toBeUndefined();
      return asked <= 8;
    });
    await paused(async () => {
      const written = positionOf(positionIn(await renamed((await makeOrder(tenant)).id, 'late')))!;
      await until(async () => {
        asked = 0;
        for (let at = 0; at < 20; at++) expect((await replicasOf().begin(written, undefined)).replica).toBeUndefined();
        return asked <= 8 && all.every(({ out }) => !out);
      });
    });
  } finally {
    for (const one of all) Reflect.deleteProperty(one, 'ask');
  }
});

test('everybody reads what they wrote and never goes back in time, whatever happens to the replicas', async () => {
  await allIn();
  const seed = Number(process.env.FUZZ_SEED ?? 20_261_128);
  const draw = drawFrom(seed);
  const orders: Counted[] = [];
  for (let at = 0; at < 4; at++) orders.push({ id: (await makeOrder(tenant)).id, written: 0 });
  const before = apps.map((app) => ({ ...replicasOf(app).counts }));
  const base = () => new URL(apps[Math.floor(draw() * apps.length)]!.url);
  // A caller each, because the product remembers positions by caller.
  const callers: Caller[] = [];
  for (const [at, own] of orders.entries()) {
    const { token } = await tenant.person({ roles: ['company_admin'] });
    callers.push(new Caller({ list: 'orders', base, token, draw, own, others: orders.filter((one) => one !== own), sends: at % 2 === 0 }));
  }
  const troubles = new Troubles(standbys, draw);
  await new Promise((wake) => setTimeout(wake, LONG));
  await troubles.stop();
  for (const caller of callers) await caller.stop();
  expect(callers.flatMap(({ faults }) => faults)).toEqual([]);
  expect(callers.map(({ reads, writes }) => reads > 0 && writes > 0)).toEqual(callers.map(() => true));
  // Otherwise it has shown nothing.
  expect(apps.map((app, at) => replicasOf(app).counts.replica > before[at]!.replica)).toEqual([true, true]);
  await allIn();
});

test('the doctor says of each replica whether it may be used, and how far it is behind', async () => {
  // All servers may be named, of which another one is the primary after a failover.
  const urls = [...standbys.map(({ server }) => server.url), primary.url];
  const config = readConfig({ DATABASE_URL: primary.url, DATABASE_READ_URLS: urls.join() });
  const findings = await examineReplicas(config, (await poolOf(apps[0]!.orm.em)) as pg.Pool);
  expect(findings.pop()).toMatchObject({ verdict: 'good', says: expect.stringContaining('which is the primary now') });
  const names = standbys.map(({ server }) => `127.0.0.1:${server.port}`);
  expect(findings.map(({ verdict, says }) => [verdict, says.replace(/is \d+ \w+ behind/, 'is ... behind')])).toEqual(
    names.map((name) => ['good', `names ${name}, a replica of the primary, which is ... behind.`]),
  );
  const { host } = new URL(primary.url);
  const hosts = await examineHosts(primary.url.replace(host, [host, ...names].join()));
  expect(hosts.map(({ verdict, says }) => `${verdict}: ${says}`)).toEqual([
    expect.stringContaining(`look: names several servers, and ${host} waits for none of them`),
    ...names.map((name) => `good: names ${name}, a standby of ${host}.`),
  ]);
});

test('a standby that is promoted answers no reads, nor does one that follows it', async () => {
  await allIn();
  const [promoted, follower] = await Promise.all(
    standbys.map(async ({ server }) => {
      const client = new pg.Client(server.url);
      await client.connect();
      return client;
    }),
  );
  const follow = async (conninfo: string) => {
    await follower!.query(`alter system set primary_conninfo = '${conninfo}'`);
    await follower!.query('select pg_reload_conf()');
  };
  try {
    // One is promoted, and the other one was never further than it.
    await follow('');
    await until(async () => (await follower!.query('select from pg_stat_wal_receiver')).rowCount === 0);
    const { id } = await makeOrder(tenant);
    await until(async () => (await promoted!.query('select from orders where id = $1', [id])).rowCount === 1);
    await promoted!.query('select pg_promote()');
    await until(() => apps.every((app) => replicasOf(app).all[0]!.out === 'no-replica'));
    const { username, password } = new URL(primary.url);
    await follow(`host=127.0.0.1 port=${standbys[0]!.server.port} user=${username} password=${password}`);
    // Its places in the log are soon beyond all of the primary's, with something else in them.
    await until(async () => {
      await promoted!.query('select pg_switch_wal()');
      await promoted!.query(`select pg_logical_emit_message(true, 'elsewhere', 'x')`);
      const { rows } = await follower!.query('select pg_last_wal_replay_lsn()::text as at');
      const ahead = await apps[0]!.orm.em.execute<{ ahead: boolean }[]>('select ?::pg_lsn > pg_current_wal_lsn() as ahead', [rows[0].at]);
      return ahead[0]!.ahead;
    });
    await until(() => apps.every((app) => replicasOf(app).all[1]!.out === 'other-history'));
    for (const app of apps)
      for (const notes of ['here', 'still here']) {
        const written = await renamed(id, notes, app);
        expect((await readFrom(positionIn(written), `/v1/orders/${id}`, app)).body.data.notes).toBe(notes);
      }
    const config = readConfig({ DATABASE_URL: primary.url, DATABASE_READ_URLS: standbys.map(({ server }) => server.url).join() });
    const findings = await examineReplicas(config, (await poolOf(apps[0]!.orm.em)) as pg.Pool);
    expect(findings.map(({ verdict, says }) => [verdict, /takes writes|follows another history/.exec(says)?.[0]])).toEqual([
      ['wrong', 'takes writes'],
      ['wrong', 'follows another history'],
    ]);
  } finally {
    await promoted!.end();
    await follower!.end();
  }
});
