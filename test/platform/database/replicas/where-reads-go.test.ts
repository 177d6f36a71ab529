import { expect, test } from '@jest/globals';
import { viewerFromToken } from '../../../../src/identity/access/viewer.ts';
import { SIGN_IN } from '../../../../src/identity/sign-in/sign-in-purpose.ts';
import { positionOf } from '../../../../src/platform/database/replicas/position.ts';
import { inRequest, RequestWork } from '../../../../src/platform/database/request-work.ts';
import { asCompanies, runAsPurpose } from '../../../../src/platform/database/scope.ts';
import { poolOf } from '../../../../src/platform/database/sql.ts';
import { exportedLists } from '../../../../src/reporting/exports/exported-lists.ts';
import { type TestApp } from '../../../helpers/app.ts';
import { makeOrder } from '../../../helpers/tenant.ts';
import { until } from '../../../helpers/until.ts';
import {
  allIn,
  apps,
  atReplica,
  counted,
  openReplicated,
  other,
  paused,
  positionIn,
  readFrom,
  renamed,
  replicasOf,
  tenant,
  traced,
} from './replicas-scene.ts';

openReplicated();

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

test('reads go on at a replica next to a write that none of them reads', async () => {
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

test('a sandbox reads at replicas, too', async () => {
  await allIn();
  const made = await tenant.must('POST', '/v1/sandboxes', { name: 'Trial' });
  const { body } = await apps[0]!.http('POST', '/v1/auth/login', { body: { email: made.administrator, password: made.password } });
  const { status } = await atReplica(() => apps[0]!.http('GET', '/v1/orders', { token: body.data.session_jwt }));
  expect(status).toBe(200);
});
