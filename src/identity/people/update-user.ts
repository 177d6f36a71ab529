import { User } from '../../directory/people/user.entity.ts';
import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import { afterCommit, emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type ErrorCollector, Invalid, Missing } from '../../platform/errors.ts';
import { mayActAs } from '../access/may-give.ts';
import { forgetViewers } from '../access/viewer.ts';
import { keepAdmin, lockAdmins } from './company-admins.ts';
import { PROVEN } from './proven-addresses.ts';
import type { UpdateUserInput } from './user.inputs.ts';
import { applyUserFields } from './user-fields.ts';

/**
 * The fields that people, and drivers in addition, may set for themselves without any permission (DOMAIN section 2: "self equipment only"). They may
 * also save an address again that another company entered.
 */
const OWN = new Set(['preferences', 'timeZone']);
const OWN_EQUIPMENT = new Set([...OWN, 'equipmentId', 'additionalEquipmentIds', 'defaultEquipmentId', 'defaultAdditionalEquipmentIds']);
/** Fields that decide how somebody signs in and what they may do, and the name by which others know them. */
const SENSITIVE = ['email', 'phone', 'firstName', 'lastName'] as const;

/**
 * Changes a person (PATCH): absent fields stay, lists replace. A change of roles counts at once.
 * @throws Missing, also for people who left, Denied, also for sign-in data of somebody who may do more than the caller, Invalid with every wrong field at once
 */
export function updateUser(ctx: Context, path: RecordPath, input: UpdateUserInput): Promise<User> {
  return transact(ctx, async (tx) => {
    const seen = await find(tx, User, path.id, { companyId: path.companyId });
    mayChange(tx, seen, input);
    const admins = input.iamRoleIds ? await lockAdmins(tx, seen) : {};
    const user = await find(tx, User, path.id, { companyId: path.companyId, lock: true });
    if (user.discardedAt && !leadsBack(input)) throw new Missing();
    if (user.id !== viewerOf(tx).id && isSensitive(user, input)) await mayActAs(tx, user);
    const to: ErrorCollector = { model: 'User', items: [] };
    await applyUserFields(tx, user, input, to);
    if (to.items.length > 0) throw new Invalid(to.items);
    keepAdmin(admins, user, 'iamRoleIds');
    emitEvent(tx, 'user.updated', user);
    afterCommit(tx, () => forgetViewers(tx.em));
    return user;
  });
}

/** A value that is sent back as it was read changes nothing. */
const isSensitive = (user: User, input: UpdateUserInput): boolean =>
  input.iamRoleIds !== undefined || SENSITIVE.some((name) => input[name] !== undefined && (input[name] ?? null) !== (user[name] ?? null));

/** Another address is what brings somebody back whose own is somebody else's by now. */
function leadsBack(input: UpdateUserInput): boolean {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return given.length > 0 && given.every(([name]) => name === 'email' || name === 'phone');
}

function mayChange(tx: TxContext, user: User, input: UpdateUserInput): void {
  const viewer = viewerOf(tx);
  const own = viewer.id === user.id;
  const allowed = viewer.can('edit_user:own') ? OWN_EQUIPMENT : OWN;
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const confirms = (name: string, value: unknown) =>
    (name === 'email' || name === 'phone') && !user[PROVEN[name]] && Boolean(value) && value === user[name];
  if (own && given.length > 0 && given.every(([name, value]) => allowed.has(name) || confirms(name, value))) return;
  allow(tx, 'edit_user');
}
