import { companyOf } from '../../platform/authz/authorization.ts';
import { AuditEntry } from '../../platform/commands/audit.entity.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { csvLines } from '../../platform/csv.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { chunksOf, filtersOf, listExport } from '../../platform/http/list-export.ts';
import { AUDIT_FILTERS, type AuditFilter, BY_A_PERSON, namesAPerson, shownChanges } from './audit-log.ts';

interface Row {
  id: string;
  /** When it was written. */
  at: string;
  company_id: string;
  event: string;
  subject_type: string;
  subject_id: string;
  object_changes: Record<string, [unknown, unknown]>;
  created_by_type: string;
  created_by_id: string | null;
  created_by_name: string;
  real_actor_type: string | null;
  real_actor_id: string | null;
  real_actor_name: string | null;
  request_id: string;
}
const COLUMNS = `t.company_id, t.event, t.subject_type, t.subject_id, t.object_changes, t.created_by_type, t.created_by_id, t.created_by_name,
  t.real_actor_type, t.real_actor_id, t.real_actor_name, t.request_id`;

const HEAD = [
  'created_at',
  'event',
  'subject_type',
  'subject_id',
  'field',
  'before',
  'after',
  'actor_type',
  'actor_id',
  'actor_name',
  'real_actor_type',
  'real_actor_id',
  'real_actor_name',
  'company_id',
  'request_id',
  'entry_id',
];

/**
 * Exports the whole of a filtered log: as CSV a line for each changed field, no cell a formula, as NDJSON a line for each entry. Entries
 * written after the export began are not in it.
 */
export const auditExport = listExport<Row>({
  csv: { filename: 'audit-log.csv', head: HEAD, lines: csvOf },
  ndjson: { filename: 'audit-log.ndjson', lines: ndjsonOf },
  rows: entries,
});

async function* entries(ctx: Context): AsyncGenerator<Row[]> {
  const { companyId, filter } = (ctx.variables ?? {}) as { companyId?: string | null; filter?: AuditFilter | null };
  const values: unknown[] = [companyOf(ctx, companyId)];
  const conditions = ['t.company_id = $1', ...filtersOf<AuditFilter>(AUDIT_FILTERS, filter, values)];
  if (await namesAPerson(ctx, filter)) conditions.push(BY_A_PERSON('t'));
  const { rows } = await (await poolOf(ctx.em)).query<{ now: string }>('select now()::text as now');
  conditions.push(`t.created_at <= $${values.push(rows[0]!.now)}::timestamptz`);
  yield* chunksOf<Row>(ctx, { entity: AuditEntry, table: 'audit_entry', time: 'created_at', columns: COLUMNS, conditions, values });
}

const timeOf = (row: Row) => new Date(row.at).toISOString();
const cellOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function csvOf(viewer: Viewer, rows: readonly Row[]): string {
  return csvLines(
    rows.flatMap((row) => {
      const changes: [string, [unknown, unknown]][] = Object.entries(shownChanges(viewer, row.subject_type, row.object_changes));
      return (changes.length > 0 ? changes : [['', [null, null]] as [string, [unknown, unknown]]]).map(([field, [before, after]]) => [
        timeOf(row),
        row.event,
        row.subject_type,
        row.subject_id,
        field,
        cellOf(before),
        cellOf(after),
        row.created_by_type,
        row.created_by_id,
        row.created_by_name,
        row.real_actor_type,
        row.real_actor_id,
        row.real_actor_name,
        row.company_id,
        row.request_id,
        row.id,
      ]);
    }),
  );
}

function ndjsonOf(viewer: Viewer, rows: readonly Row[]): string {
  return rows
    .map((row) => {
      const entry = {
        id: row.id,
        company_id: row.company_id,
        subject_type: row.subject_type,
        subject_id: row.subject_id,
        event: row.event,
        object_changes: shownChanges(viewer, row.subject_type, row.object_changes),
        created_by: { type: row.created_by_type, id: row.created_by_id, name: row.created_by_name },
        real_actor: row.real_actor_id ? { type: row.real_actor_type, id: row.real_actor_id, name: row.real_actor_name } : null,
        request_id: row.request_id,
        created_at: timeOf(row),
      };
      return `${JSON.stringify(entry)}\n`;
    })
    .join('');
}
