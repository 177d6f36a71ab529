import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

const payload = (id: string, more: object = {}): Json => ({
  external_id: id,
  load_at: '2026-12-01T07:00:00',
  customer: { external_id: 'C-1', name: 'Hill Country Paving' },
  ...more,
});

/** POST with headers of one's own; the body as text, with the time each line came. */
function post(orders: unknown[], headers: Record<string, string>): Promise<{ status: number; headers: Json; text: string }> {
  return new Promise((resolve, reject) => {
    const req = request(
      new URL('/ingest/orders', app.url),
      { method: 'POST', headers: { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json', ...headers } },
      (res) => {
        let text = '';
        res.on('data', (chunk: Buffer) => (text += chunk.toString()));
        res.on('end', () => resolve({ status: res.statusCode!, headers: res.headers, text }));
      },
    );
    req.on('error', reject);
    req.end(JSON.stringify({ orders }));
  });
}

test('the receipt names the batch and a record for each element, in order', async () => {
  const { status, body } = await tenant.http('POST', '/ingest/orders', { orders: [payload('A-1'), payload('A-2'), 7] });
  expect([status, body]).toEqual([
    202,
    {
      data: {
        batch_id: expect.any(String),
        records: [
          { index: 0, id: expect.any(String), imported_for: 'A-1', state: 'created' },
          { index: 1, id: expect.any(String), imported_for: 'A-2', state: 'created' },
          { index: 2, id: expect.any(String), imported_for: null, state: 'exhausted' },
        ],
      },
    },
  ]);
});

test("an element's metadata is stored as it was sent, whatever it is", async () => {
  const all = ['abc', 7, false, ['a'], { run: 1 }, null];
  const { body } = await tenant.http('POST', '/ingest/orders', { orders: all.map((metadata, i) => payload(`A-${i}`, { metadata })) });
  await app.settled();
  const records = await tenant.must('GET', `/ingest/batches/${body.data.batch_id}/records`);
  expect(records.map(({ state, metadata, warnings }: Json) => [state, metadata, warnings])).toEqual(
    all.map((one) => ['processed', one, []]),
  );
  expect((await tenant.http('GET', `/ingest/batches/${body.data.batch_id}/errors.csv`)).status).toBe(200);
});

test('metadata of a request is stored with its batch, and does not distinguish payloads', async () => {
  const metadata = { run: 'night-7', host: 'ERP-2' };
  const { body } = await tenant.http('POST', '/ingest/orders', { orders: [payload('A-1')], metadata });
  expect(await tenant.must('GET', `/ingest/batches/${body.data.batch_id}`)).toMatchObject({ record_count: 1, metadata });
  await app.settled();
  const again = await tenant.http('POST', '/ingest/orders', { orders: [payload('A-1')], metadata: { run: 'night-8' } });
  await app.settled();
  expect(await tenant.must('GET', `/v1/imported_records/${again.body.data.records[0].id}`)).toMatchObject({
    last_error: 'duplicate',
    metadata: null,
  });
  for (const wrong of ['night', ['night'], 7, { a: '\0' }]) {
    const refused = await tenant.http('POST', '/ingest/orders', { orders: [payload('A-2')], metadata: wrong });
    expect([refused.status, refused.body.error.errors[0].field.slice(0, 8)]).toEqual([422, 'metadata']);
  }
});

test('other fields of a body, next to its elements, are ignored', async () => {
  const answer = await tenant.http('POST', '/ingest/orders', { source: 'SAP', version: '2', orders: [payload('A-1')] });
  expect([answer.status, answer.body.data.records.length]).toEqual([202, 1]);
});

test.each([
  ['orders', { dry_run: true }, 'dry_run'],
  ['tickets', { dryRun: true }, 'dryRun'],
  ['projects', { orders: [payload('A-1')] }, 'orders'],
  ['tickets', { Tickets: [] }, 'Tickets'],
])('elements of another endpoint next to those of %s are refused: %j', async (kind, more, field) => {
  const { status, body } = await tenant.http('POST', `/ingest/${kind}`, { [kind]: [payload('A-1')], ...more });
  expect([status, body.error.errors]).toEqual([422, [{ model: 'Request', field, message: 'is not a known field' }]]);
  expect(await tenant.must('GET', '/v1/imported_records')).toEqual([]);
});

test('Prefer: wait holds the answer until every record has its outcome', async () => {
  const answer = await post([payload('A-1'), { external_id: 'A-2' }, payload('A-1')], { prefer: 'respond-async, wait=20' });
  expect([answer.status, answer.headers['preference-applied']]).toEqual([202, 'wait=20']);
  const { batch_id, records } = JSON.parse(answer.text).data;
  expect(records.map((one: Json) => [one.index, one.state])).toEqual([
    [0, 'processed'],
    [1, 'failed'],
    [2, 'skipped'],
  ]);
  // As the list of the batch says it: nobody has to ask why one failed.
  const listed: Json[] = await tenant.must('GET', `/ingest/batches/${batch_id}/records`);
  const outcome = ({ id, last_error, warnings, result_id, superseded_by }: Json) => ({
    id,
    last_error,
    warnings,
    result_id,
    superseded_by,
  });
  expect(records.map(outcome)).toEqual(listed.map(outcome));
  expect(records[1].last_error).toContain('missing_field: /load_at');
});

test.each([
  ['wait=0', 'wait=0'],
  ['wait=999', 'wait=30'],
  ['wait=-1', undefined],
  ['wait=soon', undefined],
  ['handling=strict, wait=2', 'handling=strict, wait=2'],
])('Prefer: %s is applied as %s', async (prefer, applied) => {
  const answer = await post([payload('A-1')], { prefer });
  expect([answer.status, answer.headers['preference-applied']]).toEqual([202, applied]);
});

test('with an Idempotency-Key the answer waits, too, at first and when it is repeated', async () => {
  const headers = { 'Idempotency-Key': 'once', Prefer: 'wait=20' };
  const post = () => app.http('POST', '/ingest/orders', { token: tenant.token, headers, body: { orders: [payload('A')] } });
  for (const answer of [await post(), await post()]) {
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
    expect(answer.body.data.records[0].state).toBe('processed');
  }
});

test('application/x-ndjson streams one line per element in their order', async () => {
  const orders = [...Array.from({ length: 120 }, (_, i) => payload(`A-${i}`)), { external_id: 'B' }, null];
  const answer = await post(orders, { accept: 'application/x-ndjson' });
  expect([answer.status, answer.headers['content-type']]).toEqual([202, 'application/x-ndjson; charset=utf-8']);
  const lines = answer.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => line.index)).toEqual(orders.map((_, i) => i));
  expect(lines[0]).toEqual({
    index: 0,
    id: expect.any(String),
    imported_for: 'A-0',
    state: 'processed',
    last_error: null,
    warnings: [],
    result_id: expect.any(String),
    superseded_by: null,
  });
  expect(lines.slice(-2).map((line) => [line.state, line.last_error.split(':')[0]])).toEqual([
    ['failed', 'missing_field'],
    ['exhausted', 'not_an_object'],
  ]);
});

test("a line of the stream has the warnings of the batch's list, and a repeated element the result of the first", async () => {
  const twice = payload('A-1', {
    unit_of_measure: 'buckets',
    sites: [{ waypoint: 'pickup' }, { waypoint: 'drop_off', name: 'Unknown yard' }],
  });
  const answer = await post([twice, twice, { external_id: 'A-2' }, { external_id: 'A-2' }], { accept: 'application/x-ndjson' });
  const lines = answer.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { batch_id } = await tenant.must('GET', `/v1/imported_records/${lines[0].id}`);
  const list = await tenant.must('GET', `/ingest/batches/${batch_id}/records`);
  const reported = ({ id, state, last_error, warnings, result_id }: Json) => ({ id, state, last_error, warnings, result_id });
  expect(lines.map(reported)).toEqual(list.map(reported));
  expect(lines[0].warnings).toContainEqual({ code: 'site_not_routable', pointer: '/sites/1', given: 'Unknown yard', used: null });
  expect(lines.map((line) => line.state)).toEqual(['processed', 'skipped', 'failed', 'skipped']);
  expect(lines[0].result_id).toEqual(expect.any(String));
  expect(lines.map((line) => line.result_id)).toEqual([lines[0].result_id, lines[0].result_id, null, null]);
});

test('a refused request is no stream, and other media types are refused', async () => {
  const refused = await post([], { accept: 'application/x-ndjson' });
  expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([422, 'unprocessable_content']);
  expect((await post([payload('A-1')], { accept: 'text/html' })).status).toBe(406);
});

test('a stream may be requested by its exact content type', async () => {
  for (const accept of ['application/x-ndjson; charset=utf-8', 'application/json;q=0.5, application/x-ndjson;charset=utf-8']) {
    const answer = await post([payload('A-1')], { accept });
    expect([answer.status, answer.headers['content-type']]).toEqual([202, 'application/x-ndjson; charset=utf-8']);
  }
  const both = 'application/json, application/x-ndjson; charset=utf-8; q=0.5';
  expect((await post([payload('A-2')], { accept: both })).headers['content-type']).toMatch(/^application\/json/);
});

test('a batch returns its counts, and its records in the order of the elements', async () => {
  const { batch_id } = await tenant.must('POST', '/ingest/orders', { orders: [payload('A-1'), payload('A-1'), { external_id: 'A-2' }] });
  await app.settled();
  expect(await tenant.must('GET', `/ingest/batches/${batch_id}`)).toEqual({
    id: batch_id,
    kind: 'order',
    metadata: null,
    record_count: 3,
    received_at: expect.any(String),
    settled: true,
    counts: { created: 0, processed: 1, failed: 1, exhausted: 0, skipped: 1, skipped_update: 0, warned: 0 },
    warnings: [],
    created_by_type: 'M2MClient',
    created_by_id: expect.any(String),
    created_by_name: 'Office system',
  });
  const first = await tenant.http('GET', `/ingest/batches/${batch_id}/records?page%5Blimit%5D=2`);
  expect(first.body.data.map((one: Json) => one.batch_index)).toEqual([0, 1]);
  expect(first.headers.get('link')).toContain('rel="next"');
  const { data } = await tenant.gql(
    'query($id: ID!) { importBatch(id: $id) { settled counts { failed } } importBatchRecords(id: $id, filter: { state: failed }) { nodes { batchIndex } } }',
    { id: batch_id },
  );
  expect(data).toEqual({ importBatch: { settled: true, counts: { failed: 1 } }, importBatchRecords: { nodes: [{ batchIndex: 2 }] } });
});

test('a sender without view_imports reads the outcome of their own batches, and of no other', async () => {
  const { id: role } = await tenant.must('POST', '/v1/iam_roles', { name: 'Sender', permissions: ['create_order', 'create_account'] });
  const [one, other] = [await tenant.person({ customRoleIds: [role] }), await tenant.person({ customRoleIds: [role] })];
  const { batch_id } = (await tenant.http('POST', '/ingest/orders', { orders: [payload('A-1'), {}] }, one.token)).body.data;
  await app.settled();
  const paths = ['', '/records', '/errors.csv'].map((what) => `/ingest/batches/${batch_id}${what}`);
  const statuses = (token: string, all = paths) =>
    Promise.all(all.map(async (path) => (await tenant.http('GET', path, undefined, token)).status));
  expect(await statuses(one.token)).toEqual([200, 200, 200]);
  expect((await tenant.must('GET', paths[1]!, undefined, one.token)).map((record: Json) => record.state)).toEqual(['processed', 'failed']);
  expect(await statuses(other.token)).toEqual([403, 403, 403]);
  expect(await statuses(other.token, [`/ingest/batches/${role}`])).toEqual([403]);
  expect(await statuses(one.token, ['/v1/imported_records', '/ingest/status'])).toEqual([403, 403]);
  await tenant.must('PATCH', `/v1/iam_roles/${role}`, { permissions: ['create_ticket'] });
  expect(await statuses(one.token)).toEqual([403, 403, 403]);
});

test('another company does not find the batch', async () => {
  const { batch_id } = await tenant.must('POST', '/ingest/orders', { orders: [payload('A-1')] });
  const other = await makeTenant(app);
  expect((await other.http('GET', `/ingest/batches/${batch_id}`)).status).toBe(404);
  expect((await other.http('GET', `/ingest/batches/${batch_id}/records`)).status).toBe(404);
});

test('last_error has a line for each problem of a payload', async () => {
  const answer = await post([{ external_id: 'A-1', quantity: 'many', phases: [{}], state: 'odd' }], { prefer: 'wait=20' });
  const record = await tenant.must('GET', `/v1/imported_records/${JSON.parse(answer.text).data.records[0].id}`);
  expect(record.last_error.split('\n').map((line: string) => line.split(': ').slice(0, 2))).toEqual(
    expect.arrayContaining([
      ['missing_field', '/load_at'],
      ['missing_field', '/customer/external_id'],
      ['missing_field', '/phases/0/name'],
      ['invalid_number', '/quantity'],
      ['invalid_enum', '/state'],
    ]),
  );
});

test('a payload with hundreds of problems reports fifty and counts the rest', async () => {
  const answer = await post([payload('A-1', { phases: Array.from({ length: 300 }, () => ({})) })], { prefer: 'wait=20' });
  const record = await tenant.must('GET', `/v1/imported_records/${JSON.parse(answer.text).data.records[0].id}`);
  const lines = record.last_error.split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([51, 'more_problems: : and 250 more']);
});

test("the sender's guide lists every code of the importer", () => {
  // The reader of sheets has error codes of its own, all reported as `invalid_row`.
  const files = readdirSync('src/ingest', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('read-csv.ts'),
  );
  const source = files.map((file) => readFileSync(join('src/ingest', file), 'utf8')).join('\n');
  const codes = new Set([...source.matchAll(/(?:code: |warn\(|problem\()'([a-z_]+)'/g)].map((match) => match[1]!));
  const guide = readFileSync('docs/importer.md', 'utf8');
  expect(codes.size).toBeGreaterThan(20);
  expect([...codes].filter((code) => !guide.includes(`\`${code}\``))).toEqual([]);
});
