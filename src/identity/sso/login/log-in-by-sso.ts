import { transact } from '../../../platform/commands/transact.ts';
import type { Context } from '../../../platform/context.ts';
import { Unauthenticated } from '../../../platform/errors.ts';
import { asPerson, holdPerson, type OpenSession, startSession } from '../../sessions/sessions.ts';
import { consumeAttempt, resetAttempts } from '../../sign-in/attempts.ts';
import { personOfTicket, redeemTicket } from './attempts.ts';
import { isVouchedFor } from './vouching.ts';

/**
 * Opens a session for the ticket with which a sign-in by an identity provider ended.
 * @throws Unauthenticated `invalid_credentials` for a ticket that is unknown, used, older than a minute, of somebody who was
 * deactivated, or of a provider that no longer vouches for them
 */
export async function logInBySso(ctx: Context, input: { ssoToken: string }): Promise<OpenSession> {
  await consumeAttempt(ctx, 'token');
  const person = await personOfTicket(ctx.em, input.ssoToken);
  const session =
    person &&
    (await transact(asPerson(ctx, person), async (tx) => {
      // The person before the ticket: once they are locked, their address stays what the provider vouched for.
      const ticket = (await holdPerson(tx, person.id)) && (await redeemTicket(tx, input.ssoToken));
      return ticket && (await isVouchedFor(tx, ticket)) ? startSession(tx, person, 'sso', { address: 'email' }) : undefined;
    }));
  if (!session) throw new Unauthenticated('invalid_credentials');
  await resetAttempts(ctx, 'token');
  return session;
}
