import type { Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A subscription whose endpoint nobody has. */
export interface Subscribed {
  id: string;
  /** Returns the deliveries that are to be sent to it so far. */
  deliveries(): Promise<Json[]>;
}

/** Subscribes a company to these events. */
export async function subscribed({ must }: Pick<Tenant, 'must'>, ...triggers: string[]): Promise<Subscribed> {
  const { id } = await must('POST', '/v1/webhook_subscriptions', { url: 'https://hooks.example', triggers });
  return { id, deliveries: () => must('GET', `/v1/webhook_subscriptions/${id}/deliveries`) };
}
