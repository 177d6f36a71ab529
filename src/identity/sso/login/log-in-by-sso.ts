import type { Context } from '../../../platform/context.ts';
import { Unauthenticated } from '../../../platform/errors.ts';
import { type OpenSession, startSession } from '../../sessions/sessions.ts';
import { consumeAttempt, resetAttempts } from '../../sign-in/attempts.ts';
import { redeemTicket } from './attempts.ts';

/**
 * A session for the ticket that a sign-in by an identity provider ended with.
 * @throws Unauthenticated `invalid_credentials` for one that is unknown, used, older than a minute, or of somebody who was let go
 */
export async function logInBySso(ctx: Context, input: { ssoToken: string }): Promise<OpenSession> {
  await consumeAttempt(ctx, 'token');
  const person = await redeemTicket(ctx.em, input.ssoToken);
  const session = person && (await startSession(ctx, person, 'sso'));
  if (!session) throw new Unauthenticated('invalid_credentials');
  await resetAttempts(ctx, 'token');
  return session;
}
