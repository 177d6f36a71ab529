import { expect, test } from '@jest/globals';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { clockTime } from '../../src/platform/time.ts';
import { makeOrder, makeTenant } from '../helpers/tenant.ts';
import { app, create, mailsTo, run, sql } from './export-schedules.ts';
import { address, bucket, LOCAL_TIME, linesOf, type Received, schedule } from './scheduled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

test('a list is exported when it is due, once, and is what its maker gets from the list', async () => {
  const at = await makeTenant(app, { company: { timeZone: 'America/Chicago' } });
  await makeOrder(at, { notes: '=1+1', load_at: '2026-11-23T12:00:00.000Z' });
  await makeOrder(at, { load_at: '2026-10-23T12:00:00.000Z' });
  const [first, second] = [address(), address()];
  const query = 'filter[start_date]=2026-11-01';
  const asked = await create(at, schedule({ query, recipients: [first, second] }));
  expect(asked).toMatchObject({ list: 'orders', query, weekday: null, created_by_name: 'Office system', ended_at: null });
  expect(clockTime(new Date(asked.due_at), 'America/Chicago')).toBe(LOCAL_TIME);
  const [one, ...others] = await run(asked.id);
  expect([one.state, one.record_count, one.error, others]).toEqual(['success', 1, null, []]);
  const csv = await app.http('GET', `${at.path('/orders')}?${query}`, { token: at.token, headers: { Accept: 'text/csv' } });
  for (const to of [first, second]) {
    const [mail, ...more] = await mailsTo(to);
    expect(more).toEqual([]);
    expect(mail!.subject).toMatch(/^Orders of the week 20\d\d-\d\d-\d\d$/);
    expect(mail!.text).toContain('1 records');
    expect(mail!.file!.name).toMatch(/^orders-20\d\d-\d\d-\d\d\.csv$/);
    expect(linesOf(mail!.file!.content)).toEqual(linesOf(csv.body));
  }
  await app.settled();
  expect(await mailsTo(first)).toHaveLength(1);
  const [listed] = await at.must('GET', `/v1/export_schedules/${asked.id}/runs`);
  expect(listed).toMatchObject({ state: 'success', record_count: 1, byte_size: expect.any(Number), error: null });
  expect(new Date((await at.must('GET', `/v1/export_schedules/${asked.id}`)).due_at).getTime()).toBeGreaterThan(Date.now());
});

test('an export sees what its author may see then: money is null, and without the list it ends, with a notice', async () => {
  const at = await makeTenant(app);
  await makeOrder(at, { customer_rate_value: '4.25', customer_rate_type: 'RatePerTon' });
  const em = app.orm.em.fork();
  const { client } = makeMachineClient(em, at.company, { name: 'Sheets', permissions: ['edit_report', 'view_customer_rates'] });
  await em.flush();
  const { token } = await issueToken(em, 'machine', client.id);
  const to = address();
  const body = schedule({ format: 'ndjson', recipients: [to] });
  const asked = await create(at, body, token);
  await run(asked.id);
  const rateOf = (mail: Received) => JSON.parse(linesOf(mail.file!.content)[0]!).customer_rate_value;
  const [before] = await mailsTo(to);
  await at.must('PATCH', `/v1/m2m_clients/${client.id}`, { scopes: ['edit_report'] });
  await run(asked.id);
  const after = (await mailsTo(to))[1];
  expect([rateOf(before!), rateOf(after!)]).toEqual(['4.25', null]);
  await at.must('DELETE', `/v1/m2m_clients/${client.id}`);
  const runs = await run(asked.id);
  expect(runs.at(-1)).toMatchObject({ state: 'error', error: expect.stringContaining('is not there any more') });
  const ended = await at.must('GET', `/v1/export_schedules/${asked.id}`);
  expect(ended).toMatchObject({ end_reason: 'author_gone', due_at: null });
  expect((await mailsTo(to)).filter(({ subject }) => subject === 'Orders of the week: nothing was sent')).toHaveLength(1);
  // Whoever changes it takes it over.
  const local_time = LOCAL_TIME.replace(':30', ':45');
  const taken = await at.must('PATCH', `/v1/export_schedules/${asked.id}`, { local_time });
  expect(taken).toMatchObject({ ended_at: null, end_reason: null, local_time, created_by_name: 'Office system' });
  expect((await run(asked.id)).at(-1).state).toBe('success');
  expect((await at.http('DELETE', `/v1/export_schedules/${asked.id}`)).status).toBe(204);
  expect((await at.http('GET', `/v1/export_schedules/${asked.id}`)).status).toBe(404);
});

test('an export ends when its author may read the list no more, or may keep no exports', async () => {
  const at = await makeTenant(app);
  for (const [list, lost] of [
    ['settlements/receivables', ['edit_report']],
    ['orders', ['view_settlements']],
  ] as const) {
    const em = app.orm.em.fork();
    const { client } = makeMachineClient(em, at.company, { name: 'Sheets', permissions: ['edit_report', 'view_settlements'] });
    await em.flush();
    const { token } = await issueToken(em, 'machine', client.id);
    const { id } = await create(at, schedule({ list }), token);
    expect((await run(id)).map(({ state }) => state)).toEqual(['success']);
    await at.must('PATCH', `/v1/m2m_clients/${client.id}`, { scopes: lost });
    expect((await run(id)).at(-1)).toMatchObject({ state: 'error', error: expect.stringContaining('may not read this list any more') });
    expect(await at.must('GET', `/v1/export_schedules/${id}`)).toMatchObject({ end_reason: 'not_permitted', due_at: null });
  }
});

test('a list is put into the storage of the company, whose secret nobody reads', async () => {
  const at = await makeTenant(app);
  await makeOrder(at);
  const { kept, storage, close } = await bucket();
  const { id } = await create(at, schedule({ storage, recipients: null }));
  expect((await run(id)).map(({ state, error }) => [state, error])).toEqual([['success', null]]);
  const csv = await app.http('GET', at.path('/orders'), { token: at.token, headers: { Accept: 'text/csv' } });
  expect(kept).toEqual([
    {
      method: 'PUT',
      path: expect.stringMatching(/^\/haulage\/sheets\/orders-20\d\d-\d\d-\d\d\.csv$/),
      type: 'text/csv',
      signed: true,
      body: expect.any(String),
      bytes: expect.any(Buffer),
    },
  ]);
  expect(linesOf(kept[0]!.body)).toEqual(linesOf(csv.body));
  const { secret_access_key: secret, ...shown } = storage;
  const read = await at.must('GET', `/v1/export_schedules/${id}`);
  expect(read.storage).toEqual(shown);
  const log = await at.must('GET', `/v1/audit_entries?filter[subject_id]=${id}`, undefined, await at.administrator());
  expect(JSON.stringify([read, log, await sql('select * from export_secret where export_schedule_id = ?', [id])])).not.toContain(secret);
  // Changed without the secret, it keeps the one that it has.
  await at.must('PATCH', `/v1/export_schedules/${id}`, { storage: { ...shown, prefix: 'elsewhere/' } });
  expect((await run(id)).at(-1).state).toBe('success');
  expect(kept[1]).toMatchObject({ path: expect.stringContaining('/haulage/elsewhere/'), signed: true });
  // The secret is of this storage, and of no other one.
  for (const other of [
    { endpoint: 'https://elsewhere.example' },
    { endpoint: null },
    { bucket: 'another' },
    { access_key_id: 'AKIAOTHER' },
  ]) {
    const { status, body } = await at.http('PATCH', `/v1/export_schedules/${id}`, { storage: { ...shown, ...other } });
    expect([other, status, body.error.errors.map(({ field }: Json) => field)]).toEqual([other, 422, ['storage.secret_access_key']]);
  }
  await close();
  const refusing = await bucket(403);
  const to = address();
  const refused = await create(at, schedule({ storage: refusing.storage, recipients: [to] }));
  expect((await run(refused.id)).at(-1)).toMatchObject({ state: 'error', error: expect.stringContaining('the storage answers 403') });
  expect((await mailsTo(to)).map(({ subject }) => subject)).toEqual(['Orders of the week: nothing was sent']);
  expect((await at.must('GET', `/v1/export_schedules/${refused.id}`)).due_at).not.toBeNull();
  await refusing.close();
  // A storage that stays out of order is reported when it is given up, and the schedule goes on.
  const broken = await bucket(503);
  const failing = await create(at, schedule({ storage: broken.storage, recipients: [to] }));
  const now = () => sql(`update export_run set next_at = now() - interval '1 second' where export_schedule_id = ?`, [failing.id]);
  expect((await run(failing.id)).at(-1)).toMatchObject({ state: 'pending', attempts: 1 });
  for (let tries = 2; tries <= 4; tries++) {
    await now();
    await app.settled();
  }
  const [given] = await sql('select state, error, attempts from export_run where export_schedule_id = ?', [failing.id]);
  expect(given).toMatchObject({ state: 'error', attempts: 4, error: expect.stringContaining('failed 4 times') });
  expect((await mailsTo(to)).map(({ text }) => text.includes('failed 4 times'))).toEqual([false, true]);
  await broken.close();
  const wrong = async (more: object) => {
    const { status, body } = await at.http(
      'POST',
      at.path('/export_schedules'),
      schedule({ storage: { ...shown, secret_access_key: secret, ...more } }),
    );
    return [status, ...body.error.errors.map(({ field }: Json) => field)];
  };
  expect(await wrong({ bucket: 'No Bucket', endpoint: 'ftp://here', prefix: '../up' })).toEqual([
    422,
    'storage.bucket',
    'storage.prefix',
    'storage.endpoint',
  ]);
  expect(await wrong({ secret_access_key: null })).toEqual([422, 'storage.secret_access_key']);
  expect(await wrong({ access_key_id: ' ', secret_access_key: '\t' })).toEqual([422, 'storage.access_key_id', 'storage.secret_access_key']);
});

test('what cannot be exported is refused with the field, and nobody exports what they may not read', async () => {
  const at = await makeTenant(app);
  const wrong = async (more: object) => {
    const { status, body } = await at.http('POST', at.path('/export_schedules'), schedule(more));
    return [status, ...body.error.errors.map(({ field, message }: Json) => `${field}: ${message}`)];
  };
  expect(await wrong({ list: 'secrets', local_time: '25:00', frequency: 'weekly', recipients: ['nobody'], name: ' ' })).toEqual([
    422,
    ...['name: is required', 'weekday: is required', 'local_time: is not a time such as 06:30'],
    ...['recipients.0: is not an e-mail address', 'list: is no list of a company, such as orders or metrics'].map((one) =>
      expect.stringContaining(one.split(':')[0]!),
    ),
  ]);
  expect(await wrong({ query: 'filter[start_date]=yesterday' })).toEqual([
    422,
    expect.stringMatching(/^query: is refused by the list: filter\[start_date\] /),
  ]);
  expect(await wrong({ list: 'driver_days', query: 'filter[start_date]=2026-11-21&filter[end_date]=2026-11-20' })).toEqual([
    422,
    expect.stringMatching(/^query: is refused by the list: filter\[end_date\] /),
  ]);
  expect((await wrong({ query: 'filter[unheard_of]=1' }))[0]).toBe(422);
  expect(await wrong({ query: 'page[limit]=1' })).toEqual([
    422,
    'query: is refused by the list: page cannot be given: all of the list is exported',
  ]);
  // The library of AWS would call these by itself.
  for (const bucket of ['aa--use1-az4--x-s3', 'ours-s3alias']) {
    const storage = { bucket, region: 'us-east-1', access_key_id: 'AK', secret_access_key: 'secret' };
    expect(await wrong({ storage })).toEqual([422, expect.stringContaining('storage.bucket')]);
  }
  const dispatcher = await at.person({ roles: ['dispatcher'] });
  expect((await at.http('POST', at.path('/export_schedules'), schedule(), dispatcher.token)).status).toBe(403);
  const manager = await at.person({ roles: ['manager'] });
  expect((await at.http('POST', at.path('/export_schedules'), schedule({ list: 'audit_entries' }), manager.token)).status).not.toBe(201);
  const { id } = await create(at, schedule());
  const stranger = await makeTenant(app);
  expect((await stranger.http('GET', `/v1/export_schedules/${id}`)).status).toBe(404);
  expect((await stranger.http('PATCH', `/v1/export_schedules/${id}`, { name: 'Mine' })).status).toBe(404);
  const gql = await at.gql(
    `{ exportSchedules { nodes { id exportRunsOf: list } } exportRuns(exportScheduleId: "${id}") { nodes { state } } }`,
  );
  expect(gql.data.exportSchedules.nodes).toEqual([{ id, exportRunsOf: 'orders' }]);
});

test('a schedule that was deleted forgets the key of its storage, and sends nothing more', async () => {
  const at = await makeTenant(app);
  const { kept, storage, close } = await bucket();
  const to = address();
  const { id } = await create(at, schedule({ storage, recipients: [to] }));
  const secrets = () => sql('select from export_secret where export_schedule_id = ?', [id]);
  expect(await secrets()).toHaveLength(1);
  expect((await at.http('DELETE', `/v1/export_schedules/${id}`)).status).toBe(204);
  expect(await secrets()).toEqual([]);
  await sql(`insert into export_run (id, company_id, export_schedule_id, due_at, next_at) values (gen_random_uuid(), ?, ?, now(), now())`, [
    at.company.id,
    id,
  ]);
  await app.settled();
  const [run] = await sql('select state, error from export_run where export_schedule_id = ?', [id]);
  expect([run.state, run.error]).toEqual(['error', expect.stringContaining('was deleted before its turn came')]);
  expect([kept, await mailsTo(to)]).toEqual([[], []]);
  await close();
});
