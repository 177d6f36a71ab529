import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { Caller, type Counted, drawFrom, Troubles } from '../../../scripts/drill/replica-callers.ts';
import { OF_PRIMARY, type Standby, startStandby } from '../../../scripts/drill/standby.ts';
import { findPgBouncer, type PgBouncer, startPgBouncer } from '../../../scripts/pooler/pgbouncer.ts';
import { readConfig } from '../../../src/app/config.ts';
import { examineHosts } from '../../../src/app/doctor/examine-hosts.ts';
import { examineReplicas } from '../../../src/app/doctor/examine-replicas.ts';
import { viewerFromToken } from '../../../src/identity/access/viewer.ts';
import { SIGN_IN } from '../../../src/identity/sign-in/sign-in-purpose.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/database/embedded.ts';
import { readReplicas } from '../../../src/platform/database/replicas/open-replicas.ts';
import { positionOf } from '../../../src/platform/database/replicas/position.ts';
import type { ReplicaUse } from '../../../src/platform/database/replicas/replica-use.ts';
import { inRequest, RequestWork } from '../../../src/platform/database/request-work.ts';
import { asCompanies, runAsPurpose } from '../../../src/platform/database/scope.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { exportedLists } from '../../../src/reporting/exports/exported-lists.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { allGone, copyStarted, dataFolder, removeFolder } from '../../helpers/product.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { recorded } from '../tracing/recorded.ts';

/** Milliseconds that a standby may be behind. */
const MOST_LAG = 2_000;
/** Milliseconds for which everybody reads and writes while standbys are in trouble. */
const LONG = Number(process.env.HAULGATE_TEST_REPLICA_SECONDS ?? 20) * 1_000;

let data: string;
let primary: EmbeddedPostgres;
const standbys: Standby[] = [];
const poolers: PgBouncer[] = [];
let apps: TestApp[] = [];
const traced = recorded();
let tenant: Tenant;
let other: Tenant;

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

const replicasOf = (app = apps[0]!) => readReplicas.of(app.application)!;
/** Resolves when all replicas are let in. */
const allIn = () => until(() => apps.every((app) => replicasOf(app).all.every((one) => !one.out)));
/** How many requests were answered by replicas, and by the primary, while something ran. */
async function counted(work: () => Promise<unknown>): Promise<{ replica: number; primary: number; again: number }> {
  const before = { ...replicasOf().counts };
  await work();
  const { replica, primary, again } = replicasOf().counts;
  return { replica: replica - before.replica, primary: primary - before.primary, again: again - before.again };
}
/** Has all standbys stand still while something runs. */
async function paused(work: () => Promise<void>): Promise<void> {
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
async function atReplica<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  let answer!: T;
  await until(async () => {
    const { replica, primary } = await counted(async () => (answer = await ask()));
    expect(replica + primary).toBe(1);
    return replica === 1;
  });
  return answer;
}
/** A read that sends the position of another answer along. */
const readFrom = (position: string, path: string, app = apps[0]!) =>
  app.http('GET', path, { token: tenant.token, headers: { 'X-Read-Position': position } });
const positionIn = ({ headers }: { headers: Headers }): string => headers.get('x-read-position')!;
const renamed = (id: string, notes: string, app = apps[0]!) =>
  app.http('PATCH', `/v1/orders/${id}`, { token: tenant.token, body: { notes } });

test('lists, records, GraphQL, metrics, exports and snapshots are read at replicas', async () => {
  await allIn();
  const order = await makeOrder(tenant);
  const [app] = apps as [TestApp];
  const { token } = tenant;
  const graphql = (query: string) => () => app.graphql(query, {}, { token });
  const asks: (() => Promise<{ status: number; body: unknown; headers: Headers }>)[] = [
    () => tenant.http('GET', tenant.path('/orders')),
    () => tenant.http('GET', `/v1/orders/${order.id}`),
    graphql('{ orders { nodes { id jobs { nodes { id } } } } }'),
    graphql('{ metrics(measures: [loads]) { nodes { __typename } } }'),
    () => app.http('GET', tenant.path('/orders?page[limit]=5'), { token, headers: { Accept: 'text/csv' } }),
    () => app.http('GET', tenant.path('/orders'), { token, headers: { Accept: 'text/csv' } }),
    () => tenant.http('GET', tenant.path('/changes/snapshot?types=Order')),
  ];
  traced.spans.length = 0;
  for (const [at, ask] of asks.entries()) {
    const { status, body, headers } = await atReplica(ask);
    expect([at, status, (body as { errors?: unknown }).errors]).toEqual([at, 200, undefined]);
    // A stream has sent its headers before it is read.
    expect([at, positionOf(positionIn({ headers }) ?? '') !== undefined]).toEqual([at, at < 5]);
  }
  const names = replicasOf().all.map(({ name }) => name);
  const read = traced.spans.filter((one) => String(one['db.query.text']).includes('"orders"') && one['db.operation.name'] === 'select');
  // One that was not let in yet is asked again.
  expect(read.filter((one) => names.includes(String(one['haulgate.replica']))).length).toBeGreaterThan(0);
});

test('a scheduled export is read at a replica', async () => {
  await allIn();
  const order = await makeOrder(tenant);
  const [app] = apps as [TestApp];
  const viewer = await runAsPurpose(SIGN_IN, () => viewerFromToken(app.productOrm.em.fork(), tenant.token));
  const asked = { companyId: tenant.company.id, list: 'orders', query: '', format: 'csv' } as const;
  await until(async () => {
    let text = '';
    const write = async (part: string | Uint8Array) => {
      text += part;
    };
    const run = () =>
      asCompanies([tenant.company.id], () => exportedLists.of(app.application).export({ viewer, language: 'en' }, asked, write));
    const { replica } = await counted(run);
    expect(text).toContain(order.id);
    return replica === 1;
  });
});

test('what a caller has written is read from the primary while no replica has it, with and without a position', async () => {
  const { id } = await makeOrder(tenant);
  const old = await atReplica(() => tenant.http('GET', `/v1/orders/${id}`));
  await allIn();
  await paused(async () => {
    const written = await renamed(id, 'behind the gate');
    const [app, second] = apps as [TestApp, TestApp];
    // A process that has not answered the caller since believes the position.
    const before = { ...replicasOf(second).counts };
    expect((await readFrom(positionIn(old), `/v1/orders/${id}`, second)).body.data.notes).toBe(old.body.data.notes);
    expect(replicasOf(second).counts).toEqual({ ...before, replica: before.replica + 1 });
    for (const read of [
      () => readFrom(positionIn(written), `/v1/orders/${id}`),
      () => readFrom(positionIn(written), `/v1/orders/${id}`, second),
      () => app.http('GET', `/v1/orders/${id}`, { token: tenant.token }),
      () => second.http('GET', `/v1/orders/${id}`, { token: tenant.token }),
      // Both processes know by now how far the caller has seen.
      () => readFrom(positionIn(old), `/v1/orders/${id}`),
      () => readFrom(positionIn(old), `/v1/orders/${id}`, second),
    ])
      expect((await read()).body.data.notes).toBe('behind the gate');
  });
  expect((await atReplica(() => tenant.http('GET', `/v1/orders/${id}`))).body.data.notes).toBe('behind the gate');
});

test('the feed of changes in GraphQL has everything that was committed before, although no replica has what that wrote', async () => {
  const { id } = await makeOrder(tenant);
  const changes = (after?: string) =>
    tenant.gql('query ($after: String) { changes(after: $after, types: [Order]) { position nodes { record { id } } } }', { after });
  const after = (await changes()).data.changes.position;
  await renamed(id, 'Fourth gate');
  await allIn();
  await paused(async () => {
    expect((await changes(after)).data.changes.nodes).toEqual([{ record: { id } }]);
  });
});

test('mutations, reads inside of them, and reads as another person stay on the primary', async () => {
  const { id } = await makeOrder(tenant);
  const platform = await tenant.person({ roles: ['platform_admin'] });
  const { session_jwt: token } = await tenant.must('POST', `/v1/users/${tenant.driver.id}/impersonations`, undefined, platform.token);
  const counts = await counted(async () => {
    expect((await renamed(id, 'Second gate')).status).toBe(200);
    expect((await tenant.gql(`mutation { updateOrder(id: "${id}", input: { notes: "Third gate" }) { notes } }`)).errors).toBeUndefined();
    expect((await apps[0]!.http('GET', '/v1/jobs', { token })).status).toBe(200);
    expect((await apps[0]!.graphql('{ jobs { nodes { id } } }', {}, { token })).body.errors).toBeUndefined();
  });
  expect(counts).toEqual({ replica: 0, primary: 0, again: 0 });
});

test('row-level security and the scope bind at replicas', async () => {
  const own = await makeOrder(tenant);
  const foreign = await makeOrder(other);
  await allIn();
  expect((await atReplica(() => tenant.http('GET', `/v1/orders/${foreign.id}`))).status).toBe(404);
  expect((await atReplica(() => tenant.http('GET', `/v1/orders/${own.id}`))).status).toBe(200);
  const visible = async () => {
    const sql = 'select id from orders where id = any($1)';
    const use = { replicas: replicasOf(), route: await replicasOf().begin(undefined, undefined), usedPrimary: false };
    const work = Object.assign(new RequestWork(0), { replicas: use });
    const { rows } = await inRequest(work, async () => (await poolOf(apps[0]!.productOrm.em)).query(sql, [[own.id, foreign.id]]));
    return { at: use.usedPrimary ? 'primary' : 'replica', ids: rows.map(({ id }) => id) };
  };
  await until(async () => (await visible()).at === 'replica');
  await until(async () => (await asCompanies([tenant.company.id], visible)).at === 'replica');
  expect((await visible()).ids).toEqual([]);
  expect((await asCompanies([tenant.company.id], visible)).ids).toEqual([own.id]);
  expect((await asCompanies([other.company.id], visible)).ids).toEqual([foreign.id]);
});

test('what writes or locks in the middle of reads goes to the primary, and the reads behind it, too', async () => {
  await allIn();
  const pool = await poolOf(apps[0]!.productOrm.em);
  for (const [sql, again] of [
    [`select nextval('import_sequence')`, 1],
    [`select pg_notify('replicas', '')`, 1],
    ['select id from company for update', 1],
    ['with made as (insert into geocoded_address select * from geocoded_address where false returning 1) select * from made', 1],
    ['select pg_advisory_xact_lock(1)', 0],
    ['insert into geocoded_address select * from geocoded_address where false', 0],
  ] as const) {
    let use!: { usedPrimary: boolean; route: { replica: unknown } };
    const counts = await counted(() =>
      until(async () => {
        const route = await replicasOf().begin(undefined, undefined);
        if (!route.replica) return false;
        use = { replicas: replicasOf(), route, usedPrimary: false } as never;
        await asCompanies([tenant.company.id], () =>
          inRequest(Object.assign(new RequestWork(0), { replicas: use as never }), () => pool.query(sql)),
        );
        return true;
      }),
    );
    expect([sql, counts.again, use.usedPrimary, use.route.replica]).toEqual([sql, again, true, undefined]);
  }
});

test('reads go on at a replica beside what is written and read by none of them', async () => {
  await allIn();
  const pool = await poolOf(apps[0]!.productOrm.em);
  await until(async () => {
    const route = await replicasOf().begin(undefined, undefined, { writesApart: true });
    const use = { replicas: replicasOf(), route, usedPrimary: false };
    const insert = 'insert into geocoded_address select * from geocoded_address where false';
    await inRequest(Object.assign(new RequestWork(0), { replicas: use }), async () => {
      await pool.query('select id from company');
      await pool.query(insert);
      await pool.query('select id from company');
    });
    expect(use.usedPrimary).toBe(true);
    return route.isAtReplica;
  });
});

test('a position that no answer contained is refused with its name', async () => {
  const answer = await readFrom('yesterday', tenant.path('/orders'));
  expect([answer.status, answer.body.error.errors[0].field]).toEqual([400, 'X-Read-Position']);
  expect((await readFrom('none', tenant.path('/orders'))).status).toBe(200);
  // Of a database that was restored: the primary answers, with its own.
  const answered = await readFrom('1-FFFFFFFF/0', tenant.path('/orders'));
  expect([answered.status, positionOf(positionIn(answered))!.lsn < positionOf('1-FFFFFFFF/0')!.lsn]).toEqual([200, true]);
});

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

test('a sandbox reads at replicas, too', async () => {
  await allIn();
  const made = await tenant.must('POST', '/v1/sandboxes', { name: 'Trial' });
  const { body } = await apps[0]!.http('POST', '/v1/auth/login', { body: { email: made.administrator, password: made.password } });
  const { status } = await atReplica(() => apps[0]!.http('GET', '/v1/orders', { token: body.data.session_jwt }));
  expect(status).toBe(200);
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
