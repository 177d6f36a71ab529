import type { Request, Response } from 'express';
import { viewerOf } from '../authz/authorization.ts';
import type { Context, Viewer } from '../context.ts';
import { csvLines } from '../csv.ts';
import { poolOf } from '../database/sql.ts';
import { limitsFor } from '../model/limits.ts';
import type { FilterSpec } from '../read/grammar.ts';
import type { Answer } from './rest/envelope.ts';
import type { FollowUp } from './rest/router.ts';

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
/** Rows read at a time, which limits the memory of an export of any length. */
const CHUNK = 500;

/** A file of one content type. */
interface ExportFile<Row> {
  /** Name that browsers suggest. */
  filename: string;
  /** Cells of the first line of a CSV file. */
  head?: readonly string[];
  /** Returns the text of a chunk of rows. */
  lines(viewer: Viewer, rows: readonly Row[]): string;
}

/** A list that is exported whole, oldest first. */
interface ListExport<Row> {
  csv: ExportFile<Row>;
  ndjson: ExportFile<Row>;
  /** Returns the rows in chunks. */
  rows(ctx: Context, format: 'csv' | 'ndjson'): AsyncIterable<readonly Row[]>;
}

/**
 * Exports the whole of a filtered list to callers who accept `text/csv` or `application/x-ndjson`. The list itself was read before, so
 * permissions, companies and filters have been checked.
 */
export function listExport<Row>(list: ListExport<Row>): FollowUp {
  return {
    types: [CSV, NDJSON],
    async follow(ctx, answer, req, res) {
      const type = req.accepts(['application/json', CSV, NDJSON]);
      if (answer.status !== 200 || (type !== CSV && type !== NDJSON)) return answer;
      await send(list, ctx, answer, req, res, type === CSV ? 'csv' : 'ndjson');
      return undefined;
    },
  };
}

async function send<Row>(
  list: ListExport<Row>,
  ctx: Context,
  answer: Answer,
  req: Request,
  res: Response,
  format: 'csv' | 'ndjson',
): Promise<void> {
  const viewer = viewerOf(ctx);
  const { filename, head, lines } = list[format];
  const { Link: _pages, ...headers } = answer.headers;
  res.status(200).set({
    ...headers,
    'Content-Type': `${format === 'csv' ? CSV : NDJSON}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${filename}"`,
    'Cache-Control': 'no-store',
  });
  if (req.method === 'HEAD') return void res.end();
  try {
    if (head) res.write(csvLines([head], { bom: true }));
    for await (const rows of list.rows(ctx, format)) {
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

/** The rows `t` of an export. */
export interface ExportedRows {
  entity: Function;
  /** Table of the entity. */
  table: string;
  /** Column of the time by which they are ordered. */
  time: string;
  /** What is selected in addition to `id` and `at`. */
  columns: string;
  /** Conditions on rows `t`, apart from the viewer's limits; their parameters are `values`. */
  conditions: readonly string[];
  values: readonly unknown[];
}

/** Returns the rows that the viewer may list, oldest first, in chunks: the place of the last row is where the next chunk begins. */
export async function* chunksOf<Row extends { id: string; at: string }>(
  ctx: Context,
  { entity, table, time, columns, conditions, values: given }: ExportedRows,
): AsyncGenerator<Row[]> {
  const values = [...given];
  const limits = limitsFor(viewerOf(ctx), entity, 't', values);
  const pool = await poolOf(ctx.em);
  const place = `(t.${time}, t.id) > ($${values.length + 1}::timestamptz, $${values.length + 2}::uuid)`;
  const sql = `select t.id, t.${time}::text as at, ${columns} from ${table} t
    where ${conditions.join(' and ')}${limits} and ${place} order by t.${time}, t.id limit ${CHUNK}`;
  for (let last = ['-infinity', '00000000-0000-0000-0000-000000000000']; ; ) {
    const { rows } = await pool.query<Row>(sql, [...values, ...last]);
    if (rows.length > 0) yield rows;
    if (rows.length < CHUNK) return;
    const end = rows[rows.length - 1]!;
    last = [end.at, end.id];
  }
}

/** Returns the SQL of the filters that were given, on rows `t` of the company whose id is the first of `values`. Adds their values. */
export function filtersOf<F extends object>(
  specs: Readonly<Record<keyof F & string, FilterSpec>>,
  filter: F | null | undefined,
  values: unknown[],
): string[] {
  const none = () => '';
  const company = () => 'array[$1::uuid]';
  return (Object.entries(specs) as [keyof F & string, FilterSpec][]).flatMap(([name, { sql, cast }]) => {
    const value = filter?.[name];
    return value === undefined || value === null ? [] : [`(${sql('t', `$${values.push(value)}::${cast}`, none, company)})`];
  });
}
