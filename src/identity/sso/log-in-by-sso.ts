import type { Context } from '../../platform/context.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { type IssuedToken, issueToken } from '../tokens.ts';
import { redeemTicket } from './attempts.ts';

/**
 * A session for the ticket that a sign-in by an identity provider ended with.
 * @throws Unauthenticated `invalid_credentials` for one that is unknown, used, older than a minute, or of somebody who was let go
 */
export async function logInBySso(ctx: Context, input: { ssoToken: string }): Promise<IssuedToken> {
  const person = await redeemTicket(ctx.em, input.ssoToken);
  if (!person) throw new Unauthenticated('invalid_credentials');
  await ctx.em.getConnection().execute('update app_user set last_login_at = now() where id = ?', [person.id], 'run');
  return issueToken(ctx.em, 'session', person.id);
}
