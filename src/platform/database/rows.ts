import { type EntityClass, type EntityMetadata, wrap } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Along } from './connection/together.ts';
import { planOnceForFew } from './planned-once.ts';
import { askAhead, foresee, queryIn } from './sql.ts';
import { type TenantParams, tenantSql } from './tenant.ts';

type Row = Record<string, unknown>;

/** The rows of which entities were made, to see whether a row is still the same under its lock. */
const rows = new WeakMap<object, Row>();

/**
 * Returns the entity of a row that was read with all columns, as a `find` of the unit of work makes it.
 * @param refresh overwrites what the unit of work holds of it
 */
export function entityOfRow<T extends object>(em: EntityManager, entity: EntityClass<T>, row: Row, refresh = false): T {
  const meta = em.getMetadata().get(entity);
  const held = refresh ? em.getUnitOfWork().getById<T>(entity, row.id as never) : undefined;
  if (held && isSame(rows.get(held), row)) return held;
  const data = em.getDriver().mapResult(row as never, meta)!;
  const made = em.getEntityFactory().create<T>(entity, data as never, { merge: true, refresh, convertCustomTypes: true }) as T;
  rows.set(made, row);
  return made;
}

/** Returns a record by its id, whichever company it belongs to. One that the unit of work holds is not read again. */
export async function recordOf<T extends { id: string }>(em: EntityManager, entity: EntityClass<T>, id: string): Promise<T | null> {
  const held = em.getUnitOfWork().getById<T>(entity, id as never);
  return held && wrap(held).isInitialized() ? held : em.findOne(entity, { id } as never, { filters: { tenant: false } });
}

/**
 * Finds records that the tenant filter shows, in a running transaction, by a statement that is prepared: most of the time of a `find` of the unit
 * of work goes into writing its statement.
 * @param behind what is sent in its message
 * @returns undefined if the filter is not for such a statement (tenant.ts)
 */
export async function findRows<T extends object>(
  em: EntityManager,
  entity: EntityClass<T>,
  ids: readonly string[],
  params: TenantParams,
  lock = false,
  behind: readonly Along[] = [],
): Promise<T[] | undefined> {
  const statement = statementOf(em, entity, ids, params, lock);
  if (!statement) return undefined;
  return (await queryIn<Row>(em, statement.sql, statement.values, behind)).map((row) => entityOfRow(em, entity, row, lock));
}

interface Statement {
  sql: string;
  values: [unknown, unknown];
}

function statementOf(
  em: EntityManager,
  entity: EntityClass<object>,
  ids: readonly string[],
  params: TenantParams,
  lock: boolean,
): Statement | undefined {
  const meta = em.getMetadata().get(entity);
  const tenant = tenantSql(meta as EntityMetadata, 't', params);
  if (!tenant) return undefined;
  // A single id is compared by equality: PostgreSQL plans an array for ten elements, and so would plan for its values each time.
  const [of, value] = ids.length === 1 ? ['= $1', ids[0]] : ['= any($1::uuid[])', ids];
  const sql = `select t.* from "${meta.tableName}" t where t.id ${of} and ${tenant.sql}${lock ? ' for update' : ''}`;
  return { sql: ids.length === 1 ? sql : planOnceForFew(sql, ids.length), values: [value, tenant.value] };
}

/** Has `findRows` made ahead (`askAhead`); nothing if the filter is not for such a statement. */
export function findRowsAhead(
  em: EntityManager,
  entity: EntityClass<object>,
  ids: readonly string[],
  params: TenantParams,
  lock = false,
): Along[] {
  const statement = statementOf(em, entity, ids, params, lock);
  return statement ? [askAhead(em, statement.sql, statement.values)] : [];
}

/**
 * Reads at once what the transaction will find record by record: each `findRows` for one of these ids then asks nothing.
 * @param ids an id is named as often as it will be looked for
 * @param lock locks them, by their ids as everywhere
 * @returns undefined if the filter is not for such a statement: then nothing is foreseen
 */
export async function foreseeRows<T extends object>(
  em: EntityManager,
  entity: EntityClass<T>,
  ids: readonly string[],
  params: TenantParams,
  lock = false,
): Promise<T[] | undefined> {
  const tenant = tenantSql(em.getMetadata().get(entity) as EntityMetadata, 't', params);
  if (!tenant) return undefined;
  const { tableName } = em.getMetadata().get(entity);
  const sql = `select t.* from "${tableName}" t where t.id = any($1::uuid[]) and ${tenant.sql} order by t.id${lock ? ' for update' : ''}`;
  const different = [...new Set(ids)];
  const found = await queryIn<Row>(em, planOnceForFew(sql, different.length), [different, tenant.value]);
  const byId = new Map(found.map((row) => [row.id, row]));
  for (const id of ids) {
    const row = byId.get(id);
    const one = statementOf(em, entity, [id], params, lock)!;
    foresee(em, one.sql, one.values, row ? [row] : []);
  }
  return found.map((row) => entityOfRow(em, entity, row, lock));
}

/** Rows without a version may have been changed and changed back. */
const isSame = (before: Row | undefined, now: Row): boolean =>
  before !== undefined && typeof now.version === 'number' && Object.keys(now).every((column) => isSameValue(before[column], now[column]));

const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other));
