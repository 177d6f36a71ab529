import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** Follows the orders of a company over a socket of its own. @returns what ends it */
export function follow(base: URL, token: string, next: (value: unknown) => void): () => void {
  const client = createClient({
    url: new URL('/graphql', base).href.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  });
  let isOver = false;
  const query = 'subscription { recordChanged(types: [Order]) { id record { ... on Order { notes } } } }';
  const fail = (error: unknown) => {
    if (!isOver) throw new Error(`a subscription failed: ${JSON.stringify(error)}`);
  };
  client.subscribe({ query }, { next, error: fail, complete: () => undefined });
  return () => {
    isOver = true;
    void client.dispose();
  };
}

/** Subscriptions of one caller. */
const EACH = 100;

/** Opens so many subscriptions, each over a socket of its own. @param tokens of callers, one for each hundred @returns what ends them */
export async function followMany(
  base: URL,
  tokens: readonly string[],
  count: number,
  pause: (ms: number) => Promise<unknown>,
): Promise<() => void> {
  const ends: (() => void)[] = [];
  for (const token of tokens) {
    for (let n = 0; n < EACH && ends.length < count; n++) ends.push(follow(base, token, () => undefined));
    await pause(500);
  }
  return () => {
    for (const end of ends) end();
  };
}

/** The number of callers that so many subscriptions take. */
export const callersOf = (subscriptions: number): number => Math.ceil(subscriptions / EACH);
