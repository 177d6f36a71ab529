import type { EntityManager } from '@mikro-orm/postgresql';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { claimSql, type Leased } from '../../platform/queue/lease-queue.ts';

/** Finds files without a preview, of all companies, and notes the result. */
export const PREVIEWS = definePurpose('previews', {
  file_attachment: [
    'select (id, mime_type, preview_due_at, preview_attempts)',
    'update (preview_id, preview_mime_type, preview_size, preview_due_at, preview_attempts)',
  ],
  ticket: [
    'select (id, image_id, image_mime_type, preview_due_at, preview_attempts)',
    'update (preview_id, preview_mime_type, preview_size, preview_due_at, preview_attempts)',
  ],
});

/** Tables whose rows name a file: where its key is, and what it is. */
const PICTURED = [
  { table: 'file_attachment', key: 'id', mimeType: 'mime_type' },
  { table: 'ticket', key: 'image_id', mimeType: 'image_mime_type' },
] as const;

const COLUMNS = { due: 'preview_due_at', attempts: 'preview_attempts' };

/** A file whose preview is to be made, and the row that wants it. */
export interface PreviewJob extends Leased {
  table: (typeof PICTURED)[number]['table'];
  id: string;
  /** Of the file's bytes. */
  key: string;
  mimeType: string;
}

/** Bytes that were kept as a preview. */
export interface KeptPreview {
  id: string;
  mimeType: string;
  size: number;
}

/**
 * Takes due files for `lease` seconds. A try counts when it begins, so that a file that takes its worker down is not tried for ever.
 * @param most files
 */
export function claimPreviews(em: EntityManager, most: number, lease: number): Promise<PreviewJob[]> {
  return runAsPurpose(PREVIEWS, async () => {
    const pool = await poolOf(em);
    const claimed: PreviewJob[] = [];
    for (const { table, key, mimeType } of PICTURED) {
      if (claimed.length >= most) break;
      const { rows } = await pool.query<PreviewJob>(
        claimSql(table, COLUMNS, `'${table}' as table, id, ${key} as key, ${mimeType} as "mimeType", preview_attempts as attempts`),
        [most - claimed.length, lease],
      );
      claimed.push(...rows);
    }
    return claimed;
  });
}

/** @returns false when the row is gone, has another file by now, or somebody else was faster: the bytes are nobody's */
export function settlePreview(em: EntityManager, job: PreviewJob, preview: KeptPreview | undefined): Promise<boolean> {
  return noted(
    em,
    job,
    'preview_id = $3, preview_mime_type = $4, preview_size = $5, preview_due_at = null',
    preview ? [preview.id, preview.mimeType, preview.size] : [null, null, null],
  );
}

/** Puts a file back. @param seconds from now */
export async function postponePreview(em: EntityManager, job: PreviewJob, seconds: number): Promise<void> {
  await noted(em, job, `preview_due_at = now() + $3 * interval '1 second'`, [seconds]);
}

function noted(em: EntityManager, { table, id, key }: PreviewJob, set: string, values: unknown[]): Promise<boolean> {
  const column = PICTURED.find((one) => one.table === table)!.key;
  return runAsPurpose(PREVIEWS, async () => {
    const { rowCount } = await (await poolOf(em)).query(
      `update ${table} set ${set} where id = $1 and ${column} = $2 and preview_due_at is not null`,
      [id, key, ...values],
    );
    return rowCount === 1;
  });
}
