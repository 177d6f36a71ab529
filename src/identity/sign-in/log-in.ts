import { transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { foldEmail } from '../../platform/email.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { hashPassword, isOutdated, verifyPassword } from '../passwords/passwords.ts';
import { auditSignIn, type OpenSession, type Person, startSession } from '../sessions/sessions.ts';
import type { SignInMethod } from '../sessions/user-session.entity.ts';
import { consumeAttempt, resetAttempts } from './attempts.ts';
import { welcomeBy } from './one-time-secrets.ts';

// E-mail addresses are unique in practice; were two people to share one, the older record logs in.
const FIND = `select u.id, u.company_id as "companyId", trim(u.first_name || ' ' || u.last_name) as name, k.password_hash
  from app_user u left join credential k on k.user_id = u.id join company c on c.id = u.company_id
  where u.match_email = ? and ${welcomeBy('password')} order by k.id is null, u.created_at, u.id limit 1`;

/** Whose failures are recorded when nobody is known by the name that was tried: rows that no company sees. */
const NOBODY = { id: '00000000-0000-0000-0000-000000000000', companyId: '00000000-0000-0000-0000-000000000000' };

/**
 * A session for an e-mail address and password.
 * @throws Unauthenticated `invalid_credentials`, alike and in the same time for an unknown address and a wrong password
 * @throws TooMany after ten failures from one place
 */
export async function logIn(ctx: Context, input: { email: string; password: string }): Promise<OpenSession> {
  const email = foldEmail(input.email);
  await consumeAttempt(ctx, 'login', email);
  const [user] = email.includes('\0')
    ? []
    : await ctx.em.getConnection().execute<(Person & { password_hash: string | null })[]>(FIND, [email]);
  const shown = user?.password_hash ?? undefined;
  if ((await verifyPassword(input.password, shown)) && user && shown) {
    if (isOutdated(shown)) await rehash(ctx, user.id, shown, input.password);
    // Hashed anew meanwhile, here or by somebody who signs in beside, it is still the same password.
    const proves = async (hash: string | undefined) => hash === shown || verifyPassword(input.password, hash);
    const session = await startSession(ctx, user, 'password', proves);
    if (session) {
      await resetAttempts(ctx, 'login', email);
      return session;
    }
  }
  await recordFailure(ctx, user, 'password');
  throw new Unauthenticated('invalid_credentials');
}

/** Unless the password was changed meanwhile. */
async function rehash(ctx: Context, userId: string, old: string, password: string): Promise<void> {
  await ctx.em
    .getConnection()
    .execute(
      'update credential set password_hash = ?, updated_at = now() where user_id = ? and password_hash = ?',
      [await hashPassword(password), userId, old],
      'run',
    );
}

/** An audit row of a sign-in that failed; the same statement for somebody and for nobody, so that time does not tell them apart. */
export async function recordFailure(ctx: Context, person: Omit<Person, 'name'> | undefined, method: SignInMethod): Promise<void> {
  await transact({ ...ctx, viewer: undefined }, async (tx) => auditSignIn(tx, 'sign_in_failed', person ?? NOBODY, { method }));
}
