import { type Answer, type Client, refusalOf } from './client.ts';
import type { Journal } from './journal.ts';
import type { Options } from './options.ts';
import { bodyOf, type Parcel, parcels, type Unsent } from './parcels.ts';
import type { Source } from './source.ts';

export interface Delivered {
  /** Places of the elements of each acknowledged request, in their order. */
  places: Map<number, string[]>;
  unsent: Unsent[];
}

/**
 * Sends the elements in requests of `size`, several at a time, and notes each acknowledged one. Two requests with an element of the same
 * key are never sent concurrently, because the server applies them in the order in which they arrive.
 * @param onSent called with the number of elements that were sent
 * @throws Fault if the server cannot be reached or refuses the client
 */
export async function deliver(
  source: Source,
  client: Client,
  journal: Journal,
  { concurrency, strict }: Pick<Options, 'concurrency' | 'strict'>,
  onSent: (n: number) => void,
): Promise<Delivered> {
  const result: Delivered = { places: new Map(), unsent: [] };
  const travelling = new Map<Parcel, Promise<void>>();
  let fault: unknown;
  const send = async (parcel: Parcel) => {
    try {
      await sendOne(parcel, source, client, journal, strict ? '?strict=true' : '');
      settleOne(parcel, journal, result);
      onSent(parcel.places.length);
    } catch (error) {
      fault ??= error;
    } finally {
      travelling.delete(parcel);
    }
  };
  const mustWait = (parcel: Parcel) =>
    travelling.size >= concurrency || [...travelling.keys()].some((other) => overlap(other.keys, parcel.keys));
  for await (const parcel of parcels(source, journal.head.size, result.unsent, onSent)) {
    if (journal.done.has(parcel.request)) {
      settleOne(parcel, journal, result);
      onSent(parcel.places.length);
      continue;
    }
    while (mustWait(parcel)) await Promise.race(travelling.values());
    if (fault !== undefined) break;
    travelling.set(parcel, send(parcel));
  }
  await Promise.all(travelling.values());
  if (fault !== undefined) throw fault;
  return result;
}

const overlap = (a: Set<string>, b: Set<string>): boolean => [...b].some((key) => a.has(key));

async function sendOne(parcel: Parcel, source: Source, client: Client, journal: Journal, query: string): Promise<void> {
  const { request, places } = parcel;
  const { kind } = source;
  const answer = await client.call({
    method: 'POST',
    path: `/ingest/${kind}${query}`,
    body: bodyOf(source, parcel),
    key: `${journal.head.id}-${request}`,
  });
  if (answer.status === 202) journal.add({ request, batch: batchOf(answer), records: places.length });
  else journal.add({ request, refused: refusalOf(answer, kind) });
}

function settleOne({ request, places }: Parcel, journal: Journal, result: Delivered): void {
  const line = journal.done.get(request);
  if (line && 'refused' in line)
    result.unsent.push(...places.map((place) => ({ place, why: `refused: the request answered ${line.refused}` })));
  else result.places.set(request, places);
}

const batchOf = ({ body }: Answer): string => (body as { data: { batch_id: string } }).data.batch_id;
