/** The descriptions of types of src/merging. */
export const MERGING_TYPES = `
MergeInput: Which duplicates are merged.
DuplicateReason: In what two records are alike.
MergeState: How far a merge is.
MergeableRecordType: The records that can be merged.
RecordMerge: A merge of duplicates: which record stays, and for which ones it answers since then.
`;

/** The descriptions of their fields. */
export const MERGING_FIELDS = `
LikelyDuplicate.recordType: The kind of records that they are.
RecordMerge.recordType: The kind of records that were merged.
RecordMerge.undoneAt: When it was undone.
RecordMergeCondition.recordTypes: Merges of these kinds of records.
RecordMergeFilter.recordTypes: Merges of these kinds of records.
`;

/** The descriptions of their arguments. */
export const MERGING_ARGUMENTS = `
likelyDuplicates.recordType: The kind of records that are compared.
`;

/** The meanings of their values. */
export const MERGING_VALUES = `
DuplicateReason.near: Sites that are at most 100 metres from each other.
DuplicateReason.same_accounting_id: Both have the same id in accounting.
DuplicateReason.same_email: Both have the same e-mail address.
DuplicateReason.same_external_id: Both have the same external id.
DuplicateReason.same_license_number: Both have the same licence plate, apart from blanks and signs.
DuplicateReason.same_name: Both are called the same, apart from case.
DuplicateReason.same_phone: Both have the same telephone number.
MergeState.merged: It was merged.
MergeState.planned: Nothing was merged: this is what a merge would do.
MergeState.undone: It was merged, and that was undone.
MergeableRecordType.Material: A material.
`;
