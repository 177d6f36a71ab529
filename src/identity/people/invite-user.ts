import { User } from '../../directory/people/user.entity.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { inviteLater } from '../sign-in/sign-up.ts';
import { type InvitationChannel, inviteWithin } from './invitation.entity.ts';
import { entersForAnother, PROVEN } from './proven-addresses.ts';

/**
 * Has a person asked to sign up, by mail or text message, as often as it is asked for.
 * @throws Missing, Denied, Invalid for people who left, who have no such address, whose address is somebody else's already,
 * or not proven
 */
export function inviteUser(ctx: Context, path: RecordPath, channel: InvitationChannel): Promise<void> {
  return transact(ctx, async (tx) => {
    const user = await find(tx, User, path.id, { companyId: path.companyId, lock: true });
    allow(tx, 'create_user');
    if (user.discardedAt) throw new Invalid([{ model: 'User', field: 'userId', key: 'user_deactivated' }]);
    // A person whom a payload named counts from now on as confirmed for this address.
    if (user.unclaimed && entersForAnother(tx)) Object.assign(user, { emailProven: !user.email, phoneProven: !user.phone });
    user.unclaimed = false;
    await invite(tx, user, channel);
  });
}

/**
 * Sends an invitation with the running transaction, and keeps that it was sent.
 * @param inviterCompanyId when it is not the person's own company that asks
 * @throws Invalid without an e-mail address or telephone, and for one that signs the person in no longer (`signsInBy`)
 */
export async function invite(tx: TxContext, user: User, channel: InvitationChannel, inviterCompanyId?: string): Promise<void> {
  const field = channel === 'email' ? 'email' : 'phone';
  const to = user[field];
  if (!to) throw new Invalid([{ model: 'User', field, key: 'required' }]);
  if (user.lastLoginAt && !user[PROVEN[field]]) throw new Invalid([{ model: 'User', field, key: 'address_not_proven' }]);
  inviteWithin(tx, user, channel, inviterCompanyId);
  await inviteLater(tx, user.id, channel === 'email' ? 'mail' : 'sms', to);
}
