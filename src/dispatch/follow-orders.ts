import { START_SQL, TERMS } from './add-trucks.ts';
import type { JobState } from './states.ts';

/** Jobs that nobody has left for yet: what changes on the order changes on them. */
const FOLLOWING: readonly JobState[] = ['created', 'assigned', 'sent', 'accepted', 'rejected'];

/** An order and its columns that changed. */
export interface ChangedOrder {
  id: string;
  columns: readonly string[];
}

interface Term {
  column: string;
  value: string;
  /** Columns of the order that it is made of. */
  needs: string[];
}

const termsOf = (terms: Record<string, string>): Term[] =>
  Object.entries(terms).map(([column, value]) => ({
    column,
    value,
    needs: [...value.matchAll(/\bo\.([a-z_]+)/g)].map((match) => match[1]!),
  }));

const JOB_TERMS = termsOf({ ...TERMS, job_start_at: START_SQL('t.number') });
const LOAD_TERMS = termsOf({
  material_id: TERMS.material_id!,
  unit_of_measure: TERMS.load_unit_of_measure!,
  foreman_ids: TERMS.foreman_ids!,
});

/**
 * Brings what changed on orders to their jobs and loads that have not left yet, in two statements at most. What did not change on the
 * order stays on the job as dispatch set it there.
 */
export async function followOrders(
  query: (sql: string, parameters: unknown[]) => Promise<unknown>,
  orders: readonly ChangedOrder[],
  now: Date,
): Promise<void> {
  const changed = new Set(orders.flatMap((order) => order.columns));
  for (const [table, terms] of [
    ['job', JOB_TERMS],
    ['load', LOAD_TERMS],
  ] as const) {
    const moved = terms.filter((term) => term.needs.some((column) => changed.has(column)));
    if (moved.length === 0) continue;
    const list = (columns: readonly string[]) => `array[${columns.map((column) => `'${column}'`).join(', ')}]`;
    const set = moved.map(
      ({ column, value, needs }) => `${column} = case when r.columns && ${list(needs)} then ${value} else t.${column} end`,
    );
    const jobs = table === 'job' ? '' : ' join job j on j.order_id = o.id';
    const own =
      table === 'job'
        ? 't.order_id = o.id and t.state = any($2::text[])'
        : `j.id = t.job_id and j.state = any($2::text[]) and t.state = 'created'`;
    await query(
      `update ${table} t set ${set.join(', ')}, updated_at = $3, version = t.version + 1
       from jsonb_to_recordset($1::jsonb) r(id uuid, columns text[]) join orders o on o.id = r.id${jobs}
       where ${own} and r.columns && ${list([...new Set(moved.flatMap((term) => term.needs))])}`,
      [JSON.stringify(orders), FOLLOWING, now],
    );
  }
}
