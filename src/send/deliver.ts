import type { SheetKind } from '../ingest/csv/fields.ts';
import { type Answer, type Client, complaintOf } from './client.ts';
import { unreachable } from './fault.ts';
import type { Journal } from './journal.ts';
import type { Item, Source } from './source.ts';

/** What never came to be a record, and why. */
export interface Unsent {
  place: string;
  key?: string;
  why: string;
}

export interface Delivered {
  /** Places of the elements of each acknowledged request, in their order. */
  places: Map<number, string[]>;
  unsent: Unsent[];
  /** Elements that an earlier run had sent. */
  before: number;
}

/** A request in the making. */
interface Parcel {
  request: number;
  places: string[];
  keys: Set<string>;
  /** JSON of the elements. */
  parts: string[];
  bytes: number;
}

/** Bytes of a request; the server takes 5 MB. */
const MOST_BYTES = 4_500_000;

/**
 * Sends the elements in requests of `size`, several at a time, and notes each that is acknowledged. Two requests with an element of
 * the same key never travel together: the server applies them in the order in which they arrive.
 * @param onSent told the number of elements that are through
 * @throws Fault when the server cannot be reached or refuses the client
 */
export async function deliver(
  source: Source,
  client: Client,
  journal: Journal,
  concurrency: number,
  onSent: (n: number) => void,
): Promise<Delivered> {
  const result: Delivered = { places: new Map(), unsent: [], before: 0 };
  const travelling = new Map<Parcel, Promise<void>>();
  let fault: unknown;
  const send = async (parcel: Parcel) => {
    try {
      await sendOne(parcel, source.kind, client, journal);
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
      result.before += parcel.places.length;
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

/** The requests of a file, the same ones each time; what cannot be sent is put aside. */
async function* parcels(source: Source, size: number, unsent: Unsent[], onUnsent: (n: number) => void): AsyncGenerator<Parcel> {
  const empty = (request: number): Parcel => ({ request, places: [], keys: new Set(), parts: [], bytes: 0 });
  let parcel = empty(0);
  for await (const item of source.items()) {
    const part = 'fault' in item ? '' : JSON.stringify(item.element);
    const bytes = Buffer.byteLength(part) + 1;
    const why = 'fault' in item ? item.fault : whyNot(part, bytes);
    if (why !== undefined) {
      unsent.push({ place: item.place, key: keyOf(source.kind, item), why });
      onUnsent(1);
      continue;
    }
    if (parcel.parts.length >= size || parcel.bytes + bytes > MOST_BYTES) {
      yield parcel;
      parcel = empty(parcel.request + 1);
    }
    parcel.parts.push(part);
    parcel.bytes += bytes;
    parcel.places.push(item.place);
    const key = keyOf(source.kind, item);
    if (key !== undefined) parcel.keys.add(key);
  }
  if (parcel.parts.length > 0) yield parcel;
}

/** What the server would refuse the whole request for. */
function whyNot(part: string, bytes: number): string | undefined {
  if (bytes > MOST_BYTES) return 'too_large: larger than a request may be';
  // JSON.stringify writes half a surrogate pair, and NUL, only as an escape.
  if (/(?<!\\)(\\\\)*\\u(0000|d[89ab])/.test(part)) return 'unstorable_text: contains a NUL character or half of a surrogate pair';
  return undefined;
}

function keyOf(kind: SheetKind, item: Item): string | undefined {
  if ('fault' in item || typeof item.element !== 'object' || item.element === null) return undefined;
  const { external_id, ticket_number } = item.element as Record<string, unknown>;
  const key = kind === 'tickets' ? ticket_number : external_id;
  return typeof key === 'string' || typeof key === 'number' ? String(key).trim() : undefined;
}

async function sendOne(parcel: Parcel, kind: SheetKind, client: Client, journal: Journal): Promise<void> {
  const { request, places } = parcel;
  const answer = await client.call({
    method: 'POST',
    path: `/ingest/${kind}`,
    body: `{"${kind}":[${parcel.parts.join(',')}]}`,
    key: `${journal.head.id}-${request}`,
  });
  if (answer.status === 202) journal.add({ request, batch: batchOf(answer), records: places.length });
  else if (answer.status === 403)
    throw unreachable(`This client may not send ${kind}: it lacks the permission create_${kind.slice(0, -1)}.`);
  else if (answer.status === 404) throw unreachable(`There is no /ingest/${kind} at this address.`);
  else journal.add({ request, refused: complaintOf(answer) });
}

function settleOne({ request, places }: Parcel, journal: Journal, result: Delivered): void {
  const line = journal.done.get(request);
  if (line && 'refused' in line)
    result.unsent.push(...places.map((place) => ({ place, why: `refused: the request answered ${line.refused}` })));
  else result.places.set(request, places);
}

const batchOf = ({ body }: Answer): string => (body as { data: { batch_id: string } }).data.batch_id;
