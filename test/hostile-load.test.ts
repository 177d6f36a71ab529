import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from './helpers/tenant.ts';

/** Jobs of the company that attacks. */
const JOBS = 20_000;

let app: TestApp;
let tenant: Tenant;
let neighbour: Tenant;
beforeAll(async () => {
  // As it is configured unless the operator says otherwise (config.ts), but for statements that end sooner.
  app = await startTestApp({ requestsAtOnce: 4, statementMs: 2_000 });
  tenant = await makeTenant(app);
  neighbour = await makeTenant(app);
  await makeOrder(neighbour, { truck_count: 3 });
  const order = await makeOrder(tenant, { truck_count: 1, driver_id: tenant.driver.id, material_id: tenant.material.id });
  await app.orm.em.fork().execute(
    `insert into job select (jsonb_populate_record(j, jsonb_build_object('id', gen_random_uuid(), 'number', j.number + n, 'job_id', 'J-' || n))).*
     from job j cross join generate_series(1, ?) n where j.order_id = ?`,
    [JOBS, order.id],
  );
  await app.orm.em.fork().execute('analyze job');
}, 120_000);
afterAll(() => app.close());

/** The document of an attacker: it cost 48.8 s of PostgreSQL at 20,000 jobs, in 8,096 bytes. */
const ALIASES = (count: number, field: string) => {
  const given = field.includes('$s') ? '($s: SearchInput)' : '';
  return `query${given} { ${Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')} }`;
};
/** The same and one more, in fragments. */
const FRAGMENTS = (count: number, field: string) =>
  `{ ...F } fragment F on Query { ...G ${ALIASES(count, field).slice('query { '.length)} fragment G on Query { b: ${field} }`;
const COUNTED = 'jobs(search: $s) { count { value } }';
const WORDS = { s: { datagrid: 'b b b b b b b zz' } };
/** Below records that all name the same one, whose children are looked at for each of them; 57 bytes were 1.8 s of PostgreSQL. */
const BELOW_ONE = (lists: readonly string[]) =>
  `{ jobs(first: 100) { nodes { order { ${lists.map((list, i) => `a${i}: ${list}`).join(' ')} } } } }`;
/** The same children, looked at in other ways. */
const SEARCHED_BELOW = (count: number) => Array.from({ length: count }, (_, i) => `jobs(search: "b b b b b zz${i}") { count { value } }`);
/** The most of it that one document may ask for. */
const MOST = 12;

/** Milliseconds that each of the neighbour's calls took while `attack` ran, and a few more; sorted. */
async function neighboursWait(attack: Promise<unknown>, token = neighbour.token): Promise<number[]> {
  let attacking = true;
  void attack.finally(() => {
    attacking = false;
  });
  const times: number[] = [];
  while (attacking || times.length < 100) {
    const start = performance.now();
    expect((await neighbour.http('GET', '/v1/jobs?page[limit]=1', undefined, token)).status).toBe(200);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

const p95 = (times: readonly number[]) => times[Math.floor(times.length * 0.95)]!;

/** The least p95 of up to four attacks: what else the machine does makes some of them slower, what the product does makes all. */
async function leastWait<T>(attack: () => Promise<T[]>, token?: string): Promise<{ wait: number; answers: T[] }> {
  const waits: number[] = [];
  const answers: T[] = [];
  while (waits.length === 0 || (waits.length < 4 && Math.min(...waits) >= 300)) {
    const attacking = attack();
    waits.push(p95(await neighboursWait(attacking, token)));
    answers.push(...(await attacking));
  }
  return { wait: Math.min(...waits), answers };
}

/** Statements of the product that PostgreSQL is working on, but for this question. */
async function running(): Promise<{ query: string }[]> {
  return app.orm.em
    .fork()
    .execute<{ query: string }[]>(
      `select query from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`,
    );
}

test('the document that blocked everybody is refused, and a neighbour does not notice it', async () => {
  const ask = () => app.graphql(ALIASES(180, COUNTED), WORDS, { token: tenant.token });
  const { wait, answers } = await leastWait(() => Promise.all(Array.from({ length: 20 }, ask)));
  for (const { status, body } of answers)
    expect([status, body.errors[0].extensions]).toMatchObject([400, { code: 'bad_request', measure: 'cost' }]);
  expect(wait).toBeLessThan(300);
});

test('the most expensive allowed document, sent continuously, leaves the neighbour its connections', async () => {
  const used: number[] = [];
  const look = setInterval(() => void running().then((rows) => used.push(rows.filter(({ query }) => query.includes('ilike')).length)), 20);
  const ask = () => app.graphql(ALIASES(MOST, COUNTED), WORDS, { token: tenant.token });
  const { wait, answers } = await leastWait(() => Promise.all(Array.from({ length: 12 }, ask)));
  clearInterval(look);
  for (const { status, body } of answers) expect([status, body.errors, body.data.a0]).toEqual([200, undefined, { count: { value: 0 } }]);
  // Four requests of two connections each.
  expect(Math.max(...used)).toBeGreaterThan(0);
  expect(Math.max(...used)).toBeLessThanOrEqual(8);
  expect(wait).toBeLessThan(300);
}, 120_000);

test('people of one company, each at their limit, leave the neighbour connections, too', async () => {
  const people = await Promise.all(Array.from({ length: 3 }, () => tenant.person({ roles: ['dispatcher'] })));
  const used: number[] = [];
  const look = setInterval(() => void running().then((rows) => used.push(rows.filter(({ query }) => query.includes('ilike')).length)), 20);
  const ask = (token: string) => app.graphql(ALIASES(MOST, COUNTED), WORDS, { token });
  const { wait, answers } = await leastWait(() => Promise.all(people.flatMap(({ token }) => Array.from({ length: 4 }, () => ask(token)))));
  clearInterval(look);
  for (const { status, body } of answers) expect([status, body.errors, body.data.a0]).toEqual([200, undefined, { count: { value: 0 } }]);
  // Two of the pool's ten are left.
  expect(Math.max(...used)).toBeLessThanOrEqual(8);
  expect(wait).toBeLessThan(300);
}, 120_000);

test('they do not block their colleagues either', async () => {
  const people = await Promise.all(Array.from({ length: 3 }, () => tenant.person({ roles: ['dispatcher'] })));
  const colleague = await tenant.person({ roles: ['dispatcher'] });
  const ask = (token: string) => app.graphql(ALIASES(MOST, COUNTED), WORDS, { token });
  const { wait } = await leastWait(
    () => Promise.all(people.flatMap(({ token }) => Array.from({ length: 4 }, () => ask(token)))),
    colleague.token,
  );
  expect(wait).toBeLessThan(300);
}, 120_000);

test.each([
  ['lists', 20, ALIASES(21, 'jobs { nodes { id } }')],
  ['lists', 20, FRAGMENTS(20, 'jobs { nodes { id } }')],
  ['lists', 20, FRAGMENTS(20, 'myAccess { name }')],
  ['cost', 250_000, ALIASES(MOST + 1, COUNTED)],
  [
    'cost',
    250_000,
    `{ order(id: "00000000-0000-4000-8000-000000000000") { ${SEARCHED_BELOW(21)
      .map((list, i) => `a${i}: ${list}`)
      .join(' ')} } }`,
  ],
  ['cost', 250_000, BELOW_ONE(SEARCHED_BELOW(1))],
  ['cost', 250_000, BELOW_ONE(['createdAt', 'jobStartAt', 'priority'].map((key) => `jobs(sort: { ${key}: asc }) { nodes { id } }`))],
  [
    'cost',
    250_000,
    `{ orders(first: 5) { nodes { project { orders(search: "b") { count { value } nodes { project { orders { count { value } } } } } } } } }`,
  ],
  ['records', 60, ALIASES(61, 'job(id: "00000000-0000-4000-8000-000000000000") { id }')],
])('a document is refused for its %s beyond %i', async (measure, most, query) => {
  const { status, body } = await app.graphql(query, query.includes('$s') ? WORDS : {}, { token: tenant.token });
  expect([status, body.errors[0].extensions]).toMatchObject([400, { measure, most }]);
});

test('lists of children that are loaded by their parents are allowed', async () => {
  for (const query of [
    '{ orders(first: 100) { nodes { jobs(first: 1) { count { value } nodes { id } } } } }',
    '{ orders(first: 25) { nodes { id jobs(first: 25) { count { value } nodes { id loads(first: 25) { nodes { id } } } } } } }',
    '{ jobs(first: 50) { nodes { order { jobs(first: 5) { nodes { id } } } } } }',
    '{ projects(first: 100) { edges { node { orders(first: 1, search: "b") { count { value } } } } } }',
  ])
    expect([query, (await app.graphql(query, {}, { token: neighbour.token })).body.errors]).toEqual([query, undefined]);
});

test('a driver who is planned twenty thousand times in one hour blocks nobody who reads conflicts', async () => {
  const { body } = await app.graphql('{ jobs(first: 100) { nodes { conflicts { code } } } }', {}, { token: tenant.token });
  expect(body.errors).toBeUndefined();
  const counts = body.data.jobs.nodes.map(
    ({ conflicts }: { conflicts: { code: string }[] }) => conflicts.filter(({ code }) => code === 'driver_double_booked').length,
  );
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(Math.max(...counts)).toBeLessThanOrEqual(100);
});

test('words are at most a hundred letters long and ten in number', async () => {
  const search = (words: string) => tenant.http('GET', `/v1/jobs?search[datagrid]=${encodeURIComponent(words)}`);
  const long = 'x'.repeat(101);
  const refused = await search(`${long} ${'y '.repeat(11)}`);
  expect([refused.status, refused.body.error.errors]).toEqual([
    422,
    [
      { model: 'Job', field: 'search[datagrid]', message: 'has more than 10 words' },
      { model: 'Job', field: 'search[datagrid]', message: 'has a word of more than 100 letters' },
    ],
  ]);
  for (const path of [
    `/v1/orders?search[job][datagrid]=${long}`,
    `/v1/projects/typeahead?search[query]=${long}`,
    `/v1/sites/dispatch?search[job][datagrid]=${long}`,
    `/v1/material_rates/typeahead?search[site][query]=${long}`,
  ])
    expect([path, (await tenant.http('GET', path)).status]).toEqual([path, 422]);
  expect((await search(`${'ä'.repeat(100)} ${'y '.repeat(9)}`)).status).toBe(200);
});

test('a search for fifty thousand letters is refused before it reaches PostgreSQL', async () => {
  const { value, statements } = await app.countStatements(() =>
    app.graphql(
      'query($s: SearchInput) { jobs(search: $s) { count { value } } }',
      { s: { datagrid: 'x'.repeat(50_000) } },
      { token: tenant.token },
    ),
  );
  expect([value.body.errors[0].extensions.code, statements]).toEqual(['unprocessable_content', []]);
});
