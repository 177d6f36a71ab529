import { FORMER_IDS } from '../platform/database/former-ids.ts';
import { mergeables } from './kinds.ts';
import { recordMergeFilters } from './merge.inputs.ts';
import { mergeMessages } from './merge.messages.ts';
import { DuplicatesResolver, MergeMutations, MergeQueries } from './merge.resolver.ts';
import { MERGING } from './moves.ts';
import { putAsideAccess } from './put-aside.access.ts';
import { recordMergeAccess } from './record-merge.access.ts';
import { RecordMerge } from './record-merge.entity.ts';

/** The entities of the room. */
export const entities = [RecordMerge];

/** What a merge put aside is not shown, nor a merge of sites to those who are limited to others. */
export const access = [...putAsideAccess, recordMergeAccess];

/** The filters of the room's lists. */
export const lists = [recordMergeFilters];

/** The kinds of records that can be merged: former ids of these answer with the record that stays. */
export const extensions = [...mergeables];

/** The ways in which the room acts across companies. */
export const purposes = [FORMER_IDS, MERGING];

/** The room's messages. */
export const messages = [mergeMessages];

/** The fields of the room's interface. */
export const resolvers: Function[] = [...MergeMutations, ...MergeQueries, DuplicatesResolver];
