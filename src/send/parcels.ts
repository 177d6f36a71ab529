import type { SheetKind } from '../ingest/csv/fields.ts';
import type { Item, Source } from './source.ts';

/** What never came to be a record, and why. */
export interface Unsent {
  place: string;
  key?: string;
  why: string;
}

/** A request in the making. */
export interface Parcel {
  request: number;
  places: string[];
  keys: Set<string>;
  /** JSON of the elements. */
  parts: string[];
  bytes: number;
}

/** Bytes of a request; the server takes 5 MB. */
const MOST_BYTES = 4_500_000;

/** The body of a request. */
export function bodyOf({ kind, metadata }: Pick<Source, 'kind' | 'metadata'>, { parts }: Parcel): string {
  const beside = metadata === undefined ? '' : `,"metadata":${metadata}`;
  return `{"${kind}":[${parts.join(',')}]${beside}}`;
}

/** The requests of a file, the same ones each time; what cannot be sent is put aside. */
export async function* parcels(source: Source, size: number, unsent: Unsent[], onUnsent: (n: number) => void): AsyncGenerator<Parcel> {
  const empty = (request: number): Parcel => ({ request, places: [], keys: new Set(), parts: [], bytes: 0 });
  let parcel = empty(0);
  for await (const item of source.items()) {
    const { part, why } = 'fault' in item ? { part: '', why: item.fault } : partOf(item.element, item.text);
    const bytes = Buffer.byteLength(part) + 1;
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

/**
 * JSON of a value, and why it cannot be sent: the server would refuse the whole request for it.
 * @param text as it is written in its file, if it is JSON there
 */
export function partOf(value: unknown, text?: string): { part: string; why?: string } {
  let json: string;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { part: '', why: 'too_deep: is nested deeper than anything can be sent' };
  }
  const part = text ?? json;
  if (Buffer.byteLength(part) >= MOST_BYTES) return { part, why: 'too_large: larger than a request may be' };
  // JSON.stringify writes half a surrogate pair, and NUL, only as an escape.
  if (/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/.test(json))
    return { part, why: 'unstorable_text: contains a NUL character or half of a surrogate pair' };
  return { part };
}

function keyOf(kind: SheetKind, item: Item): string | undefined {
  if ('fault' in item || typeof item.element !== 'object' || item.element === null) return undefined;
  const { external_id, ticket_number } = item.element as Record<string, unknown>;
  const key = kind === 'tickets' ? ticket_number : external_id;
  return typeof key === 'string' || typeof key === 'number' ? String(key).trim() : undefined;
}
