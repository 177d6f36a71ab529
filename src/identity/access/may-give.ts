import { Company } from '../../directory/companies/company.entity.ts';
import { IamRole } from '../../directory/people/iam-role.entity.ts';
import type { User } from '../../directory/people/user.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Denied } from '../../platform/errors.ts';
import { beyondRole, without } from './powers.ts';
import { ResourceScope } from './resource-scope.entity.ts';
import type { IdentifiedViewer } from './viewer.ts';

/** Which of the grants the caller does not have, and so may neither give nor take from others. @throws Unauthenticated */
export function lacking(ctx: Context, grants: Iterable<string>): string[] {
  const viewer = viewerOf(ctx);
  if (viewer.type === 'System') return [];
  return without(viewer as IdentifiedViewer, grants);
}

/** The permissions that a person's company gives its roles in addition to the matrix. */
export async function togglesOf(ctx: Context, user: User): Promise<readonly string[]> {
  return (await ctx.em.findOneOrFail(Company, user.company.id)).permissionToggles;
}

/**
 * The permissions of a role that the caller neither has nor may give to people whom they hire; a role that a company defines counts
 * completely. @throws Unauthenticated
 */
export function beyond(ctx: Context, role: IamRole, toggles: readonly string[]): string[] {
  const viewer = viewerOf(ctx);
  if (!role.key) return lacking(ctx, role.grants);
  return viewer.type === 'System' ? [] : beyondRole(viewer as IdentifiedViewer, role.key, toggles);
}

/** The roles a person has. */
export function rolesOf(ctx: Context, user: User): Promise<IamRole[]> {
  return ctx.em.find(IamRole, { $or: [{ key: { $in: user.roles } }, { id: { $in: user.customRoleIds }, company: user.company.id }] });
}

/**
 * Passes when the caller has all permissions of the person, because somebody who changes how a person signs in could sign in as them.
 * @throws Denied on the first permission the caller lacks
 */
export async function mayActAs(ctx: Context, user: User): Promise<void> {
  const toggles = await togglesOf(ctx, user);
  const [lacks] = (await rolesOf(ctx, user)).flatMap((role) => beyond(ctx, role, toggles));
  if (lacks) throw new Denied(lacks, 'permission_of_theirs');
  const { siteIds } = viewerOf(ctx);
  if (!siteIds) return;
  const scopes = await ctx.em.find(ResourceScope, { user: user.id }, { filters: { tenant: false } });
  // A caller who is limited to sites could get around the limit as somebody who is not.
  if (scopes.length === 0 || scopes.some((scope) => !siteIds.includes(scope.site.id)))
    throw new Denied('edit_user', 'permission_beyond_sites');
}
