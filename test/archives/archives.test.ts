import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { archiveOld } from '../../src/archives/archive-old.ts';
import { listPieces, restorePiece } from '../../src/archives/restore.ts';
import { adoptStorage, isMarkedStorage, OtherStorage } from '../../src/archives/storage-mark.ts';
import { deleteOldWebhooks } from '../../src/events/webhooks/retention.ts';
import { KEPT_FOR_EVER } from '../../src/platform/storage/archive-settings.ts';
import { type FileStorage, fileStorage, localStorage, s3Storage } from '../../src/platform/storage/storage.ts';
import { deleteOldPositions } from '../../src/telematics/positions/retention.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { onDuty } from '../helpers/on-duty.ts';
import { startS3 } from '../helpers/s3-server.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let admin: string;
beforeAll(async () => {
  app = await startTestApp({
    worker: true,
    webhooks: true,
    newDatabase: true,
    archives: { on: true, auditYears: 0, importYears: 0, eventDays: 90, deleteAfter: KEPT_FOR_EVER },
  });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
});

const sql = <R extends object = Json>(text: string, values: unknown[] = []) => app.orm.em.fork().getConnection().execute<R[]>(text, values);
const settings = async (of: Tenant, input: object) => {
  const { errors } = await of.gql('mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { id } }', {
    input,
  });
  expect(errors).toBeUndefined();
};
/** What a round of the worker does; errors are those that it reports. */
async function archive(): Promise<Json[]> {
  const errors: Json[] = [];
  await archiveOld(app.productOrm.em.fork(), { info: () => {} }, (error) => errors.push(error));
  return errors;
}
/** The files of a company's table in the storage, with their lines. */
function filesOf(table: string, companyId = tenant.company.id): { name: string; lines: Json[]; manifest: Json }[] {
  const folder = join(app.folder, 'files', 'archives', companyId, table);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.gz'))
    .sort()
    .map((name) => ({
      name,
      lines: gunzipSync(readFileSync(join(folder, name)))
        .toString()
        .trimEnd()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
      manifest: JSON.parse(readFileSync(join(folder, name.replace('.ndjson.gz', '.manifest.json')), 'utf8')),
    }));
}
/** Makes everything that a company's audit log has as old as that. */
async function age(of: Tenant, to: string) {
  await sql(`select keep_part('audit_entry', ?::timestamptz)`, [to]);
  await sql(`update audit_entry set created_at = ?::timestamptz where company_id = ? and created_at > now() - interval '1 day'`, [
    to,
    of.company.id,
  ]);
}
const entries = async (of: Tenant, as: string): Promise<Json> =>
  (await of.http('GET', '/v1/audit_entries?page[limit]=100', undefined, as)).body;
const order = (more: object = {}) => ({
  external_id: 'A-1',
  load_at: '2026-12-01T07:00:00Z',
  customer: { external_id: 'C-1', name: 'Acme' },
  ...more,
});
async function send(element: object): Promise<Json> {
  const answer = await tenant.http('POST', '/ingest/orders', { orders: [element] });
  expect(answer.status).toBe(202);
  await app.settled();
  return { ...(await tenant.must('GET', `/v1/imported_records/${answer.body.data.records[0].id}`)), batch: answer.body.data.batch_id };
}

test('entries of the audit log leave for a file when their company lets them, and what relies on them goes on', async () => {
  const other = await makeTenant(app);
  await makeOrder(other);
  const { result_id } = await send(order({ notes: 'one' }));
  await tenant.must('PATCH', `/v1/orders/${result_id}`, { notes: 'mine' }, admin);
  const gone = await makeOrder(tenant);
  for (const one of [tenant, other]) await age(one, '2021-03-05T10:00:00Z');
  const { data: before } = await entries(tenant, admin);
  expect(before.length).toBeGreaterThan(2);

  // Nobody said for how long: they stay.
  expect(await archive()).toEqual([]);
  expect(await entries(tenant, admin)).toMatchObject({ data: before });
  await settings(tenant, { auditRetentionYears: 5 });
  await age(tenant, '2021-06-30T23:59:59.999Z');
  expect(await archive()).toEqual([]);

  const after = await entries(tenant, admin);
  expect(after.meta).toEqual({ archived: { before: '2021-07-01T00:00:00Z', in: `archives/${tenant.company.id}/audit_entry/` } });
  for (const Accept of ['text/csv', 'application/x-ndjson'])
    for (const [method, query] of [
      ['GET', ''],
      ['HEAD', ''],
      ['GET', '?page[limit]=1'],
    ] as const) {
      const sheet = await app.http(method, `/v1/audit_entries${query}`, { token: admin, headers: { Accept } });
      const said = [sheet.headers.get('x-archived-before'), sheet.headers.get('x-archived-in')];
      expect([method, query, sheet.status, ...said]).toEqual([method, query, 200, after.meta.archived.before, after.meta.archived.in]);
    }
  const { body } = await app.graphql('{ auditEntries(first: 1) { nodes { id } } }', {}, { token: admin });
  expect(body.extensions.archived).toEqual([{ path: ['auditEntries'], ...after.meta.archived }]);
  const timeline = await tenant.http('GET', `/v1/orders/${result_id}/timeline`, undefined, admin);
  expect([timeline.status, timeline.body.meta]).toEqual([200, after.meta]);
  expect(after.data).toEqual([]);
  const files = filesOf('audit_entry');
  expect(files.map(({ manifest }) => [manifest.period, manifest.rows])).toEqual([
    ['2021-03', before.length],
    ['2021-06', 1],
  ]);
  expect(new Set(files[0]!.lines.map(({ id }) => id))).toEqual(new Set(before.map(({ id }: Json) => id)));
  // Those of a company that keeps them for ever are where they were.
  expect(await sql('select from audit_entry where company_id = ?', [other.company.id])).not.toEqual([]);

  await sql(`update orders set created_at = '2021-03-05T10:00:00Z' where id = ?`, [gone.id]);
  const { status, body: refused } = await tenant.http('GET', `/v1/orders/${gone.id}?as_of=${new Date().toISOString()}`, undefined, admin);
  expect([status, refused.error?.errors[0].field]).toEqual([422, 'as_of']);
  expect(refused.error.errors[0].message).toContain('2021-07-01');
  const sent = await send(order({ notes: 'two' }));
  expect(sent.warnings).toEqual([{ code: 'user_edit_kept', pointer: '/notes', given: 'two', used: 'mine' }]);
});

test('a partition is dropped when the rules of all let it go; what has changed since its file was written, and what a damaged file had, stays', async () => {
  for (const _ of [1, 2]) await makeOrder(tenant);
  const year = new Date().getUTCFullYear() - 4;
  const part = `audit_entry_${year}`;
  await age(tenant, `${year}-01-05T10:00:00Z`);
  // Companies of other tests have nothing there, and keep nothing longer.
  await sql('insert into company_settings (id, company_id) select id, id from company on conflict do nothing');
  const everybody = (years: number) => sql('update company_settings set audit_retention_years = ?', [years]);
  const parts = async () =>
    (await sql<{ name: string }>(`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_entry'::regclass`)).map(
      ({ name }) => name,
    );
  const { data: before } = await entries(tenant, admin);

  // The month may go, and its year within a year: rows wait for that, in their file. In January no month is due before its year.
  if (new Date().getUTCMonth() > 0) {
    await everybody(4);
    expect(await archive()).toEqual([]);
    expect(await entries(tenant, admin)).toEqual({ data: before });
    expect(filesOf('audit_entry').map(({ lines }) => lines.length)).toEqual([before.length]);
    const { key } = (await sql<{ key: string }>('select key from archive_piece where company_id = ?', [tenant.company.id]))[0]!;
    const path = join(app.folder, 'files', key);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length - 20));
    await everybody(3);
    const errors = await archive();
    expect(errors.map(({ name, message }) => [name, message])).toEqual([['Error', expect.stringContaining(key)]]);
    expect((await entries(tenant, admin)).data).toHaveLength(before.length);
    writeFileSync(path, whole);
    // A migration gives all rows a column while their files wait: none is what its line says, none leaves, and the file is written anew.
    await sql(`alter table audit_entry add column since_then text`);
    expect(await archive()).toEqual([]);
    expect((await entries(tenant, admin)).data).toHaveLength(before.length);
    expect(await sql('select state from archive_piece where company_id = ?', [tenant.company.id])).toEqual([]);
    expect(filesOf('audit_entry')).toEqual([]);
    await sql(`alter table audit_entry drop column since_then`);
    await everybody(4);
    expect(await archive()).toEqual([]);
    await everybody(3);
    const changed = before[0].id;
    await sql(`update audit_entry set object_changes = '{"notes": [null, "later"]}' where id = ?`, [changed]);
    expect(await archive()).toEqual([]);
    expect((await entries(tenant, admin)).data.map(({ id }: Json) => id)).toEqual([changed]);
    expect(await parts()).toContain(part);
  }
  await everybody(3);
  expect(await archive()).toEqual([]);
  expect((await entries(tenant, admin)).data).toEqual([]);
  expect(await parts()).not.toContain(part);
  const lines = filesOf('audit_entry').flatMap((file) => file.lines);
  expect(new Set(lines.map(({ id }) => id))).toEqual(new Set(before.map(({ id }: Json) => id)));
  expect(
    filesOf('audit_entry')
      .map(({ manifest }) => manifest.part)
      .sort(),
  ).toEqual(new Date().getUTCMonth() > 0 ? [1, 2] : [1]);
  await everybody(0);
});

test('what was sent long ago is gone with its batch, is announced to nobody, and is read back for auditors', async () => {
  const { id, batch, result_id } = await send(order({ notes: 'Gate 3\u2028' }));
  const old = ['2021', '2022'].map((year) => `0${Date.UTC(Number(year), 4, 10).toString(16)}`);
  const place = (one: string, given: string) => `${one.slice(0, 8)}-${one.slice(8)}${given.slice(13)}`;
  const [record, its] = [place(old[0]!, id), place(old[0]!, batch)];
  await sql(`select keep_part('imported_record', '2021-05-10')`);
  await sql(`update import_batch set id = ?, received_at = '2021-05-10' where id = ?`, [its, batch]);
  await sql(`update imported_record set id = ?, batch_id = ?, import_received_at = '2021-05-10' where id = ?`, [record, its, id]);
  const { id: open } = await send(order({ external_id: 'A-2', load_at: 'never' }));
  await sql('select move_changes(100000)');
  const before = await tenant.must('GET', `/v1/imported_records/${record}`);
  await settings(tenant, { importRetentionYears: 5 });
  expect(await archive()).toEqual([]);
  const ofBatch = ['', '/records', '/errors.csv'].map((part) => `/ingest/batches/${its}${part}`);
  for (const path of [`/v1/imported_records/${record}`, ...ofBatch]) {
    const { status, body } = await tenant.http('GET', path);
    expect([path, status, body.error?.code, body.error?.errors?.[0].field]).toEqual([path, 410, 'gone', 'id']);
    expect(body.error.errors[0].message).toContain('2021-06-01');
  }
  expect((await tenant.http('GET', `/v1/imported_records/${place(old[1]!, id)}`)).status).toBe(404);
  expect((await tenant.http('GET', `/v1/imported_records/${open}`)).status).toBe(200);
  const list = await tenant.http('GET', '/v1/imported_records?filter[received_after]=2021-01-01T00:00:00Z');
  expect([list.body.data.map((one: Json) => one.id), list.body.meta.archived.before]).toEqual([[open], '2021-06-01T00:00:00Z']);
  expect(
    await sql('select subject_type from change_pending where company_id = ? and subject_type like $$Import%$$', [tenant.company.id]),
  ).toEqual([]);
  // What it made is there, and what is sent next finds it.
  expect(await send(order({ notes: 'Gate 4' }))).toMatchObject({ state: 'processed', result_id });

  const owner = new pg.Client({ connectionString: app.orm.config.get('clientUrl') });
  await owner.connect();
  try {
    const pieces = await listPieces(owner, { companyId: tenant.company.id, from: '2021-05', until: '2021-05' });
    expect(pieces.map(({ table, rows, state }) => [table, rows, state])).toEqual([
      ['import_batch', 1, 'removed'],
      ['imported_record', 1, 'removed'],
    ]);
    const storage = fileStorage.of(app.application);
    // What was read back by a version before lacks columns, and what the next migration adds is in no file.
    await owner.query('create schema restored');
    await owner.query('create table restored.import_batch (like public.import_batch)');
    await owner.query(`alter table import_batch add column since_then text not null default 'x'`);
    // A second time adds nothing.
    for (const added of [1, 0]) for (const piece of pieces) expect(await restorePiece(owner, storage, piece)).toBe(added);
    const { rows } = await owner.query(
      'select id, payload, state, result_id, encode(payload_hash, $1) as hash from restored.imported_record',
      ['hex'],
    );
    expect((await owner.query('select id, since_then from restored.import_batch')).rows).toEqual([{ id: its, since_then: null }]);
    await owner.query('alter table import_batch drop column since_then');
    expect(rows).toEqual([
      { id: record, payload: before.payload, state: 'processed', result_id, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    // A line says the same wherever the server is.
    await owner.query(`set timezone to 'America/Chicago'`);
    const { rows: lines } = await owner.query<{ line: string }>('select archive_line(p) as line from archive_piece p');
    expect(lines.filter(({ line }) => !/"created_at":"[^"]*\+00:00"/.test(line))).toEqual([]);
    const path = join(app.folder, 'files', pieces[1]!.key);
    writeFileSync(path, Buffer.from([...readFileSync(path).subarray(0, 40), 1]));
    await expect(restorePiece(owner, storage, pieces[1]!)).rejects.toThrow(pieces[1]!.key);
  } finally {
    await owner.end();
  }
});

test('positions of a company that wants them archived leave with their file, those of others without one', async () => {
  const other = await makeTenant(app);
  const at = (days: number) => new Date(Date.now() - days * 86_400_000);
  const drivers: { token: string }[] = [];
  const kept = async (of: Tenant) =>
    (await sql<{ at: string }>('select occurred_at as at from location_history where company_id = ?', [of.company.id])).length;
  for (const one of [tenant, other]) {
    const { user, token } = await one.person({ roles: ['driver'] });
    drivers.push({ token });
    for (const days of [100, 99, 2]) await onDuty(one, user.id, { startedAt: at(days + 0.1), endedAt: at(days - 0.1) });
    const locations = [100, 99, 2].map((days) => ({ occurred_at: at(days).toISOString(), lat: 30.25, lon: -97.75, job_id: null }));
    expect((await one.http('POST', '/v1/users/me/locations', { device_id: 'phone', locations }, token)).status).toBe(204);
    await settings(one, { positionRetentionDays: 30, archivePositions: one === tenant });
  }
  await deleteOldPositions(app.productOrm.em.fork(), (error) => {
    throw error;
  });
  expect([await kept(tenant), await kept(other)]).toEqual([3, 1]);
  // Two processes at once write no file twice.
  expect((await Promise.all([archive(), archive()])).flat()).toEqual([]);
  expect(await archive()).toEqual([]);
  expect(await kept(tenant)).toBe(1);
  // Every list says what it lacks, by its own name.
  const { body } = await tenant.app.graphql(
    '{ mine: myLocationHistories { nodes { id } } importedRecords { nodes { id } } }',
    {},
    { token: drivers[0]!.token },
  );
  expect([body.extensions.archived.map(({ path }: Json) => path), body.extensions.archived[0].in]).toEqual([
    [['mine']],
    `archives/${tenant.company.id}/location_history/`,
  ]);
  const files = filesOf('location_history');
  expect(files.flatMap(({ lines }) => lines.map(({ occurred_at }) => Date.parse(occurred_at))).sort()).toEqual(
    [100, 99].map((days) => at(days).getTime()).map((ms) => expect.closeTo(ms, -5)),
  );
  expect(() => filesOf('location_history', other.company.id)).toThrow('ENOENT');

  // Somebody whom the office has had forgotten is in no file any more; a damaged file keeps no other from being written anew.
  const [damaged] = await sql<{ id: string; key: string }>(
    `insert into archive_piece (company_id, table_name, period, part, state, key, writer, begun_at, row_count, bytes, sha256, checksum)
     values (?, 'location_history', '2020-01-01', 1, 'removed', ?, gen_random_uuid(), '2020-01-01', 1, 1, '', 0) returning id, key`,
    [tenant.company.id, `archives/${tenant.company.id}/location_history/0.ndjson.gz`],
  );
  const { errors } = await tenant.gql('mutation($id: ID!) { forgetPositions(id: $id) }', { id: files[0]!.lines[0].user_id });
  expect(errors).toBeUndefined();
  for (const _ of [1, 2]) expect((await archive()).map(({ message }) => message)).toEqual([expect.stringContaining(damaged!.key)]);
  await sql('delete from archive_piece where id = ?', [damaged!.id]);
  expect(filesOf('location_history').map(({ manifest }) => manifest.rows)).toEqual(files.map(() => 0));
  expect(filesOf('location_history').map(({ name }) => name)).not.toEqual(files.map(({ name }) => name));
  expect(await archive()).toEqual([]);
  // Its files would be written anew in all rounds of the next ten minutes, those of other tests too.
  await sql('update app_user set positions_forgotten_at = null');
});

test('a driver who was forgotten is in no file any more either, if he was merged since, nor is whom he was one with by then', async () => {
  const at = new Date(Date.now() - 1_200 * 86_400_000).toISOString();
  await settings(tenant, { archivePositions: true });
  const people: string[] = [];
  for (let n = 0; n < 6; n++) people.push((await tenant.person({ roles: ['driver'] })).user.id);
  const [first, driver, stays, other, gone, later] = people as [string, string, string, string, string, string];
  await sql('select keep_position_month(?::timestamptz)', [at]);
  const position = (company: string, user: string) =>
    sql(
      `insert into location_history (id, company_id, user_id, device_id, occurred_at, lat, lon)
       values (gen_random_uuid(), ?, ?, 'phone', ?, 30, -97)`,
      [company, user, at],
    );
  for (const user of people) await position(tenant.company.id, user);
  // A sandbox has no archives, whatever it says, and its positions keep no month.
  const { id: sandbox } = await tenant.must('POST', '/v1/sandboxes', { name: 'Trial' }, admin);
  await sql('insert into company_settings (id, company_id, archive_positions) values (?, ?, true)', [sandbox, sandbox]);
  await position(sandbox, sandbox);
  expect(await archive()).toEqual([]);
  expect(
    await sql(`select to_regclass('location_history_' || to_char(?::timestamptz at time zone 'UTC', 'YYYY_MM')) as month`, [at]),
  ).toEqual([{ month: null }]);
  const drivers = () => filesOf('location_history').flatMap(({ lines }) => lines.map(({ user_id }) => user_id));
  expect(drivers().sort()).toEqual(people.toSorted());

  const merge = (kept: string, former: string) => tenant.must('PUT', tenant.path(`/users/${kept}/merge`), { other_ids: [former] }, admin);
  await merge(driver, first);
  for (const id of [driver, gone])
    expect((await tenant.gql('mutation($id: ID!) { forgetPositions(id: $id) }', { id })).errors).toBeUndefined();
  await merge(stays, driver);
  // Nobody had this one forgotten, and the merge may be undone.
  await merge(gone, later);
  expect(await archive()).toEqual([]);
  expect(drivers().sort()).toEqual([stays, other, later].sort());
  await sql('update app_user set positions_forgotten_at = null');
});

test('what somebody changes while it is removed stays, with what was added to it, and gets another file', async () => {
  const subscription = await tenant.must('POST', '/v1/webhook_subscriptions', { url: 'http://127.0.0.1:1/', triggers: ['Order::create'] });
  for (const _ of [1, 2]) await makeOrder(tenant);
  const path = `/v1/webhook_subscriptions/${subscription.id}/deliveries`;
  await until(async () => {
    const sent = await tenant.must('GET', path);
    return sent.length === 2 && sent.every(({ attempts }: Json) => attempts > 0);
  });
  await sql(`update webhook_delivery set created_at = now() - interval '70 days', state = 'failed', due_at = null where company_id = ?`, [
    tenant.company.id,
  ]);
  const other = new pg.Client({ connectionString: app.orm.config.get('clientUrl') });
  await other.connect();
  const { pid } = (await other.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!;
  try {
    for (const [table, change] of [
      [
        'webhook_delivery',
        `insert into webhook_attempt select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid()))).*
        from webhook_attempt a join webhook_delivery d on d.id = a.delivery_id where d.company_id = $1 limit 1`,
      ],
      [
        'audit_entry',
        `update audit_entry set object_changes = '{"notes": [null, "later"]}' where id in (
        select id from audit_entry where company_id = $1 and created_at < '2022-01-01' limit 1)`,
      ],
    ] as const) {
      if (table === 'audit_entry') {
        await age(tenant, '2021-03-05T10:00:00Z');
        await settings(tenant, { auditRetentionYears: 5 });
      }
      await other.query('begin');
      expect((await other.query(change, [tenant.company.id])).rowCount).toBe(1);
      const round = archive();
      await until(async () => (await sql('select from pg_stat_activity where ? = any(pg_blocking_pids(pid))', [pid])).length > 0);
      await other.query('commit');
      expect(await round).toEqual([]);
      expect(
        (await sql(`select from ${table} where company_id = ? and created_at < now() - interval '60 days'`, [tenant.company.id])).length,
      ).toBe(1);
      expect(await archive()).toEqual([]);
      expect(
        filesOf(table)
          .map(({ manifest }) => manifest.part)
          .sort(),
      ).toEqual([1, 2]);
    }
    expect(
      filesOf('webhook_delivery')
        .map(({ lines }) => lines[0].webhook_attempt.length)
        .sort(),
    ).toEqual([1, 2]);
    // Of a row in two files the newer one counts, whichever is read first.
    const [first, second] = await listPieces(other, { table: 'audit_entry', companyId: tenant.company.id });
    const storage = fileStorage.of(app.application);
    const later = async () => {
      const { rows } = await other.query(
        `select from restored.audit_entry where company_id = $1 and object_changes = '{"notes": [null, "later"]}'`,
        [tenant.company.id],
      );
      return rows.length;
    };
    for (const order of [
      [first!, second!],
      [second!, first!],
    ]) {
      for (const piece of order) await restorePiece(other, storage, piece);
      expect(await later()).toBe(1);
      await other.query('drop table restored.audit_entry');
    }
    for (const piece of await listPieces(other, { table: 'webhook_delivery', companyId: tenant.company.id }))
      await restorePiece(other, storage, piece);
    expect((await other.query('select from restored.webhook_attempt where company_id = $1', [tenant.company.id])).rowCount).toBe(3);
  } finally {
    await other.end();
  }
});

test('deliveries leave with their attempts, events when they have been read; a process that died leaves its file to the next', async () => {
  const { id: sandbox } = await tenant.must('POST', '/v1/sandboxes', { name: 'Trial' }, admin);
  const subscription = await tenant.must('POST', '/v1/webhook_subscriptions', { url: 'http://127.0.0.1:1/', triggers: ['Order::create'] });
  await makeOrder(tenant);
  const path = `/v1/webhook_subscriptions/${subscription.id}/deliveries`;
  await until(async () => (await tenant.must('GET', path))[0]?.attempts > 0);
  const [delivery] = await tenant.must('GET', path);
  await sql(`update webhook_delivery set created_at = now() - interval '70 days', state = 'failed', due_at = null where company_id = ?`, [
    tenant.company.id,
  ]);
  const events = await sql<{ id: string }>(
    // Two months of them, which leave in one round.
    `update outbox_event set created_at = now() - case when position = (select min(position) from outbox_event where company_id = ?)
      then interval '170 days' else interval '130 days' end where company_id = ? returning id`,
    [tenant.company.id, tenant.company.id],
  );
  expect(events.length).toBeGreaterThan(1);
  // Nothing of a sandbox is archived: its deliveries are deleted, and the rest leaves with it.
  await sql(`select keep_part('audit_entry', '2021-03-05')`);
  const [entry] = await sql<{ id: string }>(
    `update audit_entry set created_at = '2021-03-05' where id = (select id from audit_entry where company_id = ? limit 1) returning id`,
    [sandbox],
  );
  await sql(`insert into company_settings (id, company_id) values (?, ?) on conflict do nothing`, [sandbox, sandbox]);
  await sql('update company_settings set audit_retention_years = 5 where id = ?', [sandbox]);
  await sql(
    `insert into webhook_delivery select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'company_id', ?::uuid))).*
     from webhook_delivery d where d.company_id = ?`,
    [sandbox, tenant.company.id],
  );
  // Somebody began to write the file and has died; somebody else writes it now.
  const month = (await sql<{ month: string }>(`select to_char(now() - interval '70 days', 'YYYY-MM') as month`))[0]!.month;
  const [dead] = await sql<{ id: string }>(
    `insert into archive_piece (company_id, table_name, period, part, state, key, writer, lease_until)
     values (?, 'webhook_delivery', ?::date, 1, 'writing', ?, gen_random_uuid(), now() + interval '1 minute') returning id`,
    [tenant.company.id, `${month}-01`, `archives/${tenant.company.id}/webhook_delivery/dead.ndjson.gz`],
  );
  await sql('update notification_cursor set position = 0');
  expect(await archive()).toEqual([]);
  await deleteOldWebhooks(app.productOrm.em.fork());
  expect(await tenant.must('GET', path)).toHaveLength(1);
  expect(await sql('select from webhook_delivery where company_id = ?', [sandbox])).toEqual([]);
  expect(await sql('select from audit_entry where id = ?', [entry!.id])).toHaveLength(1);
  expect(await sql('select from archive_piece where company_id = ?', [sandbox])).toEqual([]);
  expect(await sql('select from outbox_event where company_id = ?', [tenant.company.id])).toHaveLength(events.length);

  await sql(`update archive_piece set lease_until = now() - interval '1 second' where id = ?`, [dead!.id]);
  await sql('update notification_cursor set position = (select max(position) from outbox_event)');
  expect(await archive()).toEqual([]);
  const sent = await tenant.http('GET', path);
  expect([sent.body.data, sent.body.meta?.archived.in]).toEqual([[], `archives/${tenant.company.id}/webhook_delivery/`]);
  // Its id says when it was made: in the time of the test, of which nothing is archived.
  expect((await tenant.http('GET', `/v1/webhook_deliveries/${delivery.id}`)).status).toBe(404);
  const early = `${`0${(Date.now() - 70 * 86_400_000).toString(16)}`.slice(-12).replace(/^(.{8})/, '$1-')}${delivery.id.slice(13)}`;
  expect((await tenant.http('GET', `/v1/webhook_deliveries/${early}`)).status).toBe(410);
  expect(filesOf('webhook_delivery').map(({ lines }) => lines)).toEqual([
    [
      expect.objectContaining({
        id: delivery.id,
        webhook_attempt: expect.arrayContaining([expect.objectContaining({ delivery_id: delivery.id })]),
      }),
    ],
  ]);
  expect(await sql('select from outbox_event where company_id = ?', [tenant.company.id])).toEqual([]);
  const kept = filesOf('outbox_event', 'all').flatMap(({ lines }) => lines.map(({ id }) => id));
  expect(kept).toEqual(expect.arrayContaining(events.map(({ id }) => id)));
  expect(await sql(`select from archive_piece where state = 'writing'`)).toEqual([]);
});

test('nothing is archived in another storage than that of the other processes', async () => {
  await makeOrder(tenant);
  await age(tenant, '2021-02-05T10:00:00Z');
  await settings(tenant, { auditRetentionYears: 5 });
  const { data: before } = await entries(tenant, admin);
  const ours = fileStorage.of(app.application);
  const ask = async <R extends object>(text: string, values: unknown[] = []) => sql<R>(text.replace('$1', '?'), values);
  expect(await isMarkedStorage(ask, ours, join(app.folder, 'incoming'))).toBe(true);
  app.application.provide(fileStorage, localStorage(join(app.folder, 'elsewhere')));
  try {
    expect(await archive()).toEqual([new OtherStorage()]);
    expect((await entries(tenant, admin)).data).toHaveLength(before.length);
    expect(await sql('select from archive_piece where company_id = ?', [tenant.company.id])).toEqual([]);
  } finally {
    app.application.provide(fileStorage, ours);
  }
  expect(await archive()).toEqual([]);
  expect(await sql(`select from archive_piece where company_id = ? and state <> 'writing'`, [tenant.company.id])).toHaveLength(1);
});

test('archives lie in a bucket: written, read back, restored, removed; what comes late is removed, too, and without the bucket rows stay', async () => {
  const ours = { bucket: 'archives', region: 'us-east-1', accessKeyId: 'desk', secretAccessKey: 'granite' };
  const s3 = await startS3({ ...ours, page: 2 });
  const local = fileStorage.of(app.application);
  const bucket = await s3Storage({ ...ours, endpoint: s3.url, pathStyle: true });
  const keys = async () => {
    const found: string[] = [];
    for await (const key of bucket.keys()) if (key.startsWith('archives/')) found.push(key);
    return found.sort();
  };
  const put = async (key: string, text: string) => {
    const path = join(app.folder, 'late');
    writeFileSync(path, text);
    await bucket.keep(key, path, { size: text.length, mimeType: 'application/gzip' });
  };
  app.application.provide(fileStorage, bucket);
  const owner = new pg.Client({ connectionString: app.orm.config.get('clientUrl') });
  await owner.connect();
  try {
    const ask = async <R extends object>(text: string, values?: unknown[]) => (await owner.query<R>(text, values)).rows;
    const incoming = join(app.folder, 'incoming');
    // The folder is that of the database, until an operator says that the files were moved.
    expect(await isMarkedStorage(ask, local, incoming)).toBe(true);
    expect(await archive()).toEqual([new OtherStorage()]);
    await adoptStorage(ask, bucket, incoming);
    for (const _ of [1, 2]) await makeOrder(tenant);
    await age(tenant, '2021-03-05T10:00:00Z');
    const { data: before } = await entries(tenant, admin);
    await settings(tenant, { auditRetentionYears: 5 });
    await age(tenant, '2021-03-06T10:00:00Z');
    // Whoever began the file was cut off, and another process takes it over.
    const late = `archives/${tenant.company.id}/audit_entry/2021-03-late.ndjson.gz`;
    await sql(
      `insert into archive_piece (company_id, table_name, period, part, state, key, writer, lease_until)
       values (?, 'audit_entry', '2021-03-01', 1, 'writing', ?, gen_random_uuid(), now() - interval '1 second')`,
      [tenant.company.id, late],
    );
    expect(await archive()).toEqual([]);
    expect((await entries(tenant, admin)).data).toEqual([]);
    const [piece] = await listPieces(owner, { companyId: tenant.company.id });
    const its = [piece!.key, piece!.key.replace('.ndjson.gz', '.manifest.json')].sort();
    expect([piece!.state, piece!.rows, await keys()]).toEqual(['removed', before.length + 1, its]);
    expect(await restorePiece(owner, bucket, piece!)).toBe(before.length + 1);
    // It brings the file after all.
    await put(late, 'late');
    expect(await keys()).toContain(late);
    expect(await archive()).toEqual([]);
    expect(await keys()).toEqual(its);
    await sql(`update archive_stray set noted_at = now() - interval '2 days'`);
    expect(await archive()).toEqual([]);
    expect(await sql('select from archive_stray')).toEqual([]);
    // One that was only silent removes what it has brought itself.
    await age(tenant, '2021-04-06T10:00:00Z');
    await makeOrder(tenant);
    await age(tenant, '2021-04-06T10:00:00Z');
    const losing: FileStorage = {
      ...bucket,
      async keep(key, path, file) {
        await bucket.keep(key, path, file);
        await sql(`update archive_piece set writer = gen_random_uuid(), key = 'of another' where key = ?`, [key]);
      },
    };
    app.application.provide(fileStorage, losing);
    expect(await archive()).toEqual([]);
    expect(await keys()).toEqual(its);
    await sql(`delete from archive_piece where key = 'of another'`);
    app.application.provide(fileStorage, bucket);
    // The bucket is away, and comes back with another file.
    await put(piece!.key, 'not what was written');
    await expect(restorePiece(owner, bucket, piece!)).rejects.toThrow(piece!.key);
    const here = (await entries(tenant, admin)).data.length;
    expect(here).toBeGreaterThan(0);
    await s3.close();
    expect((await archive()).length).toBeGreaterThan(0);
    expect((await entries(tenant, admin)).data).toHaveLength(here);
    expect(await sql(`select from archive_piece where company_id = ? and state <> 'writing'`, [tenant.company.id])).toHaveLength(1);
  } finally {
    app.application.provide(fileStorage, local);
    await owner.query('drop schema if exists restored cascade');
    await owner.end();
    await s3.close().catch(() => undefined);
  }
});

test('a partition that somebody holds is neither compared nor are its files read again, unless something of it changes', async () => {
  await makeOrder(tenant);
  const year = new Date().getUTCFullYear() - 4;
  await age(tenant, `${year}-01-05T10:00:00Z`);
  await sql('insert into company_settings (id, company_id) select id, id from company on conflict do nothing');
  await sql('update company_settings set audit_retention_years = 3');
  const local = fileStorage.of(app.application);
  const read: string[] = [];
  const watched: FileStorage = {
    ...local,
    read(key) {
      read.push(key);
      return local.read(key);
    },
  };
  app.application.provide(fileStorage, watched);
  const compared = async () => (await sql<{ at: string }>('select compared_at::text as at from archive_comparison'))[0]?.at;
  const part = `audit_entry_${year}`;
  const other = new pg.Client({ connectionString: app.orm.config.get('clientUrl') });
  await other.connect();
  try {
    await other.query(`begin; select count(*) from ${part}`);
    const held = async () => expect((await archive()).map(({ code }) => code)).toEqual(['55P03']);
    await held();
    const first = await compared();
    expect(first).toBeDefined();
    const files = new Set(read).size;
    expect(files).toBeGreaterThan(0);
    read.length = 0;
    await held();
    expect([await compared(), read]).toEqual([first, []]);
    // What is changed is compared again, differs, and stays.
    const [{ id }] = (await entries(tenant, admin)).data;
    await other.query('commit');
    await sql(`update audit_entry set object_changes = '{"notes": [null, "later"]}' where id = ?`, [id]);
    expect(await compared()).toBeUndefined();
    expect(await archive()).toEqual([]);
    expect(read.length).toBeGreaterThan(0);
    expect((await entries(tenant, admin)).data.map((one: Json) => one.id)).toEqual([id]);
    expect(await archive()).toEqual([]);
    expect((await entries(tenant, admin)).data).toEqual([]);
    expect(await sql('select to_regclass(?) as there', [part])).toEqual([{ there: null }]);
  } finally {
    app.application.provide(fileStorage, local);
    await other.end();
    await sql('update company_settings set audit_retention_years = 0');
  }
});
