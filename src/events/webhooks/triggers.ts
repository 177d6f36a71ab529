import { uuidOfText } from '../../platform/ids.ts';

/** The topics of webhooks (DOMAIN section 6), each with the REST document that shows a record of it. */
export const TOPICS = {
  Order: 'GetOrder',
  Job: 'GetJob',
  Load: 'GetLoad',
  Ticket: 'GetTicket',
  ImportedOrder: 'GetImportedRecord',
  ImportedProject: 'GetImportedRecord',
  ImportedTicket: 'GetImportedRecord',
} as const;
export type Topic = keyof typeof TOPICS;

/** The kinds of events that may happen to a record. */
export const HAPPENINGS = ['create', 'update', 'state_change', 'skip', 'error'] as const;
export type Happening = (typeof HAPPENINGS)[number];

/** The event of a test, which no record has. */
export const TEST_EVENT = 'Webhook::test';

export type Trigger = `${Topic}::${Happening}`;

const topics = Object.keys(TOPICS) as Topic[];
/** All triggers: each topic with each of what may happen. */
export const TRIGGERS: readonly Trigger[] = topics.flatMap((topic) => HAPPENINGS.map((happening) => `${topic}::${happening}` as const));

const known: ReadonlySet<string> = new Set(TRIGGERS);
export const isTrigger = (text: string): text is Trigger => known.has(text);
export const isTopic = (text: string): text is Topic => Object.hasOwn(TOPICS, text);

/** The id of a trigger of a subscription: always the same for the same trigger, as long as the subscription exists. */
export const triggerIdOf = (subscriptionId: string, trigger: string): string => uuidOfText(`${subscriptionId} ${trigger}`);
