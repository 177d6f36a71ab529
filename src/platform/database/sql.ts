import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Transaction } from 'kysely';
import type { Pool } from 'pg';

/** The pg pool under an EntityManager: for single statements outside the unit of work, prepared by name. */
export function poolOf(em: EntityManager): Promise<Pool> {
  return em.getConnection('write').getNativeClient() as Promise<Pool>;
}

/**
 * One statement on the connection of a running transaction. MikroORM's own `execute` writes parameters into the text; here the
 * server binds them (`$1`), so a megabyte of JSON is neither escaped nor parsed as SQL.
 */
export async function queryIn<R extends object>(em: EntityManager, sql: string, parameters: unknown[] = []): Promise<R[]> {
  const transaction = em.getTransactionContext() as Transaction<unknown> | undefined;
  if (!transaction) throw new Error('only possible inside a transaction');
  return (await transaction.executeQuery<R>(CompiledQuery.raw(sql, parameters))).rows;
}

/** Inserts rows of one table in one statement; keys are column names, and every row has the same ones. */
export async function insertRows(em: EntityManager, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]!)
    .map((column) => `"${column}"`)
    .join(', ');
  await queryIn(em, `insert into "${table}" (${columns}) select ${columns} from json_populate_recordset(null::"${table}", $1::json)`, [
    JSON.stringify(rows),
  ]);
}
