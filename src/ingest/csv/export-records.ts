import type { Request, Response } from 'express';
import { companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { csvLines } from '../../platform/csv.ts';
import { poolOf } from '../../platform/database/sql.ts';
import type { Answer } from '../../platform/http/rest/envelope.ts';
import type { FollowUp } from '../../platform/http/rest/router.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { type ImportedRecordFilter, RECORD_FILTERS, withDefaultDays } from '../api/ingest.resolver.ts';
import { maskWarnings } from '../dry-run/hide-money.ts';
import { ImportedRecord } from '../ledger/imported-record.entity.ts';
import { ERROR_COLUMNS, errorCells, LINE_SQL, TROUBLED_SQL, type TroubledRow } from './batch-errors.ts';

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
/** Records read at a time, which limits the memory of an export of any length. */
const CHUNK = 500;

interface Row extends TroubledRow {
  received: string;
  kind: string;
  batch_id: string;
  batch_index: number;
  result_id: string | null;
}

/**
 * Exports the whole of a filtered list of imported records, oldest first: for callers who accept `text/csv` those that failed or have
 * warnings, in the columns of a batch's errors.csv, and for those who accept `application/x-ndjson` a line for each record. The list itself was
 * read before, so permissions, companies and filters have been checked.
 */
export const importedRecordsExport: FollowUp = {
  types: [CSV, NDJSON],
  async follow(ctx, answer, req, res) {
    const type = req.accepts(['application/json', CSV, NDJSON]);
    if (answer.status !== 200 || (type !== CSV && type !== NDJSON)) return answer;
    await send(ctx, answer, req, res, type);
    return undefined;
  },
};

async function send(ctx: Context, answer: Answer, req: Request, res: Response, type: typeof CSV | typeof NDJSON): Promise<void> {
  const viewer = viewerOf(ctx);
  const { Link: _pages, ...headers } = answer.headers;
  const name = type === CSV ? 'errors.csv' : 'imported-records.ndjson';
  res.status(200).set({
    ...headers,
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
  });
  if (req.method === 'HEAD') return void res.end();
  try {
    if (type === CSV) res.write(csvLines([ERROR_COLUMNS], { bom: true }));
    for await (const rows of records(ctx, type === CSV)) {
      if (res.destroyed) return;
      const text = type === CSV ? csvLines(rows.map((row) => errorCells(viewer, row))) : rows.map((row) => lineOf(viewer, row)).join('');
      if (!res.write(text)) await new Promise((resolve) => res.once('drain', resolve).once('close', resolve));
    }
    res.end();
  } catch (error) {
    // Half of it is sent: only a broken connection shows that it is not complete.
    ctx.report?.(error);
    res.destroy();
  }
}

/** The records of an export, in chunks; the place of the last one is where the next chunk begins. */
async function* records(ctx: Context, onlyTroubled: boolean): AsyncGenerator<Row[]> {
  const { companyId, filter, search } = (ctx.variables ?? {}) as {
    companyId?: string | null;
    filter?: ImportedRecordFilter | null;
    search?: { datagrid?: string | null } | null;
  };
  const values: unknown[] = [companyOf(ctx, companyId)];
  const conditions = ['t.company_id = $1', ...(onlyTroubled ? [TROUBLED_SQL] : [])];
  const given = withDefaultDays(filter);
  for (const [name, { sql, cast }] of Object.entries(RECORD_FILTERS)) {
    const value = given[name as keyof ImportedRecordFilter];
    if (value !== undefined && value !== null)
      conditions.push(
        `(${sql(
          't',
          `$${values.push(value)}::${cast}`,
          () => '',
          () => 'array[$1::uuid]',
        )})`,
      );
  }
  for (const term of (search?.datagrid ?? '').split(/\s+/).filter(Boolean)) {
    const p = `$${values.push(`%${term.replace(/[\\%_]/g, '\\$&')}%`)}`;
    conditions.push(`(t.imported_for ilike ${p} or t.last_error ilike ${p})`);
  }
  const limits = limitsFor(viewerOf(ctx), ImportedRecord, 't', values);
  const pool = await poolOf(ctx.em);
  let last: [string, string] = ['-infinity', '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const n = values.length;
    const { rows } = await pool.query<Row>(
      `select ${LINE_SQL} as line, t.imported_for, t.state, t.last_error, t.warnings, t.id, t.import_received_at::text as received, t.kind, t.batch_id,
         t.batch_index, t.result_id
       from imported_record t where ${conditions.join(' and ')}${limits} and (t.import_received_at, t.id) > ($${n + 1}::timestamptz, $${n + 2}::uuid)
       order by t.import_received_at, t.id limit ${CHUNK}`,
      [...values, ...last],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < CHUNK) return;
    const end = rows[rows.length - 1]!;
    last = [end.received, end.id];
  }
}

/** Returns the line of a record, with the fields of a batch's stream of outcomes. */
function lineOf(
  viewer: Viewer,
  { batch_index: index, batch_id, id, kind, imported_for, last_error, result_id, state, ...row }: Row,
): string {
  const warnings = maskWarnings(viewer, row.warnings).map(({ code, pointer, given = null, used = null }) => ({
    code,
    pointer,
    given,
    used,
  }));
  const received = new Date(row.received).toISOString();
  return `${JSON.stringify({ index, batch_id, id, kind, imported_for, import_received_at: received, last_error, result_id, state, warnings })}\n`;
}
