import type { EntityManager } from '@mikro-orm/postgresql';
import { definePurpose } from '../../platform/database/scope.ts';
import { queryAs } from '../../platform/database/sql.ts';
import type { Language } from '../../platform/i18n/messages.ts';
import { claimSql, type Leased } from '../../platform/queue/lease-queue.ts';
import type { BulkDownloadType, PackedFile } from './bulk-download.entity.ts';

/** Packing archives of all companies, whose files were settled when they were asked for. */
export const DOWNLOADS = definePurpose('downloads', {
  bulk_download: ['select', 'update (state, file_id, byte_size, file_count, attempts, due_at)', 'delete'],
  file_attachment: ['select (id)'],
  ticket: ['select (image_id)'],
});

export interface DownloadJob extends Leased {
  id: string;
  type: BulkDownloadType;
  files: PackedFile[];
  language: Language;
}

/** Takes due archives for `lease` seconds. @param most archives */
export const claimDownloads = (em: EntityManager, most: number, lease: number): Promise<DownloadJob[]> =>
  rows<DownloadJob>(em, claimSql('bulk_download', { due: 'due_at', attempts: 'attempts' }, 'id, type, files, language, attempts'), [
    most,
    lease,
  ]);

/** Keeps an archive for `lease` more seconds, or puts it back so long. */
export const postponeDownload = (em: EntityManager, { id }: DownloadJob, seconds: number): Promise<unknown[]> =>
  rows(em, `update bulk_download set due_at = now() + $2 * interval '1 second' where id = $1 and due_at is not null returning id`, [
    id,
    seconds,
  ]);

/** Keys whose files are still there. */
export async function stillThere(em: EntityManager, keys: readonly string[]): Promise<Set<string>> {
  const found = await rows<{ key: string }>(
    em,
    'select id as key from file_attachment where id = any($1) union all select image_id from ticket where image_id = any($1)',
    [keys],
  );
  return new Set(found.map(({ key }) => key));
}

/** @returns false when it is gone, or somebody else was faster: the bytes are nobody's */
export async function settleDownload(
  em: EntityManager,
  { id }: DownloadJob,
  archive: { key: string; size: number; files: number } | undefined,
): Promise<boolean> {
  const settled = await rows(
    em,
    `update bulk_download set due_at = null, state = $2, file_id = $3, byte_size = $4, file_count = coalesce($5, file_count)
     where id = $1 and due_at is not null returning id`,
    [id, archive ? 'success' : 'error', archive?.key ?? null, archive?.size ?? null, archive?.files ?? null],
  );
  return settled.length === 1;
}

/** Forgets what has expired. @returns keys of archives, whose bytes are nobody's now */
export async function forgetExpired(em: EntityManager): Promise<string[]> {
  const gone = await rows<{ key: string | null }>(em, 'delete from bulk_download where expires_at < now() returning file_id as key', []);
  return gone.flatMap(({ key }) => key ?? []);
}

const rows = <R extends object>(em: EntityManager, sql: string, parameters: unknown[]): Promise<R[]> =>
  queryAs<R>(DOWNLOADS, em, sql, parameters);
