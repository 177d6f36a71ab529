import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { archiveOld } from '../../src/archives/archive-old.ts';
import { forgetInFiles } from '../../src/archives/forget-in-files.ts';
import { Pieces } from '../../src/archives/pieces.ts';
import { listPieces } from '../../src/archives/restore.ts';
import { type ArchiveSettings, archiveSettings, KEPT_FOR_EVER } from '../../src/platform/storage/archive-settings.ts';
import { type FileStorage, fileStorage } from '../../src/platform/storage/storage.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const ON: ArchiveSettings = { on: true, auditYears: 0, importYears: 0, eventDays: 90, deleteAfter: KEPT_FOR_EVER };
/** A year of which the audit log has a partition, and whose March ended more than ten and less than twelve years ago. */
const YEAR = new Date().getUTCFullYear() - 11;
const APRIL = `${YEAR}-04-01T00:00:00Z`;

let app: TestApp;
let tenant: Tenant;
let admin: string;
beforeAll(async () => {
  app = await startTestApp({ newDatabase: true, archives: ON });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
});

const sql = <R extends object = Json>(text: string, values: unknown[] = []) => app.orm.em.fork().getConnection().execute<R[]>(text, values);
const change = (of: Tenant, input: object) =>
  of.gql('mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { id } }', { input });
async function settings(of: Tenant, input: object): Promise<void> {
  expect((await change(of, input)).errors).toBeUndefined();
}
/** Runs a round of the worker; errors are those that it reports. */
async function archive(): Promise<Json[]> {
  const errors: Json[] = [];
  await archiveOld(app.productOrm.em.fork(), { info: () => {} }, (error) => errors.push(error));
  return errors;
}
/** Has everything that a company's audit log has leave for a file of March. */
async function archiveMarch(of: Tenant): Promise<void> {
  const at = `${YEAR}-03-05T10:00:00Z`;
  await sql(`select keep_part('audit_entry', ?::timestamptz)`, [at]);
  await sql(`update audit_entry set created_at = ?::timestamptz where company_id = ? and subject_type <> 'ArchivePiece'`, [
    at,
    of.company.id,
  ]);
  expect(await archive()).toEqual([]);
}
/** Has positions of a new driver, each of so many days ago, leave for the files of their months. @returns the driver's id */
async function archivePositions(of: Tenant, ...days: number[]): Promise<string> {
  const { user } = await of.person({ roles: ['driver'] });
  await settings(of, { archivePositions: true });
  for (const ago of days) {
    const at = new Date(Date.now() - ago * 86_400_000).toISOString();
    await sql('select keep_position_month(?::timestamptz)', [at]);
    await sql(
      `insert into location_history (id, company_id, user_id, device_id, occurred_at, lat, lon) values (gen_random_uuid(), ?, ?, 'phone', ?, 30, -97)`,
      [of.company.id, user.id, at],
    );
  }
  expect(await archive()).toEqual([]);
  return user.id;
}
async function forget(of: Tenant, id: string): Promise<void> {
  expect((await of.gql('mutation($id: ID!) { forgetPositions(id: $id) }', { id })).errors).toBeUndefined();
}
/** Returns the archives that a company has in the storage. */
async function archivesOf(of: Tenant): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of fileStorage.of(app.application).keys()) if (key.startsWith(`archives/${of.company.id}/`)) keys.push(key);
  return keys;
}
const piecesOf = (of: Tenant) =>
  sql<{ key: string; part: number; isDeleted: boolean }>(
    `select key, part, deleted_at is not null as "isDeleted" from archive_piece where company_id = ? order by table_name, period, part`,
    [of.company.id],
  );
const deletedOf = async (of: Tenant, as: string): Promise<Json[]> =>
  (await of.http('GET', '/v1/audit_entries?page[limit]=100', undefined, as)).body.data.filter(
    ({ subject_type, event }: Json) => subject_type === 'ArchivePiece' && event === 'destroy',
  );
const has = (key: string) => fileStorage.of(app.application).has(key);
const manifestOf = (key: string) => key.replace('.ndjson.gz', '.manifest.json');

test('an archive is deleted when its company says that its time is over, which the audit log and lists say', async () => {
  const other = await makeTenant(app);
  for (const one of [tenant, other]) {
    await makeOrder(one);
    await settings(one, { auditRetentionYears: 5 });
    await archiveMarch(one);
  }
  await settings(other, { auditDeletedAfterYears: 12 });
  // Nobody said for how long: it stays.
  expect(await archive()).toEqual([]);
  const [piece] = await piecesOf(tenant);
  expect([piece!.isDeleted, await has(piece!.key), await has(manifestOf(piece!.key))]).toEqual([false, true, true]);
  const { errors } = await change(tenant, { auditDeletedAfterYears: 4 });
  expect(errors[0].extensions.errors).toMatchObject([{ field: 'auditDeletedAfterYears', message: expect.stringContaining('5') }]);

  await settings(tenant, { auditDeletedAfterYears: 10 });
  // Two processes at once note it once.
  expect((await Promise.all([archive(), archive()])).flat()).toEqual([]);
  expect(await archive()).toEqual([]);
  expect(await piecesOf(tenant)).toMatchObject([{ key: piece!.key, isDeleted: true }]);
  expect([await has(piece!.key), await has(manifestOf(piece!.key))]).toEqual([false, false]);
  const [entry, ...more] = await deletedOf(tenant, admin);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({
    object_changes: { table: ['audit_entry', null], period: [`${YEAR}-03`, null], key: [piece!.key, null], part: [1, null] },
  });
  expect(entry.object_changes.sha256[0]).toMatch(/^[0-9a-f]{64}$/);
  const [kept] = await piecesOf(other);
  expect([kept!.isDeleted, await has(kept!.key)]).toEqual([false, true]);

  const archived = { before: APRIL, deleted: APRIL, in: `archives/${tenant.company.id}/audit_entry/` };
  expect((await tenant.http('GET', '/v1/audit_entries', undefined, admin)).body.meta).toEqual({ archived });
  const { body } = await app.graphql('{ auditEntries(first: 1) { nodes { id } } }', {}, { token: admin });
  expect(body.extensions.archived).toEqual([{ path: ['auditEntries'], ...archived }]);
  const sheet = await app.http('GET', '/v1/audit_entries', { token: admin, headers: { Accept: 'text/csv' } });
  expect(sheet.headers.get('x-archived-deleted')).toBe(APRIL);

  // A row that comes to the month later gets a file of its own, which goes as well.
  await makeOrder(tenant);
  await archiveMarch(tenant);
  const [, second] = await piecesOf(tenant);
  expect([second!.part, second!.isDeleted, await has(second!.key)]).toEqual([2, false, true]);
  expect(await archive()).toEqual([]);
  expect(await has(second!.key)).toBe(false);
  const owner = new pg.Client({ connectionString: app.orm.config.get('clientUrl') });
  await owner.connect();
  try {
    const listed = await listPieces(owner, { companyId: tenant.company.id });
    expect(listed.map(({ part, isDeleted }) => [part, isDeleted])).toEqual([
      [1, true],
      [2, true],
    ]);
  } finally {
    await owner.end();
  }
});

test('a file that the storage does not delete is noted by nobody, and deleted by the next round', async () => {
  await makeOrder(tenant);
  await settings(tenant, { auditRetentionYears: 5, auditDeletedAfterYears: 10 });
  await archiveMarch(tenant);
  const [piece] = await piecesOf(tenant);
  const ours = fileStorage.of(app.application);
  const stubborn: FileStorage = {
    ...ours,
    async remove(key) {
      if (key === piece!.key) throw new Error('the bucket has a lock');
      await ours.remove(key);
    },
  };
  app.application.provide(fileStorage, stubborn);
  try {
    expect((await archive()).map(({ message }) => message)).toEqual(['the bucket has a lock']);
  } finally {
    app.application.provide(fileStorage, ours);
  }
  expect([(await piecesOf(tenant))[0]!.isDeleted, await deletedOf(tenant, admin)]).toEqual([false, []]);
  expect(await archive()).toEqual([]);
  expect([await has(piece!.key), (await deletedOf(tenant, admin)).length]).toEqual([false, 1]);
});

test('the operator says it for those who say nothing, and for what no company says it', async () => {
  const other = await makeTenant(app);
  for (const one of [tenant, other]) {
    await makeOrder(one);
    await settings(one, { auditRetentionYears: 5 });
    await archiveMarch(one);
  }
  await settings(other, { auditDeletedAfterYears: 12 });
  // Files of events have those of all companies.
  for (const [table, companyId] of [
    ['outbox_event', null],
    ['webhook_delivery', tenant.company.id],
    ['imported_record', tenant.company.id],
  ])
    await sql(
      `insert into archive_piece (company_id, table_name, period, part, state, key, writer, row_count, bytes, sha256, checksum)
       values (?, ?, ?::date, 1, 'removed', ?, gen_random_uuid(), 1, 1, '', 0)`,
      [companyId, table, `${YEAR}-03-01`, `archives/${companyId ?? 'all'}/${table}/${YEAR}-03-0.ndjson.gz`],
    );
  const events = `archives/all/outbox_event/${YEAR}-03-0.ndjson.gz`;
  const path = join(app.folder, 'events');
  writeFileSync(path, 'events');
  await fileStorage.of(app.application).keep(events, path, { size: 6, mimeType: 'application/gzip' });
  const deleted = async () =>
    (
      await sql<{ table: string }>(
        `select table_name as table from archive_piece where (company_id is null or company_id = ?) and deleted_at is not null order by 1`,
        [tenant.company.id],
      )
    ).map(({ table }) => table);

  app.application.provide(archiveSettings, { ...ON, deleteAfter: { ...KEPT_FOR_EVER, auditYears: 10, eventYears: 10, deliveryYears: 10 } });
  try {
    expect(await archive()).toEqual([]);
    expect([await deleted(), await has(events)]).toEqual([['audit_entry', 'outbox_event', 'webhook_delivery'], false]);
    expect((await piecesOf(other)).map(({ isDeleted }) => isDeleted)).toEqual([false]);
    // A record of then is gone, and no operator can read it back.
    const early = `0${Date.UTC(YEAR, 2, 5).toString(16)}`.slice(-12).replace(/^(.{8})/, '$1-');
    const read = () => tenant.http('GET', `/v1/imported_records/${early}-7000-8000-000000000000`);
    expect((await read()).body.error.errors[0].message).toContain('can read it back');
    app.application.provide(archiveSettings, { ...ON, deleteAfter: { ...KEPT_FOR_EVER, importYears: 10 } });
    expect(await archive()).toEqual([]);
    const { status, body } = await read();
    expect([status, body.error.errors[0].message]).toEqual([410, expect.stringContaining('deleted when their time was over')]);
  } finally {
    app.application.provide(archiveSettings, ON);
  }
});

test('archives of positions are deleted by their days, also of who archives none any more, and are not looked for when somebody is forgotten', async () => {
  const driver = await archivePositions(tenant, 1_200);
  const [piece] = await piecesOf(tenant);
  expect(await has(piece!.key)).toBe(true);
  // They are at hand for 400 days.
  const { errors } = await change(tenant, { positionsDeletedAfterDays: 399 });
  expect(errors[0].extensions.errors).toMatchObject([{ field: 'positionsDeletedAfterDays' }]);
  await settings(tenant, { positionsDeletedAfterDays: 500, archivePositions: false });
  expect(await archive()).toEqual([]);
  expect([await has(piece!.key), (await deletedOf(tenant, admin)).length]).toEqual([false, 1]);
  await forget(tenant, driver);
  expect(await archive()).toEqual([]);
});

test('a file that was written anew since it was listed is deleted as it is by then', async () => {
  await forget(tenant, await archivePositions(tenant, 1_240, 1_200));
  const [first, second] = await piecesOf(tenant);
  await settings(tenant, { positionsDeletedAfterDays: 500, archivePositions: false });
  const ours = fileStorage.of(app.application);
  const failed: unknown[] = [];
  // Another process writes the second one anew while this one deletes the first.
  const slow: FileStorage = {
    ...ours,
    async remove(key) {
      if (fileStorage.of(app.application) === slow && key === first!.key) {
        app.application.provide(fileStorage, ours);
        const em = app.productOrm.em.fork();
        await forgetInFiles(em, new Pieces(em), (error) => failed.push(error));
      }
      await ours.remove(key);
    },
  };
  app.application.provide(fileStorage, slow);
  try {
    expect(await archive()).toEqual([]);
  } finally {
    app.application.provide(fileStorage, ours);
  }
  expect(failed).toEqual([]);
  const now = await piecesOf(tenant);
  expect(now.map(({ isDeleted }) => isDeleted)).toEqual([true, true]);
  expect([now[0]!.key === first!.key, now[1]!.key === second!.key]).toEqual([true, false]);
  expect(await archivesOf(tenant)).toEqual([]);
  const noted = (await deletedOf(tenant, admin)).map(({ object_changes }) => object_changes.key[0]);
  expect(noted.sort()).toEqual(now.map(({ key }) => key).sort());
});

test('a file that nobody can write anew is deleted all the same when its time is over', async () => {
  const driver = await archivePositions(tenant, 1_200);
  const [piece] = await piecesOf(tenant);
  writeFileSync(join(app.folder, 'files', piece!.key), 'damaged');
  await forget(tenant, driver);
  for (const _ of [1, 2]) expect((await archive()).map(({ message }) => message)).toEqual([expect.stringContaining(piece!.key)]);
  await settings(tenant, { positionsDeletedAfterDays: 500 });
  expect(await archive()).toEqual([]);
  expect([await archivesOf(tenant), (await deletedOf(tenant, admin)).length]).toEqual([[], 1]);
});
