import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Account } from './account.entity.ts';

/** The condition that account `a` is connected now: neither side has discarded its account of the other. */
export const isConnected = (a: string): string =>
  `(${a}.connected_company_id is not null and ${a}.discarded_at is null and not exists (select 1 from account other_side
    where other_side.company_id = ${a}.connected_company_id and other_side.connected_company_id = ${a}.company_id
      and other_side.discarded_at is not null))`;

/** The company that an account is connected to now; null also when either side has ended the connection, which leaves a plain account. */
export async function partnerOf(tx: TxContext, account: Account): Promise<string | null> {
  if (!account.connectedCompany) return null;
  const [row] = await queryIn(tx.em, `select 1 from account a where a.id = $1 and ${isConnected('a')}`, [account.id]);
  return row ? account.connectedCompany.id : null;
}

/**
 * Keeps a company from being discarded until the end of the transaction. A record that is made while the company ends is made before, and
 * ends with the company, or is not made at all.
 * @returns whether it is still there
 */
export async function holdCompany(tx: TxContext, id: string): Promise<boolean> {
  return (await queryIn(tx.em, 'select 1 from company where id = $1 and discarded_at is null for share', [id])).length > 0;
}

/**
 * Serializes commands about two companies until the end of the transaction: connecting them, ending the connection, and everything that
 * requires a connection.
 * @param as `shared` for commands that may run concurrently with others of their kind
 */
export async function lockPair(tx: TxContext, one: string, other: string, as: 'alone' | 'shared' = 'alone'): Promise<void> {
  const lock = as === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  await queryIn(tx.em, `select ${lock}(hashtextextended('haulgate:connect:' || $1, 0))`, [[one, other].sort().join()]);
}
