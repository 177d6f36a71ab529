import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { IamRole } from '../../directory/people/iam-role.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import { afterCommit, type TxContext, transact } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { foldText } from '../../platform/fold.ts';
import type { CreateIamRoleInput, UpdateIamRoleInput } from './iam-role.inputs.ts';
import { lacking } from './may-give.ts';
import { isGrant } from './permissions.ts';
import { forgetViewers } from './viewer.ts';

export const iamRoleNameKey = defineUnique('iam_role_name_key', { model: 'IamRole', field: 'name' });

/** Defines a role of a company. @throws Denied, Invalid for unknown permissions and for permissions that the caller does not have */
export function createIamRole(ctx: Context, input: CreateIamRoleInput, companyId?: string | null): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const owner = companyOf(tx, companyId);
    allow(tx, 'manage_iam_roles');
    const role = Object.assign(new IamRole(), { company: ref(Company, owner) });
    await apply(tx, role, input);
    tx.em.persist(role);
    return { id: role.id };
  });
}

/** Changes a role of a company, and at once the permissions of everybody who has it. @throws Missing, Denied, Invalid */
export function updateIamRole(ctx: Context, path: RecordPath, input: UpdateIamRoleInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const role = await lockRole(tx, path);
    await apply(tx, role, input);
    afterCommit(tx, () => forgetViewers(tx.em));
    return { id: role.id };
  });
}

/** Deletes a role that nobody has any more; people who left lose it too. @throws Missing, Denied, Invalid while it is given */
export function deleteIamRole(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const role = await lockRole(tx, path);
    const holders = await tx.em.find(User, { company: role.company!.id, customRoleIds: { $contains: [role.id] } });
    const count = holders.filter((user) => !user.discardedAt).length;
    if (count > 0) throw new Invalid([{ model: 'IamRole', field: 'id', key: 'role_in_use', params: { count } }]);
    for (const user of holders) user.customRoleIds = user.customRoleIds.filter((id) => id !== role.id);
    tx.em.remove(role);
  });
}

/** A role to change. Nobody may change a role with permissions that they do not have. */
async function lockRole(tx: TxContext, { id, companyId }: RecordPath): Promise<IamRole> {
  const role = await find(tx, IamRole, id, { companyId, lock: true });
  allow(tx, 'manage_iam_roles');
  if (!role.company) throw new Invalid([{ model: 'IamRole', field: 'id', key: 'role_built_in' }]);
  const permissions = lacking(tx, role.grants);
  if (permissions.length > 0) throw new Invalid([notYours('id', permissions)]);
  return role;
}

async function apply(tx: TxContext, role: IamRole, input: UpdateIamRoleInput): Promise<void> {
  const items: ErrorItem[] = [];
  const name = input.name?.trim();
  if (name !== undefined) role.name = name;
  if (name === '' || input.name === null) items.push({ model: 'IamRole', field: 'name', key: 'required' });
  if (name !== undefined && (await isBuiltIn(tx, name))) items.push({ model: 'IamRole', field: 'name', key: 'taken' });
  if (input.description !== undefined) role.description = input.description;
  for (const [at, grant] of (input.permissions ?? []).entries())
    if (!isGrant(grant)) items.push({ model: 'IamRole', field: `permissions.${at}`, key: 'unknown_permission' });
    else if (lacking(tx, [grant]).length > 0) items.push(notYours(`permissions.${at}`, [grant]));
  if (items.length > 0) throw new Invalid(items);
  if (input.permissions) role.grants = [...new Set(input.permissions)];
}

/** Two roles with one name could not be distinguished. */
async function isBuiltIn(tx: TxContext, name: string): Promise<boolean> {
  const known = await tx.em.find(IamRole, { company: null });
  return known.some((role) => foldText(role.name) === foldText(name));
}

const notYours = (field: string, permissions: readonly string[]): ErrorItem => ({
  model: 'IamRole',
  field,
  key: 'permission_not_yours',
  params: { permissions: permissions.join(', ') },
});
