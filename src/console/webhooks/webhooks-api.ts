import { ask } from '../server/request.ts';

/** A subscription; the names are the schema's. */
export interface Subscription {
  id: string;
  name: string | null;
  url: string;
  triggers: { name: string }[];
  includeChildren: boolean;
  headerNames: string[];
  pausedAt: string | null;
  disabledAt: string | null;
  disabledReason: string | null;
  failingSince: string | null;
  lastDeliveredAt: string | null;
}

/** A header that is sent in addition to our own. */
export interface Header {
  name: string;
  value: string;
}

/** The values of the form. */
export interface Wanted {
  name: string;
  url: string;
  triggers: string[];
  includeChildren: boolean;
  /** The complete list; undefined keeps those that are sent now. */
  headers?: readonly Header[];
}

/** An event on its way to an endpoint. */
export interface Delivery {
  id: string;
  trigger: string;
  state: string;
  attempts: number;
  eventTime: string;
  dueAt: string | null;
}

/** One try of a delivery. */
export interface Try {
  id: string;
  attempt: number;
  startedAt: string;
  durationMs: number;
  /** The values of headers of the company are hidden. */
  requestHeaders: Record<string, string>;
  requestBody: string;
  responseStatus: number | null;
  responseHeaders: Record<string, string> | null;
  responseBody: string | null;
  error: string | null;
}

export interface Page<T> {
  nodes: T[];
  next: string | null;
}

interface Connection<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export const TOPICS = ['Order', 'Job', 'Load', 'Ticket', 'ImportedOrder', 'ImportedProject', 'ImportedTicket'];
export const EVENTS = ['create', 'update', 'state_change', 'skip', 'error'];

const FIELDS = `id name url triggers { name } includeChildren headerNames pausedAt disabledAt disabledReason failingSince lastDeliveredAt`;
const DELIVERY = 'id trigger state attempts eventTime dueAt';

const pageOf = <T>({ nodes, pageInfo }: Connection<T>): Page<T> => ({ nodes, next: pageInfo.hasNextPage ? pageInfo.endCursor : null });

export async function readSubscriptions(company: string, cursor: string): Promise<Page<Subscription>> {
  const { webhookSubscriptions } = await ask<{ webhookSubscriptions: Connection<Subscription> }>(
    `query($company: ID, $after: String) { webhookSubscriptions(companyId: $company, first: 25, after: $after) {
      nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } } }`,
    { company: company || null, after: cursor || null },
  );
  return pageOf(webhookSubscriptions);
}

export const readSubscription = async (id: string): Promise<Subscription> =>
  (await ask<{ webhookSubscription: Subscription }>(`query($id: ID!) { webhookSubscription(id: $id) { ${FIELDS} } }`, { id }))
    .webhookSubscription;

/** @returns the id, and the secret, which nobody can read again */
export async function create(wanted: Wanted, company: string): Promise<{ id: string; secret: string }> {
  const { made } = await ask<{ made: { id: string; secret: string } }>(
    'mutation($input: CreateWebhookSubscriptionInput!, $company: ID) { made: createWebhookSubscription(input: $input, companyId: $company) { id secret } }',
    { input: inputOf(wanted), company: company || null },
  );
  return made;
}

export async function change(id: string, wanted: Wanted): Promise<void> {
  await ask('mutation($id: ID!, $input: UpdateWebhookSubscriptionInput!) { updateWebhookSubscription(id: $id, input: $input) { id } }', {
    id,
    input: inputOf(wanted),
  });
}

const inputOf = ({ name, ...others }: Wanted) => ({ ...others, name: name.trim() || null });

/** @returns the new secret; the one before signs for another day */
export async function rotate(id: string): Promise<string> {
  const { made } = await ask<{ made: { secret: string } }>('mutation($id: ID!) { made: rotateWebhookSecret(id: $id) { secret } }', { id });
  return made.secret;
}

/** The acts on a subscription as a whole, by their names in the schema. */
export type Act = 'pauseWebhookSubscription' | 'resumeWebhookSubscription' | 'testWebhookSubscription';
export async function act(what: Act, id: string): Promise<void> {
  await ask(`mutation($id: ID!) { ${what}(id: $id) { id } }`, { id });
}

export async function remove(id: string): Promise<void> {
  await ask('mutation($id: ID!) { deleteWebhookSubscription(id: $id) }', { id });
}

/** @param from an instant; everything from then on is sent again. @param to an instant, if not everything since */
export async function replay(id: string, from: string, to: string | null): Promise<void> {
  await ask('mutation($id: ID!, $input: ReplayWebhooksInput!) { replayWebhooks(id: $id, input: $input) { id } }', {
    id,
    input: { from, to },
  });
}

/** Returns a page of what was sent or waits, the newest first. */
export async function readDeliveries(id: string, company: string, cursor: string): Promise<Page<Delivery>> {
  const { webhookDeliveries } = await ask<{ webhookDeliveries: Connection<Delivery> }>(
    `query($id: ID!, $company: ID, $after: String) { webhookDeliveries(webhookSubscriptionId: $id, companyId: $company, first: 10, after: $after) {
      nodes { ${DELIVERY} } pageInfo { hasNextPage endCursor } } }`,
    { id, company: company || null, after: cursor || null },
  );
  return pageOf(webhookDeliveries);
}

export async function readTries(id: string): Promise<Try[]> {
  const { webhookDelivery } = await ask<{ webhookDelivery: { tries: Try[] } }>(
    `query($id: ID!) { webhookDelivery(id: $id) { tries {
      id attempt startedAt durationMs requestHeaders requestBody responseStatus responseHeaders responseBody error } } }`,
    { id },
  );
  return webhookDelivery.tries;
}

export async function redeliver(id: string): Promise<void> {
  await ask('mutation($id: ID!) { redeliverWebhook(id: $id) { id } }', { id });
}
