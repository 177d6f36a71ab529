import type { EntityClass } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Context, Transaction } from '../context.ts';
import { queryIn } from '../database/sql.ts';

/** A context inside `transact`, which imports this file. */
type TxContext = Context & { tx: Transaction };

/**
 * The transaction through which a command for many records at once writes, by statements. The importer's batch is one; `setTxOf`
 * makes one of a transaction of `transact`, so that the command for a single record is that for many with one.
 */
export interface SetTx {
  em: EntityManager;
  /** The database's now() at the start of the transaction. */
  now: Date;
  /** One statement, `$1` parameters bound by the server. @returns the rows */
  query<R extends object = Record<string, unknown>>(sql: string, parameters?: unknown[]): Promise<R[]>;
}

export const setTxOf = ({ em, tx }: TxContext): SetTx => ({ em, now: tx.now, query: (sql, parameters) => queryIn(em, sql, parameters) });

/** Rereads what the unit of work holds of records that statements have changed, so that it neither shows nor writes what they were before. */
export async function reread<T extends { id: string }>({ em }: TxContext, entity: EntityClass<T>, ids: readonly string[]): Promise<void> {
  const held = ids.filter((id) => em.getUnitOfWork().getById(entity, id as never));
  if (held.length > 0) await em.find(entity, { id: { $in: held } } as never, { refresh: true, filters: { tenant: false } });
}
