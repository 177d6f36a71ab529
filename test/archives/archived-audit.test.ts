import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { type FileStorage, fileStorage } from '../../src/platform/storage/storage.ts';
import { makeOrder, makeTenant } from '../helpers/tenant.ts';
import { admin, age, app, archive, entries, filesOf, openArchives, order, send, settings, sql, tenant } from './archives-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

openArchives();

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
  const today = new Date();
  const year = today.getUTCFullYear() - 4;
  const isJanuary = today.getUTCMonth() === 0;
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
  if (!isJanuary) {
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
  ).toEqual(isJanuary ? [1] : [1, 2]);
  await everybody(0);
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
    // A row that is changed is compared again, differs, and stays.
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
