import { setTimeout as sleep } from 'node:timers/promises';
import { makeBooks } from '../billing/books.ts';

export { ownOf } from './own-fields.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const books = makeBooks();

export const now = async (): Promise<string> =>
  new Date((await books.app.orm.em.fork().execute<{ now: string }[]>('select clock_timestamp() as now'))[0]!.now).toISOString();

export const asOf = (path: string, instant: string) => `${path}?as_of=${encodeURIComponent(instant)}`;
/** A moment that is clearly after what was done before, and before what is done next. */
export async function moment(): Promise<string> {
  await sleep(5);
  const at = await now();
  await sleep(5);
  return at;
}
export const messagesOf = ({ status, body }: Json): Json[] => [
  status,
  ...(body.error?.errors ?? []).map((one: Json) => `${one.field}: ${one.message}`),
];
