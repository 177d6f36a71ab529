/** What fields of types of src/events are. */
export const EVENTS_FIELDS = `
tries: Every try, oldest first.
`;

/** What values of its enums mean. */
export const EVENTS_VALUES = `
WebhookDeliveryState.delivered: The endpoint took it.
WebhookDeliveryState.failed: It was tried for the last time.
WebhookDeliveryState.pending: It waits for its turn, or is being sent.
`;
