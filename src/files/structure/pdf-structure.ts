import type { ByteWindow } from './byte-window.ts';
import { objectAt, readXref, streamAt, textAt, type Xref } from './pdf-xref.ts';

/** Bytes at the end that contain `startxref` and `%%EOF`. */
const TAIL = 1_024;
/** Levels of a tree of pages. */
const MOST_LEVELS = 64;
/** Bytes of a packed object that are looked at. */
const OBJECT = 16_384;

/** Bytes at the beginning in which readers look for the header. */
const HEAD = 1_024;

/** Whether a file says that it is a PDF, perhaps behind what a gateway or a scanner has put before it. */
export const isPdf = (file: ByteWindow): boolean => /%PDF-\d\.\d/.test(textAt(file, 0, HEAD));

/** Whether the mark of a PDF's end is where readers look for it. A file without it was cut off, and what is left is not what was scanned. */
export const hasPdfEnd = (file: ByteWindow): boolean => textAt(file, Math.max(0, file.size - TAIL), TAIL).includes('%%EOF');

/**
 * Header at the first byte; at the end `startxref` with the place of a cross-reference table or stream, `%%EOF`, and nothing but blanks;
 * and through these references a catalog whose tree of pages has a page (ISO 32000-2, 7.5 and 7.7). Of what is encrypted the packed objects
 * are taken at their word.
 */
export function isWholePdf(file: ByteWindow): boolean {
  if (!/^%PDF-\d\.\d/.test(textAt(file, 0, 8))) return false;
  const end = /startxref\s+(\d{1,10})\s+%%EOF[\s\0]*$/.exec(textAt(file, Math.max(0, file.size - TAIL), TAIL));
  const xref = end ? readXref(file, Number(end[1])) : undefined;
  return xref !== undefined && new Objects(file, xref).hasPage();
}

/** Replaces an object that cannot be read without the key. */
const SEALED = Symbol('sealed');

/** An open stream of objects: where each object begins and ends. */
interface Pack {
  text: string;
  spans: Map<number, [number, number]>;
}

class Objects {
  readonly #file: ByteWindow;
  readonly #xref: Xref;
  /** Streams of objects that were opened, by number: a tree of pages is mostly in one. */
  readonly #packs = new Map<number, Pack | undefined>();

  constructor(file: ByteWindow, xref: Xref) {
    this.#file = file;
    this.#xref = xref;
  }

  /** Whether the first branches of the tree of pages end in a page. */
  hasPage(): boolean {
    const catalog = this.#text(this.#xref.root);
    if (catalog === SEALED) return true;
    if (!catalog || !/\/Type\s*\/Catalog\b/.test(catalog)) return false;
    let number = referenceIn(catalog, /\/Pages\s+(\d{1,10})\s+\d+\s+R/);
    for (let level = 0; number !== undefined && level < MOST_LEVELS; level++) {
      const node = this.#text(number);
      if (node === SEALED) return true;
      if (!node) return false;
      if (/\/Type\s*\/Page\b/.test(node)) return level > 0;
      const listed = referenceIn(node, /\/Kids\s+(\d{1,10})\s+\d+\s+R/);
      const kids = listed === undefined ? node.slice(Math.max(0, node.search(/\/Kids\s*\[/))) : this.#text(listed);
      if (kids === SEALED) return true;
      number = kids ? referenceIn(kids, /\[\s*(\d{1,10})\s+\d+\s+R/) : undefined;
    }
    return false;
  }

  #text(number: number): string | typeof SEALED | undefined {
    const place = this.#xref.places.get(number);
    if (!place) return undefined;
    if ('at' in place) return place.at < this.#file.size ? objectAt(this.#file, place.at, number)?.text : undefined;
    if (this.#xref.isEncrypted) return this.#isPack(place.packedIn) ? SEALED : undefined;
    if (!this.#packs.has(place.packedIn)) this.#packs.set(place.packedIn, this.#open(place.packedIn));
    const pack = this.#packs.get(place.packedIn);
    const span = pack?.spans.get(number);
    return span && pack!.text.slice(span[0], Math.min(span[1], span[0] + OBJECT));
  }

  #isPack(number: number): boolean {
    const place = this.#xref.places.get(number);
    const object = place && 'at' in place ? objectAt(this.#file, place.at, number) : undefined;
    return object?.stream !== undefined && /\/Type\s*\/ObjStm\b/.test(object.text);
  }

  /** A stream of objects: pairs of number and offset, then the objects. */
  #open(number: number): Pack | undefined {
    const place = this.#xref.places.get(number);
    if (!place || !('at' in place) || !this.#isPack(number)) return undefined;
    const { text: dictionary, stream } = objectAt(this.#file, place.at, number)!;
    const first = Number(/\/First\s+(\d{1,10})/.exec(dictionary)?.[1] ?? 0);
    const size = this.#lengthOf(dictionary);
    const bytes = size === undefined ? undefined : streamAt(this.#file, stream!, dictionary, size, this.#xref.budget);
    if (!bytes || first > bytes.length) return undefined;
    const pairs = bytes.toString('latin1', 0, first).trim().split(/\s+/).map(Number);
    const spans = new Map<number, [number, number]>();
    // They are in the order of their offsets.
    for (let i = 0; i + 1 < pairs.length; i += 2)
      spans.set(pairs[i]!, [first + pairs[i + 1]!, i + 3 < pairs.length ? first + pairs[i + 3]! : bytes.length]);
    return { text: bytes.toString('latin1'), spans };
  }

  #lengthOf(dictionary: string): number | undefined {
    const named = referenceIn(dictionary, /\/Length\s+(\d{1,10})\s+\d+\s+R/);
    if (named === undefined) return Number(/\/Length\s+(\d{1,10})/.exec(dictionary)?.[1] ?? Number.NaN) || undefined;
    const place = this.#xref.places.get(named);
    const text = place && 'at' in place ? objectAt(this.#file, place.at, named)?.text : undefined;
    return Number(text?.trim() ?? Number.NaN) || undefined;
  }
}

function referenceIn(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text);
  return found ? Number(found[1]) : undefined;
}
