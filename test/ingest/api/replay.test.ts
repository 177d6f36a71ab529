import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { poolOf } from '../../../src/platform/database/sql.ts';
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

const good = (id: string): Json => ({ external_id: id, load_at: '2026-12-01T07:00:00', customer: { external_id: 'C-1', name: 'Acme' } });
const bad = (id: string): Json => ({ external_id: id });
const record = (id: string): Promise<Json> => tenant.must('GET', `/v1/imported_records/${id}`);

/** Ids of records that have failed once. */
async function failed(...orders: unknown[]): Promise<string[]> {
  const { records } = await tenant.must('POST', '/ingest/orders', { orders });
  await app.settled();
  return records.map((one: Json) => one.id);
}

/** Lets a failed record use up its attempts without waiting for them. */
async function exhaust(id: string): Promise<void> {
  const pool = await poolOf(app.orm.em.fork());
  for (let tries = 0; tries < 3 && (await record(id)).state === 'failed'; tries++) {
    await pool.query("update import_task set next_attempt_at = now() - interval '1 second' where id = $1", [id]);
    await app.settled();
  }
  expect((await record(id)).state).toBe('exhausted');
}

const audits = async (id: string): Promise<Json[]> => {
  const { rows } = await (await poolOf(app.orm.em.fork())).query(
    `select object_changes, created_by_type from audit_entry where subject_type = 'ImportedRecord' and subject_id = $1 order by id`,
    [id],
  );
  return rows;
};

test('retry tries a failed record at once, and a new failure waits for its time again', async () => {
  const [id] = await failed(bad('A-1'));
  const reported = await tenant.must('PUT', `/v1/imported_records/${id}/retry`);
  expect(reported).toMatchObject({ id, state: 'failed' });
  // The worker may have been there before the answer was read.
  expect([1, 2]).toContain(reported.attempts);
  await app.settled();
  expect(await record(id!)).toMatchObject({ state: 'failed', attempts: 2, next_attempt_at: expect.any(String) });
  expect(await audits(id!)).toEqual([
    { object_changes: { state: ['failed', 'failed'], next_attempt_at: [null, expect.any(String)] }, created_by_type: 'M2MClient' },
  ]);
});

test('retry gives an exhausted record a new series of attempts', async () => {
  const [id] = await failed(bad('A-1'));
  await exhaust(id!);
  await tenant.must('PUT', `/v1/imported_records/${id}/retry`);
  await app.settled();
  expect(await record(id!)).toMatchObject({ state: 'failed', attempts: 4 });
  await exhaust(id!);
  expect(await record(id!)).toMatchObject({ attempts: 6 });
});

test('skip skips a record for good', async () => {
  const [id] = await failed(bad('A-1'));
  expect(await tenant.must('PUT', `/v1/imported_records/${id}/skip`)).toMatchObject({
    state: 'skipped',
    last_error: expect.stringMatching(
      /^skipped_by_user: : Office system skipped it\nmissing_field: \/customer\/external_id: is required\nmissing_field: /,
    ),
    next_attempt_at: null,
  });
  await app.settled();
  expect(await record(id!)).toMatchObject({ state: 'skipped', attempts: 1 });
  const { last_error: reported } = await record(id!);
  expect(await audits(id!)).toMatchObject([
    { object_changes: { state: ['failed', 'skipped'], last_error: [reported.slice(reported.indexOf('\n') + 1), reported] } },
  ]);
});

test('a corrected payload replaces the failed one', async () => {
  const [id] = await failed(bad('A-1'));
  const answer = await tenant.http('POST', `/v1/imported_records/${id}/resubmit`, { payload: good('A-1') });
  expect([answer.status, answer.body.data.records]).toEqual([
    202,
    [{ index: 0, id: expect.any(String), imported_for: 'A-1', state: 'created' }],
  ]);
  await app.settled();
  expect(await record(answer.body.data.records[0].id)).toMatchObject({ state: 'processed', resubmitted_from: id });
  expect(await record(id!)).toMatchObject({
    state: 'skipped',
    last_error: expect.stringMatching(/^resubmitted: : Office system sent a corrected payload in its place\nmissing_field: /),
    resubmitted_from: null,
  });
});

test.each([
  ['PUT', 'retry', undefined],
  ['PUT', 'skip', undefined],
  ['POST', 'resubmit', { payload: { external_id: 'A-1' } }],
])('%s %s of a processed record is a conflict that changes nothing', async (method, act, body) => {
  const [id] = await failed(good('A-1'));
  const before = await record(id!);
  const answer = await tenant.http(method, `/v1/imported_records/${id}/${act}`, body);
  expect([answer.status, answer.body.error.errors]).toEqual([
    409,
    [{ model: 'ImportedRecord', field: 'state', message: expect.any(String), state: 'processed', event: act }],
  ]);
  expect(await record(id!)).toEqual(before);
});

test('who subscribed to imported records learns of retries, skips and corrections, and of each further failure', async () => {
  const triggers = ['state_change', 'update', 'skip', 'error'].map((event) => `ImportedOrder::${event}`);
  const ids = await failed(bad('W-1'), bad('W-2'), bad('W-3'), bad('W-4'));
  const [again, over, left, mended] = ids as [string, string, string, string];
  await exhaust(over);
  await tenant.must('POST', '/v1/webhook_subscriptions', { url: 'https://hooks.example', triggers });
  await tenant.must('PUT', `/v1/imported_records/${again}/retry`);
  await tenant.must('PUT', `/v1/imported_records/${over}/retry`);
  await app.settled();
  await tenant.must('PUT', `/v1/imported_records/${left}/skip`);
  await tenant.must('POST', `/v1/imported_records/${mended}/resubmit`, { payload: good('W-4') });
  await app.settled();
  const delivered = async (id: string) => {
    const text = `select trigger, change from webhook_delivery where company_id = $1 and subject_id = $2 order by sequence`;
    const { rows } = await (await poolOf(app.orm.em.fork())).query(text, [tenant.company.id, id]);
    return rows.map(({ trigger, change }: Json) =>
      [trigger.split('::')[1], ...(change ? [change.previous_state, change.state, change.state_event] : [])].join(' '),
    );
  };
  expect(await delivered(again)).toEqual(['update', 'update', 'error failed failed ']);
  expect(await delivered(over)).toEqual(['state_change exhausted failed retry', 'update', 'error failed failed ']);
  expect(await delivered(left)).toEqual(['state_change failed skipped skip', 'skip failed skipped skip']);
  expect(await delivered(mended)).toEqual(['state_change failed skipped resubmit', 'skip failed skipped resubmit']);
});

test('a payload that is no object is refused and leaves the record as it is', async () => {
  const [id] = await failed(bad('A-1'));
  for (const payload of [7, 'x', [], null]) {
    const answer = await tenant.http('POST', `/v1/imported_records/${id}/resubmit`, { payload });
    expect([answer.status, answer.body.error.errors[0].field]).toEqual([422, 'payload']);
  }
  expect((await record(id!)).state).toBe('failed');
});

test('the list shows what a replay with the same filter would take, and older records by their time', async () => {
  const [first] = await failed(bad('A-1'), { ...good('A-2'), quantity: 'many' }, good('A-3'));
  const listed = async (filter: string) =>
    (await tenant.must('GET', `/v1/imported_records?${filter}`)).map((one: Json) => one.imported_for);
  expect(await listed('filter[error_code]=missing_field')).toEqual(['A-1']);
  expect(await listed('filter[error_code]=missing')).toEqual([]);
  const { data } = await tenant.gql('{ importedRecords(filter: { errorCode: "invalid_number" }) { nodes { importedFor } } }');
  expect(data.importedRecords.nodes).toEqual([{ importedFor: 'A-2' }]);
  const pool = await poolOf(app.orm.em.fork());
  await pool.query("update imported_record set import_received_at = now() - interval '9 days' where id = $1", [first]);
  const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  expect(await listed('filter[imported_for]=A-1')).toEqual([]);
  expect(await listed(`filter[received_before]=${at(8)}`)).toEqual(['A-1']);
  expect(await listed(`filter[received_after]=${at(10)}&filter[received_before]=${at(8)}`)).toEqual(['A-1']);
  expect(await tenant.must('PUT', '/v1/imported_records/bulk_skip', { filter: { received_before: at(8) } })).toEqual({ count: 1 });
});

test('a filter changes only matching records, counts them, and audits each', async () => {
  const ids = await failed(bad('A-1'), bad('A-2'), good('A-3'), { ...good('A-4'), quantity: 'many' });
  expect(await tenant.must('PUT', '/v1/imported_records/bulk_skip', { filter: { error_code: 'invalid_number' } })).toEqual({ count: 1 });
  expect(
    await tenant.must('PUT', '/v1/imported_records/bulk_retry', { filter: { kinds: ['order'], imported_for: ['A-1', 'A-3'] } }),
  ).toEqual({ count: 1 });
  expect(await tenant.must('PUT', '/v1/imported_records/bulk_retry', { filter: { received_before: '2020-01-01T00:00:00Z' } })).toEqual({
    count: 0,
  });
  await app.settled();
  const states = await Promise.all(ids.map(async (id) => [(await record(id)).state, (await record(id)).attempts]));
  expect(states).toEqual([
    ['failed', 2],
    ['failed', 1],
    ['processed', 1],
    ['skipped', 1],
  ]);
  const { data } = await tenant.gql('mutation { skipImportedRecords(filter: { states: [failed] }) { count } }');
  expect(data.skipImportedRecords).toEqual({ count: 2 });
  for (const id of [ids[0]!, ids[1]!, ids[3]!])
    expect((await record(id)).last_error).toMatch(/^skipped_by_user: : Office system skipped it\n(missing_field|invalid_number): /);
});

test('a filter by error code is no pattern, and an unreadable record is not retried', async () => {
  const [none] = await failed(7, bad('A'));
  const retry = (filter: object) => tenant.must('PUT', '/v1/imported_records/bulk_retry', { filter });
  expect((await retry({ error_code: '%' })).count).toBe(0);
  expect((await retry({ error_code: 'missing_field' })).count).toBe(1);
  expect((await retry({ states: ['failed', 'exhausted'] })).count).toBe(1);
  const again = await tenant.http('PUT', `/v1/imported_records/${none}/retry`, {});
  expect([again.status, again.body.error.errors[0].state]).toEqual([409, 'exhausted']);
  expect(again.body.error.errors[0].message).toContain('send a corrected payload in its place');
  expect((await record(none!)).last_error).toContain('not_an_object');
});

test('a filter by a state that cannot be replayed is refused', async () => {
  const answer = await tenant.http('PUT', '/v1/imported_records/bulk_retry', { filter: { states: ['processed'] } });
  expect([answer.status, answer.body.error.errors[0]]).toMatchObject([422, { field: 'filter.states' }]);
  expect((await tenant.http('PUT', '/v1/imported_records/bulk_retry', {})).status).toBe(422);
});

test('another company changes none of the records, alone or by filter', async () => {
  const [id] = await failed(bad('A-1'));
  const other = await makeTenant(app);
  for (const act of ['retry', 'skip']) expect((await other.http('PUT', `/v1/imported_records/${id}/${act}`)).status).toBe(404);
  expect((await other.http('POST', `/v1/imported_records/${id}/resubmit`, { payload: good('A-1') })).status).toBe(404);
  expect(await other.must('PUT', '/v1/imported_records/bulk_skip', { filter: { imported_for: ['A-1'] } })).toEqual({ count: 0 });
  expect((await record(id!)).state).toBe('failed');
});

test('a person who resubmits may wait for the outcome, like a sender', async () => {
  const [waited, streamed] = await failed(bad('A-1'), bad('A-2'));
  const resubmit = (id: string, name: string, headers: Record<string, string>) =>
    app.http('POST', `/v1/imported_records/${id}/resubmit`, { token: tenant.token, headers, body: { payload: good(name) } });
  const answer = await resubmit(waited!, 'A-1', { Prefer: 'wait=20' });
  expect(answer.headers.get('preference-applied')).toBe('wait=20');
  expect(answer.body.data.records).toMatchObject([{ index: 0, imported_for: 'A-1', state: 'processed' }]);
  const line = await resubmit(streamed!, 'A-2', { Accept: 'application/x-ndjson' });
  expect(line.status).toBe(202);
  expect(JSON.parse(line.body)).toMatchObject({ index: 0, imported_for: 'A-2', state: 'processed', last_error: null });
});

test('concurrent retries, skips and resubmissions give a record one outcome, and no internal error', async () => {
  const ids = await failed(...Array.from({ length: 12 }, (_, i) => bad(`A-${i}`)));
  const acts = ids.flatMap((id) => [
    tenant.http('PUT', `/v1/imported_records/${id}/retry`),
    tenant.http('PUT', `/v1/imported_records/${id}/skip`),
    tenant.http('POST', `/v1/imported_records/${id}/resubmit`, { payload: good('B-1') }),
    tenant.http('PUT', '/v1/imported_records/bulk_retry', { filter: {}, all: true }),
  ]);
  const statuses = new Set((await Promise.all(acts)).map((answer) => answer.status));
  expect([...statuses].filter((status) => ![200, 202, 409].includes(status))).toEqual([]);
  await app.settled();
  const open = await (await poolOf(app.orm.em.fork())).query(
    `select r.state, count(t.id)::int as tasks from imported_record r left join import_task t using (id) where r.id = any($1::uuid[]) group by r.state`,
    [ids],
  );
  for (const { state, tasks } of open.rows) if (state === 'skipped' || state === 'exhausted') expect(tasks).toBe(0);
});
