import type { MikroORM } from '@mikro-orm/postgresql';
import type { User } from '../../src/directory/people/user.entity.ts';
import { newRefreshToken } from '../../src/identity/sessions/sessions.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { newId } from '../../src/platform/ids.ts';

/** Opens a session of each of several people, as if they had signed in; returns their ids. */
async function openSessions(orm: MikroORM, users: readonly User[]): Promise<string[]> {
  const sessions = users.map((user) => {
    const { familyHash: family, secretHash: secret } = newRefreshToken();
    return { id: newId(), person: user.id, family, secret };
  });
  await orm.em.getConnection().execute(
    `insert into user_session (id, company_id, user_id, method, family_hash, refresh_hash, expires_at, ends_at)
       select s.id, u.company_id, u.id, 'password', s.family, s.secret, now() + interval '1 day', now() + interval '1 day'
       from json_to_recordset(?) as s (id uuid, person uuid, family text, secret text) join app_user u on u.id = s.person`,
    [JSON.stringify(sessions)],
  );
  return sessions.map(({ id }) => id);
}

/** Opens a session of a person; returns its id. */
export const openSession = async (orm: MikroORM, user: User): Promise<string> => (await openSessions(orm, [user]))[0]!;

/** Returns a session token of each of several people. */
export async function sessionTokens(orm: MikroORM, users: readonly User[]): Promise<string[]> {
  const ids = await openSessions(orm, users);
  const em = orm.em.fork();
  return Promise.all(users.map(async (user, at) => (await issueToken(em, 'session', user.id, undefined, { sessionId: ids[at]! })).token));
}

/** Returns a session token of a person. */
export const sessionToken = async (orm: MikroORM, user: User): Promise<string> => (await sessionTokens(orm, [user]))[0]!;
