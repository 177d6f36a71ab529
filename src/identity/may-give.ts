import { Company } from '../directory/company.entity.ts';
import { IamRole } from '../directory/iam-role.entity.ts';
import type { User } from '../directory/user.entity.ts';
import { viewerOf } from '../platform/authz/fences.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import type { Context } from '../platform/context.ts';
import { Denied } from '../platform/errors.ts';
import { grantsOf } from './matrix.ts';
import { covers } from './permissions.ts';
import { ResourceScope } from './resource-scope.entity.ts';
import type { IdentifiedViewer } from './viewer.ts';

/** Seeing every company is no permission one can list: it comes with this role alone, and only who has it gives it. */
const EVERYWHERE = 'platform_admin';

/** Which of the grants the caller does not have, and so may neither give nor take from others. @throws Unauthenticated */
export function lacking(ctx: Context, grants: Iterable<string>): string[] {
  const viewer = viewerOf(ctx);
  if (viewer.type === 'System') return [];
  const held = (viewer as IdentifiedViewer).grants;
  return [...grants].filter((grant) => (grant === EVERYWHERE ? !viewer.roles.includes(EVERYWHERE) : !covers(held, grant)));
}

/**
 * What a role lets people do beyond their own records. A dispatcher gives the driver role without seeing drivers' pay: what the
 * built-in roles permit for own records only is no power over anybody else's. A company's own role counts in whole.
 * @param toggles what the person's company lets its roles do beyond the matrix
 */
function powersOf(role: IamRole, toggles: readonly string[]): string[] {
  if (!role.key) return role.grants;
  const grants = [...grantsOf([role.key], toggles)].filter((grant) => !grant.endsWith(':own'));
  return role.key === EVERYWHERE ? [...grants, EVERYWHERE] : grants;
}

/** What a person's company lets its roles do beyond the matrix. */
export async function togglesOf(tx: TxContext, user: User): Promise<readonly string[]> {
  return (await tx.em.findOneOrFail(Company, user.company.id)).permissionToggles;
}

/** Field roles: everybody who manages people gives them, IT administrators included, whatever they may do themselves. */
const FIELD = new Set(['driver', 'foreman']);
/** Office roles that another gives though its own powers differ a little: managers hire dispatchers (DOMAIN section 2). */
const HIRES: Record<string, readonly string[]> = { manager: ['dispatcher'] };

/** What a role would let people do that the caller may neither do nor hire people for. @throws Unauthenticated */
export function beyond(ctx: Context, role: IamRole, toggles: readonly string[]): string[] {
  const { roles } = viewerOf(ctx);
  if (role.key && (FIELD.has(role.key) || roles.some((mine) => HIRES[mine]?.includes(role.key as string)))) return [];
  return lacking(ctx, powersOf(role, toggles));
}

/** The roles a person has. */
export function rolesOf(tx: TxContext, user: User): Promise<IamRole[]> {
  return tx.em.find(IamRole, { $or: [{ key: { $in: user.roles } }, { id: { $in: user.customRoleIds }, company: user.company.id }] });
}

/**
 * Passes when the caller may do whatever the person may do: whoever changes how somebody signs in could sign in as them.
 * @throws Denied on the first permission the caller lacks
 */
export async function mayActAs(tx: TxContext, user: User): Promise<void> {
  const toggles = await togglesOf(tx, user);
  const [lacks] = (await rolesOf(tx, user)).flatMap((role) => beyond(tx, role, toggles));
  if (lacks) throw new Denied(lacks, 'permission_of_theirs');
  const { siteIds } = viewerOf(tx);
  if (!siteIds) return;
  const scopes = await tx.em.find(ResourceScope, { user: user.id });
  // Who is limited to sites could get around it as somebody who is not.
  if (scopes.length === 0 || scopes.some((scope) => !siteIds.includes(scope.site.id))) throw new Denied('edit_user');
}
