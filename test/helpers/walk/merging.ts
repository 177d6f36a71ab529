import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { RecordMerge } from '../../../src/merging/record-merge.entity.ts';
import type { Tenant } from '../tenant.ts';
import { of, type Row } from './expectation.ts';

/** The permissions of the root fields of src/merging. */
export const MERGING: Row[] = [
  ...of('account', 'delete_account', 'mergeAccounts'),
  ...of('site', 'delete_site', 'mergeSites'),
  ...of('material', 'delete_material', 'mergeMaterials'),
  ...of('user', 'delete_user', 'mergeDrivers'),
  ...of('equipment', 'delete_equipment', 'mergeEquipment'),
  ...of('recordMerge', 'delete_account', 'undoMerge'),
  ...of('recordMerge', 'company', 'recordMerge'),
  ...of(undefined, 'company', 'recordMerges'),
  ...of(undefined, 'delete_account', 'likelyDuplicates'),
];

/** Saves a record and returns its id. */
type Save = <T extends { id: string }>(type: new () => T, fields: object) => Promise<string>;

/** Makes records of src/merging, with ids that the walk uses. */
export function mergingMakers(tenant: Tenant, saved: Save) {
  const own = () => ({ company: ref(tenant.company) });
  return {
    // A merge of accounts, of which nothing is left to be given back.
    recordMerge: async () =>
      saved(RecordMerge, { ...own(), recordType: 'Account', keptId: await saved(Account, { ...own(), name: 'Stays' }) }),
  };
}
