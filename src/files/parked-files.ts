import type { AuditRecord, EventRecord } from '../platform/commands/records.ts';
import type { Query } from '../platform/database/sql.ts';
import type { FileAttachableType } from './file-attachment.entity.ts';

/** One statement on the connection of the running transaction, `$1` parameters. */
/** The columns that a file and a parked file have in common. */
export const FILE_COLUMNS =
  'id, company_id, category, description, file_attachable_type, file_name, mime_type, byte_size, sha256, fingerprint, uploaded_by_type, uploaded_by_id, uploaded_by_name, uploaded_by_company_id';

/** An attachment that has just come to be. */
export interface Attached {
  id: string;
  fileAttachableId: string;
  category: string;
  fileName: string;
}

/**
 * A file and the record for which it is meant may arrive at once: without a lock neither transaction would see the other. A command that
 * makes records takes the company's lock shared; one that brings a file takes it exclusively and looks for the record afterwards. Both hold
 * it to the end of their transaction, so that one of them sees what the other committed. Take it before other locks.
 */
export async function lockArrivals(query: Query, companyId: string, as: 'record' | 'file'): Promise<void> {
  const lock = as === 'file' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  await query(`select ${lock}(hashtextextended('file arrivals ' || $1, 0))`, [companyId]);
}

/** Attaches what waited for these records, under `lockArrivals`. A file that the record has already is dropped. */
export async function attachParked(
  query: Query,
  companyId: string,
  type: FileAttachableType,
  records: readonly { id: string; externalId: string }[],
): Promise<Attached[]> {
  if (records.length === 0) return [];
  return query<Attached>(ATTACH, [companyId, type, records.map((record) => record.externalId), records.map((record) => record.id)]);
}

// Each record looks for its own, and what waits is deleted by its place: the table is empty most of the time, and planned for one row. In a join all that waits was
// compared with each record. Under the lock nobody moves what waits.
const ATTACH = `
with waiting as (
  delete from parked_file p where p.ctid = any(array(
    select w.at from unnest($3::text[]) as r(external_id), lateral (
      select f.ctid as at from parked_file f where f.company_id = $1 and f.file_attachable_type = $2 and f.external_id = r.external_id offset 0) w))
  returning p.*, ($4::uuid[])[array_position($3::text[], p.external_id)] as record_id
)
insert into file_attachment (${FILE_COLUMNS}, file_attachable_id, created_at, updated_at)
select ${FILE_COLUMNS}, record_id, created_at, now() from waiting
on conflict do nothing
returning id, file_attachable_id as "fileAttachableId", category, file_name as "fileName"`;

/** The outbox event and audit entry of an attachment that was made by `attachParked`. */
export function recordsOf(attached: Attached, companyId: string, type: FileAttachableType): { event: EventRecord; audit: AuditRecord } {
  const of = { type: 'FileAttachment', id: attached.id, companyId };
  const to = { file_attachable_type: type, file_attachable_id: attached.fileAttachableId };
  const columns = { ...to, category: attached.category, file_name: attached.fileName };
  return {
    event: { name: 'file_attachment.created', ...of, payload: to },
    audit: {
      event: 'create',
      ...of,
      changes: Object.fromEntries(Object.entries(columns).map(([column, value]) => [column, [null, value]])),
    },
  };
}
