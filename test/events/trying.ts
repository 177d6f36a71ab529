import { webhookSettings } from '../../src/events/webhooks/settings.ts';
import { until } from '../helpers/until.ts';
import type { Receiving } from './receiving.ts';
import { subscribed } from './subscribed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** Tries of endpoints that may do anything. */
export function tryingOf(on: Receiving) {
  /** Has a test sent to an address. */
  const send = async (url: string): Promise<Json> => {
    const { id } = await subscribed(on.tenant, 'Order::create');
    // As if the address had been a good one when it was entered.
    await on.app.orm.em.fork().getConnection().execute('update webhook_subscription set url = ? where id = ?', [url, id]);
    return on.tenant.must('PUT', `/v1/webhook_subscriptions/${id}/test`);
  };
  const shownOf = ({ id }: Json): Promise<Json> => on.tenant.must('GET', `/v1/webhook_deliveries/${id}`);
  /** The last try of a delivery, as soon as there are so many. */
  const triedOf = async (delivery: Json, count = 1): Promise<Json> => {
    let shown: Json;
    await until(async () => {
      shown = await shownOf(delivery);
      return shown.tries.length >= count;
    });
    return { state: shown.state, ...shown.tries.at(-1) };
  };
  /** Sends a test to an address, and returns its first try. */
  const tried = async (url: string): Promise<Json> => triedOf(await send(url));
  const limits = (changes: object) => on.app.application.provide(webhookSettings, { privateHosts: true, timeout: 10_000, ...changes });
  return { send, shownOf, triedOf, tried, limits };
}
