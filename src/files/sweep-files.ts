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
 * @param isStranger says of a key whether it is the mark of another database, whose files nothing here names
 * @returns how many files
 * @throws SharedStorage if there is such a mark; no file was removed
 */
export async function sweepFiles(em: EntityManager, age = ORPHANED_AFTER, isStranger = (_key: string): boolean => false): Promise<number> {
  const before = Date.now() - age;
  const removed = await sweepIncoming(em, age);
  // Their bytes are orphans from here on.
  const pool = await poolOf(em);
  await runAsPurpose(ORPHANS, () => pool.query('delete from direct_upload where expires_at < now()'));
  const storage = fileStorage.of(em);
  const orphans: string[] = [];
  let batch: string[] = [];
  for await (const key of storage.keys()) {
    // It may be the last of all keys, so that nothing is removed before.
    if (isStranger(key)) throw new SharedStorage(key);
    if (!isUuid(key) || madeAt(key) > before) continue;
    batch.push(key);
    if (batch.length < BATCH) continue;
    orphans.push(...(await orphansAmong(em, batch)));
    batch = [];
  }
  orphans.push(...(await orphansAmong(em, batch)));
  for (const key of orphans) await storage.remove(key);
  return removed + orphans.length;
}

/** The storage has files of another database, none of which is named here: all of them would be taken for orphans. */
class SharedStorage extends Error {
  constructor(mark: string) {
    super(
      `the storage has the mark of another database (${mark}): give each database a storage of its own, or say "npm run archive -- adopt" if the other one is gone`,
    );
  }
}

/** Returns those of the keys that no record names. */
async function orphansAmong(em: EntityManager, keys: string[]): Promise<string[]> {
  if (keys.length === 0) return [];
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
  return rows.map(({ key }) => key);
}

/** Keys are UUIDs of version 7: their first 48 bits are milliseconds since 1970. */
const madeAt = (key: string): number => Number.parseInt(key.replace('-', '').slice(0, 12), 16);
