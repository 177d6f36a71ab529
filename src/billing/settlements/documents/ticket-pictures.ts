import { buffer } from 'node:stream/consumers';
import type { EntityManager } from '@mikro-orm/postgresql';
import { renderPreview } from '../../../files/previews/render-preview.ts';
import type { Context } from '../../../platform/context.ts';
import { queryOf } from '../../../platform/database/sql.ts';
import { fileStorage } from '../../../platform/storage/storage.ts';
import { loadsIn } from '../settlement.lists.ts';

/** The picture of a ticket, or a file that is attached to it, of which there is a picture behind a document. */
export interface TicketFile {
  /** Under which its bytes are. */
  key: string;
  /** The ticket or the file. */
  recordId: string;
  /** The number of the ticket, or of its load if it has none. */
  ticket: string;
}

/** The pictures behind a document, in their order. */
export interface Pictures {
  files: readonly TicketFile[];
  /** Tickets whose pictures are left out, because they would be too many. */
  left: readonly string[];
  /** A JPEG; null of a file that cannot be shown, or is not there any more. */
  read(file: TicketFile): Promise<Buffer | null>;
}

/** The limit of what may be behind a document. */
export interface Most {
  files: number;
  bytes: number;
}
/** Of one that somebody reads. */
export const MOST_READ: Most = { files: 500, bytes: 64 * 1024 * 1024 };
/** Of one that is mailed: many servers refuse mails of 10 MB, and a file is a third longer in a mail. */
export const MOST_MAILED: Most = { files: 100, bytes: 6 * 1024 * 1024 };

/** Bytes of a picture that nobody has made yet. */
const USUAL = 200 * 1024;

// Pictures of other companies stay with these: a bill shows those that its company has.
const OF_SETTLEMENT = `with t as (
    select k.id, k.image_id, coalesce(k.ticket_number, l.load_id) as ticket, coalesce(l.summary_load_completed_at, j.job_start_at) as at, l.load_id
    from load l join job j on j.id = l.job_id join ticket k on k.load_id = l.id and k.voided_at is null
    where k.company_id = $2 and ${loadsIn('').sql('l', '$1')})
  select x.key, x.id as "recordId", t.ticket from t cross join lateral (
    select t.image_id as key, t.id, null::timestamptz as created_at where t.image_id is not null
    union all select f.id, f.id, f.created_at from file_attachment f
      where f.file_attachable_id = t.id and f.file_attachable_type = 'Ticket' and f.company_id = $2) x
  order by t.at, t.load_id, x.created_at nulls first, x.id`;

/** Returns the files of the tickets that a settlement is for, the earliest load first. */
export const filesOfTickets = (ctx: Context, settlementId: string, companyId: string): Promise<TicketFile[]> =>
  queryOf<TicketFile>(ctx, OF_SETTLEMENT, [settlementId, companyId]);

interface Stored {
  key: string;
  type: string;
  previewId: string | null;
  size: number | null;
}
const STORED = `select k.image_id as key, k.image_mime_type as type, k.preview_id as "previewId", k.preview_size as size from ticket k
    where k.id = any($1::uuid[]) and k.image_id is not null
  union all select f.id, f.mime_type, f.preview_id, f.preview_size from file_attachment f where f.id = any($1::uuid[])`;

/** Returns the pictures of files, as far as they fit: the previews that there are of them, and otherwise made now. */
export async function picturesOf(ctx: Context, files: readonly TicketFile[], most: Most): Promise<Pictures> {
  const rows = files.length === 0 ? [] : await queryOf<Stored>(ctx, STORED, [files.map(({ recordId }) => recordId)]);
  const stored = new Map(rows.map((row) => [row.key, row]));
  let bytes = 0;
  const fitting = files.findIndex(({ key }, i) => {
    bytes += stored.get(key)?.size ?? USUAL;
    return i >= most.files || bytes > most.bytes;
  });
  const count = fitting === -1 ? files.length : fitting;
  return {
    files: files.slice(0, count),
    left: [...new Set(files.slice(count).map(({ ticket }) => ticket))],
    read: ({ key }) => pictureOf(ctx, stored.get(key)),
  };
}

async function pictureOf(
  { em, report }: Pick<Context, 'report'> & { em: EntityManager },
  file: Stored | undefined,
): Promise<Buffer | null> {
  if (!file) return null;
  const storage = fileStorage.of(em);
  try {
    return file.previewId ? await buffer(await storage.read(file.previewId)) : await renderPreview(await storage.read(file.key), file.type);
  } catch (error) {
    // A bill without one of its pictures is one all the same, and says which is missing.
    report?.(error);
    return null;
  }
}
