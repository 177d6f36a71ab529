import { User } from '../../directory/people/user.entity.ts';
import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import { afterCommit, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Missing } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { mayActAs } from '../access/may-give.ts';
import { forgetViewers, type IdentifiedViewer } from '../access/viewer.ts';
import type { Person } from './person.ts';
import { type Gone, goneAudit } from './register-device.ts';
import { auditSignIn } from './sessions.ts';

/** Why a session ended before its time. */
export type Reason = 'sign_out' | 'revoked' | 'password_reset' | 'deactivated';

/**
 * Ends the session the caller came with.
 * @throws Missing for machine clients, which have none
 */
export async function logOut(ctx: Context): Promise<void> {
  const viewer = viewerOf(ctx) as IdentifiedViewer;
  const { sessionId } = viewer;
  if (!sessionId) throw new Missing();
  await transact(ctx, async (tx) => {
    await revokeSessions(tx, viewer, 'sign_out', { only: sessionId });
  });
}

/**
 * Ends every session of a person: the caller's own, or those of somebody whom the caller may edit and whose permissions the caller has.
 * @returns their ids
 * @throws Missing, Denied
 */
export function endSessions(ctx: Context, userId: string): Promise<string[]> {
  return transact(ctx, async (tx) => {
    const user = await sessionOwner(tx, userId);
    return revokeSessions(tx, { id: user.id, companyId: user.company.id }, 'revoked');
  });
}

/** Ends one session of a person, as `endSessions` does all. @throws Missing, Denied */
export async function endSession(ctx: Context, input: { userId: string; id: string }): Promise<void> {
  await transact(ctx, async (tx) => {
    const user = await sessionOwner(tx, input.userId);
    if (!isUuid(input.id)) throw new Missing();
    const ended = await revokeSessions(tx, { id: user.id, companyId: user.company.id }, 'revoked', { only: input.id });
    if (ended.length === 0) throw new Missing();
  });
}

/**
 * Finds whose sessions these are, if the caller may see and end them: their own, or those of people whom they may edit and whose
 * permissions they have. Otherwise people could be kept out by others with fewer permissions, who could also see where and with what they
 * work.
 * @throws Missing, Denied
 */
export async function sessionOwner(ctx: Context, userId: string): Promise<User> {
  const user = await find(ctx, User, userId);
  if (viewerOf(ctx).id === user.id) return user;
  allow(ctx, 'edit_user');
  await mayActAs(ctx, user);
  return user;
}

/**
 * Ends the open sessions of a person, or of everybody of a company, in the running transaction; for commands that deactivate people or change
 * how they sign in. Tokens stop opening anything at once in this process and after `viewerCacheMs` in others.
 * @returns the ids of those that ended
 */
export async function revokeSessions(
  tx: TxContext,
  of: Omit<Person, 'name'> | { companyId: string; id: 'everybody' },
  reason: Reason,
  which: { only?: string; except?: string } = {},
): Promise<string[]> {
  const { companyId } = of;
  const ended = await queryIn<{ id: string; user_id: string }>(
    tx.em,
    `update user_session set revoked_at = now(), revoked_for = $3, updated_at = now()
     where company_id = $1 and ($2::uuid is null or user_id = $2) and revoked_at is null and ends_at > now()
       and ($4::uuid is null or id = $4) and ($5::uuid is null or id <> $5)
     returning id, user_id`,
    [companyId, of.id === 'everybody' ? null : of.id, reason, which.only ?? null, which.except ?? null],
  );
  await forgetDevices(tx, of, which.only || which.except ? ended.map(({ id }) => id) : undefined);
  const event = reason === 'sign_out' ? 'sign_out' : 'session_revoked';
  for (const { id, user_id: userId } of ended) auditSignIn(tx, event, { id: userId, companyId }, { session_id: id, reason });
  afterCommit(tx, () => forgetViewers(tx.em));
  return ended.map(({ id }) => id);
}

/**
 * Forgets telephones: nobody who is signed in reads what is sent to them any more.
 * @param of a person, or of everybody of a company
 * @param sessions those that ended, all there are when undefined
 */
export async function forgetDevices(
  tx: TxContext,
  of: { companyId: string; id: string | 'everybody' },
  sessions?: readonly string[],
): Promise<void> {
  const gone = await queryIn<Gone>(
    tx.em,
    `delete from device_token where company_id = $1 and ($2::uuid is null or user_id = $2) and ($3::uuid[] is null or session_id = any($3))
     returning id, company_id, user_id`,
    [of.companyId, of.id === 'everybody' ? null : of.id, sessions ?? null],
  );
  tx.tx.audits.push(...gone.map(goneAudit));
}
