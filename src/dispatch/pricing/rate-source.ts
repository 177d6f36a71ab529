import type { Pool } from 'pg';
import { RateOwnerType as Owners, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { beforeCommit, type TxContext } from '../../platform/commands/transact.ts';
import type { Transaction } from '../../platform/context.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import type { Query } from '../../platform/database/sql.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { JOB_FINISHED } from '../model/states.ts';
import { type RateRow, rateStatement } from './rate-statement.ts';

/** By side; a side that nothing is paid on is absent. */
export type NotedRates = Partial<Record<RateOwnerType, RateRow>>;

/** What was noted on a job; undefined where nothing was. */
export async function notedRates(pool: Pool, jobId: string): Promise<NotedRates | undefined> {
  const { rows } = await pool.query<{ rate_source: NotedRates | null }>({
    name: 'noted_rates',
    text: 'select rate_source from job where id = $1',
    values: [jobId],
  });
  return rows[0]?.rate_source ?? undefined;
}

/**
 * Notes on jobs which rates apply to them and why, at the end of the transaction (DOMAIN 3.3 `rate_source`): whenever somebody is assigned,
 * truck, route, material or rates change, and when the work is done (`lockRates`). From then on it stays, but for sides set by hand.
 */
export function noteRates(tx: TxContext, jobIds: readonly string[], byHand: readonly RateOwnerType[] = []): void {
  if (jobIds.length === 0) return;
  const wished = wishesOf.get(tx.tx);
  const wishes = wished ?? new Map<string, Set<RateOwnerType>>();
  for (const id of jobIds) wishes.set(id, new Set([...(wishes.get(id) ?? []), ...byHand]));
  if (wished) return;
  wishesOf.set(tx.tx, wishes);
  beforeCommit(tx, async () => {
    const rows = [...wishes].map(([id, sides]) => ({ id, sides: [...sides] }));
    await queryIn(tx.em, NOTE, [JSON.stringify(rows), JOB_FINISHED]);
  });
}

/** Notes what a job is paid now that its work is done, for good. */
export const lockRates = (tx: TxContext, jobId: string): void => noteRates(tx, [jobId], Object.values(Owners));

/** The jobs of an order whose rates were noted and may change with it. */
export async function followingJobs(tx: TxContext, orderId: string): Promise<string[]> {
  const sql = 'select id from job where order_id = $1 and rate_source is not null and not state = any($2::text[])';
  return (await queryIn<{ id: string }>(tx.em, sql, [orderId, CLOSED])).map(({ id }) => id);
}

/**
 * What is to be noted on the new jobs of orders that go to their vendors, in one statement; the jobs are written with it (`addTrucks`).
 * @returns by order
 */
export async function ratesToNote(query: Query, orderIds: readonly string[]): Promise<Record<string, NotedRates>> {
  if (orderIds.length === 0) return {};
  const rows = await query<{ id: string; noted: NotedRates }>(TO_NOTE, [orderIds]);
  return Object.fromEntries(rows.map(({ id, noted }) => [id, noted]));
}

/** True when another value of one of these fields of an order may mean another rate of its jobs. */
export const decidesRates = (fields: readonly string[]): boolean => fields.some((field) => DECIDING.has(field));

/** Notes anew what was noted on jobs of orders that changed, as far as they are not done, in one statement. */
export async function noteFollowing(query: Query, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length > 0) await query(NOTE_FOLLOWING, [orderIds, CLOSED]);
}

/** The jobs to be noted, and the sides set by hand, of transactions under way. */
const wishesOf = new WeakMap<Transaction, Map<string, Set<RateOwnerType>>>();

/** Nothing that changes on the order reaches these any more. */
const CLOSED = [...JOB_FINISHED, 'canceled'];

const ratesOf = (matched: 'job' | 'order') => {
  const sides = Object.values(Owners).map((side) => `'${side}', (select to_jsonb(r) from (${rateStatement(side, 'x.id', matched)}) r)`);
  return `jsonb_strip_nulls(jsonb_build_object(${sides.join(', ')}))`;
};

/** What of an order its jobs' rates are chosen by, beside its stops, which count in projects only. */
const TERMS = [
  ...['company_id', 'project_id', 'service_id', 'service_class_id', 'material_id', 'equipment_id', 'equipment_type_id'],
  ...['account_id', 'vendor_id', 'driver_id'],
  ...Object.values(Owners).flatMap((side) => ['rate_id', 'rate_value', 'rate_type'].map((part) => `${side}_${part}`)),
];
const DECIDING = new Set([...TERMS, 'waypoints']);
/** Orders that agree in all of this are paid alike: an import's hundred are a few kinds, and each is matched once. */
const KIND = [...TERMS, 'case when o.project_id is not null then o.route_id end'].join(', ');

const TO_NOTE = namedStatement(`with k as materialized (
    select o.id, first_value(o.id) over (partition by ${KIND}) as alike from orders o where o.id = any($1::uuid[])),
  n as materialized (select x.id, ${ratesOf('order')} as noted from (select distinct alike as id from k) x)
  select k.id, n.noted from k join n on n.id = k.alike`);

// What is to be noted is reckoned before the jobs are looked up to be written: reckoned while they are joined, it made PostgreSQL read every
// job of the company for each batch.
const NOTE_FOLLOWING = namedStatement(`with n as materialized (
    select x.id, ${ratesOf('job')} as noted from job x where x.order_id = any($1::uuid[]) and x.rate_source is not null and not x.state = any($2::text[]))
  update job t set rate_source = n.noted from n where t.id = n.id and t.rate_source is distinct from n.noted`);

const NOTE = namedStatement(`with n as materialized (
    select j.id, case when j.state = any($2::text[]) and j.rate_source is not null
      then (j.rate_source - x.sides) || coalesce((select jsonb_object_agg(e.key, e.value) from jsonb_each(a.applied) e where e.key = any(x.sides)), '{}')
      else a.applied end as noted
    from jsonb_to_recordset($1::jsonb) x(id uuid, sides text[])
    cross join lateral (select y.id, y.state, y.rate_source from job y where y.id = x.id limit 1) j
    cross join lateral (select ${ratesOf('job')} as applied) a)
  update job t set rate_source = n.noted from n where t.id = n.id and t.rate_source is distinct from n.noted`);
