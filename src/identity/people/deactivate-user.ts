import { User } from '../../directory/people/user.entity.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { afterCommit, emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { mayActAs } from '../access/may-give.ts';
import { forgetViewers } from '../access/viewer.ts';
import { revokeSessions } from '../sessions/end-sessions.ts';
import { voidSecrets } from '../sign-in/one-time-secrets.ts';
import { allowsSsoAlone } from '../sso/sso-only.ts';
import { keepAdmin, lockAdmins } from './company-admins.ts';

/**
 * Deactivates a person: sign-in and sessions end, e-mail and telephone become free for others, and their work stays.
 * @throws Missing, Denied, Invalid for the last administrator of a company and for somebody who is deactivated already
 */
export function deactivateUser(ctx: Context, path: RecordPath): Promise<User> {
  return transact(ctx, async (tx) => {
    const seen = await find(tx, User, path.id, { companyId: path.companyId });
    allow(tx, 'delete_user');
    const admins = await lockAdmins(tx, seen);
    const user = await find(tx, User, path.id, { companyId: path.companyId, lock: true });
    await mayActAs(tx, user);
    if (user.discardedAt) throw new Invalid([{ model: 'User', field: 'id', key: 'user_deactivated' }]);
    user.discardedAt = tx.tx.now;
    keepAdmin(admins, user, 'id');
    await revokeSessions(tx, { id: user.id, companyId: user.company.id }, 'deactivated');
    // A person who is restored signs in anew, not by links that were sent before they left.
    await voidSecrets(tx, user.id);
    emitEvent(tx, 'user.deactivated', user);
    afterCommit(tx, () => forgetViewers(tx.em));
    return user;
  });
}

/**
 * Brings a person back with the roles they had; they sign in anew.
 * @throws Missing, Denied, also when they could do more than the caller, Invalid when somebody has their e-mail or telephone now, and for a
 * platform administrator whose company allows by now its provider alone
 */
export function reactivateUser(ctx: Context, path: RecordPath): Promise<User> {
  return transact(ctx, async (tx) => {
    const user = await find(tx, User, path.id, { companyId: path.companyId, lock: true });
    allow(tx, 'delete_user');
    await mayActAs(tx, user);
    const refuse = (key: string) => new Invalid([{ model: 'User', field: 'id', key }]);
    if (!user.discardedAt) throw refuse('user_active');
    if (user.roles.includes('platform_admin') && (await allowsSsoAlone(tx, user.company.id))) throw refuse('platform_needs_way_in');
    user.discardedAt = null;
    emitEvent(tx, 'user.reactivated', user);
    afterCommit(tx, () => forgetViewers(tx.em));
    return user;
  });
}
