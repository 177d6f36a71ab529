import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { expectSame, kept, rowsOf } from '../read/parquet-files.ts';
import { address, bucket, linesOf, partsOf, schedule } from './scheduled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const PARQUET = 'application/vnd.apache.parquet';
/** Three row groups, of which the last is not full. */
const MANY = 2_503;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, deliveries: true, webhooks: true });
}, 120_000);
afterAll(() => app.close());

const sql = (text: string, values: unknown[] = []) => app.orm.em.fork().execute<Json[]>(text, values);
const create = (at: Tenant, more: object, token?: string): Promise<Json> =>
  at.must('POST', at.path('/export_schedules'), schedule({ format: 'parquet', ...more }), token);
async function run(id: string): Promise<Json> {
  await sql(`update export_schedule set due_at = now() - interval '1 minute' where id = ?`, [id]);
  await app.settled();
  return (await sql('select * from export_run where export_schedule_id = ? order by due_at desc limit 1', [id]))[0];
}
/** The bytes by themselves, and not the pool of memory that they may be in. */
const fileOf = (bytes: Buffer): ArrayBuffer => new Uint8Array(bytes).buffer;
/** The records of a list as its author reads them. */
async function recordsOf(at: Tenant, path: string, token = at.token): Promise<Json[]> {
  const { body } = await app.http('GET', at.path(path), { token, headers: { Accept: 'application/x-ndjson' } });
  return linesOf(String(body)).map((line) => JSON.parse(line));
}
async function mailedTo(to: string): Promise<Json> {
  const [mail, ...more] = (await app.emails()).mails.filter((one) => one.to === to).map(partsOf);
  expect(more).toEqual([]);
  return mail;
}

test('a list is put into the storage as Parquet, and is read back as its pages say', async () => {
  const at = await makeTenant(app);
  await sql(
    `insert into material (id, company_id, name, created_at, updated_at)
     select gen_random_uuid(), ?, 'Grit é ' || n, timestamptz '2026-11-01Z' + (n / 700) * interval '1 hour', now() from generate_series(1, ${MANY}) n`,
    [at.company.id],
  );
  const { kept: stored, storage, close } = await bucket();
  const { id } = await create(at, { list: 'materials', query: 'search[query]=grit', storage, recipients: null });
  const done = await run(id);
  expect([done.state, done.error, done.record_count, Number(done.byte_size)]).toEqual(['success', null, MANY, stored[0]!.bytes.length]);
  const [{ bytes, body: _, ...put }, ...more] = stored as [(typeof stored)[0], ...typeof stored];
  expect([put, more]).toEqual([
    { method: 'PUT', path: expect.stringMatching(/^\/haulage\/sheets\/materials-20\d\d-\d\d-\d\d\.parquet$/), type: PARQUET, signed: true },
    [],
  ]);
  const file = fileOf(bytes);
  expect((await rowsOf(file)).metadata.row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([1_000, 1_000, 503]);
  await expectSame('materials', file, await recordsOf(at, '/materials?search[query]=grit'));
  await close();
}, 120_000);

test('a list is mailed as Parquet, the same file that is stored, with its types', async () => {
  const at = await makeTenant(app);
  for (const load_at of ['2026-11-23T12:00:00.000Z', '2026-11-24T12:30:00.000Z'])
    await makeOrder(at, { notes: '=1+1 für ü', customer_rate_value: '4.25', customer_rate_type: 'RatePerTon', load_at });
  const { kept: stored, storage, close } = await bucket();
  const to = address();
  const { id } = await create(at, { query: 'filter[start_date]=2026-11-01', storage, recipients: [to] });
  expect(await run(id)).toMatchObject({ state: 'success', error: null, record_count: 2 });
  const { subject, text, file } = await mailedTo(to);
  expect([subject, file.name, file.type]).toEqual([
    expect.stringMatching(/^Orders of the week 20\d\d-\d\d-\d\d$/),
    expect.stringMatching(/^orders-20\d\d-\d\d-\d\d\.parquet$/),
    PARQUET,
  ]);
  expect(text).toContain('2 records');
  expect(stored.map(({ bytes }) => bytes.equals(file.bytes))).toEqual([true]);
  const types = await expectSame('orders', fileOf(file.bytes), await recordsOf(at, '/orders?filter[start_date]=2026-11-01'));
  expect([...types]).toEqual(expect.arrayContaining(['DECIMAL', 'TIMESTAMP_MILLIS', 'UTF8', 'INT32', 'BOOLEAN']));
  await close();
});

test('a file of no records is a file with its columns', async () => {
  const at = await makeTenant(app);
  const to = address();
  const { id } = await create(at, { query: 'filter[start_date]=2031-01-01', recipients: [to] });
  expect(await run(id)).toMatchObject({ state: 'success', record_count: 0 });
  const { metadata, rows, columns } = await rowsOf(fileOf((await mailedTo(to)).file.bytes));
  expect([rows, metadata.row_groups, columns.has('order_summary.loads_count')]).toEqual([[], [], true]);
});

test('a scheduled file has no money that its author may not see', async () => {
  const at = await makeTenant(app);
  await makeOrder(at, { customer_rate_value: '4.25', customer_rate_type: 'RatePerTon' });
  const em = app.orm.em.fork();
  const { client } = makeMachineClient(em, at.company, { name: 'Sheets', permissions: ['edit_report'] });
  await em.flush();
  const { token } = await issueToken(em, 'machine', client.id);
  const seen = async (by?: string): Promise<unknown[]> => {
    const to = address();
    const { id } = await create(at, { recipients: [to] }, by);
    expect(await run(id)).toMatchObject({ state: 'success' });
    const { rows, columns } = await rowsOf(fileOf((await mailedTo(to)).file.bytes));
    return rows.map((order) => kept(order.customer_rate_value, columns.get('customer_rate_value')!));
  };
  expect([await seen(), await seen(token)]).toEqual([['4250000000000'], [null]]);
});
