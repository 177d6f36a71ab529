import type { Context } from '../platform/context.ts';
import { Unauthenticated } from '../platform/errors.ts';
import { Attempts } from './attempts.ts';
import { verifyPassword } from './passwords.ts';
import { type IssuedToken, issueToken } from './tokens.ts';

const attempts = new Attempts();

// E-mail addresses are unique in practice; were two people to share one, the older record logs in.
const FIND = `select u.id, k.password_hash from app_user u join credential k on k.user_id = u.id join company c on c.id = u.company_id
  where lower(u.email) = lower(?) and u.discarded_at is null and c.discarded_at is null order by u.created_at, u.id limit 1`;

/**
 * A session token for an e-mail address and password.
 * @throws Unauthenticated `invalid_credentials`, alike and in the same time for an unknown address and a wrong password
 * @throws TooMany after ten failures
 */
export async function logIn(ctx: Context, input: { email: string; password: string }): Promise<IssuedToken> {
  const email = input.email.trim();
  attempts.check(email);
  const connection = ctx.em.getConnection();
  const [user] = email.includes('\0') ? [] : await connection.execute<{ id: string; password_hash: string }[]>(FIND, [email]);
  if (!(await verifyPassword(input.password, user?.password_hash)) || !user) {
    attempts.failed(email);
    throw new Unauthenticated('invalid_credentials');
  }
  attempts.succeeded(email);
  await connection.execute('update app_user set last_login_at = now() where id = ?', [user.id], 'run');
  return issueToken(ctx.em, 'session', user.id);
}
