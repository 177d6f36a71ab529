import type { MikroORM } from '@mikro-orm/postgresql';
import type { User } from '../../src/directory/people/user.entity.ts';
import { newRefreshToken } from '../../src/identity/sessions/sessions.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { newId } from '../../src/platform/ids.ts';

/** Opens a session of a person, as if they had signed in; returns its id. */
export async function openSession(orm: MikroORM, user: User): Promise<string> {
  const id = newId();
  const { familyHash, secretHash } = newRefreshToken();
  await orm.em.getConnection().execute(
    `insert into user_session (id, company_id, user_id, method, family_hash, refresh_hash, expires_at, ends_at)
       select ?, company_id, id, 'password', ?, ?, now() + interval '1 day', now() + interval '1 day' from app_user where id = ?`,
    [id, familyHash, secretHash, user.id],
  );
  return id;
}

/** Returns a session token of a person. */
export async function sessionToken(orm: MikroORM, user: User): Promise<string> {
  return (await issueToken(orm.em.fork(), 'session', user.id, undefined, { sessionId: await openSession(orm, user) })).token;
}
