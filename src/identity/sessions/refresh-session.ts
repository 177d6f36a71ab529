import { timingSafeEqual } from 'node:crypto';
import { afterCommit, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { forgetViewers } from '../access/viewer.ts';
import { identitySettings } from '../settings.ts';
import { consumeAttempt, resetAttempts } from '../sign-in/attempts.ts';
import { issueToken } from '../tokens/tokens.ts';
import { forgetDevices } from './end-sessions.ts';
import { auditSignIn, newRefreshToken, type OpenSession, readRefreshToken } from './sessions.ts';

/**
 * Seconds in which the previous token is refused without ending the session: two tabs, or a client that lost the answer, may send one token
 * twice. Later, or two tokens later, it is a sign of theft: somebody who refreshes all the time must not hide behind this.
 */
const GRACE_SECONDS = 10;

interface Row {
  id: string;
  user_id: string;
  company_id: string;
  refresh_hash: string;
  /** The token is the previous one and was used a moment ago. */
  lately: boolean | null;
}

const FIND = `select s.id, s.user_id, s.company_id, s.refresh_hash,
    s.previous_hash = $3 and s.refreshed_at > now() - $2 * interval '1 second' as lately
  from user_session s join app_user u on u.id = s.user_id join company c on c.id = u.company_id
  where s.family_hash = $1 and s.revoked_at is null and s.expires_at > now() and u.discarded_at is null and c.discarded_at is null
  for update of s`;
const ROTATE = `update user_session set previous_hash = refresh_hash, refresh_hash = $2, refreshed_at = now(), updated_at = now(),
    expires_at = least(now() + $3 * interval '1 second', ends_at)
  where id = $1 returning expires_at`;
const REVOKE = `update user_session set revoked_at = now(), revoked_for = 'reuse', updated_at = now() where id = $1`;

/**
 * Exchanges the present refresh token for a new session token and the next refresh token (RFC 9700, section 4.14.2). A token that was used
 * before ends its session, because its sender may not be the one to whom it was given.
 * @throws Unauthenticated `invalid_credentials`
 * @throws TooMany
 */
export async function refreshSession(ctx: Context, input: { refreshToken: string }): Promise<OpenSession> {
  await consumeAttempt(ctx, 'token');
  const given = readRefreshToken(input.refreshToken);
  if (!given) throw new Unauthenticated('invalid_credentials');
  const next = newRefreshToken(given.family);
  // No person is known yet: the system is the author of what happens here.
  const renewed = await transact({ ...ctx, viewer: undefined }, async (tx) => {
    const [row] = await queryIn<Row>(tx.em, FIND, [given.familyHash, GRACE_SECONDS, given.secretHash]);
    if (!row) return undefined;
    if (timingSafeEqual(Buffer.from(row.refresh_hash), Buffer.from(given.secretHash))) {
      const [{ expires_at: until } = { expires_at: '' }] = await queryIn<{ expires_at: string | Date }>(tx.em, ROTATE, [
        row.id,
        next.secretHash,
        identitySettings.of(tx.em).refreshSeconds,
      ]);
      return { row, until: new Date(until) };
    }
    if (row.lately) return undefined;
    await queryIn(tx.em, REVOKE, [row.id]);
    await forgetDevices(tx, { id: row.user_id, companyId: row.company_id }, [row.id]);
    auditSignIn(tx, 'session_revoked', { id: row.user_id, companyId: row.company_id }, { session_id: row.id, reason: 'reuse' });
    afterCommit(tx, () => forgetViewers(tx.em));
    return undefined;
  });
  if (!renewed) throw new Unauthenticated('invalid_credentials');
  await resetAttempts(ctx, 'token');
  const { token, expiresAt } = await issueToken(ctx.em, 'session', renewed.row.user_id, undefined, { sessionId: renewed.row.id });
  return { sessionId: renewed.row.id, sessionJwt: token, expiresAt, refreshToken: next.token, refreshExpiresAt: renewed.until };
}
