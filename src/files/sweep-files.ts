import type { EntityManager } from '@mikro-orm/postgresql';
import { definePurpose, runAsPurpose } from '../platform/database/scope.ts';
import { poolOf } from '../platform/database/sql.ts';
import { isUuid } from '../platform/ids.ts';
import { sweepIncoming } from '../platform/storage/incoming.ts';
import { fileStorage } from '../platform/storage/storage.ts';

/** Milliseconds after which bytes without a row are nobody's: no request lives that long. */
const ORPHANED_AFTER = 3_600_000;
/** Finds which stored bytes no company's record names. */
export const ORPHANS = definePurpose('orphans', {
  file_attachment: ['select (id, preview_id)'],
  parked_file: ['select (id)'],
  company: ['select (logo_key)'],
  direct_upload: ['select (file_id, expires_at)', 'delete'],
  signature: ['select (image_id)'],
  bulk_download: ['select (file_id)'],
  settlement_email_delivery: ['select (file_id)'],
  export_run: ['select (file_id)'],
  ticket: ['select (image_id, preview_id)'],
});
/** Keys asked for in one statement. */
const BATCH = 1_000;

/**
 * Removes uploads that nobody attached in time, bytes that a crash between storing and committing has left, and partial files in the
 * incoming folder. The reverse cannot happen: a row is written only after its bytes are stored.
 * @param age milliseconds since the upload began
 * @returns how many files
 */
export async function sweepFiles(em: EntityManager, age = ORPHANED_AFTER): Promise<number> {
  const before = Date.now() - age;
  let removed = await sweepIncoming(em, age);
  // Their bytes are orphans from here on.
  const pool = await poolOf(em);
  await runAsPurpose(ORPHANS, () => pool.query('delete from direct_upload where expires_at < now()'));
  let batch: string[] = [];
  for await (const key of fileStorage.of(em).keys()) {
    if (!isUuid(key) || madeAt(key) > before) continue;
    batch.push(key);
    if (batch.length < BATCH) continue;
    removed += await removeOrphans(em, batch);
    batch = [];
  }
  return removed + (await removeOrphans(em, batch));
}

async function removeOrphans(em: EntityManager, keys: string[]): Promise<number> {
  if (keys.length === 0) return 0;
  const pool = await poolOf(em);
  const { rows } = await runAsPurpose(ORPHANS, () =>
    pool.query<{ key: string }>(
      `select key from unnest($1::uuid[]) as k(key)
    where not exists (select 1 from file_attachment f where f.id = k.key) and not exists (select 1 from parked_file p where p.id = k.key)
      and not exists (select 1 from file_attachment f where f.preview_id = k.key) and not exists (select 1 from ticket i where i.preview_id = k.key)
      and not exists (select 1 from company c where c.logo_key = k.key)
      and not exists (select 1 from bulk_download d where d.file_id = k.key)
      and not exists (select 1 from settlement_email_delivery e where e.file_id = k.key)
      and not exists (select 1 from export_run x where x.file_id = k.key)
      and not exists (select 1 from direct_upload u where u.file_id = k.key)
      and not exists (select 1 from signature s where s.image_id = k.key)
      and not exists (select 1 from ticket i where i.image_id = k.key)`,
      [keys],
    ),
  );
  for (const { key } of rows) await fileStorage.of(em).remove(key);
  return rows.length;
}

/** Keys are UUIDs of version 7: their first 48 bits are milliseconds since 1970. */
const madeAt = (key: string): number => Number.parseInt(key.replace('-', '').slice(0, 12), 16);
