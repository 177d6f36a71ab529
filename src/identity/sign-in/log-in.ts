import { transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { foldEmail } from '../../platform/email.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { hashPassword, isOutdated, verifyPassword } from '../passwords/passwords.ts';
import type { Person } from '../sessions/person.ts';
import { auditSignIn, type OpenSession, startSession } from '../sessions/sessions.ts';
import type { SignInMethod } from '../sessions/user-session.entity.ts';
import { consumeAttempt, resetAttempts } from './attempts.ts';
import { welcomeBy } from './one-time-secrets.ts';

// E-mail addresses are unique in practice; if two people shared one, the older record would log in.
const FIND = `select u.id, u.company_id as "companyId", trim(u.first_name || ' ' || u.last_name) as name, k.password_hash
  from app_user u left join credential k on k.user_id = u.id join company c on c.id = u.company_id
  where u.match_email = ? and ${welcomeBy('password')} order by k.id is null, u.created_at, u.id limit 1`;

/** The account under which failures are recorded if the tried name is not known: no company sees these rows. */
const NOBODY = { id: '00000000-0000-0000-0000-000000000000', companyId: '00000000-0000-0000-0000-000000000000' };

/**
 * Opens a session for an e-mail address and password.
 * @throws Unauthenticated `invalid_credentials`, equally and in the same time for an unknown address and a wrong password
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
    // If a concurrent sign-in has hashed it anew in the meantime, it is still the same password.
    const proves = async (hash: string | undefined) => hash === shown || verifyPassword(input.password, hash);
    const session = await startSession(ctx, user, 'password', { password: proves });
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

/** An audit row of a failed sign-in; the same statement for a known and an unknown account, so that the time does not distinguish them. */
export async function recordFailure(ctx: Context, person: Omit<Person, 'name'> | undefined, method: SignInMethod): Promise<void> {
  await transact({ ...ctx, viewer: undefined }, async (tx) => auditSignIn(tx, 'sign_in_failed', person ?? NOBODY, { method }));
}
