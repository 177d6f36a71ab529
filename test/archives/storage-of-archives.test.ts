import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { listPieces, restorePiece } from '../../src/archives/restore.ts';
import { adoptStorage, isMarkedStorage, OtherStorage } from '../../src/archives/storage-mark.ts';
import { type FileStorage, fileStorage, localStorage, s3Storage } from '../../src/platform/storage/storage.ts';
import { startS3 } from '../helpers/s3-server.ts';
import { makeOrder } from '../helpers/tenant.ts';
import { admin, age, app, archive, entries, openArchives, settings, sql, tenant } from './archives-scene.ts';

openArchives();

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
