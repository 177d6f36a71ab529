import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type Answer, startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const QUERY = 'subscription { recordChanged(types: [Order]) { id record { ... on Order { notes material { name } } } } }';

let app: TestApp;
let tenant: Tenant;
const clients: Client[] = [];
/** Closes the streams of a test. */
const leaving: (() => void)[] = [];
afterEach(() => {
  for (const leave of leaving.splice(0)) leave();
});
beforeAll(async () => {
  app = await startTestApp({
    shared: true,
    streams: { perCaller: 2, perCompany: 4, perAddress: 8 },
    limits: { perCaller: 60, perAddress: 10_000 },
    requestsAtOnce: 1,
    statementMs: 3_000,
  });
  tenant = await makeTenant(app);
});
afterAll(async () => {
  for (const client of clients) await client.dispose();
  await app.close();
});

const sql = (text: string, values: unknown[] = []) => app.orm.em.fork().getConnection().execute<Json[]>(text, values);

interface Socket {
  got: Json[];
  ended: Promise<{ code?: number; reason?: string }>;
  close(): Promise<unknown>;
}

/** Opens a socket with a subscription. */
function follow(token: string, query = QUERY): Socket {
  const url = `${app.url.replace('http', 'ws')}/graphql`;
  const { promise: ended, resolve } = Promise.withResolvers<{ code?: number; reason?: string }>();
  const client = createClient({ url, webSocketImpl: WebSocket, connectionParams: { authorization: `Bearer ${token}` }, retryAttempts: 0 });
  clients.push(client);
  leaving.push(() => client.dispose());
  const got: Json[] = [];
  client.subscribe(
    { query },
    { next: (value) => void got.push(value), error: (error) => resolve(error as Json), complete: () => resolve({}) },
  );
  return { got, ended, close: async () => client.dispose() };
}

/** Opens a stream of server-sent events, and returns its head. */
async function stream(
  path: string,
  token: string,
  body?: object,
): Promise<{ status: number; retry: string | null; close(): void; text: Promise<string> }> {
  const left = new AbortController();
  leaving.push(() => left.abort());
  const answer = await fetch(app.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { Accept: 'text/event-stream', Authorization: `Bearer ${token}`, ...(body ? { 'Content-Type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
    signal: left.signal,
  });
  const text = answer.text();
  text.catch(() => undefined);
  return { status: answer.status, retry: answer.headers.get('retry-after'), close: () => left.abort(), text };
}

test('sockets and streams are counted by caller, company and address, and further ones are refused in a way that says so', async () => {
  const [one, two, three] = [
    await tenant.person({ roles: ['dispatcher'] }),
    await tenant.person({ roles: ['dispatcher'] }),
    await tenant.person({ roles: ['dispatcher'] }),
  ];
  const order = await makeOrder(tenant);
  const first = follow(one.token);
  const second = await stream(tenant.path('/changes'), one.token);
  await until(async () => {
    await sql('update orders set notes = clock_timestamp()::text where id = ?', [order.id]);
    return first.got.length > 0;
  });
  const refused = await follow(one.token).ended;
  expect(refused).toMatchObject({ code: 1013, reason: expect.stringContaining('Too many connections') });
  const streamed = await stream('/graphql/stream', one.token, { query: QUERY });
  expect([streamed.status, streamed.retry]).toEqual([429, '5']);
  expect(JSON.parse(await streamed.text).errors[0].extensions.code).toBe('too_many_requests');
  expect(await stream(tenant.path('/changes'), one.token)).toMatchObject({ status: 429, retry: '5' });
  // A closed stream is counted no longer.
  second.close();
  await until(async () => (await stream('/graphql/stream', one.token, { query: QUERY })).status === 200);
  const others = [await stream(tenant.path('/changes'), two.token), await stream(tenant.path('/changes'), two.token)];
  expect(others.map(({ status }) => status)).toEqual([200, 200]);
  // The company has four.
  expect((await stream(tenant.path('/changes'), three.token)).status).toBe(429);
  const elsewhere = await makeTenant(app);
  for (let i = 0; i < 2; i++) expect((await stream(elsewhere.path('/changes'), elsewhere.token)).status).toBe(200);
  const guests = [0, 1].map(() => new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws'));
  for (const guest of guests) await new Promise((open) => guest.once('open', open));
  // The address has eight, whoever they are.
  const late = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const status = await new Promise((resolve) =>
    late.once('unexpected-response', (_, { statusCode, headers }) => resolve([statusCode, headers['retry-after']])),
  );
  expect(status).toEqual([429, '5']);
  for (const guest of guests) guest.terminate();
  for (const other of others) other.close();
  await first.close();
});

test('another process counts what this one has open, and no more once it is closed', async () => {
  const other = await startTestApp({
    server: { url: app.orm.config.get('clientUrl')!, readUrls: [], mostLag: 1_000 },
    streams: { perCaller: 2, perCompany: 40, perAddress: 80 },
  });
  const person = await tenant.person({ roles: ['dispatcher'] });
  const noted = () => sql('select open from open_stream where holder like ?', [`%${person.user.id}`]);
  try {
    const there = async () => {
      const left = new AbortController();
      leaving.push(() => left.abort());
      const answer = await fetch(other.url + tenant.path('/changes'), {
        headers: { Accept: 'text/event-stream', Authorization: `Bearer ${person.token}` },
        signal: left.signal,
      });
      answer.text().catch(() => undefined);
      return { status: answer.status, close: () => left.abort() };
    };
    const first = await stream(tenant.path('/changes'), person.token);
    const second = await there();
    expect([first.status, second.status]).toEqual([200, 200]);
    await until(async () => (await noted()).length === 2);
    // Each knows within a second what the other one has.
    await until(async () => {
      const third = await there();
      third.close();
      return third.status === 429;
    });
    await until(async () => {
      const third = await stream(tenant.path('/changes'), person.token);
      third.close();
      return third.status === 429;
    });
    first.close();
    await until(async () => {
      const third = await there();
      if (third.status !== 200) third.close();
      return third.status === 200;
    });
    second.close();
    await until(async () => (await noted()).length === 1);
    // A process that died renews nothing. What it had counts for as long as a process may take to say that it lives.
    await sql(
      `insert into open_stream (holder, process, open, seen_at)
       select holder, gen_random_uuid(), 1, now() + interval '1 hour' from open_stream where holder like ?`,
      [`%${person.user.id}`],
    );
    await until(async () => {
      // Not because of those that are still closing: one that was let in before this was known is tried again.
      const isSettled = (await noted()).every(({ open }) => open === 1);
      const third = await there();
      third.close();
      return isSettled && third.status === 429;
    });
    await sql(`update open_stream set seen_at = now() - interval '2 minutes' where seen_at > now() + interval '1 minute'`);
    await until(async () => (await there()).status === 200);
    await until(async () => (await noted()).length === 1);
  } finally {
    await other.close();
  }
  // A process that stops takes back what it has noted.
  await until(async () => (await noted()).length === 0);
});

/** Holds a table back from everybody, as a migration does, until the end of the test. */
async function lock(table: string): Promise<void> {
  const em = app.orm.em.fork();
  await em.begin();
  await em.execute(`lock table ${table} in access exclusive mode`);
  leaving.push(() => void em.rollback());
}

const waiting = async (): Promise<number> =>
  (
    await sql(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query not like '%pg_stat_activity%'`,
    )
  ).length;

test('what is read for a subscriber takes a turn of the caller, and ends when it takes longer than a statement may', async () => {
  const reader = await tenant.person({ roles: ['dispatcher'] });
  const other = await tenant.person({ roles: ['dispatcher'] });
  const order = await makeOrder(tenant);
  const note = () => sql('update orders set notes = clock_timestamp()::text where id = ?', [order.id]);
  const socket = follow(reader.token);
  await until(async () => {
    await note();
    return socket.got.length > 0;
  });
  const changes = await stream(tenant.path('/changes?types=Order'), reader.token);
  // Answers to earlier notes may still be on their way.
  const refused = () => socket.got.filter(({ errors }) => errors !== undefined);
  await lock('material');
  await note();
  // Both read the order with its material: one of them has the only turn of the caller.
  await until(async () => (await waiting()) === 1);
  let answered: Answer | undefined;
  const mine = app.http('GET', '/v1/users/me', { token: reader.token }).then((answer) => {
    answered = answer;
  });
  for (let i = 0; i < 3; i++) expect((await app.http('GET', '/v1/users/me', { token: other.token })).status).toBe(200);
  expect([answered, await waiting()]).toEqual([undefined, 1]);
  // Three seconds each.
  await until(() => refused().length > 0);
  expect(refused()[0]!.errors[0].extensions.code).toBe('service_unavailable');
  // The stream does not end as if it were complete.
  await expect(changes.text).rejects.toThrow();
  await mine;
  expect(answered!.status).toBe(200);
});

test('who waits for changes in GraphQL keeps no other request of theirs waiting, and is answered with the rights that they have then', async () => {
  const reader = await tenant.person({ roles: ['dispatcher'] });
  const order = await makeOrder(tenant);
  const query = 'query ($after: String) { changes(after: $after, types: [Order], wait: 30) { position nodes { record { id } } } }';
  const end = async () => (await tenant.gql('{ changes { position } }', {}, reader.token)).data.changes.position;
  let answer: Json;
  const wait = (after: string): Promise<void> => {
    answer = undefined;
    return tenant.gql(query, { after }, reader.token).then((got: Json) => {
      answer = got;
    });
  };
  const waiting = wait(await end());
  expect(answer).toBeUndefined();
  // The caller has one turn.
  expect((await app.http('GET', '/v1/users/me', { token: reader.token })).status).toBe(200);
  expect(answer).toBeUndefined();
  const note = () => sql('update orders set notes = clock_timestamp()::text where id = ?', [order.id]);
  await note();
  await waiting;
  expect(answer.data.changes.nodes).toEqual([{ record: { id: order.id } }]);
  const after = await end();
  // The first read of a request is with the rights of its beginning: it is made before they change.
  let late: Promise<void> | undefined;
  let hasRead = false;
  const heard = ({ sql: text }: { sql: string }) => {
    hasRead ||= text.includes('from change_entry where company_id');
    return false;
  };
  await app.overhear(async () => {
    late = wait(after);
    await until(() => hasRead);
  }, heard);
  // Nothing is answered before both have happened.
  const moving = app.orm.em.fork();
  await moving.begin();
  await moving.execute('select pg_advisory_xact_lock(7320447561)');
  const scope = { resource_id: tenant.pickup.id, resource_type: 'Site' };
  await tenant.must('POST', `/v1/users/${reader.id}/resource_scopes`, scope, await tenant.administrator());
  await note();
  await moving.rollback();
  await late;
  expect(answer.errors[0].extensions.code).toBe('gone');
});

test('answers to a subscriber are counted as their requests', async () => {
  const reader = await tenant.person({ roles: ['dispatcher'] });
  const order = await makeOrder(tenant);
  const minute = () => Math.floor(Date.now() / 60_000);
  // The count begins anew with each minute: who is refused at the end of one is not in the next.
  for (let again = true; again; ) {
    const [socket, begun] = [follow(reader.token), minute()];
    let over = false;
    void socket.ended.then(() => (over = true));
    await until(async () => {
      await sql('update orders set notes = clock_timestamp()::text where id = ?', [order.id]);
      return over;
    });
    const ended = minute();
    const last = socket.got.at(-1);
    const isAllowed = socket.got.length <= 60 * (1 + ended - begun) + 1;
    expect([isAllowed, last.errors[0].extensions.code]).toEqual([true, 'too_many_requests']);
    let refused: unknown;
    void follow(reader.token).ended.then((reason) => (refused = reason));
    await until(() => refused !== undefined || minute() > ended);
    const { status } = await stream('/graphql/stream', reader.token, { query: QUERY });
    again = minute() > ended;
    if (!again) expect([refused, status]).toEqual([expect.objectContaining({ code: 1013 }), 429]);
  }
});
