import { grantsOf } from '../../src/identity/access/matrix.ts';
import type { RoleName } from '../../src/identity/access/permissions.ts';
import { TOGGLES, type ToggleName } from '../../src/identity/access/toggles.ts';
import type { Expectation } from './walk.ts';

/**
 * How far a role gets with an operation: with any visible record, with records it sent, with its own, with its own orders until acceptance,
 * or nowhere.
 */
export type Reach = 'all' | 'sent' | 'own' | 'own until accepted' | 'until accepted' | 'no';

/** Returns what the matrix and the toggles allow a role for an operation. */
export function reachOf(expected: Expectation, role: RoleName, toggles: readonly ToggleName[] = []): Reach {
  const { who, vouches, own = [], sent = [] } = expected;
  const also = [expected.also ?? []].flat();
  if (who === 'everybody' || who === 'public' || who === 'person' || who === 'company') return 'all';
  if (who === 'platform') return role === 'platform_admin' ? 'all' : 'no';
  const has = grantsOf([role], toggles) as ReadonlySet<string>;
  if (vouches && [...grantsOf(['company_admin'])].some((grant) => !has.has(grant))) return 'no';
  if (has.has(who) && also.every((one) => has.has(one))) return 'all';
  if (sent.some((permission) => has.has(permission))) return 'sent';
  if (own.includes('self') || (own.includes('driver') && role === 'driver')) return 'own';
  // Whoever may not see the money of a side does not set it on own records either; other further permissions are for those of others.
  if (also.some((one) => one.startsWith('view_') && !has.has(one) && !has.has(`${one}:own`))) return 'no';
  if (own.includes('grant') && has.has(`${who}:own`)) return 'own';
  if (!own.includes('early')) return 'no';
  return has.has('edit_order_pre_accept') ? 'until accepted' : has.has('edit_order_pre_accept:own') ? 'own until accepted' : 'no';
}

/** Returns the toggles of a role. */
export const togglesOf = (role: RoleName): ToggleName[] =>
  (Object.keys(TOGGLES) as ToggleName[]).filter((name) => TOGGLES[name].role === role);
