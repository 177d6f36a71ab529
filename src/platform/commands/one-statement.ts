import type { PoolClient, QueryConfig } from 'pg';
import type { Context } from '../context.ts';
import { lastStatement } from '../database/named-statements.ts';
import { planOnce } from '../database/planned-once.ts';
import { currentWork } from '../database/request-work.ts';
import { withPartnerVisibility } from '../database/scope.ts';
import { bound, poolOf } from '../database/sql.ts';

/** A command of one statement. */
export interface OneStatement {
  readonly text: string;
}

/** Has a statement be a command of its own, whose transaction it begins and commits. PostgreSQL plans it once. */
export function oneStatement(sql: string): OneStatement {
  const text = lastStatement(sql);
  planOnce(text);
  return { text };
}

/**
 * Whether a command may be one statement: nothing else is to be written with it, and asked of it. Otherwise `transact` runs it. So it does for a client
 * that has left, because it counts what nobody waits for.
 */
export const mayBeOneStatement = ({ tx, once, holds, expects }: Context): boolean =>
  !tx && !once && !holds && !expects && !currentWork()?.abandoned;

/**
 * Runs a command that is one statement: its transaction begins, does it and is committed in one message, where `transact` sends four at least. It
 * writes no entity, and neither audit rows nor events. What fails is not tried again: `transact` does.
 */
export function runOneStatement<R extends object>(ctx: Context, { text }: OneStatement, values: readonly unknown[]): Promise<R[]> {
  return withPartnerVisibility(async () => {
    const client = await (await poolOf(ctx.em)).connect();
    let broken: Error | undefined;
    const dies = (error: Error) => {
      broken = error;
    };
    client.once('error', dies);
    try {
      const rows = await within<R>(client, { text, values: bound(text, values) });
      ctx.memo.clear();
      return rows;
    } finally {
      client.removeListener('error', dies);
      client.release(broken);
    }
  });
}

async function within<R extends object>(client: PoolClient, statement: QueryConfig): Promise<R[]> {
  // Neither is a message of its own (platform/database/connection/scoped-query.ts).
  await client.query('begin');
  try {
    const { rows } = await client.query<R>(statement);
    await client.query('commit');
    return rows;
  } catch (error) {
    // A rollback fails when the connection is gone, and with it the transaction: the first error says more.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
