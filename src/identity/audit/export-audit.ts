import type { Request, Response } from 'express';
import { companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { AuditEntry } from '../../platform/commands/audit.entity.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { csvLines } from '../../platform/csv.ts';
import { poolOf } from '../../platform/database/sql.ts';
import type { Answer } from '../../platform/http/rest/envelope.ts';
import type { FollowUp } from '../../platform/http/rest/router.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { AUDIT_FILTERS, type AuditFilter, BY_A_PERSON, namesAPerson, shownChanges } from './audit-log.ts';

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
/** Entries read at a time, which limits the memory of an export of any length. */
const CHUNK = 500;

interface Row {
  id: string;
  created_at: string;
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

/**
 * Exports the whole of a filtered log, oldest first, for callers who accept `text/csv` (a line for each changed field, no cell a formula)
 * or `application/x-ndjson` (a line for each entry). Entries written after the export began are not in it. The list itself was read before,
 * so permissions, companies and filters have been checked.
 */
export const auditExport: FollowUp = {
  types: [CSV, NDJSON],
  async follow(ctx, answer, req, res) {
    const type = req.accepts(['application/json', CSV, NDJSON]);
    if (answer.status !== 200 || (type !== CSV && type !== NDJSON)) return answer;
    await send(ctx, answer, req, res, type);
    return undefined;
  },
};

async function send(ctx: Context, answer: Answer, req: Request, res: Response, type: string): Promise<void> {
  const viewer = viewerOf(ctx);
  const { Link: _pages, ...headers } = answer.headers;
  const lines = type === CSV ? csvOf : ndjsonOf;
  res.status(200).set({
    ...headers,
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="audit-log.${type === CSV ? 'csv' : 'ndjson'}"`,
    'Cache-Control': 'no-store',
  });
  if (req.method === 'HEAD') return void res.end();
  try {
    if (type === CSV) res.write(csvLines([HEAD], { bom: true }));
    for await (const rows of entries(ctx)) {
      if (res.destroyed) return;
      if (!res.write(lines(viewer, rows))) await new Promise((resolve) => res.once('drain', resolve).once('close', resolve));
    }
    res.end();
  } catch (error) {
    // Half of it is sent: only a broken connection shows that it is not complete.
    ctx.report?.(error);
    res.destroy();
  }
}

/** The rows of an export, in chunks; the place of the last row is where the next chunk begins. */
async function* entries(ctx: Context): AsyncGenerator<Row[]> {
  const { companyId, filter } = (ctx.variables ?? {}) as { companyId?: string | null; filter?: AuditFilter | null };
  const values: unknown[] = [companyOf(ctx, companyId)];
  const conditions = ['t.company_id = $1'];
  for (const [name, { sql, cast }] of Object.entries(AUDIT_FILTERS)) {
    const given = filter?.[name as keyof AuditFilter];
    if (given === undefined || given === null) continue;
    values.push(given);
    conditions.push(
      sql(
        't',
        `$${values.length}::${cast}`,
        () => '',
        () => 'array[$1::uuid]',
      ),
    );
  }
  if (await namesAPerson(ctx, filter)) conditions.push(BY_A_PERSON('t'));
  const limits = limitsFor(viewerOf(ctx), AuditEntry, 't', values);
  const pool = await poolOf(ctx.em);
  const { rows: clock } = await pool.query<{ now: string }>('select now()::text as now');
  let last: [string, string] = ['-infinity', '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const place = [...values, clock[0]!.now, ...last];
    const n = values.length;
    const { rows } = await pool.query<Row>(
      `select t.id, t.created_at::text, t.company_id, t.event, t.subject_type, t.subject_id, t.object_changes, t.created_by_type, t.created_by_id,
         t.created_by_name, t.real_actor_type, t.real_actor_id, t.real_actor_name, t.request_id
       from audit_entry t where ${conditions.join(' and ')}${limits} and t.created_at <= $${n + 1}::timestamptz
         and (t.created_at, t.id) > ($${n + 2}::timestamptz, $${n + 3}::uuid)
       order by t.created_at, t.id limit ${CHUNK}`,
      place,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < CHUNK) return;
    const end = rows[rows.length - 1]!;
    last = [end.created_at, end.id];
  }
}

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

const timeOf = (row: Row) => new Date(row.created_at).toISOString();
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
