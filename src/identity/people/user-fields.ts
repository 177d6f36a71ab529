import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { isOneLine } from '../../directory/contacts/contacts.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { Label } from '../../directory/master-data/label.entity.ts';
import { IamRole } from '../../directory/people/iam-role.entity.ts';
import { type Role, User } from '../../directory/people/user.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { applyInputParts } from '../../platform/commands/input-parts.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { asAddress, foldEmail, isEmail } from '../../platform/email.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { type PhoneRead, readPhone } from '../../platform/phone.ts';
import { isZone } from '../../platform/time.ts';
import { grantsOf } from '../access/matrix.ts';
import { beyond, rolesOf, togglesOf } from '../access/may-give.ts';
import type { IdentifiedViewer } from '../access/viewer.ts';
import { allowsSsoAlone } from '../sso/sso-only.ts';
import { noteEntered } from './proven-addresses.ts';
import type { UpdateUserInput } from './user.inputs.ts';

export const appUserEmailKey = defineUnique('app_user_email_key', { model: 'User', field: 'email' });
export const appUserPhoneKey = defineUnique('app_user_phone_key', { model: 'User', field: 'phone' });

/** A new person's fields are some of these. */
type Input = UpdateUserInput;

/** Sets the fields of a person that are sent; absent fields are kept. Collects all problems; a `made` person must be reachable. */
export async function applyUserFields(tx: TxContext, user: User, input: Input, to: ErrorCollector, made = false): Promise<void> {
  const report = (field: string, key: string) => to.items.push({ model: to.model, field, key });
  for (const name of ['firstName', 'lastName'] as const) {
    const given = input[name];
    if (given === null || given?.trim() === '') report(name, 'required');
    else if (given !== undefined && !isOneLine(given.trim())) report(name, 'one_line');
    else if (given !== undefined) user[name] = given.trim();
  }
  if (input.externalId !== undefined) user.externalId = input.externalId || null;
  if (input.timeZone && !isZone(input.timeZone)) report('timeZone', 'not_a_user_time_zone');
  else if (input.timeZone !== undefined) user.timeZone = input.timeZone || null;
  if (input.textToAcceptEnabled === null) report('textToAcceptEnabled', 'required');
  else if (input.textToAcceptEnabled !== undefined) user.textToAcceptEnabled = input.textToAcceptEnabled;
  if (input.payBy !== undefined) user.payBy = input.payBy;
  if (input.wageClassification !== undefined) user.wageClassification = input.wageClassification?.trim() || null;
  if (input.preferences !== undefined) user.preferences = mergedPreferences(user.preferences, input.preferences);
  await applyRecords(tx, user, input, to);
  await applyReach(tx, user, input, to, made);
  await applyInputParts(tx, user, input, to);
}

/** Equipment, labels and roles, which all must be the person's company's. */
async function applyRecords(tx: TxContext, user: User, input: Input, to: ErrorCollector): Promise<void> {
  const found = await resolveReferences(
    tx,
    input,
    {
      equipment: [Equipment, 'equipmentId'] as const,
      standard: [Equipment, 'defaultEquipmentId'] as const,
      additional: [Equipment, 'additionalEquipmentIds'] as const,
      standardAdditional: [Equipment, 'defaultAdditionalEquipmentIds'] as const,
      labels: [Label, 'labelIds'] as const,
      roles: [IamRole, 'iamRoleIds'] as const,
    },
    { ...to, companyId: user.company.id },
  );
  collectDiscarded(user, found, to);
  if (input.equipmentId !== undefined) user.equipment = found.equipment ? ref(found.equipment) : null;
  if (input.defaultEquipmentId !== undefined) user.defaultEquipment = found.standard ? ref(found.standard) : null;
  if (input.additionalEquipmentIds !== undefined) user.additionalEquipmentIds = idsOf(found.additional);
  if (input.defaultAdditionalEquipmentIds !== undefined) user.defaultAdditionalEquipmentIds = idsOf(found.standardAdditional);
  if (input.labelIds !== undefined) user.labelIds = idsOf(found.labels);
  if (input.iamRoleIds !== undefined) await applyRoles(tx, user, found.roles ?? [], to);
}

type Gone = { id: string; discardedAt?: Date | null } | null | undefined;

/** Collects trucks and labels that were discarded; those that the person has already may stay. */
function collectDiscarded(
  user: User,
  found: Record<'equipment' | 'standard', Gone> & Record<'additional' | 'standardAdditional' | 'labels', Gone[] | null | undefined>,
  to: ErrorCollector,
): void {
  const report = (one: Gone, field: string, has: readonly (string | undefined)[]) => {
    if (one?.discardedAt && !has.includes(one.id)) to.items.push({ model: to.model, field, key: 'must_exist' });
  };
  report(found.equipment, 'equipmentId', [user.equipment?.id]);
  report(found.standard, 'defaultEquipmentId', [user.defaultEquipment?.id]);
  for (const [field, list, has] of [
    ['additionalEquipmentIds', found.additional, user.additionalEquipmentIds],
    ['defaultAdditionalEquipmentIds', found.standardAdditional, user.defaultAdditionalEquipmentIds],
    ['labelIds', found.labels, user.labelIds],
  ] as const)
    for (const [i, one] of (list ?? []).entries()) report(one, `${field}.${i}`, has);
}

/** Adds and removes roles. The caller needs all permissions of these roles, and must not add one by which the person is locked out. */
async function applyRoles(tx: TxContext, user: User, roles: readonly (IamRole | null | undefined)[], to: ErrorCollector): Promise<void> {
  if (roles.length === 0) to.items.push({ model: to.model, field: 'iamRoleIds', key: 'at_least_one_role' });
  await keepRoles(tx, roles, to);
  const before = new Set((await rolesOf(tx, user)).map((role) => role.id));
  const toggles = await togglesOf(tx, user);
  for (const [at, role] of roles.entries()) {
    if (!role || before.has(role.id)) continue;
    const permissions = beyond(tx, role, toggles);
    if ((viewerOf(tx) as IdentifiedViewer).actsAsManager && runsCompany(role)) {
      to.items.push({ model: to.model, field: `iamRoleIds.${at}`, key: 'role_reserved_for_company' });
      continue;
    }
    if (permissions.length > 0)
      to.items.push({
        model: to.model,
        field: `iamRoleIds.${at}`,
        key: 'role_not_yours',
        params: { permissions: permissions.join(', ') },
      });
    else if (role.key === 'platform_admin' && (await allowsSsoAlone(tx, user.company.id)))
      to.items.push({ model: to.model, field: `iamRoleIds.${at}`, key: 'platform_needs_way_in' });
  }
  user.roles = [...new Set(roles.flatMap((role) => (role?.key ? [role.key as Role] : [])))];
  user.customRoleIds = [...new Set(roles.flatMap((role) => (role && !role.key ? [role.id] : [])))];
}

/** A permission that everybody has who can do what an administrator can. With such a role the managing company would keep its hold. */
const runsCompany = ({ key, grants }: IamRole): boolean => (key ? [...grantsOf([key])] : grants).includes('edit_company');

/** Locks a company's roles until they are assigned: a concurrent request that deletes one waits, and finds it in use. */
async function keepRoles(tx: TxContext, roles: readonly (IamRole | null | undefined)[], to: ErrorCollector): Promise<void> {
  const own = roles.flatMap((role) => (role && !role.key ? [role.id] : []));
  if (own.length === 0) return;
  const rows = await queryIn<{ id: string }>(tx.em, 'select id from iam_role where id = any($1::uuid[]) order by id for share', [own]);
  const there = new Set(rows.map(({ id }) => id));
  for (const [at, role] of roles.entries())
    if (role && !role.key && !there.has(role.id)) to.items.push({ model: to.model, field: `iamRoleIds.${at}`, key: 'must_exist' });
}

/** E-mail and telephone, by which people sign in: each belongs to one active person of the whole installation. */
async function applyReach(tx: TxContext, user: User, input: Input, to: ErrorCollector, made: boolean): Promise<void> {
  const before = { email: user.email ?? null, phone: user.phone ?? null };
  if (input.email !== undefined) {
    user.email = asAddress(input.email ?? '') || null;
    if (user.email && !isEmail(user.email)) to.items.push({ model: to.model, field: 'email', key: 'invalid_email' });
  }
  if (input.phone !== undefined) {
    const { number, wrong }: PhoneRead = input.phone?.trim() ? readPhone(input.phone.trim()) : {};
    if (wrong) to.items.push({ model: to.model, field: 'phone', key: wrong });
    else user.phone = number ?? null;
  }
  // People whom the importer met without either may be changed otherwise.
  const asked = made || input.email !== undefined || input.phone !== undefined;
  if (asked && !user.email && !user.phone && !to.items.some(({ field }) => field === 'phone'))
    to.items.push({ model: to.model, field: 'email', key: 'person_reachable' });
  const changed = (name: 'email' | 'phone') => Boolean(user[name]) && user[name] !== before[name];
  if (changed('email') || changed('phone')) user.unclaimed = false;
  for (const name of ['email', 'phone'] as const) {
    if (input[name] !== undefined) await noteEntered(tx, user, name, before[name]);
    const holder = changed(name) ? await holderOf(tx, user, name) : undefined;
    if (holder) to.items.push({ model: to.model, field: name, key: 'taken_by', params: holder });
  }
}

/** Returns the person who has the e-mail or telephone already, as far as the caller may see them; of anybody else the database says only that it is taken. */
async function holderOf(tx: TxContext, user: User, name: 'email' | 'phone'): Promise<{ name: string; company: string } | undefined> {
  const [column, value] = name === 'email' ? ['match_email', foldEmail(user.email!)] : ['phone', user.phone];
  const [same] = await queryIn<{ id: string }>(
    tx.em,
    `select id from app_user where ${column} = $1 and id <> $2 and discarded_at is null and not unclaimed`,
    [value, user.id],
  );
  const holder = same && (await tx.em.findOne(User, { id: same.id }, { populate: ['company'] }));
  if (!holder) return undefined;
  const company = await tx.em.findOneOrFail(Company, holder.company.id);
  return { name: `${holder.firstName} ${holder.lastName}`.trim(), company: company.legalName };
}

const idsOf = (records: readonly ({ id: string } | null | undefined)[] | null | undefined): string[] =>
  (records ?? []).flatMap((record) => (record ? [record.id] : []));

/** Each event that is sent replaces its setting; null removes it. */
function mergedPreferences(before: object, given: UpdateUserInput['preferences']): object {
  if (given === null) return {};
  if (given?.notifications === undefined) return before;
  const { notifications: chosen = {}, ...rest } = before as { notifications?: Record<string, unknown> };
  const merged = given.notifications === null ? {} : { ...chosen };
  for (const [name, methods] of Object.entries(given.notifications ?? {})) {
    const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (methods === null) delete merged[key];
    else if (methods !== undefined) merged[key] = [...new Set(methods as string[])];
  }
  return { ...rest, notifications: merged };
}
