import type { EntityClass } from '@mikro-orm/core';
import { Account, type AccountType } from '../directory/accounts/account.entity.ts';
import { Equipment } from '../directory/equipment/equipment.entity.ts';
import type { MasterRecord } from '../directory/master-data/master-data.ts';
import { Material } from '../directory/master-data/named.entities.ts';
import { User } from '../directory/people/user.entity.ts';
import { Site } from '../directory/sites/site.entity.ts';
import { defineMergeable } from '../platform/database/former-ids.ts';
import type { MergeableType } from './references.ts';

interface Mergeable extends MasterRecord {
  updatedAt: Date;
}

/** The rules by which records of a type are merged. */
export interface MergeKind<T extends Mergeable = Mergeable> {
  type: MergeableType;
  entity: EntityClass<T> & (new () => T);
  /** First word of its events: `site.merged`. */
  event: string;
  /** A record that is merged into another one is gone. */
  permission: string;
  /** The key of what is said against merging a record into another one. */
  refusal?(former: T, kept: T): string | undefined;
  /** Changes the record that stays; the former ones are as they were. */
  change?(kept: T, formers: readonly T[]): void;
}

const accounts: MergeKind<Account> = {
  type: 'Account',
  entity: Account,
  event: 'account',
  permission: 'delete_account',
  // The views and shares of the other company hang on its connection with this account.
  refusal: (former, kept) =>
    !former.connectedCompany
      ? undefined
      : kept.connectedCompany && kept.connectedCompany.id !== former.connectedCompany.id
        ? 'merge_connected_with_others'
        : 'merge_connected',
  change(kept, formers) {
    const types = [...new Set([kept, ...formers].flatMap(({ accountTypes }): AccountType[] => accountTypes))];
    if (types.length > kept.accountTypes.length) kept.accountTypes = types;
  },
};

const users: MergeKind<User> = {
  type: 'User',
  entity: User,
  event: 'user',
  permission: 'delete_user',
  refusal(former, kept) {
    if (!kept.roles.includes('driver') || !former.roles.includes('driver')) return 'merge_drivers_only';
    // Permissions of somebody else here would be lost without anybody having said so.
    return former.roles.length > 1 || former.customRoleIds.length > 0 ? 'merge_other_roles' : undefined;
  },
};

const materials: MergeKind<Material> = {
  type: 'Material',
  entity: Material,
  event: 'material',
  permission: 'delete_material',
  refusal: (former) => (former.system ? 'built_in_record' : undefined),
};

const sites: MergeKind<Site> = { type: 'Site', entity: Site, event: 'site', permission: 'delete_site' };
const equipment: MergeKind<Equipment> = { type: 'Equipment', entity: Equipment, event: 'equipment', permission: 'delete_equipment' };

export const KINDS = { Account: accounts, Site: sites, Material: materials, User: users, Equipment: equipment } as unknown as Record<
  MergeableType,
  MergeKind
>;

/** The permissions of which whoever merges anything has one. */
export const MERGES = Object.values(KINDS).map(({ permission }) => permission) as [string, ...string[]];

export const mergeables = Object.values(KINDS).map(({ entity }) => defineMergeable(entity));
