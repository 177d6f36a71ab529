import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient as createStreams } from 'graphql-sse';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { makeOrder, makeTenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
const clients: Client[] = [];
beforeAll(async () => {
  app = await startTestApp({ shared: true, worker: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(async () => {
  for (const client of clients) await client.dispose();
  await app.close();
});

const sql = (text: string, values: unknown[]) => app.orm.em.fork().getConnection().execute(text, values);

interface Following {
  got: Json[];
  ended: Promise<void>;
  stop(): void;
}

/** Follows a subscription over WebSocket, from the moment on in which it is followed. */
async function follow(query: string, variables: object = {}, token = tenant.token): Promise<Following> {
  const url = `${app.url.replace('http', 'ws')}/graphql`;
  const client = createClient({ url, webSocketImpl: WebSocket, connectionParams: { authorization: `Bearer ${token}` }, retryAttempts: 0 });
  clients.push(client);
  const got: Json[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const sink = {
    next: (value: Json) => void got.push(value),
    error: (error: unknown) => {
      got.push({ error });
      resolve();
    },
    complete: resolve,
  };
  const stop = client.subscribe({ query, variables: variables as Json }, sink);
  return { got, ended, stop };
}

/** Changes something again and again until the subscription has said so: nobody knows when it began to follow. */
async function untilSaid({ got }: Following, change: (time: number) => Promise<unknown>, count = 1): Promise<void> {
  let time = 0;
  await until(async () => {
    if (got.length >= count) return true;
    await change(time++);
    return got.length >= count;
  });
}

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
  await sql(`update app_user set roles = '{biller}' where id = ?`, [watcher.id]);
  await changed.ended;
  expect(changed.got.at(-1).errors[0].extensions).toMatchObject({ code: 'gone', begin: tenant.path('/changes/snapshot') });
  const ended = await follow(query, {}, watcher.token);
  await untilSaid(ended, note);
  await sql('update user_session set revoked_at = now() where user_id = ?', [watcher.id]);
  await ended.ended;
  expect(ended.got.at(-1).errors[0].extensions).toMatchObject({ code: 'unauthorized' });
  const refused = await follow(query, {}, 'nobody');
  await refused.ended;
  expect(refused.got).toEqual([{ error: expect.anything() }]);
});

test('subscriptions are answered as server-sent events, too, and nothing else is answered there', async () => {
  const streams = createStreams({
    url: `${app.url}/graphql/stream`,
    headers: { Authorization: `Bearer ${tenant.token}` },
    retryAttempts: 0,
  });
  const got: Json[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const sink = { next: (value: Json) => void got.push(value), error: resolve, complete: resolve };
  const stop = streams.subscribe({ query: 'subscription { recordChanged(types: [Material]) { type event } }' }, sink as never);
  await untilSaid({ got, ended, stop }, (time) => tenant.must('POST', '/v1/materials', { name: `Sand ${time}` }));
  expect(got[0]).toEqual({ data: { recordChanged: { type: 'Material', event: 'create' } } });
  stop();
  const query = await app.http('POST', '/graphql/stream', {
    token: tenant.token,
    body: { query: '{ __typename }' },
    headers: { Accept: 'text/event-stream' },
  });
  expect(query.body).toContain('Only subscriptions are answered here');
  const wrong = await app.graphql('subscription { recordChanged(types: [Order]) { id } }', {}, { token: tenant.token });
  expect([wrong.status >= 400 || Boolean(wrong.body.errors)]).toEqual([true]);
  streams.dispose();
});

test('what is wrong with a subscription, its variables or its caller is said with a code', async () => {
  const board = 'subscription ($date: Date) { dayBoardChanged(date: $date) { date } }';
  const types = 'subscription ($types: [RecordType!] = [Order]) { recordChanged(types: $types) { id } }';
  const ids = 'subscription ($ids: [ID!]) { recordChanged(types: [Order], ids: $ids) { id } }';
  const deep = `subscription { recordChanged(types: [Order]) { record { ... on Order { ${'jobs { nodes { order { '.repeat(8)}id${' } } }'.repeat(8)} } } } }`;
  const wrong: [string, object, string, string?][] = [
    [board, { date: '2026-02-30' }, 'bad_request', 'date'],
    ['subscription ($date: Date!) { dayBoardChanged(date: $date) { date } }', {}, 'bad_request', 'date'],
    [types, { types: null }, 'bad_request'],
    [ids, { ids: ['\0'] }, 'unprocessable_content'],
    [deep, {}, 'bad_request'],
    ['subscription { recordChanged(', {}, 'graphql_parse_failed'],
    ['subscription { recordChanged(types: [Order]) { idd } }', {}, 'graphql_validation_failed'],
    ['{ __typename }', {}, 'bad_request'],
  ];
  const stream = (token: string | undefined, query: string, variables: object) =>
    app.http('POST', '/graphql/stream', { token, body: { query, variables }, headers: { Accept: 'text/event-stream' } });
  for (const [query, variables, code, variable] of wrong) {
    const socket = await follow(query, variables);
    await socket.ended;
    const said = socket.got[0].errors ?? socket.got[0].error;
    expect([query, said.map(({ extensions }: Json) => extensions)]).toEqual([query, [expect.objectContaining({ code })]]);
    expect(said[0].extensions).toEqual(
      variable ? expect.objectContaining({ variable }) : expect.not.objectContaining({ http: expect.anything() }),
    );
    const streamed = await stream(tenant.token, query, variables);
    expect([query, streamed.body]).toEqual([query, expect.stringContaining(`"code":"${code}"`)]);
  }
  for (const token of [undefined, 'unknown']) {
    const { status, body, headers } = await stream(token, board, {});
    expect([status, body.errors[0].extensions.code, headers.get('www-authenticate')]).toEqual([
      401,
      'unauthorized',
      expect.stringContaining('Bearer realm="haulgate"'),
    ]);
  }
});

test('what is no stream and no socket of ours is answered as what it is', async () => {
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    const { status, headers } = await app.http(method, '/graphql/stream', { token: tenant.token });
    expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, POST']);
  }
  const { hostname, port } = new URL(app.url);
  const firstLine = (path: string, upgrade: string, more = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once('error', reject).once('data', (bytes) => {
        resolve(String(bytes).split('\r\n')[0]!);
        socket.destroy();
      });
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${upgrade}\r\n${more}\r\n`);
    });
  expect(await firstLine('/health', 'h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__\r\n')).toBe('HTTP/1.1 200 OK');
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  for (const path of ['/elsewhere', '/graphql/stream', '/v1/orders'])
    expect(await firstLine(path, 'websocket', key)).toBe('HTTP/1.1 404 Not Found');
  expect(await firstLine('/graphql', 'websocket', key)).toBe('HTTP/1.1 101 Switching Protocols');
});

test('nothing is read ahead for a stream whose client takes nothing, and nothing is lost when it goes on', async () => {
  const own = await makeTenant(app);
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  let [begun, many, rest] = [false, 0, ''];
  // Thirty megabytes come: none of it is kept, nor looked at again.
  socket.setEncoding('utf8').on('data', (part) => {
    const text = rest + part;
    begun ||= text.includes('"first ');
    many += text.split('"many ').length - 1;
    rest = text.slice(-'"many'.length);
  });
  const body = JSON.stringify({ query: 'subscription { recordChanged(types: [Material]) { record { ... on Material { name } } } }' });
  const head = `Host: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${own.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.write(`POST /graphql/stream HTTP/1.1\r\n${head}\r\n\r\n${body}`);
  const insert = (name: string, count: number) =>
    sql(
      `insert into material (id, company_id, name, created_at, updated_at)
       select gen_random_uuid(), ?, ? || n || repeat(md5(n::text), 300), now(), now() from generate_series(1, ${count}) n`,
      [own.company.id, name],
    );
  let tries = 0;
  await until(async () => {
    await insert(`first ${tries++} `, 1);
    return begun;
  });
  socket.pause();
  // More than the network keeps.
  const { statements } = await app.countStatements(async () => {
    await insert('many ', 3_000);
    // Time enough to read all of it.
    await new Promise((next) => setTimeout(next, 4_000));
  });
  const pages = statements.filter((one) => one.includes('from change_entry')).length;
  expect([pages > 0, pages < 30]).toEqual([true, true]);
  socket.resume();
  await until(() => many === 3_000);
  socket.destroy();
});
