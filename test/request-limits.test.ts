import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from './helpers/tenant.ts';
import { countWaiting, until, untilWaiting } from './helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
let neighbour: Tenant;
beforeAll(async () => {
  // As it is configured unless the operator says otherwise (config.ts), but for statements, which have no limit of time.
  app = await startTestApp({ requestsAtOnce: 4 });
  tenant = await makeTenant(app);
  neighbour = await makeTenant(app);
});
afterAll(() => app.close());

const TEN_LISTS = `{ ${Array.from({ length: 10 }, (_, i) => `a${i}: orders { nodes { id } }`).join(' ')} }`;

test('the statements of a client end when it disconnects', async () => {
  const gone = new AbortController();
  await locked(async () => {
    const asked = fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${tenant.token}` },
      body: JSON.stringify({ query: TEN_LISTS }),
      signal: gone.signal,
    }).catch(() => 'left');
    await untilWaiting(app);
    gone.abort();
    expect(await asked).toBe('left');
    await until(async () => (await countWaiting(app)) === 0);
  });
});

test('a statement beyond its time limit is ended, and answered with 503', async () => {
  const limited = await startTestApp({ statementMs: 1_000 });
  const here = await makeTenant(limited);
  await locked(async () => {
    const rest = await here.http('GET', '/v1/orders');
    expect([rest.status, rest.headers.get('retry-after'), rest.body]).toEqual([503, '1', { error: { code: 'service_unavailable' } }]);
    const body = await here.gql('{ orders { nodes { id } } company { id } }');
    expect(body.errors[0].extensions.code).toBe('service_unavailable');
  }, limited);
  expect((await here.http('GET', '/v1/orders')).status).toBe(200);
  await limited.close();
});

test('the statements of a request end when its time is over, and the log says so once', async () => {
  const lines: string[] = [];
  const hurried = await startTestApp({ timeout: 500, logTo: { write: (line) => void lines.push(line) } });
  const { token } = await makeTenant(hurried);
  await locked(async () => {
    const { status, body } = await hurried.http('GET', '/v1/orders', { token });
    expect([status, body]).toEqual([503, { error: { code: 'service_unavailable' } }]);
    await until(async () => (await countWaiting(hurried)) === 0);
    await hurried.http('POST', '/graphql', { token, body: { query: TEN_LISTS } });
    await until(async () => (await countWaiting(hurried)) === 0);
  }, hurried);
  await hurried.close();
  expect(failuresIn(lines)).toEqual([
    ['/v1/orders', 'request took longer than it may'],
    ['/graphql', 'request took longer than it may'],
  ]);
});

test('a request of which many fields fail because something is not available is one line of the log', async () => {
  const lines: string[] = [];
  const limited = await startTestApp({ statementMs: 500, logTo: { write: (line) => void lines.push(line) } });
  const here = await makeTenant(limited);
  for (const _again of [1, 2])
    await locked(async () => {
      const { errors } = await here.gql(TEN_LISTS);
      expect(errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual(
        Array(10).fill('service_unavailable'),
      );
    }, limited);
  await limited.close();
  expect(failuresIn(lines)).toEqual(Array(2).fill(['/graphql', 'request failed']));
});

/** The lines of failed requests in a log. */
const failuresIn = (lines: readonly string[]): string[][] =>
  lines.map((line) => JSON.parse(line)).flatMap(({ level, path, msg }) => (level === 50 ? [[path, msg]] : []));

test('a command goes on when its client disconnects, and is finished', async () => {
  const order = await makeOrder(tenant, {});
  const gone = new AbortController();
  let asked: Promise<unknown> | undefined;
  await locked(async () => {
    asked = fetch(`${app.url}/v1/orders/${order.id}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${tenant.token}` },
      body: JSON.stringify({ notes: 'kept' }),
      signal: gone.signal,
    }).catch(() => 'left');
    await untilWaiting(app);
    gone.abort();
    expect(await asked).toBe('left');
  });
  await until(async () => (await tenant.must('GET', `/v1/orders/${order.id}`)).notes === 'kept');
});

/** Sends a request and leaves when as many statements of the product wait for a lock. */
async function leaveWhenWaiting(statements: number, method: string, path: string, bodies: readonly object[]): Promise<void> {
  const gone = new AbortController();
  const asked = bodies.map((body) =>
    fetch(`${app.url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${tenant.token}` },
      body: JSON.stringify(body),
      signal: gone.signal,
    }).catch(() => 'left'),
  );
  await untilWaiting(app, statements);
  gone.abort();
  expect(await Promise.all(asked)).toEqual(bodies.map(() => 'left'));
}

test('a command that goes on without its client keeps its turn until it is finished', async () => {
  const order = await makeOrder(tenant, {});
  let later: Promise<{ status: number }> | undefined;
  await locked(async () => {
    await leaveWhenWaiting(
      4,
      'PATCH',
      `/v1/orders/${order.id}`,
      Array.from({ length: 4 }, () => ({ notes: 'kept' })),
    );
    later = tenant.http('PATCH', `/v1/orders/${order.id}`, { notes: 'later' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await countWaiting(app)).toBe(4);
  });
  // Whichever comes first, all are done with in the end.
  expect((await later!).status).toBeLessThan(500);
});

test('commands of a document that have not begun when its client disconnects do not begin', async () => {
  const orders = await Promise.all(Array.from({ length: 3 }, () => makeOrder(tenant, {})));
  const query = `mutation { ${orders.map(({ id }, i) => `a${i}: updateOrder(id: "${id}", input: { notes: "kept" }) { id }`).join(' ')} }`;
  await locked(() => leaveWhenWaiting(1, 'POST', '/graphql', [{ query }]));
  const notes = async (at: number) => (await tenant.must('GET', `/v1/orders/${orders[at]!.id}`)).notes;
  await until(async () => (await notes(0)) === 'kept');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([await notes(1), await notes(2)]).toEqual([null, null]);
});

test('requests of one caller wait for their turn, those of others do not wait for them', async () => {
  const asked = Array.from({ length: 6 }, () => () => tenant.http('GET', '/v1/orders').then(({ status }) => status));
  let statuses: Promise<number[]> | undefined;
  await locked(async () => {
    statuses = Promise.all(asked.map((ask) => ask()));
    await untilWaiting(app, 4);
    expect((await neighbour.http('GET', '/v1/sites')).status).toBe(200);
    expect(await countWaiting(app)).toBe(4);
  });
  expect(await statuses).toEqual(asked.map(() => 200));
});

test('a document under impersonation, whose reads are transactions, has two connections, too', async () => {
  const platform = await tenant.person({ roles: ['platform_admin'] });
  const { user } = await tenant.person({ roles: ['company_admin'] });
  const { session_jwt: token } = await tenant.must('POST', `/v1/users/${user.id}/impersonations`, undefined, platform.token);
  let answer: Promise<{ body: { errors?: unknown } }> | undefined;
  await locked(async () => {
    answer = app.graphql(TEN_LISTS, {}, { token });
    await untilWaiting(app, 2);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await countWaiting(app)).toBe(2);
  });
  expect((await answer!).body.errors).toBeUndefined();
});

test('an administrator who impersonates two people has the turns of one caller, and takes none of theirs', async () => {
  const platform = await tenant.person({ roles: ['platform_admin'] });
  const people = await Promise.all(Array.from({ length: 2 }, () => tenant.person({ roles: ['company_admin'] })));
  const tokens: string[] = [];
  for (const { user } of people)
    tokens.push((await tenant.must('POST', `/v1/users/${user.id}/impersonations`, undefined, platform.token)).session_jwt);
  const answers: Promise<{ status: number }>[] = [];
  await locked(async () => {
    for (const token of [...tokens, ...tokens, ...tokens]) answers.push(tenant.http('GET', '/v1/orders', undefined, token));
    await untilWaiting(app, 4);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await countWaiting(app)).toBe(4);
    expect((await tenant.http('GET', '/v1/sites', undefined, people[0]!.token)).status).toBe(200);
  });
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200));
});

/** Runs `work` while nobody can read orders. */
async function locked(work: () => Promise<void>, within = app): Promise<void> {
  await within.orm.em.fork().transactional(async (em) => {
    await em.execute('lock table orders in access exclusive mode');
    await work();
  });
}
