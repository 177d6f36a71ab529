import { type TxContext, transact } from '../../../platform/commands/transact.ts';
import type { Context } from '../../../platform/context.ts';
import { newVoucher } from '../check-connection.ts';
import { holdProvider } from '../end-attempts.ts';
import { SsoConnection } from '../sso-connection.entity.ts';
import { issueTicket, type Ticket } from './attempts.ts';
import { matchUser } from './match-user.ts';
import { SsoFailure } from './sso-failure.ts';

/**
 * A ticket for whomever a provider vouches for. The connection is read again: while the person was at the provider, or the provider was
 * asked, it may have been removed or replaced, and may have lost domains.
 * @param seen by which the answer was checked
 * @throws SsoFailure
 */
export function ticketFor(ctx: Context, seen: SsoConnection, email: string): Promise<{ userId: string; token: string }> {
  return transact({ ...ctx, viewer: undefined }, async (tx) => {
    await holdProvider(tx, seen.id);
    const connection = await connectionNow(tx, seen.id);
    if (!connection || newVoucher(connection, seen) !== undefined)
      throw new SsoFailure('expired', 'the identity provider was removed or replaced meanwhile');
    const userId = await matchUser(tx.em, connection, email);
    return { userId, token: await issueTicket(tx, connection.id, userId, email) };
  });
}

/** Whether what a ticket says holds now: connection, domain, address and person. */
export async function isVouchedFor(tx: TxContext, { connectionId, userId, email }: Ticket): Promise<boolean> {
  const connection = await connectionNow(tx, connectionId);
  if (!connection) return false;
  try {
    return (await matchUser(tx.em, connection, email)) === userId;
  } catch (error) {
    if (error instanceof SsoFailure) return false;
    throw error;
  }
}

const connectionNow = (tx: TxContext, id: string): Promise<SsoConnection | null> =>
  tx.em.findOne(SsoConnection, { id, ready: true, company: { discardedAt: null } }, { filters: { tenant: false }, refresh: true });
