import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Transaction } from 'kysely';
import type { Pool, QueryConfig } from 'pg';
import { type Along, behindOf, sendBehind, sendWithNext } from './connection/together.ts';
import { nameAs, nameIfRepeated } from './named-statements.ts';
import { isPlannedOnce, planOnce } from './planned-once.ts';
import { currentScope, type Purpose, runAsPurpose, type Scope } from './scope.ts';
import { arrayOf, toUnnest } from './unnest.ts';

/** The pg pool under an EntityManager: for single statements outside the unit of work, prepared by name. */
export function poolOf(em: EntityManager): Promise<Pool> {
  return within.get(em) ?? (em.getConnection('write').getNativeClient() as Promise<Pool>);
}

/** The pools that are used in place of the pool of EntityManagers which read within a transaction. */
const within = new WeakMap<EntityManager, Promise<Pool>>();

/** A statement and what it has read. */
export interface HasRead {
  config: QueryConfig;
  scope: Scope;
  rows: readonly object[];
}

/**
 * Returns an EntityManager that reads what the running transaction of `em` has written, also where code sends statements to the pool: these go
 * to the connection of the transaction.
 * @param hasRead called with each statement and its rows
 */
export function readingWithin(em: EntityManager, hasRead: (read: HasRead) => void = () => undefined): EntityManager {
  const fork = em.fork({ clear: true, keepTransactionContext: true });
  const plan = (config: QueryConfig) => {
    if (config.name) nameAs(config.text, config.name);
    if (isPlannedOnce(config)) planOnce(config.text);
  };
  const query = async (statement: string | QueryConfig, values?: unknown[]) => {
    const config: QueryConfig = typeof statement === 'string' ? { text: statement } : statement;
    const own = values ?? config.values ?? [];
    let failed: Error | null = null;
    const behind = behindOf(own).map((along): Along => {
      plan(along.config);
      const done: Along['done'] = (error, result) => {
        failed ??= error;
        if (!error) hasRead({ config: along.config, scope: along.scope, rows: [...result!.rows] });
        along.done(error, result);
      };
      return { ...along, done };
    });
    plan(config);
    const rows = await queryIn<object>(em, config.text, own, behind);
    // It has ended the transaction, whichever statement comes next.
    if (failed) throw failed;
    hasRead({ config: { text: config.text, values: own }, scope: currentScope(), rows: [...rows] });
    return { rows, rowCount: rows.length };
  };
  within.set(fork, Promise.resolve({ query } as Pick<Pool, 'query'> as Pool));
  return fork;
}

/** Runs one statement with the parameters `$1`, `$2` ... and answers its rows. */
export type Query = <R extends object>(sql: string, parameters: unknown[]) => Promise<R[]>;

/**
 * Runs one statement on the connection of a running transaction. MikroORM's `execute` writes parameters into the text; here the server
 * binds them (`$1`), so a megabyte of JSON is neither escaped nor parsed as SQL.
 * @param behind statements that are sent in its message (together.ts)
 */
export async function queryIn<R extends object>(
  em: EntityManager,
  sql: string,
  parameters: unknown[] = [],
  behind: readonly Along[] = [],
): Promise<R[]> {
  const transaction = em.getTransactionContext() as Transaction<unknown> | undefined;
  if (!transaction) throw new Error('only possible inside a transaction');
  const known = takeAhead(em, sql, parameters) ?? takeForeseen(em, sql, parameters);
  if (known) return known as R[];
  // Whoever wrote a statement on the queue of imports says how it is planned (named-statements.ts).
  if (!sql.includes('import')) nameIfRepeated(sql);
  const values = bound(sql, parameters);
  if (behind.length > 0) sendBehind(values, behind);
  return (await transaction.executeQuery<R>(CompiledQuery.raw(sql, values))).rows;
}

/**
 * The same for a write of which nothing is to be learned: it is sent in the message of the transaction's next statement, and before that. What is wrong
 * with it is thrown there, at the latest by the commit.
 */
export async function writeIn(em: EntityManager, sql: string, parameters: unknown[] = []): Promise<void> {
  const transaction = em.getTransactionContext() as Transaction<unknown> | undefined;
  if (!transaction) throw new Error('only possible inside a transaction');
  throwAhead(em);
  if (!sql.includes('import')) nameIfRepeated(sql);
  const values = bound(sql, parameters);
  sendWithNext(values, { result: { command: '', rowCount: null, rows: [] } });
  await transaction.executeQuery(CompiledQuery.raw(sql, values));
}

/** The same for a statement that is not prepared however often it comes, such as one about a cursor: PostgreSQL knows its columns only while that is open. */
export async function queryOnceIn<R extends object>(em: EntityManager, sql: string, parameters: unknown[] = []): Promise<R[]> {
  const transaction = em.getTransactionContext() as Transaction<unknown> | undefined;
  if (!transaction) throw new Error('only possible inside a transaction');
  return (await transaction.executeQuery<R>(CompiledQuery.raw(sql, bound(sql, parameters)))).rows;
}

/** Rows of statements that transactions have read for many at once, by their texts and then by their parameters; each is returned once. */
const foreseen = new WeakMap<EntityManager, Map<string, Map<string, object[][]>>>();

/**
 * Notes the rows of a statement that the transaction of `em` will ask, which were read together with those of others: `queryIn` then returns them
 * without asking, once for each time that they were noted. Nothing that they say may be changed in between.
 */
export function foresee(em: EntityManager, sql: string, parameters: readonly unknown[], rows: object[]): void {
  const known = foreseen.get(em) ?? new Map<string, Map<string, object[][]>>();
  foreseen.set(em, known);
  const asked = known.get(sql) ?? new Map<string, object[][]>();
  known.set(sql, asked);
  const key = JSON.stringify(parameters);
  asked.set(key, [...(asked.get(key) ?? []), rows]);
}

const takeForeseen = (em: EntityManager, sql: string, parameters: readonly unknown[]): object[] | undefined =>
  foreseen.get(em)?.get(sql)?.get(JSON.stringify(parameters))?.shift();

/** Rows of statements that transactions have asked ahead, by their texts. */
const aheads = new WeakMap<EntityManager, Map<string, { parameters: readonly unknown[]; error: Error | null; rows: object[] }>>();

/**
 * A statement that the transaction of `em` will ask soon, to be sent behind another one of it: `queryIn` then returns its rows at once. It reads and
 * locks when that other one does, so nothing that it reads may be changed in between.
 */
export function askAhead(em: EntityManager, sql: string, parameters: unknown[]): Along {
  nameIfRepeated(sql);
  const done: Along['done'] = (error, result) => {
    const known = aheads.get(em) ?? new Map();
    aheads.set(em, known.set(sql, { parameters, error, rows: result?.rows ?? [] }));
  };
  return { config: { text: sql, values: bound(sql, parameters) }, scope: currentScope(), done };
}

/** Throws what was wrong with a statement that was asked ahead: it has ended the transaction, whichever statement comes next. */
export function throwAhead(em: EntityManager): void {
  for (const { error } of aheads.get(em)?.values() ?? []) if (error) throw error;
}

function takeAhead(em: EntityManager, sql: string, parameters: readonly unknown[]): object[] | undefined {
  throwAhead(em);
  const known = aheads.get(em);
  if (!known) return undefined;
  const found = known.get(sql);
  if (!found || !isDeepStrictEqual(found.parameters, parameters)) return undefined;
  known.delete(sql);
  if (known.size === 0) aheads.delete(em);
  return found.rows;
}

/**
 * Runs one statement on the connection of the caller's transaction, or alone if there is none. A command that takes a second connection
 * while it holds one waits for others that do the same: with as many of them as there are connections, it is a deadlock.
 */
export const queryOf = async <R extends object>(
  { em, tx }: { em: EntityManager; tx?: unknown },
  sql: string,
  parameters: unknown[] = [],
): Promise<R[]> => (tx ? queryIn<R>(em, sql, parameters) : (await (await poolOf(em)).query<R>(sql, bound(sql, parameters))).rows);

/** Runs one statement for a purpose, across companies, and not in a transaction of the caller. */
export const queryAs = <R extends object>(purpose: Purpose, em: EntityManager, sql: string, parameters: unknown[] = []): Promise<R[]> =>
  runAsPurpose(purpose, async () => (await (await poolOf(em)).query<R>(sql, parameters)).rows);

/**
 * Encodes array parameters, because the driver searches every element for quotes twice. An array whose type the statement names
 * (`$1::uuid[]`) is sent in PostgreSQL's binary form.
 */
export function bound(sql: string, parameters: readonly unknown[]): unknown[] {
  if (!parameters.some(isFlat)) return [...parameters];
  const types = new Map<number, string>();
  for (const [, place, type] of sql.matchAll(/\$(\d+)::(\w+)\[\]/g)) if (!types.has(Number(place))) types.set(Number(place), type!);
  return parameters.map((value, at) => (isFlat(value) ? arrayOf(value, types.get(at + 1)) : value));
}

/** Rows that wait for the next statement at most; more are a message of their own. */
const FEW = 25;

/** Inserts rows of one table in one statement; keys are column names, and every row has the same ones. Few of them are sent with the next statement. */
export async function insertRows(em: EntityManager, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const types = await typesOf(em, table);
  const names = Object.keys(rows[0]!);
  const { select, from, values } = toUnnest(
    rows as readonly Record<string, unknown>[],
    names.map((name) => ({ name, type: types.get(name)! })),
  );
  const sql = `insert into "${table}" (${names.map((name) => `"${name}"`).join(', ')}) select ${select} from ${from}`;
  await (rows.length > FEW ? queryIn(em, sql, values) : writeIn(em, sql, values));
}

const isFlat = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((element) => typeof element !== 'object' || element === null || isInstant(element));

/** One that PostgreSQL reads as it is written here: the driver knows how years of more digits are written, and says what is wrong with what is none. */
const isInstant = (element: object): boolean =>
  element instanceof Date && element.getUTCFullYear() > 0 && element.getUTCFullYear() < 10_000;

const columnTypes = new Map<string, Map<string, string>>();

/** The types of a table's columns. Asked once: while a process runs, no migration changes them. */
async function typesOf(em: EntityManager, table: string): Promise<Map<string, string>> {
  const known = columnTypes.get(table);
  if (known) return known;
  const rows = await queryIn<{ name: string; type: string }>(
    em,
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [`"${table}"`],
  );
  const types = new Map(rows.map(({ name, type }) => [name, type]));
  columnTypes.set(table, types);
  return types;
}
