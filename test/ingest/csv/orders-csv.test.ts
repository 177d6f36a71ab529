import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

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

const PATH = '/ingest/orders/csv';
const sheet = (...lines: string[]) => ['external_id,load_at,customer.external_id,quantity,notes', ...lines].join('\n');

async function post(csv: string, query = ''): Promise<Json> {
  const answer = await tenant.http('POST', PATH + query, csv);
  expect(answer.body).toMatchObject({ data: expect.anything() });
  expect(answer.status).toBe(202);
  return answer.body.data;
}

/** The records of a sheet after all is done, in the order of its rows. */
async function fates(csv: string, query = ''): Promise<Json[]> {
  const { records } = await post(csv, query);
  await app.settled();
  return Promise.all(records.map(({ id }: Json) => tenant.must('GET', `/v1/imported_records/${id}`)));
}

const bytes = (body: Uint8Array | string, type = 'text/csv') =>
  app.http('POST', PATH, { token: tenant.token, body, headers: { 'Content-Type': type } });

test('each row becomes a record of one batch, and the same order as its JSON', async () => {
  const csv = [
    'Order #,Load time,Customer ID,Customer,Material,pickup.external_id,drop_off.full_address,Qté totale,Trucks,Unit,Foremen,phases.name,Phase code',
    'A-1,2026-12-01T07:00:00,C-1,Acme,Flex base,PIT-1,"1 Bridge Road, Elgin",12.5,2,tons,ana@example.com;ben@example.com,Base;Top,100;200',
  ].join('\r\n');
  const { batch_id, records, unknown_columns } = await post(csv);
  expect({ records, unknown_columns }).toEqual({
    records: [{ index: 0, line: 2, id: expect.any(String), imported_for: 'A-1', state: 'created' }],
    unknown_columns: ['Qté totale'],
  });
  await app.settled();
  const record = await tenant.must('GET', `/v1/imported_records/${records[0].id}`);
  expect(record).toMatchObject({ state: 'processed', last_error: null, metadata: { csv_line: 2 }, batch_id });
  expect(record.payload).toEqual({
    external_id: 'A-1',
    load_at: '2026-12-01T07:00:00',
    customer: { external_id: 'C-1', name: 'Acme' },
    material: { name: 'Flex base' },
    sites: [
      { waypoint: 'pickup', external_id: 'PIT-1' },
      { waypoint: 'drop_off', full_address: '1 Bridge Road, Elgin' },
    ],
    truck_count: '2',
    unit_of_measure: 'tons',
    foremen: [{ email: 'ana@example.com' }, { email: 'ben@example.com' }],
    phases: [
      { name: 'Base', code: '100' },
      { name: 'Top', code: '200' },
    ],
    metadata: { csv_line: 2 },
  });
  const order = await tenant.must('GET', `/v1/orders/${record.result_id}`);
  expect(order).toMatchObject({
    external_id: 'A-1',
    truck_count: 2,
    unit_of_measure: 'Ton',
    account: { name: 'Acme' },
    load_at: '2026-12-01T13:00:00.000Z',
  });
  expect(order.foremen.map(({ email }: Json) => email).sort()).toEqual(['ana@example.com', 'ben@example.com']);
});

test('the same sheet again is skipped as duplicate, even with its rows in another order', async () => {
  expect((await fates(sheet('A,2026-12-01,C,1,x', 'B,2026-12-01,C,2,y'))).map(({ state }) => state)).toEqual(['processed', 'processed']);
  const again = await fates(sheet('', 'B,2026-12-01,C,2,y', 'A,2026-12-01,C,1,x'));
  expect(again.map(({ state, metadata }) => [state, metadata.csv_line])).toEqual([
    ['skipped', 3],
    ['skipped', 4],
  ]);
});

test('an unreadable row fails with its line, and no other row with it', async () => {
  const rows = [
    'A,2026-12-01,C,1,fine',
    'B,2026-12-01,C',
    'C,2026-12-01,"C"x,1,quote',
    'D,2026-12-01,C,1,"two\nlines"',
    'E,2026-12-01,C,1,"never closed',
    'F,2026-12-01,C,1,fine',
  ];
  const records = await fates(sheet(...rows));
  expect(records.map(({ imported_for, state, last_error, metadata }) => [imported_for, state, last_error, metadata.csv_line])).toEqual([
    ['A', 'processed', null, 2],
    [null, 'exhausted', 'invalid_row: : line 3 has 3 cells, the header has 5', 3],
    [null, 'exhausted', 'invalid_row: : line 4 has a quotation mark in the wrong place, or one that is never closed', 4],
    ['D', 'processed', null, 5],
    [null, 'exhausted', 'invalid_row: : line 7 has a quotation mark in the wrong place, or one that is never closed', 7],
    ['F', 'processed', null, 8],
  ]);
  expect(records[1].payload).toBe('B,2026-12-01,C');
  const [short] = await fates('external_id;load_at;customer.external_id\nB;2026-12-01\n');
  expect(short.payload).toBe('B;2026-12-01');
});

test('errors inside a row are reported on that row, with their pointer', async () => {
  const [early, wrong] = await fates(sheet('A,tomorrow,C,1,', 'B,2026-12-01,C,much,'));
  expect(early.last_error).toMatch(/^invalid_timestamp: \/load_at: /);
  expect(wrong.last_error).toMatch(/^invalid_number: \/quantity: /);
});

test('semicolons, tabs and a byte order mark are recognised', async () => {
  const semicolons = '\uFEFFexternal_id;load_at;customer.external_id;quantity;name\r\nS;2026-12-01;C;1 250,5;"a; b"\r\n';
  expect((await fates(semicolons))[0].payload).toMatchObject({ external_id: 'S', quantity: '1250.5', name: 'a; b' });
  const tabs = 'external_id\tload_at\tcustomer.external_id\tquantity\tname\nT\t2026-12-01\tC\t1,250.5\tx, y\n';
  expect((await fates(tabs))[0].payload).toMatchObject({ external_id: 'T', quantity: '1250.5', name: 'x, y' });
});

test('cells that look like formulas are data', async () => {
  const cells = ['=1+1', '+CMD|calc', '@SUM(A1:A9)', '-2+3', '=HYPERLINK(""http://x"")'];
  const records = await fates(sheet(...cells.map((cell, i) => `F-${i},2026-12-01,C,1,"${cell}"`)));
  const notes = await Promise.all(records.map(async ({ result_id }) => (await tenant.must('GET', `/v1/orders/${result_id}`)).notes));
  expect(notes).toEqual(['=1+1', '+CMD|calc', '@SUM(A1:A9)', '-2+3', '=HYPERLINK("http://x")']);
});

test('a header can be mapped or left out explicitly', async () => {
  const csv = 'Ref [x],When,Who,Comments,Notes\nM-1,2026-12-01,C-9,keep,drop';
  const refused = await tenant.http('POST', PATH, csv);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['customer.external_id', 'external_id', 'load_at', 'notes']]);
  const query = 'mapping[REF x]=external_id&mapping[when]=load_at&mapping[Who]=customer.external_id&mapping[Notes]=';
  const [record] = await fates(csv, `?${encodeURI(query)}`);
  expect(record).toMatchObject({ imported_for: 'M-1', state: 'processed', payload: { customer: { external_id: 'C-9' }, notes: 'keep' } });
});

test('a header that does not fit is refused with all of its errors', async () => {
  const answer = await tenant.http(
    'POST',
    `${PATH}?mapping[Gone]=name&mapping[Shade]=no.such&mapping[Hue]=name`,
    'Order #,order number,Shade,Hue\n1,2,3,4',
  );
  expect(answer.status).toBe(422);
  expect(answer.body.error.errors.map(({ field, message }: Json) => `${field}: ${message}`)).toEqual([
    'external_id: the columns "Order #" and "order number" mean the same field',
    'mapping: there is no field no.such for the column "Shade"',
    'mapping: the file has no column "Gone"',
    'load_at: no column for load_at, which is required',
    'customer.external_id: no column for customer.external_id, which is required',
  ]);
});

test('an unreadable sheet is refused like an unreadable JSON batch, and nothing is stored', async () => {
  const header = 'external_id,load_at,customer.external_id\n';
  const many = header + 'A,2026-12-01,C\n'.repeat(10_001);
  const answers: Record<string, [number, string[]]> = {};
  const note = async (name: string, answer: Promise<Json>) => {
    const { status, body } = await answer;
    answers[name] = [status, (body?.error?.errors ?? []).map(({ message }: Json) => message)];
  };
  await note('no body', bytes(''));
  await note('no rows', bytes(header));
  await note('too many rows', bytes(many));
  await note('too many columns', bytes(`${'order,'.repeat(1_000)}x\n1`));
  await note('too large', bytes(header + 'x'.repeat(5 * 1024 * 1024)));
  await note('no UTF-8', bytes(Buffer.from('external_id,load_at,customer.external_id\n\xe9,1,2', 'latin1')));
  await note('JSON', bytes('{}', 'application/json'));
  await note('other character set', bytes(header, 'text/csv; charset=latin1'));
  expect(answers).toEqual({
    'no body': [422, ['the file has no header row']],
    'no rows': [422, ['the file has no rows below its header']],
    'too many rows': [422, ['has more than 10000 elements']],
    'too many columns': [422, ['the file has more than 1000 columns']],
    'too large': [413, []],
    'no UTF-8': [400, ['the body is not UTF-8: see line 2']],
    JSON: [415, []],
    'other character set': [415, []],
  });
  expect(await tenant.must('GET', '/v1/imported_records')).toEqual([]);
});

test('a sender who may not send JSON may not send a sheet', async () => {
  const weak = await makeTenant(app, { permissions: ['view_imports'] });
  expect((await weak.http('POST', PATH, 'nonsense')).status).toBe(403);
  expect((await tenant.http('POST', PATH, 'nonsense', '')).status).toBe(401);
});

test('10,000 rows are one batch', async () => {
  const rows = Array.from({ length: 10_000 }, (_, i) => `N-${i},2026-12-01T07:00,C-${i % 50},1.5,"row, ${i}"`);
  const { batch_id, records } = await post(sheet(...rows));
  expect(records.length).toBe(10_000);
  expect(records[9_999]).toMatchObject({ index: 9_999, line: 10_001, imported_for: 'N-9999' });
  const [count] = await app.orm.em.getConnection().execute('select count(*)::int as n from imported_record where batch_id = ?', [batch_id]);
  expect(count?.n).toBe(10_000);
  // Nobody asks what becomes of them, and the next test would wait until they are orders.
  await app.orm.em.getConnection().execute('delete from import_task where company_id = ?', [tenant.company.id]);
});

test('the template can be imported as it is, and contains no formula', async () => {
  const answer = await tenant.http('GET', `${PATH}/template`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="orders-csv-template.csv"');
  const cells = parse(answer.body) as string[][];
  expect(cells.flat().filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
  const [record] = await fates(answer.body);
  expect(record).toMatchObject({ state: 'processed', imported_for: 'ORD-1001', last_error: null });
  const json = await app.http('GET', `${PATH}/template`, { token: tenant.token, headers: { Accept: 'application/json' } });
  expect(json.status).toBe(406);
});

test('an hour may lack its zero, as in spreadsheets, and an invalid timestamp is reported with an example', async () => {
  const lines = ['A,2026-12-01 7:00,C,1,x', 'B,2026-12-01T7:05:30,C,1,x', 'C,12/1/2026 7:00,C,1,x', 'D,2026-12-01 7:00 PM,C,1,x'];
  const reported = await fates(sheet(...lines));
  const wrong = 'invalid_timestamp: /load_at: is not an ISO 8601 timestamp like 2026-12-01T07:00';
  expect(reported.map(({ last_error, warnings }) => [last_error, warnings])).toEqual(
    [null, null, wrong, wrong].map((error) => [error, []]),
  );
  const starts = await Promise.all(reported.slice(0, 2).map(({ result_id }) => tenant.must('GET', `/v1/orders/${result_id}`)));
  expect(starts.map(({ load_at }) => Date.parse(load_at))).toEqual(['2026-12-01T13:00:00Z', '2026-12-01T13:05:30Z'].map(Date.parse));
});

test('a dry run reports what would happen to each row, and stores nothing', async () => {
  const answer = await tenant.http('POST', `${PATH}?dry_run=true`, sheet('A,2026-12-01,C,1,x', 'short', 'B,soon,C,1,x'));
  expect(answer.status).toBe(200);
  const { records, unknown_columns } = answer.body.data;
  expect(records.map(({ index, line, imported_for, state, last_error }: Json) => [index, line, imported_for, state, last_error])).toEqual([
    [0, 2, 'A', 'processed', null],
    [1, 3, null, 'exhausted', 'invalid_row: : line 3 has 1 cells, the header has 5'],
    [2, 4, 'B', 'failed', 'invalid_timestamp: /load_at: is not an ISO 8601 timestamp like 2026-12-01T07:00'],
  ]);
  expect(records[0].changes.map(({ model, event }: Json) => [model, event])).toContainEqual(['Order', 'create']);
  expect([unknown_columns, await tenant.must('GET', '/v1/imported_records'), await tenant.must('GET', tenant.path('/orders'))]).toEqual([
    [],
    [],
    [],
  ]);
});

test('the answer waits for the outcomes on request', async () => {
  const headers = { 'Content-Type': 'text/csv', Prefer: 'wait=20' };
  const { status, body } = await app.http('POST', PATH, { token: tenant.token, body: sheet('A,2026-12-01,C,1,x', 'short'), headers });
  expect([status, body.data.records.map(({ line, state }: Json) => [line, state])]).toEqual([
    202,
    [
      [2, 'processed'],
      [3, 'exhausted'],
    ],
  ]);
});

test('GraphQL imports the same sheet', async () => {
  const { data } = await tenant.gql(
    'mutation($csv: Csv!) { ingestOrdersCsv(csv: $csv, mapping: { who: "customer.external_id" }) { ... on CsvReceipt { batchId unknownColumns records { line importedFor state } } } }',
    { csv: 'Order,Load at,Who,Hat\nG,2026-12-01,C,red' },
  );
  expect(data.ingestOrdersCsv).toEqual({
    batchId: expect.any(String),
    unknownColumns: ['Hat'],
    records: [{ line: 2, importedFor: 'G', state: 'created' }],
  });
});

test('a stream of outcomes has the line of each row', async () => {
  expect(await stream(sheet('S-1,2026-12-01,C,1,', 'short', 'S-2,2026-12-01,C,2,"two\nlines"', 'S-3,soon,C,1,'))).toMatchObject([
    { index: 0, line: 2, state: 'processed', unknown_columns: [] },
    { index: 1, line: 3, state: 'exhausted' },
    { index: 2, line: 4, state: 'processed' },
    { index: 3, line: 6, state: 'failed' },
  ]);
});

test('a stream of outcomes has the unknown columns with the first row', async () => {
  const rows = 'external_id,load_at,customer.external_id,Qté totale,帽\nS-4,soon,C,1,x\nS-5,2026-12-01,C,1,x';
  const lines = await stream(rows);
  expect(lines).toMatchObject([
    { index: 0, state: 'failed', unknown_columns: ['Qté totale', '帽'] },
    { index: 1, state: 'processed' },
  ]);
  expect(lines[1]).not.toHaveProperty('unknown_columns');
});

async function stream(body: string): Promise<object[]> {
  const headers = { Authorization: `Bearer ${tenant.token}`, 'Content-Type': 'text/csv', Accept: 'application/x-ndjson' };
  const text = await (await fetch(app.url + PATH, { method: 'POST', body, headers })).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
