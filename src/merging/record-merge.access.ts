import { defineAccess } from '../platform/read/access.ts';
import { RecordMerge } from './record-merge.entity.ts';

/** Whoever is limited to sites learns of a merge of sites if theirs stays; after the undo only if all of them are theirs, which are places of their own again. */
export const recordMergeAccess = defineAccess(RecordMerge, {
  sites: (t, p) => `(${t}.record_type <> 'Site' or (${t}.kept_id = any(${p}) and (${t}.state <> 'undone' or ${t}.former_ids <@ ${p})))`,
});
