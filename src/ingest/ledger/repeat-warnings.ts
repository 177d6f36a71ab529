import { namedStatement } from '../../platform/database/named-statements.ts';
import type { Query } from '../../platform/database/sql.ts';
import type { ImportKind } from '../importer.ts';
import { BEFORE } from '../payload/noted.ts';

/**
 * Gives the warnings of records to the elements that equal them: an element that equals the one before it in its request was settled on
 * receipt, before anything was known of that one. It keeps the warnings that came with its own payload.
 * @param records of one company and kind, with their warnings as JSON; nothing is asked if there are none
 * @returns the ids of the elements, each with that of the record that it equals
 */
export async function repeatWarnings(
  query: Query,
  of: { companyId: string; kind: ImportKind },
  records: readonly { id: string; warnings: string }[],
): Promise<{ id: string; of: string }[]> {
  if (records.length === 0) return [];
  return query(REPEAT, [records.map(({ id }) => id), records.map(({ warnings }) => warnings), of.companyId, of.kind, BEFORE]);
}

const REPEAT = namedStatement(`
update imported_record t set updated_at = clock_timestamp(), warnings = (
  select coalesce(json_agg(e.one), '[]') from (
    select one from json_array_elements(t.warnings) one where one ->> 'code' = any($5::text[])
    union all select one from json_array_elements(w.warnings) one where one ->> 'code' <> all($5::text[])) e)
from unnest($1::uuid[], $2::json[]) w(id, warnings),
  lateral (select imported_for, batch_id, payload_hash, sequence from imported_record where id = w.id offset 0) r,
  lateral (select x.id, x.ctid as at, x.tableoid as part from imported_record x
    where x.company_id = $3 and x.kind = $4 and x.imported_for = r.imported_for and x.sequence > r.sequence and x.batch_id = r.batch_id
      and x.payload_hash = r.payload_hash and x.state = 'skipped' and x.last_error = 'duplicate' and x.attempts = 0 offset 0) twin
where t.ctid = twin.at and t.tableoid = twin.part and t.id = twin.id
returning t.id, w.id as of`);
