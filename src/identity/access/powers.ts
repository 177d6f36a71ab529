import { grantsOf } from './matrix.ts';
import { covers } from './permissions.ts';

/** The permissions of somebody, as far as they are compared with those of others. */
export interface Powers {
  grants: ReadonlySet<string>;
  roles: readonly string[];
}

/**
 * Seeing every company is not a permission that a role can list: it comes with this role only, and only people who have the role may give
 * it.
 */
const EVERYWHERE = 'platform_admin';
/** Field roles: everybody who manages people may give them, also IT administrators, whatever permissions they have. */
const FIELD = new Set(['driver', 'foreman']);
/** Office roles that another gives though its own powers differ a little: managers hire dispatchers (DOMAIN section 2). */
const HIRES: Record<string, readonly string[]> = { manager: ['dispatcher'] };

/** Returns the grants that somebody does not have, and so may neither add to nor remove from others. */
export const without = (held: Powers, grants: Iterable<string>): string[] =>
  [...grants].filter((grant) => (grant === EVERYWHERE ? !held.roles.includes(EVERYWHERE) : !covers(held.grants, grant)));

/**
 * The acts that a built-in role would permit, and that somebody may neither do nor hire people for. A dispatcher gives the driver role without
 * seeing drivers' pay: what the built-in roles permit for own records only is no power over anybody else's.
 * @param toggles what the person's company lets its roles do beyond the matrix
 */
export function beyondRole(held: Powers, role: string, toggles: readonly string[]): string[] {
  if (FIELD.has(role) || held.roles.some((mine) => HIRES[mine]?.includes(role))) return [];
  const grants = [...grantsOf([role], toggles)].filter((grant) => !grant.endsWith(':own'));
  return without(held, role === EVERYWHERE ? [...grants, EVERYWHERE] : grants);
}

/** The columns of a viewer's row that are compared. */
interface Rank {
  roles: readonly string[] | null;
  /** Of the company's own roles. */
  permissions: readonly string[] | null;
  toggles: readonly string[];
  /** Null without limits. */
  site_ids: readonly string[] | null;
}

/**
 * Whether the person now has permissions that the one who acts as them lacks: as at the start (`mayActAs`), nobody gains permissions by it.
 */
export function outranks(person: Rank, grants: ReadonlySet<string>, acting: Rank): boolean {
  const held = { grants, roles: acting.roles ?? [] };
  const ofRoles = (person.roles ?? []).flatMap((role) => beyondRole(held, role, person.toggles));
  const sites = acting.site_ids;
  const isFreer = sites !== null && !person.site_ids?.every((id) => sites.includes(id));
  return isFreer || ofRoles.length > 0 || without(held, person.permissions ?? []).length > 0;
}
