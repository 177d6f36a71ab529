import { setTimeout as sleep } from 'node:timers/promises';
import { makeBooks } from '../billing/books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const books = makeBooks();

/** Returns the fields of a record itself: no lists, no other records, and none that count them. */
export function ownOf(body: Json): Json {
  const own = Object.entries(body).filter(([name, value]) => !NOT_OWN.has(name) && (typeof value !== 'object' || value === null));
  return Object.fromEntries(own);
}
/** Fields that are as they are now, or not in the log; whether something may be changed depends on the invoices that hold it now. */
const NOT_OWN = new Set([
  ...['version', 'updated_at', 'explain', 'loads_count', 'invoice_line_items_total_quantity'],
  ...['editable', 'unapprovable'],
]);

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
