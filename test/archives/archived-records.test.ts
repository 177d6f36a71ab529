import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { listPieces, restorePiece } from '../../src/archives/restore.ts';
import { deleteOldWebhooks } from '../../src/events/webhooks/retention.ts';
import { fileStorage } from '../../src/platform/storage/storage.ts';
import { makeOrder } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { admin, age, app, archive, filesOf, openArchives, order, send, settings, sql, tenant } from './archives-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

openArchives();

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
  // The order that it made is there, and the next payload finds it.
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
    // A row that was read back by a version before lacks columns, and columns that the next migration adds are in no file.
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
  const [made] = await sql<{ month: string; at: string }>(
    `select to_char(created_at at time zone 'UTC', 'YYYY-MM') as month, floor(extract(epoch from created_at) * 1000)::text as at
     from webhook_delivery where id = ?`,
    [delivery.id],
  );
  const [dead] = await sql<{ id: string }>(
    `insert into archive_piece (company_id, table_name, period, part, state, key, writer, lease_until)
     values (?, 'webhook_delivery', ?::date, 1, 'writing', ?, gen_random_uuid(), now() + interval '1 minute') returning id`,
    [tenant.company.id, `${made!.month}-01`, `archives/${tenant.company.id}/webhook_delivery/dead.ndjson.gz`],
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
  const early = `${`0${Number(made!.at).toString(16)}`.slice(-12).replace(/^(.{8})/, '$1-')}${delivery.id.slice(13)}`;
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
