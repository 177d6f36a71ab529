import { createClient } from 'graphql-sse';
import { sessionToken } from './session.ts';

/** Milliseconds until a subscription that was cut is asked for again, and the longest time after further failures. */
const AGAIN = 10_000;
const LONGEST = 120_000;

/**
 * Follows a subscription for as long as somebody wants it, however often it is cut. The token is that of the session at the time; the reads
 * of a page keep it valid.
 * @param changed is called for each answer
 * @returns what ends it
 */
export function follow(query: string, variables: Record<string, unknown>, changed: () => void): () => void {
  const client = createClient({
    url: '/graphql/stream',
    headers: () => ({ Authorization: `Bearer ${sessionToken()}` }),
    retryAttempts: 0,
  });
  let [over, failures] = [false, 0];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let end = () => {};
  const ask = () => {
    const next = ({ errors }: { errors?: unknown }) => {
      if (errors) return;
      failures = 0;
      changed();
    };
    const again = () => {
      if (!over) timer = setTimeout(ask, Math.min(AGAIN * 2 ** failures++, LONGEST));
    };
    end = client.subscribe({ query, variables }, { next, error: again, complete: again });
  };
  ask();
  return () => {
    over = true;
    clearTimeout(timer);
    end();
    client.dispose();
  };
}
