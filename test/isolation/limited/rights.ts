import type { Rows } from './rows.ts';
import type { Json } from './scene.ts';

/** Who sees which money, and who reads invoices at all (docs/permissions.md, "Catalogue"). */
const HELD: Readonly<Record<string, readonly string[]>> = {
  view_customer_rates: ['company_admin', 'manager', 'biller'],
  view_vendor_rates: ['company_admin', 'manager', 'biller'],
  view_driver_rates: ['company_admin', 'manager', 'biller'],
  view_settlements: ['company_admin', 'manager', 'biller'],
};
/** What drivers have for what is theirs. */
const OF_DRIVERS = ['view_driver_rates', 'view_settlements'];
/** What a company may switch on for dispatchers. */
const SWITCHED: Readonly<Record<string, string>> = {
  view_customer_rates: 'dispatcher_sees_customer_rates',
  view_vendor_rates: 'dispatcher_sees_vendor_rates',
  view_driver_rates: 'dispatcher_sees_driver_rates',
};

/** What somebody may see, by their roles and limits. */
export interface Rights {
  id: string;
  /** Neither a role of the product nor one of the company shows them more than their own records. */
  ownOnly: boolean;
  /** The sites to which they are limited. */
  sites: ReadonlySet<string> | undefined;
  /** Whether they have a permission, for all records or with `:own`. */
  can(permission: string): boolean;
}

export function rightsOf(rows: Rows, id: string): Rights {
  const { roles, custom_role_ids } = rows.user.find((user) => user.id === id) as { roles: string[]; custom_role_ids: string[] };
  const customs: string[][] = rows.role.filter((role) => custom_role_ids.includes(role.id)).map(({ grants }) => grants);
  const liftsLimit = (grants: readonly string[]) => grants.length === 0 || grants.some((grant) => !grant.endsWith(':own'));
  const scopes = rows.scope.filter((scope) => scope.user_id === id).map(({ site_id }: Json) => site_id);
  const switched = (permission: string) => {
    const toggle = SWITCHED[permission];
    return toggle !== undefined && roles.includes('dispatcher') && rows.toggles.includes(toggle);
  };
  return {
    id,
    ownOnly: roles.every((role) => role === 'driver' || role === 'foreman') && !customs.some(liftsLimit),
    sites: scopes.length > 0 ? new Set(scopes) : undefined,
    can(permission) {
      if (customs.some((grants) => grants.includes(permission))) return true;
      const [name, own] = permission.split(':') as [string, string?];
      if (own) return roles.includes('driver') && OF_DRIVERS.includes(name);
      return roles.some((role) => HELD[name]!.includes(role)) || switched(name);
    },
  };
}

/** The rights of somebody in one text: a feed is followed on under the same ones alone. */
export const rightsText = (rows: Rows, id: string): string => {
  const { roles, custom_role_ids } = rows.user.find((user) => user.id === id);
  const customs = rows.role.filter((role) => custom_role_ids.includes(role.id)).map(({ grants }) => grants);
  const scopes = rows.scope.filter((scope) => scope.user_id === id).map(({ site_id }) => site_id);
  return JSON.stringify([[...roles].sort(), customs, scopes.sort(), [...rows.toggles].sort()]);
};
