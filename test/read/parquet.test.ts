import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { isWhole, least, shareOf } from '../helpers/properties.ts';
import { machineToken, makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { EXPECTED, expectationOf, type Ids, makeIds, permitted, restCalls } from '../helpers/walk.ts';
import { type Json, sqlOf } from './crowded-tenant.ts';
import { expectSame, kept, rowsOf } from './parquet-files.ts';

const PARQUET = 'application/vnd.apache.parquet';
/** Sixteen row groups: a directory has the number of up to fourteen in another form. */
const MANY = 15_403;

let app: TestApp;
let tenant: StaffedTenant;
let ids: Ids;
let sql: ReturnType<typeof sqlOf>;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeStaffedTenant(app);
  ids = await makeIds(tenant);
  sql = sqlOf(app);
}, 120_000);
afterAll(() => app.close());

interface File {
  status: number;
  headers: Headers;
  bytes: ArrayBuffer;
}
async function fetched(path: string, token: string, headers = {}): Promise<File> {
  const response = await fetch(app.url + path, { headers: { Accept: PARQUET, Authorization: `Bearer ${token}`, ...headers } });
  return { status: response.status, headers: response.headers, bytes: await response.arrayBuffer() };
}

test('every list is answered as Parquet, and says the same as its pages, by types', async () => {
  const types = new Set<string>();
  let filled = 0;
  const read = compileDocuments(schemaOfRooms(), 'schema/rest', true).filter(
    (one) => one.method === 'GET' && one.reply === 'DATA' && !one.public && EXPECTED.has(one.rootField),
  );
  for (const operation of shareOf(read, 4)) {
    const expected = expectationOf(operation.rootField);
    if (expected.who === 'session') continue;
    const { path } = restCalls(operation, expected, ids, tenant)[0]!;
    const token = operation.rootField === 'myPreviousDriverDays' ? tenant.driver.token : await permitted(tenant, expected);
    const { status, headers, bytes } = await fetched(path, token);
    // A path that is no list.
    if (status === 406) continue;
    const page = await app.http('GET', operation.paged ? `${path}${path.includes('?') ? '&' : '?'}page[limit]=100` : path, { token });
    expect([path, status, page.status]).toEqual([path, page.status, page.status]);
    if (status !== 200) continue;
    expect([path, headers.get('content-type')]).toEqual([path, PARQUET]);
    const records: Json[] = page.body.data ?? [];
    // Its records say what time it is.
    if (operation.rootField === 'sandboxes') continue;
    if (records.length > 0) filled++;
    for (const type of await expectSame(path, bytes, records)) types.add(type);
  }
  expect(filled).toBeGreaterThan(least(60));
  const all = ['BOOLEAN', 'DATE', 'DECIMAL', 'INT32', 'INT64', 'JSON', 'TIMESTAMP_MILLIS', 'UTF8'];
  expect([...types].sort()).toEqual(isWhole ? all.sort() : expect.arrayContaining(['TIMESTAMP_MILLIS', 'UTF8']));
}, 240_000);

test('a long list is one file of several row groups, as it was at one moment', async () => {
  await sql(
    `insert into material (id, company_id, name, created_at, updated_at)
     select gen_random_uuid(), ?, 'Pebble é ' || n, timestamptz '2026-11-01Z' + (n / 700) * interval '1 hour', now() from generate_series(1, ${MANY}) n`,
    [tenant.company.id],
  );
  const { status, headers, bytes } = await fetched(tenant.path('/materials?search[query]=pebble'), tenant.admin.token);
  expect([status, headers.get('content-disposition'), headers.get('content-encoding'), headers.get('link')]).toEqual([
    200,
    'attachment; filename="materials.parquet"',
    null,
    null,
  ]);
  const { metadata, rows } = await rowsOf(bytes);
  expect([rows.length, metadata.row_groups.length]).toEqual([MANY, 16]);
  const text = (
    await app.http('GET', tenant.path('/materials?search[query]=pebble'), {
      token: tenant.admin.token,
      headers: { Accept: 'application/x-ndjson' },
    })
  ).body;
  const lines = String(text)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.map(({ id, name }) => [id, name])).toEqual(lines.map(({ id, name }) => [id, name]));
  // Where it would go on.
  const placed = await rowsOf(
    (await fetched(tenant.path('/materials?search[query]=pebble'), tenant.admin.token, { Prefer: 'positions' })).bytes,
  );
  const after = encodeURIComponent(placed.rows[MANY - 2].page_after);
  const [last] = await tenant.admin.must('GET', tenant.path(`/materials?search[query]=pebble&page[after]=${after}`));
  expect(last.id).toBe(rows.at(-1).id);
}, 240_000);

test('what a reader may not see is null in the file, and numbers are exact', async () => {
  const rate = { owner_type: 'customer', type: 'RatePerTon', unit_minimum: '0.0001', unit_increment: 0 };
  const { id } = await tenant.must('POST', '/v1/rates', { name: 'Exact', unit_rate: '9876543210.1234', ...rate });
  const { rows, columns } = await rowsOf((await fetched(tenant.path('/rates'), tenant.admin.token)).bytes);
  const card = rows.find((one) => one.id === id);
  expect(kept(card.unit_rate, columns.get('unit_rate')!)).toBe('9876543210123400000000');
  await sql('update job set customer_rate_value = 4.25 where company_id = ?', [tenant.company.id]);
  // It sees no money.
  const archive = await machineToken(tenant, ['view_audit_log']);
  const seen = async (token: string): Promise<Set<unknown>> => {
    const file = await rowsOf((await fetched(tenant.path('/jobs'), token)).bytes);
    return new Set(file.rows.map((job) => kept(job.customer_rate_value, file.columns.get('customer_rate_value')!)));
  };
  expect([await seen(tenant.admin.token), await seen(archive)]).toEqual([new Set(['4250000000000']), new Set([null])]);
});

test('what is wrong with a request is answered as everywhere', async () => {
  const json = async (path: string, token: string) => {
    const { status, bytes } = await fetched(path, token);
    return [status, JSON.parse(Buffer.from(bytes).toString()).error.code];
  };
  expect(await json(tenant.path('/materials?filter[updated_since]=yesterday'), tenant.admin.token)).toEqual([422, 'unprocessable_content']);
  expect(await json('/v1/materials', 'nobody')).toEqual([401, 'unauthorized']);
  expect(await json(`/v1/materials/${tenant.material.id}`, tenant.admin.token)).toEqual([406, 'not_acceptable']);
});
