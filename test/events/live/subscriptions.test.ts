import { expect, test } from '@jest/globals';
import { makeOrder, makeTenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { app, type Following, follow, sql, tenant, untilSaid } from './following.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

test('changes of records come with the fields that were asked for, to those alone who may see them', async () => {
  const order = await makeOrder(tenant);
  const stranger = await makeTenant(app);
  const query =
    'subscription ($ids: [ID!], $types: [RecordType!]!) { recordChanged(types: $types, ids: $ids) { event type record { id ... on Order { notes } } } }';
  const ours = await follow(query, { types: ['Order'], ids: [order.id] });
  const theirs = await follow(query, { types: ['Order'] }, stranger.token);
  const foreign = await follow(
    'subscription ($id: ID) { recordChanged(companyId: $id, types: [Order]) { id } }',
    { id: tenant.company.id },
    stranger.token,
  );
  await untilSaid(ours, (time) => tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { notes: `time ${time}` }));
  const { recordChanged } = ours.got[0].data;
  expect(recordChanged).toEqual({ event: 'update', type: 'Order', record: { id: order.id, notes: expect.stringMatching(/^time /) } });
  await foreign.ended;
  expect(foreign.got[0].errors[0].extensions.code).toBe('object_not_found');
  expect(theirs.got).toEqual([]);
  const accepted = await follow(
    'subscription { recordChanged(types: [Order], filter: { states: ["accepted"] }) { id event previousState state } }',
  );
  await untilSaid(accepted, async () => tenant.must('PUT', tenant.path(`/orders/${(await makeOrder(tenant)).id}/accept`)));
  expect(accepted.got[0].data.recordChanged).toMatchObject({ event: 'state_change', previousState: 'created', state: 'accepted' });
  // A later change that was not asked for, and is read together with one that was, does not take its place.
  const { id } = await makeOrder(tenant);
  const moving = await holdMoves();
  await tenant.must('PUT', tenant.path(`/orders/${id}/accept`));
  await tenant.must('PATCH', tenant.path(`/orders/${id}`), { notes: 'at once' });
  await moving.rollback();
  await until(() => accepted.got.some(({ data }) => data.recordChanged.id === id));
});

test('who follows no types, records or states of them is informed of nothing', async () => {
  const query = (asked: string) => `subscription { recordChanged(${asked}) { id } }`;
  const nothing = await Promise.all(
    ['types: []', 'types: [Order], ids: []', 'types: [Order], filter: { states: [] }', 'types: [Order], filter: { events: [] }'].map(
      (asked) => follow(query(asked)),
    ),
  );
  const all = await follow(query('types: [Order]'));
  // Whoever began to follow last is informed, and of three changes.
  await untilSaid(all, () => makeOrder(tenant), 3);
  expect(nothing.map(({ got }) => got)).toEqual([[], [], [], []]);
});

/** Nothing that is committed comes into a feed until the transaction that is returned ends. */
async function holdMoves() {
  const em = app.orm.em.fork();
  await em.begin();
  await em.execute('select pg_advisory_xact_lock(7320447561)');
  return em;
}

test('a day board is sent at once and again when an order of the day changes', async () => {
  const board = await follow('subscription { dayBoardChanged(date: "2026-11-23") { date orders { id notes } } }');
  await until(() => board.got.length > 0);
  const order = await makeOrder(tenant, { notes: 'on the board' });
  await until(() => board.got.at(-1).data.dayBoardChanged.orders.some(({ id }: Json) => id === order.id));
  expect(board.got.at(-1).data.dayBoardChanged.date).toBe('2026-11-23');
});

test('drivers who report, imports that are settled and bulk actions that get on are followed', async () => {
  const drivers = await follow('subscription { driverMoved { id firstName } }');
  await untilSaid(drivers, () => sql('update app_user set last_ping_at = clock_timestamp() where id = ?', [tenant.driver.id]));
  expect(drivers.got[0].data.driverMoved).toEqual({ id: tenant.driver.id, firstName: 'Dora' });
  drivers.stop();
  const imports = await follow('subscription { importSettled { id recordCount } }');
  const sent: string[] = [];
  const element = { load_at: '2026-11-20T07:00:00', customer: { external_id: 'C', name: 'Customer' } };
  await untilSaid(imports, async (time) => {
    const { batch_id: id } = await tenant.must('POST', '/ingest/orders', { orders: [{ ...element, external_id: `live-${time}` }] });
    sent.push(id);
    await app.settled();
  });
  const { id, recordCount } = imports.got[0].data.importSettled;
  expect([sent.includes(id), recordCount]).toEqual([true, 1]);
  const again = await follow('subscription ($id: ID) { importSettled(batchId: $id) { id } }', { id });
  await again.ended;
  expect(again.got).toEqual([{ data: { importSettled: { id } } }]);
  // A record that failed has an outcome, also while it will be tried again.
  const { batch_id: failed } = await tenant.must('POST', '/ingest/orders', { orders: [{ external_id: 'live-failed' }] });
  await app.settled();
  expect(await tenant.must('GET', `/ingest/batches/${failed}`)).toMatchObject({ settled: true, counts: { failed: 1 } });
  const unlucky = await follow('subscription ($id: ID) { importSettled(batchId: $id) { id settled } }', { id: failed });
  await unlucky.ended;
  expect(unlucky.got).toEqual([{ data: { importSettled: { id: failed, settled: true } } }]);
  const order = await makeOrder(tenant);
  await tenant.must('PUT', tenant.path(`/orders/${order.id}/accept`));
  const [job] = await tenant.must('GET', tenant.path(`/orders/${order.id}/jobs`));
  const { data } = await tenant.gql('mutation ($ids: [ID!]!) { bulkAcceptJobs(jobIds: $ids) { id } }', { ids: [job.id] });
  const bulk = await follow('subscription ($id: ID!) { bulkActionProgressed(id: $id) { id finishedAt } }', { id: data.bulkAcceptJobs.id });
  await app.settled();
  await bulk.ended;
  expect(bulk.got.at(-1).data.bulkActionProgressed).toEqual({ id: data.bulkAcceptJobs.id, finishedAt: expect.any(String) });
});

test('every driver who reported is announced, also late and next to others, and only those who were asked for', async () => {
  const [early, late, other] = [0, 1, 2].map(() => tenant.person({ roles: ['driver'] }));
  const ids = [(await early!).id, (await late!).id, (await other!).id];
  const ping = (id: string, at: string) => sql(`update app_user set last_ping_at = ${at} where id = ?`, [id]);
  await ping(ids[0]!, `now() + interval '1 hour'`);
  const query = 'subscription ($ids: [ID!]) { driverMoved(driverIds: $ids) { id } }';
  const two = await follow(query, { ids: ids.slice(0, 2) });
  let minute = 0;
  const seen = () => new Set(two.got.map(({ data }) => data?.driverMoved.id));
  // The second one reports a time long before that of the first: telephones send late what they kept.
  await until(async () => {
    await ping(ids[1]!, `now() - interval '1 day' + ${minute++} * interval '1 minute'`);
    await ping(ids[2]!, 'clock_timestamp()');
    return seen().has(ids[1]!);
  });
  await until(async () => {
    await ping(ids[0]!, `now() + ${60 - minute++} * interval '1 minute'`);
    return seen().has(ids[0]!);
  });
  expect(seen()).toEqual(new Set(ids.slice(0, 2)));
  const stranger = await makeTenant(app);
  const wrong = await follow(query, { ids: [ids[0], 'nobody', stranger.driver.id] });
  await wrong.ended;
  const problems = ({ got }: Following) =>
    got.map(({ errors }) => errors[0].extensions.errors.map(({ field, message }: Json) => [field, message]));
  expect(problems(wrong)).toEqual([[['driverIds.1', 'is not a UUID']]]);
  const foreign = await follow(query, { ids: [ids[0], stranger.driver.id] });
  await foreign.ended;
  expect(problems(foreign)).toEqual([[['driverIds.1', 'must exist']]]);
});

test('who follows the id of a merged driver follows the one who stays, also if they are merged meanwhile', async () => {
  const [kept, former, third] = [
    await tenant.person({ roles: ['driver'] }),
    await tenant.person({ roles: ['driver'] }),
    await tenant.person({ roles: ['driver'] }),
  ];
  const merge = (stays: string, other: string) => tenant.admin.must('PUT', `/v1/users/${stays}/merge`, { other_ids: [other] });
  await merge(kept.id, former.id);
  const report = (id: string) => sql('update app_user set last_ping_at = clock_timestamp() where id = ?', [id]);
  // Other processes of an installation know of the first merge of a company within two seconds, and so does a socket.
  const query = 'subscription ($ids: [ID!]) { driverMoved(driverIds: $ids) { id } }';
  const moving = await follow(query, { ids: [former.id, third.id] });
  await untilSaid(moving, () => report(kept.id));
  expect(moving.got[0].data.driverMoved).toEqual({ id: kept.id });
  await merge(kept.id, third.id);
  const count = moving.got.length;
  await untilSaid(moving, () => report(kept.id), count + 1);
  expect(new Set(moving.got.map(({ data }) => data.driverMoved.id))).toEqual(new Set([kept.id]));
  const changes = await follow('subscription ($ids: [ID!]) { recordChanged(types: [User], ids: $ids) { id } }', { ids: [former.id] });
  await untilSaid(changes, (time) => tenant.admin.must('PATCH', `/v1/users/${kept.id}`, { first_name: `Dan ${time}` }));
  expect(changes.got[0].data.recordChanged).toEqual({ id: kept.id });
});

test('who follows all drivers is informed of a merged one by no other id', async () => {
  // Of some of them a report of a test before may still be on its way.
  const others = new Set((await sql('select id from app_user', [])).map(({ id }: Json) => id));
  const [kept, former] = [await tenant.person({ roles: ['driver'] }), await tenant.person({ roles: ['driver'] })];
  const report = (id: string) => sql('update app_user set last_ping_at = clock_timestamp() where id = ?', [id]);
  const all = await follow('subscription { driverMoved { id } }');
  await untilSaid(all, () => report(former.id));
  await tenant.admin.must('PUT', `/v1/users/${kept.id}/merge`, { other_ids: [former.id] });
  const ids = () => all.got.map(({ data }) => data.driverMoved?.id);
  // Who reported last comes last.
  await until(async () => {
    await report(kept.id);
    return ids().includes(kept.id);
  });
  expect(new Set(ids().filter((id) => !others.has(id)))).toEqual(new Set([former.id, kept.id]));
});

test('many changes at once are answered one by one, and read together', async () => {
  const many = await follow('subscription { recordChanged(types: [Material]) { event record { ... on Material { name } } } }');
  await untilSaid(many, (time) => tenant.must('POST', '/v1/materials', { name: `First ${time}` }));
  const names = () => many.got.map(({ data }) => data.recordChanged.record.name).filter((name: string) => name.startsWith('Many'));
  const { statements } = await app.countStatements(async () => {
    await sql(
      `insert into material (id, company_id, name, created_at, updated_at)
       select gen_random_uuid(), ?, 'Many ' || lpad(n::text, 3, '0'), now(), now() from generate_series(1, 130) n`,
      [tenant.company.id],
    );
    await until(() => names().length >= 130);
  });
  expect(new Set(names()).size).toBe(130);
  // Not one for each.
  expect(statements.filter((text) => text.includes('"material"') || text.includes('from material')).length).toBeLessThan(20);
});

test('a board is sent at most once a second, with everything that changed meanwhile', async () => {
  const board = await follow('subscription { dayBoardChanged(date: "2026-11-23") { orders { id notes } } }');
  await until(() => board.got.length > 0);
  const order = await makeOrder(tenant, { notes: 'before' });
  const times: number[] = [];
  let notes = 0;
  for (const end = Date.now() + 3_500; Date.now() < end; ) {
    await sql('update orders set notes = ? where id = ?', [`note ${++notes}`, order.id]);
    if (board.got.length > times.length) times.push(Date.now());
    await new Promise((next) => setTimeout(next, 20));
  }
  const { length } = board.got;
  expect([notes > 20, length >= 2, length <= 5]).toEqual([true, true, true]);
  const last = () => board.got.at(-1).data.dayBoardChanged.orders.find(({ id }: Json) => id === order.id)?.notes;
  await until(() => last() === `note ${notes}`);
});

test('a subscription ends when the rights of its subscriber change, and when their session ends', async () => {
  const watcher = await tenant.person({ roles: ['dispatcher'] });
  const query = 'subscription { recordChanged(types: [Order]) { id } }';
  const order = await makeOrder(tenant);
  const note = (time: number) => tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { notes: `note ${time}` });
  const changed = await follow(query, {}, watcher.token);
  await untilSaid(changed, note);
  // Positions are in no feed.
  const moving = await follow('subscription { driverMoved { id } }', {}, watcher.token);
  await untilSaid(moving, (time) =>
    sql(`update app_user set last_ping_at = now() + ? * interval '1 minute' where id = ?`, [time, tenant.driver.id]),
  );
  await sql(`update app_user set roles = '{biller}' where id = ?`, [watcher.id]);
  for (const { ended, got } of [changed, moving]) {
    await ended;
    expect(got.at(-1).errors[0].extensions).toMatchObject({ code: 'gone', begin: tenant.path('/changes/snapshot') });
  }
  const ended = await follow(query, {}, watcher.token);
  await untilSaid(ended, note);
  await sql('update user_session set revoked_at = now() where user_id = ?', [watcher.id]);
  await ended.ended;
  expect(ended.got.at(-1).errors[0].extensions).toMatchObject({ code: 'unauthorized' });
  const refused = await follow(query, {}, 'nobody');
  await refused.ended;
  expect(refused.got).toEqual([{ error: expect.anything() }]);
});

test('the token of a socket may be named in any case, as the header may', async () => {
  for (const name of ['Authorization', 'AUTHORIZATION']) {
    const board = await follow('subscription { dayBoardChanged { date } }', {}, tenant.token, name);
    await until(() => board.got.length > 0);
    expect(board.got[0]).toEqual({ data: { dayBoardChanged: { date: expect.any(String) } } });
    board.stop();
  }
});

test('an error of one field of an answer names the field, and leaves the others', async () => {
  const query = `subscription { recordChanged(types: [Order]) { event record { id ... on Order { all: jobs(first: 1000) { nodes { id } } } } } }`;
  const orders = await follow(query);
  await untilSaid(orders, () => makeOrder(tenant));
  const [{ data, errors }] = orders.got;
  expect(data.recordChanged).toEqual({ event: 'create', record: null });
  expect(errors).toEqual([
    {
      message: expect.stringContaining('first'),
      path: ['recordChanged', 'record'],
      locations: [expect.objectContaining({ line: 1 })],
      extensions: expect.objectContaining({ code: 'unprocessable_content' }),
    },
  ]);
});

test('defaults of variables are those of queries', async () => {
  const { id } = await makeOrder(tenant, { truck_count: 3 });
  const query = `subscription ($ids: [ID!]! = "${id}", $types: [RecordType!]! = Order, $sort: JobSort = { priority: desc, jobStartAt: asc }) {
    recordChanged(types: $types, ids: $ids) { id record { ... on Order { jobs(sort: $sort) { nodes { id } } } } } }`;
  const jobs = await tenant.must('GET', tenant.path(`/orders/${id}/jobs`));
  const last = jobs
    .map((job: Json) => job.id)
    .sort()
    .at(-1);
  await sql(`update job set priority = 9, job_start_at = job_start_at + interval '1 hour' where id = ?`, [last]);
  const followed = await follow(query);
  await untilSaid(followed, (time) => tenant.must('PATCH', tenant.path(`/orders/${id}`), { notes: `sorted ${time}` }));
  expect(followed.got[0].data.recordChanged.record.jobs.nodes[0]).toEqual({ id: last });
});

test('a state that no record of the types is ever in is refused, where it would be waited for in vain', async () => {
  const refused = async (asked: string) => {
    const { got, ended } = await follow(`subscription { recordChanged(${asked}) { id } }`);
    await ended;
    return got[0].errors[0].extensions.errors;
  };
  const problem = (at: number, message: unknown) => ({ model: 'Change', field: `filter.states.${at}`, message });
  expect(await refused('types: [Order], filter: { states: ["accepted", "Accepted", "to_pickup"] }')).toEqual([
    problem(1, expect.stringContaining('accepted, ')),
    problem(2, expect.stringContaining('accepted, ')),
  ]);
  expect(await refused('types: [User, Account], filter: { states: ["active"] }')).toEqual([
    problem(0, 'is never met: records of these types have no state'),
  ]);
});
