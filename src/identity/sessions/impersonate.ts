import { User } from '../../directory/people/user.entity.ts';
import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import type { SignInEvent } from '../../platform/commands/audit-event.ts';
import { afterCommit, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { worldTime } from '../../platform/database/time/sandbox-time.ts';
import { Invalid, Missing } from '../../platform/errors.ts';
import { mayActAs } from '../access/may-give.ts';
import { forgetViewers, type IdentifiedViewer } from '../access/viewer.ts';

import { identitySettings } from '../settings.ts';
import { type IssuedToken, issueToken } from '../tokens/tokens.ts';
import { Impersonation } from './impersonation.entity.ts';

/**
 * A token to act as a person for an hour: with their permissions, except acting as others, and with the caller's name next to theirs in the
 * audit log. It ends by itself, and at once when the person or the caller is deactivated or the caller loses the permission.
 * @throws Missing, Denied without `impersonate` and for somebody with permissions that the caller lacks, Invalid for oneself and for people
 *   who left
 */
export async function impersonate(ctx: Context, path: RecordPath): Promise<IssuedToken> {
  const seconds = identitySettings.of(ctx.em).impersonationSeconds;
  const impersonation = await transact(ctx, async (tx) => {
    const user = await find(tx, User, path.id, { companyId: path.companyId });
    const actor = allow(tx, 'impersonate');
    if (user.id === actor.id) throw new Invalid([{ model: 'User', field: 'userId', key: 'impersonates_self' }]);
    if (user.discardedAt) throw new Invalid([{ model: 'User', field: 'userId', key: 'user_deactivated' }]);
    await mayActAs(tx, user);
    const made = Object.assign(new Impersonation(), {
      companyId: user.company.id,
      userId: user.id,
      actorType: actor.type,
      actorId: actor.id,
      actorName: actor.name,
      expiresAt: new Date(worldTime(tx.tx).getTime() + seconds * 1000),
    });
    tx.em.persist(made);
    notify(tx, 'impersonation_started', made);
    return made;
  });
  return issueToken(ctx.em, 'impersonation', impersonation.userId, undefined, { seconds, sessionId: impersonation.id });
}

/** Stops acting as somebody. @throws Missing when the caller does not */
export async function endImpersonation(ctx: Context): Promise<void> {
  const { impersonationId } = viewerOf(ctx) as IdentifiedViewer;
  if (!impersonationId) throw new Missing();
  await transact(ctx, async (tx) => {
    const impersonation = await find(tx, Impersonation, impersonationId, { lock: true });
    impersonation.endedAt = tx.tx.now;
    notify(tx, 'impersonation_ended', impersonation);
    afterCommit(tx, () => forgetViewers(tx.em));
  });
}

function notify(tx: TxContext, event: SignInEvent, impersonation: Impersonation): void {
  tx.tx.audits.push({
    event,
    type: 'User',
    id: impersonation.userId,
    companyId: impersonation.companyId,
    changes: {
      impersonation_id: [null, impersonation.id],
      actor_type: [null, impersonation.actorType],
      actor_id: [null, impersonation.actorId],
      actor_name: [null, impersonation.actorName],
      expires_at: [null, impersonation.expiresAt.toISOString()],
    },
  });
}
