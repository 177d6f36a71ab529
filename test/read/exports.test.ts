import { Agent, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { safeCell } from '../../src/platform/csv.ts';
import { type Answer, startTestApp, type TestApp } from '../helpers/app.ts';
import { least, sweepRuns } from '../helpers/properties.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { crowdedTenant, JOB_KEYS, type Json, ORDER_KEYS, query, sorts, sqlOf } from './crowded-tenant.ts';

/** More than two chunks of an export. */
const MANY = 1_203;
const EVIL = ['=HYPERLINK("http://x")', '+1+1', '@SUM(A1)', '-2+3', '\u2003=1', 'plain, "quoted"', 'two\nlines', 'é'];

let app: TestApp;
let tenant: Tenant;
let sql: ReturnType<typeof sqlOf>;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await crowdedTenant(app, 20);
  sql = sqlOf(app);
  // Many are of one moment, so that chunks begin and end among equal keys.
  await sql(
    `insert into material (id, company_id, name, created_at, updated_at)
     select gen_random_uuid(), ?, (string_to_array(?, '|'))[1 + n % ${EVIL.length}] || n, timestamptz '2026-11-01Z' + (n / 700) * interval '1 hour', now()
     from generate_series(1, ${MANY}) n`,
    [tenant.company.id, EVIL.join('|')],
  );
});
afterAll(() => app.close());

const ask = (path: string, accept: string, token = tenant.token, headers = {}) =>
  app.http('GET', path, { token, headers: { Accept: accept, ...headers } });
const linesOf = (text: string | undefined): Json[] =>
  (text ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const rowsOf = (text: string): Json[] => parse(text, { bom: true, columns: true });

/** All records of a list, by its JSON pages. */
async function pagesOf(path: string, token = tenant.token): Promise<Json[]> {
  const records: Json[] = [];
  for (let at: string | undefined = `${path}${path.includes('?') ? '&' : '?'}page[limit]=100`; at; ) {
    const { status, headers, body }: Answer = await app.http('GET', at, { token });
    expect([at, status]).toEqual([at, 200]);
    records.push(...body.data);
    at = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
  }
  return records;
}

/** Returns the cell of a value: nothing for null, text that is no formula, JSON for lists. */
const cellOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? safeCell(value) : JSON.stringify(value);
const valueAt = (record: Json, path: string): unknown => path.split('.').reduce((value, key) => value?.[key], record);
/** The leaves of a record that no column has. */
const leavesOf = (value: Json, at = ''): string[] =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.keys(value).flatMap((key) => leavesOf(value[key], at ? `${at}.${key}` : key))
    : [at];

async function sameEverywhere(path: string, token = tenant.token): Promise<Json[]> {
  const records = await pagesOf(path, token);
  expect(linesOf((await ask(path, 'application/x-ndjson', token)).body)).toEqual(records);
  const sheet = (await ask(path, 'text/csv', token)).body as string;
  const [head = []] = parse(sheet, { bom: true, to: 1 }) as string[][];
  expect(rowsOf(sheet)).toEqual(records.map((record) => Object.fromEntries(head.map((name) => [name, cellOf(valueAt(record, name))]))));
  for (const record of records.slice(0, 20))
    for (const leaf of leavesOf(record))
      expect(head.some((name) => name === leaf || name.startsWith(`${leaf}.`) || leaf.startsWith(`${name}.`))).toBe(true);
  return records;
}

test('CSV and NDJSON of a list say the same as its pages, for any filter, sort and search', async () => {
  const states = fc.subarray(['created', 'accepted', 'in_progress', 'hold'], { maxLength: 2 });
  const orders = fc
    .record({ sort: sorts(ORDER_KEYS), states, search: fc.constantFrom('', 'bridge', 'customer', 'nothing like it') })
    .map(({ sort, states, search }) => [
      '/v1/orders',
      query([
        ...sort.map(([name, way]): [string, string] => [`sort[${name}]`, way]),
        ...states.map((state): [string, string] => ['filter[states][]', state]),
        ...(search ? ([['search[datagrid]', search]] as [string, string][]) : []),
      ]),
    ]);
  const jobs = sorts(JOB_KEYS).map((sort) => ['/v1/jobs', query(sort.map(([name, way]) => [`sort[${name}]`, way]))]);
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 2, arbitrary: orders }, jobs), async ([path, search]) => {
      found += (await sameEverywhere(search ? `${path}?${search}` : path!)).length;
    }),
    { numRuns: sweepRuns(20) },
  );
  expect(found).toBeGreaterThan(least(50));
  const [order] = await pagesOf('/v1/orders');
  for (const path of ['/v1/sites', '/v1/users', `/v1/orders/${order.id}/loads`, '/v1/accounts?filter[account_types][]=customer'])
    expect([path, (await sameEverywhere(path)).length > 0]).toEqual([path, true]);
}, 120_000);

test('a long list is exported whole, in its order, and no cell is a formula', async () => {
  const records = await sameEverywhere('/v1/materials?sort[name]=asc');
  expect(records.length).toBeGreaterThan(MANY);
  const answer = await ask('/v1/materials', 'text/csv');
  expect([
    answer.status,
    answer.headers.get('content-type'),
    answer.headers.get('content-disposition'),
    answer.headers.get('link'),
  ]).toEqual([200, 'text/csv; charset=utf-8', 'attachment; filename="materials.csv"', null]);
  expect(answer.headers.get('vary')).toContain('Accept,');
  const names = rowsOf(answer.body).map(({ name }) => name);
  expect(names.filter((name) => /^[\s=+@-]/u.test(name))).toEqual([]);
  expect(names).toContain('\'=HYPERLINK("http://x")8');
});

test('tickets are called the same in an export, which joins what they name, and in pages, which look it up', async () => {
  const company = tenant.company.id;
  await sql(
    `insert into ticket (id, company_id, created_at, updated_at, job_id, order_id, material_id, quantity)
     select gen_random_uuid(), j.company_id, now(), now(), j.id, j.order_id, m.id, 20 from job j
       left join (select id, row_number() over () as n from material where company_id = ? limit 5) m on m.n = length(j.job_id) % 7 where j.company_id = ?`,
    [company, company],
  );
  // Of no job: by what it names itself, or by nothing.
  await sql(
    `insert into ticket (id, company_id, created_at, updated_at, account_id, material_id)
     select gen_random_uuid(), ?::uuid, now(), now(), a.id, m.id from (select id from account where company_id = ? limit 3) a, (select id from material where company_id = ? limit 2) m
     union all select gen_random_uuid(), ?::uuid, now(), now(), null, null`,
    [company, company, company, company],
  );
  const tickets = await sameEverywhere('/v1/tickets');
  const named = (name: string) => new Set(tickets.map((ticket) => ticket[name] !== null));
  expect(['customer_name', 'friendly_job_id', 'material_name'].map(named)).toEqual([
    new Set([true, false]),
    new Set([true, false]),
    new Set([true, false]),
  ]);
  expect(tickets.some(({ pickup_site_name, dropoff_site_name }) => pickup_site_name !== null && dropoff_site_name !== null)).toBe(true);
});

test('a list is planned and sorted once for all of its export', async () => {
  const { value, statements } = await app.countStatements(() => ask('/v1/materials', 'application/x-ndjson'));
  const all = linesOf(value.body).length;
  const of = (how: string) => statements.filter((statement) => statement.startsWith(how)).length;
  expect([all > MANY, of('declare'), of('fetch'), of('select json_build_array(')]).toEqual([true, 1, Math.ceil((all - 1) / 500), 0]);
});

test('an export that was cut goes on behind the last record that arrived', async () => {
  const path = '/v1/materials?sort[name]=desc';
  const whole = linesOf((await ask(path, 'application/x-ndjson')).body);
  const [lines, sheet] = [
    await ask(path, 'application/x-ndjson', tenant.token, { Prefer: 'positions' }),
    await ask(path, 'text/csv', tenant.token, { Prefer: 'positions' }),
  ];
  expect(lines.headers.get('preference-applied')).toBe('positions');
  const positions = linesOf(lines.body).map(({ page_after }) => page_after);
  expect(linesOf(lines.body).map(({ page_after, ...record }) => record)).toEqual(whole);
  expect(rowsOf(sheet.body).map(({ page_after }) => page_after)).toEqual(positions);
  for (const at of [0, 498, 499, 500, 777, whole.length - 2, whole.length - 1]) {
    const rest = await ask(`${path}&page[after]=${encodeURIComponent(positions[at])}`, 'application/x-ndjson');
    expect(linesOf(rest.body)).toEqual(whole.slice(at + 1));
  }
  const { headers } = await tenant.http('GET', `${path}&page[limit]=2&page[after]=${encodeURIComponent(positions[5])}`);
  const back = /page%5Bafter%5D=([^>]+)>; rel="prev"/.exec(headers.get('link')!)![1]!;
  expect((await ask(`${path}&page[after]=${back}`, 'text/csv')).status).toBe(400);
  const page = await ask(`${path}&page[limit]=3`, 'application/x-ndjson');
  expect([linesOf(page.body), page.headers.get('link')]).toEqual([whole.slice(0, 3), expect.stringContaining('rel="next"')]);
});

test('exports hide what the pages hide, and refuse what they refuse', async () => {
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  const foreman = await tenant.person({ roles: ['foreman'] });
  await sql(`update job set customer_rate_value = 77.5, vendor_rate_value = 66.5 where company_id = ?`, [tenant.company.id]);
  const money = (record: Json) => [record.customer_rate_value, record.vendor_rate_value];
  expect(money((await sameEverywhere('/v1/jobs'))[0])).toEqual(['77.5', '66.5']);
  expect(JSON.stringify(await sameEverywhere('/v1/jobs', foreman.token))).not.toMatch(/77\.5|66\.5/);
  expect((await ask('/v1/jobs', 'text/csv', foreman.token)).body).not.toMatch(/77\.5|66\.5/);
  const other = await makeTenant(app);
  expect((await sameEverywhere('/v1/orders', other.token)).length).toBe(0);
  const [job] = await pagesOf('/v1/jobs');
  const statusOf = async (path: string, accept: string, token?: string) => (await ask(path, accept, token)).status;
  expect(await statusOf(`/v1/companies/${tenant.company.id}/orders`, 'text/csv', other.token)).toBe(404);
  expect(await statusOf('/v1/audit_entries', 'text/csv', dispatcher.token)).toBe(403);
  expect(await statusOf('/v1/orders?filter[states][]=lost', 'text/csv')).toBe(422);
  expect(await statusOf('/v1/orders?page[after]=x', 'text/csv')).toBe(400);
  expect(await statusOf('/v1/orders', 'text/csv', 'nobody')).toBe(401);
  expect(await statusOf('/v1/orders', 'application/pdf')).toBe(406);
  expect(await statusOf(`/v1/jobs/${job.id}`, 'text/csv')).toBe(406);
  expect((await ask('/v1/orders', 'text/csv;q=0.5, application/json')).headers.get('content-type')).toContain('application/json');
  const head = await app.http('HEAD', '/v1/orders', { token: tenant.token, headers: { Accept: 'text/csv' } });
  expect([head.status, head.headers.get('content-type'), head.body]).toEqual([200, 'text/csv; charset=utf-8', undefined]);
});

test('one page in another form arrives whole, also compressed, and its connection serves the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const reused: boolean[] = [];
  const sent = (path: string, accept: string, encoding = 'identity') =>
    new Promise<{ status: number | undefined; bytes: Buffer }>((resolve, reject) => {
      const headers = { Accept: accept, 'Accept-Encoding': encoding, Authorization: `Bearer ${tenant.token}` };
      const asked = request(`${app.url}${path}`, { agent, headers }, (res) => {
        const chunks: Buffer[] = [];
        res.on('error', reject);
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => {
          reused.push(asked.reusedSocket);
          resolve({ status: res.statusCode, bytes: Buffer.concat(chunks) });
        });
      });
      asked.on('error', reject).end();
    });
  try {
    const path = '/v1/materials?page[limit]=100';
    for (const accept of ['text/csv', 'application/x-ndjson']) {
      const { status, bytes } = await sent(path, accept);
      const packed = await sent(path, accept, 'gzip');
      expect([accept, status, packed.status, bytes.length > 2_048]).toEqual([accept, 200, 200, true]);
      expect(gunzipSync(packed.bytes).equals(bytes)).toBe(true);
    }
    expect((await sent(path, 'application/json')).status).toBe(200);
    expect(reused).toEqual([false, true, true, true, true]);
  } finally {
    agent.destroy();
  }
});
