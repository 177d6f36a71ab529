import type { Pool } from 'pg';
import { RateOwnerType as Owners, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { beforeCommit, type TxContext } from '../../platform/commands/transact.ts';
import type { Transaction } from '../../platform/context.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { planOnce } from '../../platform/database/planned-once.ts';
import { actOnBehalfOf, currentScope, withPartnerVisibility } from '../../platform/database/scope.ts';
import type { Query } from '../../platform/database/sql.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { JOB_FINISHED, JOB_TERMINAL } from '../model/states.ts';
import { incrementSql, minimumSql, type RateRow, rateStatement, sinceSql, termsSql, typeSql, valueSql } from './rate-statement.ts';

/** By side; a side that is not paid is absent. */
export type NotedRates = Partial<Record<RateOwnerType, RateRow>>;

/** Returns the rates noted on a job; undefined if there are none. */
export async function notedRates(pool: Pool, jobId: string): Promise<NotedRates | undefined> {
  const { rows } = await pool.query<{ rate_source: NotedRates | null }>({
    name: 'noted_rates',
    text: 'select rate_source from job where id = $1',
    values: [jobId],
  });
  return rows[0]?.rate_source ?? undefined;
}

/**
 * Notes on jobs which rates apply to them and why, at the end of the transaction (DOMAIN 3.3 `rate_source`). It is called whenever
 * assignees, truck, route, material or rates change, and when the work is done (`lockRates`). From then on the rates stay, except on sides
 * that are set by hand.
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

/** Notes the final rates of jobs when their work is done, and those of their links. */
export function lockRates(tx: TxContext, jobIds: readonly string[]): void {
  noteRates(tx, jobIds, Object.values(Owners));
  noteLinkRates(tx, jobIds);
}

/**
 * Notes on the links of finished jobs what their rate cards say now, at the end of the transaction (BILLING B3, B8), and on one link after somebody set its rate.
 * Each rate card is one of whoever passed the job on, which others do not see.
 */
export const noteLinkRates = (tx: TxContext, jobIds: readonly string[], linkId: string | null = null): void =>
  beforeCommit(tx, async () => {
    const payers = await queryIn<{ id: string }>(tx.em, PAYING_BY_RATE_CARD, [jobIds, linkId]);
    if (payers.length === 0 && linkId === null) return;
    await withPartnerVisibility(async () => {
      for (const { id } of payers) actOnBehalfOf(id);
      await queryIn(tx.em, NOTE_LINKS, [jobIds, linkId, JOB_FINISHED]);
    }, currentScope().work);
  });

/** Returns the jobs of an order whose rates were noted and may change with it. */
export async function followingJobs(tx: TxContext, orderId: string): Promise<string[]> {
  const sql = 'select id from job where order_id = $1 and rate_source is not null and not state = any($2::text[])';
  return (await queryIn<{ id: string }>(tx.em, sql, [orderId, JOB_TERMINAL])).map(({ id }) => id);
}

/** Returns the rates of new jobs that go to vendors, by order, in one statement; they are written together with the jobs (`addTrucks`). */
export async function ratesToNote(query: Query, orderIds: readonly string[]): Promise<Record<string, NotedRates>> {
  if (orderIds.length === 0) return {};
  const rows = await query<{ id: string; noted: NotedRates }>(TO_NOTE, [orderIds]);
  return Object.fromEntries(rows.map(({ id, noted }) => [id, noted]));
}

/** True if a change of one of these fields of an order may change the rates of its jobs. */
export const decidesRates = (fields: readonly string[]): boolean => fields.some((field) => DECIDING.has(field));

/** Notes the rates of unfinished jobs of changed orders again, in one statement. */
export async function noteFollowing(query: Query, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length > 0) await query(NOTE_FOLLOWING, [orderIds, JOB_TERMINAL]);
}

/** The jobs to be noted, and the sides set by hand, of running transactions. */
const wishesOf = new WeakMap<Transaction, Map<string, Set<RateOwnerType>>>();

const ratesOf = (matched: 'job' | 'order') => {
  const sides = Object.values(Owners).map((side) => `'${side}', (select to_jsonb(r) from (${rateStatement(side, 'x.id', matched)}) r)`);
  return `jsonb_strip_nulls(jsonb_build_object(${sides.join(', ')}))`;
};

/** The columns of an order on which its jobs' rates depend. Its stops count in projects only. */
const TERMS = [
  ...['company_id', 'project_id', 'service_id', 'service_class_id', 'material_id', 'equipment_id', 'equipment_type_id'],
  ...['account_id', 'vendor_id', 'driver_id'],
  ...Object.values(Owners).flatMap((side) => ['rate_id', 'rate_value', 'rate_type'].map((part) => `${side}_${part}`)),
];
const DECIDING = new Set([...TERMS, 'waypoints']);
/** Orders that agree in all of these are paid alike. A hundred imported orders are of a few kinds, and each kind is matched once. */
const KIND = [...TERMS, 'case when o.project_id is not null then o.route_id end'].join(', ');

const TO_NOTE = namedStatement(`with k as materialized (
    select o.id, first_value(o.id) over (partition by ${KIND}) as alike from orders o where o.id = any($1::uuid[])),
  n as materialized (select x.id, ${ratesOf('order')} as noted from (select distinct alike as id from k) x)
  select k.id, n.noted from k join n on n.id = k.alike`);

// The rates are computed before the jobs are looked up to be written. When they were computed within the join, PostgreSQL read every job of
// the company for each batch.
const NOTE_FOLLOWING = namedStatement(`with n as materialized (
    select x.id, ${ratesOf('job')} as noted from job x where x.order_id = any($1::uuid[]) and x.rate_source is not null and not x.state = any($2::text[]))
  update job t set rate_source = n.noted from n where t.id = n.id and t.rate_source is distinct from n.noted`);

const PAYING_BY_RATE_CARD = namedStatement(
  'select distinct customer_company_id as id from job_assignment where job_id = any($1::uuid[]) and ($2::uuid is null or id = $2) and rate_id is not null',
);
const NOTE_LINKS = namedStatement(`update job_assignment a set rate_noted = (
    select jsonb_build_object('rate_id', c.id, 'rate_type', p.type, 'value', coalesce(a.rate_value, ${valueSql('c')})::text,
      'minimum', ${minimumSql('c', 'p.type')}::text, 'increment', ${incrementSql('c', 'p.type')}::text, 'terms', ${termsSql('c', 'p.type')}, 'since', ${sinceSql('c')})
    from rate c cross join lateral (select ${typeSql('a.rate_value', 'a.rate_type', 'c.type')} as type) p where c.id = a.rate_id)
  from job j where j.id = any($1::uuid[]) and j.state = any($3::text[]) and a.job_id = j.id and ($2::uuid is null or a.id = $2)
    and (a.rate_id is not null or a.rate_noted is not null)`);

const NOTE = namedStatement(`with n as materialized (
    select j.id, case when j.state = any($2::text[]) and j.rate_source is not null
      then (j.rate_source - x.sides) || coalesce((select jsonb_object_agg(e.key, e.value) from jsonb_each(a.applied) e where e.key = any(x.sides)), '{}')
      else a.applied end as noted
    from jsonb_to_recordset($1::jsonb) x(id uuid, sides text[])
    cross join lateral (select y.id, y.state, y.rate_source from job y where y.id = x.id limit 1) j
    cross join lateral (select ${ratesOf('job')} as applied) a)
  update job t set rate_source = n.noted from n where t.id = n.id and t.rate_source is distinct from n.noted`);
// The rates of three sides are a long statement, which took longer to plan than to run; which rows it is about decides nothing.
planOnce(NOTE);
