import { RECORD_TYPES } from '../../events/changes/record-types.ts';

/** The types of src/events. */
export const EVENTS_TYPES = `
Subscription: Subscriptions: over WebSocket at /graphql, or as server-sent events at /graphql/stream.
ChangeEvent: The kind of change that happened to a record.
RecordType: The types of records whose changes are in the feed.
`;

/** The descriptions of fields of types of src/events. */
export const EVENTS_FIELDS = `
tries: Every try, oldest first.
`;

/** The meanings of values of its enums. */
export const EVENTS_VALUES = `
ChangeEvent.create: The record was made.
ChangeEvent.delete: The record was deleted.
ChangeEvent.removed: You saw the record, and do not see it any more.
ChangeEvent.state_change: Its state was changed.
ChangeEvent.update: Something of it was changed, but not its state.
WebhookDeliveryState.delivered: The endpoint took it.
WebhookDeliveryState.failed: It was tried for the last time.
WebhookDeliveryState.pending: It waits for its turn, or is being sent.
`;

/** Types of records, as values. */
export const recordTypeSentences = (): [string, string][] =>
  RECORD_TYPES.map((type) => [`RecordType.${type}`, `Records of the type \`${type}\`.`]);
