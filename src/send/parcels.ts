import type { SheetKind } from '../ingest/csv/fields.ts';
import { MOST_BYTES, partOf } from './part.ts';
import type { Item, Source } from './source.ts';

/** An element that was never sent, and why. */
export interface Unsent {
  place: string;
  key?: string;
  why: string;
}

/** A request that is being filled. */
export interface Parcel {
  request: number;
  places: string[];
  keys: Set<string>;
  /** JSON of the elements. */
  parts: string[];
  bytes: number;
}

/** Returns the body of a request. */
export function bodyOf({ kind, metadata }: Pick<Source, 'kind' | 'metadata'>, { parts }: Parcel): string {
  const metadataPart = metadata === undefined ? '' : `,"metadata":${metadata}`;
  return `{"${kind}":[${parts.join(',')}]${metadataPart}}`;
}

/** Yields the requests of a file, the same ones in each run; elements that cannot be sent are added to `unsent`. */
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

function keyOf(kind: SheetKind, item: Item): string | undefined {
  if ('fault' in item || typeof item.element !== 'object' || item.element === null) return undefined;
  const { external_id, ticket_number } = item.element as Record<string, unknown>;
  const key = kind === 'tickets' ? ticket_number : external_id;
  return typeof key === 'string' || typeof key === 'number' ? String(key).trim() : undefined;
}
