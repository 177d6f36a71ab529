import type { Context } from '../../../platform/context.ts';
import { Unauthenticated } from '../../../platform/errors.ts';
import { type OpenSession, startSession } from '../../sessions/sessions.ts';
import { consumeAttempt, resetAttempts } from '../../sign-in/attempts.ts';
import { redeemTicket } from './attempts.ts';

/**
 * Opens a session for the ticket with which a sign-in by an identity provider ended.
 * @throws Unauthenticated `invalid_credentials` for a ticket that is unknown, used, older than a minute, or of somebody who was deactivated
 */
export async function logInBySso(ctx: Context, input: { ssoToken: string }): Promise<OpenSession> {
  await consumeAttempt(ctx, 'token');
  const person = await redeemTicket(ctx.em, input.ssoToken);
  const session = person && (await startSession(ctx, person, 'sso'));
  if (!session) throw new Unauthenticated('invalid_credentials');
  await resetAttempts(ctx, 'token');
  return session;
}
