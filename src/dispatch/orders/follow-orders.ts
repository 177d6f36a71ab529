import type { SetTx } from '../../platform/commands/set-tx.ts';
import type { Query } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { type StopRow, writeStops } from '../fields/write-parts.ts';
import { START_SQL, TERMS } from '../jobs/add-trucks.ts';
import { keepOwn, kept, PRICING_COLUMNS, pricesAt, REPRICE } from '../jobs/overridden-terms.ts';
import { LOAD_FOLLOWS } from '../loads/load-terms.ts';
import { FOLLOWING } from '../model/job.machine.ts';
import { JOB_FINISHED, OVER } from '../model/states.ts';
import { PRICE_COLUMNS } from '../pricing/material-price.ts';

/** An order and its changed columns; `route_id` also if its stops changed in place. */
export interface ChangedOrder {
  id: string;
  columns: readonly string[];
}

/** The columns of a job that did not follow the order, because somebody had set them on the job. */
export interface KeptOnJob {
  orderId: string;
  /** The friendly number. */
  jobId: string;
  /** The changed columns of the order that it did not follow. */
  columns: string[];
}

export interface Term {
  column: string;
  value: string;
  /** The columns of the order from which it is made. */
  sources: string[];
}

const termsOf = (terms: Record<string, string>): Term[] =>
  Object.entries(terms).map(([column, value]) => ({
    column,
    value,
    sources: [...value.matchAll(/\bo\.([a-z_]+)/g)].map((match) => match[1]!),
  }));

// A job may have its own material, and its own stops.
const MATERIAL = `case when ${kept('t', 'material_id')} then t.material_id else o.material_id end`;
export const JOB_TERMS = termsOf({
  ...TERMS,
  ...pricesAt({ material: MATERIAL, route: 't.route_id' }),
  job_start_at: START_SQL('t.number'),
});
for (const term of JOB_TERMS) if (PRICE_COLUMNS.includes(term.column)) term.sources.push('route_id');

/** Loads are hauled on their job's terms, whichever columns of the order these come from. */
export const LOAD_TERMS: Term[] = Object.entries(LOAD_FOLLOWS).map(([column, ofJob]) => ({
  column,
  value: `j.${ofJob}`,
  sources: JOB_TERMS.find((term) => term.column === ofJob)!.sources,
}));

const list = (columns: readonly string[]) => `array[${columns.map((column) => `'${column}'`).join(', ')}]`;

/**
 * Copies the changes of orders to their jobs and loads that have not left yet, in at most two statements, or four if stops changed. Columns that did not change on
 * the order keep the value that dispatch set on the job, and so do columns that were set on the job or load itself (`own_terms`).
 * @returns what would have changed otherwise
 */
export async function followOrders(query: Query, orders: readonly ChangedOrder[], now: Date): Promise<KeptOnJob[]> {
  const changed = new Set(orders.flatMap((order) => order.columns));
  let stayed: Stayed[] = [];
  for (const [table, terms] of [
    ['job', JOB_TERMS],
    ['load', LOAD_TERMS],
  ] as const) {
    const moved = terms.filter((term) => term.sources.some((column) => changed.has(column)));
    if (moved.length === 0) continue;
    const met = ({ sources }: Term) => `r.columns && ${list(sources)}`;
    const set = moved.map(
      (term) => `${term.column} = case when ${met(term)} and not ${kept('t', term.column)} then ${term.value} else t.${term.column} end`,
    );
    const jobs = table === 'job' ? '' : ' join job j on j.order_id = o.id';
    const own =
      table === 'job'
        ? 't.order_id = o.id and t.state = any($2::text[])'
        : `j.id = t.job_id and j.state = any($2::text[]) and t.state = 'created'`;
    const stay = moved.map((term) => `case when ${met(term)} and ${kept('t', term.column)} then '${term.column}' end`);
    const update = `update ${table} t set ${set.join(', ')}, updated_at = $3, version = t.version + 1
       from jsonb_to_recordset($1::jsonb) r(id uuid, columns text[]) join orders o on o.id = r.id${jobs}
       where ${own} and r.columns && ${list([...new Set(moved.flatMap((term) => term.sources))])}`;
    const parameters = [JSON.stringify(orders), FOLLOWING, now];
    if (table === 'load') await query(update, parameters);
    else
      stayed = (await query(
        `with u as (${update} returning t.order_id, t.job_id, t.number, case when t.own_terms is not null then array_remove(array[${stay.join(', ')}], null) end as columns)
         select order_id, job_id, columns from u where columns <> '{}' order by order_id, number`,
        parameters,
      )) as Stayed[];
  }
  if (changed.has('route_id')) {
    const moved = orders.filter(({ columns }) => columns.includes('route_id')).map(({ id }) => id);
    for (const statement of ON_THE_ROUTE) await query(statement, [moved, FOLLOWING, now]);
  }
  const columnsOf = new Map(orders.map(({ id, columns }) => [id, columns]));
  return stayed.map(({ order_id: orderId, job_id: jobId, columns }) => {
    const needed = new Set(JOB_TERMS.flatMap(({ column, sources }) => (columns.includes(column) ? sources : [])));
    return { orderId, jobId, columns: columnsOf.get(orderId)!.filter((column) => needed.has(column)) };
  });
}

/** Jobs and loads that do not follow their order, and share its route all the same: they show the stops that were written there, and change with them. */
const ON_THE_ROUTE = [
  `update job j set updated_at = $3, version = j.version + 1 from orders o
   where o.id = any($1::uuid[]) and j.order_id = o.id and j.route_id = o.route_id and j.state <> all($2::text[])`,
  `update load l set updated_at = $3, version = l.version + 1 from orders o join job j on j.order_id = o.id
   where o.id = any($1::uuid[]) and l.job_id = j.id and l.route_id = o.route_id and not (j.state = any($2::text[]) and l.state = 'created')`,
];

/** What shares the route of order `o` although it is over: a job, or loads of one. */
const IS_JOB_OVER = `j.state in ${OVER}`;
const IS_LOAD_OVER = `(${IS_JOB_OVER} or l.state in ('completed', 'canceled'))`;
const OVER_ON_ROUTE = `select o.id, o.route_id, o.company_id, (
    select json_agg(json_build_object('type', w.type, 'ordinality', w.ordinality, 'site_id', w.site_id, 'contact_id', w.contact_id)) from waypoint w where w.route_id = o.route_id) as stops
  from orders o where o.id = any($1::uuid[]) and exists (select from waypoint w where w.route_id = o.route_id) and exists (select from job j where j.order_id = o.id
    and ((j.route_id = o.route_id and ${IS_JOB_OVER}) or exists (select from load l where l.job_id = j.id and l.route_id = o.route_id and ${IS_LOAD_OVER})))`;
const KEPT = 'jsonb_to_recordset($1::jsonb) r(id uuid, was uuid, kept uuid)';
const KEEP_ROUTES = [
  `update job j set route_id = r.kept, updated_at = $2, version = j.version + 1 from ${KEPT} where j.order_id = r.id and j.route_id = r.was and ${IS_JOB_OVER}`,
  `update load l set route_id = r.kept, updated_at = $2, version = l.version + 1 from ${KEPT} join job j on j.order_id = r.id
   where l.job_id = j.id and l.route_id = r.was and ${IS_LOAD_OVER}`,
];

/**
 * Gives the jobs and loads of orders that are over a route of their own, with the stops as they are: what was hauled was hauled there. Trucks on the road go
 * where the order says. Call it before the stops of these orders are written.
 */
export async function keepStopsOfPast(tx: SetTx, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length === 0) return;
  const orders = await tx.query<OrderWithPast>(OVER_ON_ROUTE, [orderIds]);
  if (orders.length === 0) return;
  const routes = orders.map(({ id, route_id: was }) => ({ id, was, kept: newId() }));
  for (const [i, { company_id, stops }] of orders.entries()) {
    const added = stops.map((stop) => ({ ...stop, id: newId(), route_id: routes[i]!.kept }));
    await writeStops(tx, company_id, { added, changed: [] });
  }
  for (const sql of KEEP_ROUTES) await tx.query(sql, [JSON.stringify(routes), tx.now]);
}

interface OrderWithPast {
  id: string;
  route_id: string;
  company_id: string;
  stops: Omit<StopRow, 'id' | 'route_id'>[];
}

interface Stayed {
  order_id: string;
  job_id: string;
  columns: string[];
}

/**
 * Applies the consequences of changes to a job itself. From now on the job keeps these columns, except those that are equal to the order's
 * again. Another material, route or supplier has another price, until the work is done. Loads that have not begun follow the job's terms.
 * @param columns that changed
 */
export async function followJob(query: Query, id: string, columns: readonly string[]): Promise<void> {
  await keepOwn(query, 'job', id, columns);
  const priced = PRICING_COLUMNS.some((column) => columns.includes(column));
  if (priced) await query(REPRICE, [id, JOB_FINISHED]);
  const terms = LOAD_TERMS.filter(({ column, value }) => (priced && PRICE_COLUMNS.includes(column)) || columns.includes(value.slice(2)));
  if (terms.length === 0) return;
  const set = terms.map(({ column, value }) => `${column} = case when ${kept('t', column)} then t.${column} else ${value} end`);
  await query(
    `update load t set ${set.join(', ')}, updated_at = present_time(), version = t.version + 1 from job j where j.id = $1 and t.job_id = j.id and t.state = 'created'`,
    [id],
  );
}
