import { deepStrictEqual } from 'node:assert/strict';
import type { ClientBase, Pool } from 'pg';
import { shoot } from './drive.ts';
import type { Workload } from './workloads.ts';

/** So many requests are compared before a workload is measured. */
const COMPARED = 12;

/** @throws Error at the first place where product and limit answer different JSON to the same questions */
export async function requireSame({ name, product, limit }: Workload, base: URL, limitBase: URL): Promise<void> {
  for (let i = 0; i < COMPARED; i++) {
    const limits = JSON.parse(await shoot(limitBase, limit())) as unknown;
    deepStrictEqual(limits, JSON.parse(await shoot(base, product())), `${name}: the limit answers something else`);
  }
}

/** The tables in which a write may leave rows. Rows that workers write because of it say that nobody but the system did it. */
const TABLES = [
  ...['orders', 'job', 'load', 'waypoint', 'job_event', 'job_assignment', 'company_counter', 'transition', 'outbox_event', 'audit_entry'],
  ...[
    'change_pending',
    'webhook_delivery',
    'invoice_task',
    'day_invoice_task',
    'load_review_task',
    'ticket_chase_task',
    'ticket_match_task',
  ],
];
/** Columns with numbers that PostgreSQL gives rows as they come. */
const drawnOf = (table: string): string => (table === 'change_pending' ? '{id,writer}' : '{position,transaction_id}');

/** Returns the rows of these tables that meet a condition on the transaction that wrote them. */
export async function writtenRows(on: Pick<ClientBase | Pool, 'query'>, condition: string, values: unknown[] = []): Promise<Written[]> {
  const parts = TABLES.map(
    (
      table,
    ) => `select '${table}' as table, to_jsonb(t) - '${drawnOf(table)}'::text[] as row from (select t.* from ${table} t where ${condition} offset 0) t
    where coalesce(to_jsonb(t) ->> 'created_by_type', '') <> 'System'`,
  );
  const { rows } = await (on as Pool).query<Written>(parts.join(' union all '), values);
  return rows;
}

export interface Written {
  table: string;
  row: object;
}

/**
 * Compares what the limit would write and answer with what the product writes and answers. Ids that only one of them has, and moments that
 * only one of them has, are those that it made.
 * @throws Error at the first difference
 */
export async function requireSameRows(
  { name, product }: Workload,
  trial: NonNullable<Workload['trial']>,
  base: URL,
  limitBase: URL,
  pool: Pool,
): Promise<void> {
  for (let i = 0; i < COMPARED; i++) {
    const tried = await shoot(limitBase, trial());
    const { rows: marks } = await pool.query<{ next: string }>('select pg_snapshot_xmax(pg_current_snapshot())::text as next');
    const { data } = JSON.parse(await shoot(base, product())) as { data: object };
    const rows = await writtenRows(pool, 't.xmin::text::bigint >= $1', [marks[0]!.next]);
    const done = JSON.stringify({ data, rows });
    deepStrictEqual(withoutOwn(tried, done), withoutOwn(done, tried), `${name}: the limit writes something else`);
  }
}

const MADE = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g;

/** An answer and rows, the rows in an order of their own, without the ids and moments that `other` does not contain. */
function withoutOwn(text: string, other: string): unknown {
  const { data, rows } = JSON.parse(text.replace(MADE, (made) => (other.includes(made) ? made : 'made'))) as {
    data: object;
    rows: Written[];
  };
  const keyed = rows.map((row) => [JSON.stringify(row), row] as const);
  return { data, rows: keyed.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row) };
}
