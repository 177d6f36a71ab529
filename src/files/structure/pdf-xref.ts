import { inflateSync } from 'node:zlib';
import type { ByteWindow } from './byte-window.ts';

/** The place of an object: in the file, or packed in a stream of objects. */
export type Place = { at: number } | { packedIn: number; index: number };

/** The cross-reference tables and streams of a file, the newest first, read as one. */
export interface Xref {
  places: Map<number, Place>;
  /** Number of the catalog. */
  root: number;
  isEncrypted: boolean;
  budget: Budget;
}

/** The remaining budget for one file, so that none keeps us busy by naming the same places again and again. */
export interface Budget {
  entries: number;
  /** Bytes of streams, read and inflated. */
  bytes: number;
}

/** The number of generations that are followed in a file that was changed in place; each has one section. */
const MOST_SECTIONS = 1_000;
/** A file of ten megabytes has a tenth of these entries, and streams of references and objects of a few megabytes. */
const BUDGET: Budget = { entries: 1_000_000, bytes: 24 * 1024 * 1024 };
/** Bytes of an object that are looked at: dictionaries of what we look for are shorter. */
const OBJECT = 16_384;
/** Bytes of a stream read at a time. */
const CHUNK = 65_536;
/** Bytes of an entry of a table. */
const ENTRY = 20;

/** Follows the sections from the one the file's end names. @returns undefined when one is malformed or none names a catalog */
export function readXref(file: ByteWindow, from: number): Xref | undefined {
  const xref: Xref = { places: new Map(), root: 0, isEncrypted: false, budget: { ...BUDGET } };
  const seen = new Set<number>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    if (seen.size >= MOST_SECTIONS || at <= 0 || at >= file.size) return undefined;
    seen.add(at);
    const trailer = /^\s*xref\s/.test(textAt(file, at, 64)) ? readTable(file, at, xref) : readStream(file, at, xref);
    if (trailer === undefined) return undefined;
    xref.root ||= Number(/\/Root\s+(\d{1,10})\s+\d+\s+R/.exec(trailer)?.[1] ?? 0);
    xref.isEncrypted ||= /\/Encrypt\b/.test(trailer);
    // Entries that a table leaves to a stream come before those of earlier sections.
    for (const key of ['Prev', 'XRefStm']) {
      const next = new RegExp(`/${key}\\s+(\\d{1,10})`).exec(trailer);
      if (next) open.push(Number(next[1]));
    }
  }
  return xref.root > 0 ? xref : undefined;
}

/** Text at a place, up to `length` bytes. */
export const textAt = (file: ByteWindow, at: number, length = OBJECT): string => file.at(at, length).toString('latin1');

/**
 * Returns the inflated bytes of a stream with this dictionary. @param size of the stream, in bytes @returns undefined when it cannot be had
 */
export function streamAt(file: ByteWindow, from: number, dictionary: string, size: number, budget: Budget): Buffer | undefined {
  budget.bytes -= size;
  if (from + size > file.size || budget.bytes < 0) return undefined;
  const parts: Buffer[] = [];
  for (let at = from; at < from + size; ) {
    const part = Buffer.from(file.at(at, Math.min(CHUNK, from + size - at)));
    if (part.length === 0) return undefined;
    parts.push(part);
    at += part.length;
  }
  const bytes = Buffer.concat(parts);
  const filter = /\/Filter\s*\[?\s*(\/\w+)?\s*(\/\w+)?/.exec(dictionary);
  if (!filter?.[1]) return bytes;
  if (filter[1] !== '/FlateDecode' || /\/Filter\s*\[[^\]]*\/\w+\s*\/\w+/.test(dictionary)) return undefined;
  try {
    const inflated = inflateSync(bytes, { maxOutputLength: Math.max(1, budget.bytes) });
    budget.bytes -= inflated.length;
    return unpredicted(inflated, dictionary);
  } catch {
    budget.bytes = 0;
    return undefined;
  }
}

/** The dictionary of an object that begins at a place, and where its stream begins. @returns undefined when that object is not there */
export function objectAt(file: ByteWindow, at: number, number?: number): { text: string; stream?: number } | undefined {
  const found = /^\s*(\d{1,10})\s+\d{1,5}\s+obj\b/.exec(textAt(file, at));
  if (!found || (number !== undefined && Number(found[1]) !== number)) return undefined;
  const rest = textAt(file, at).slice(found[0].length);
  const stream = />>\s*stream\r?\n/.exec(rest);
  const end = rest.indexOf('endobj');
  if (stream && (end < 0 || stream.index < end))
    return { text: rest.slice(0, stream.index + 2), stream: at + found[0].length + stream.index + stream[0].length };
  return { text: end < 0 ? rest : rest.slice(0, end) };
}

/** A table: sections of twenty-byte entries, and the trailer. @returns the trailer's text */
function readTable(file: ByteWindow, at: number, { places, budget }: Xref): string | undefined {
  let next = at + /^\s*xref\s+/.exec(textAt(file, at, 64))![0].length;
  for (;;) {
    const text = textAt(file, next, 64);
    const trailer = /^\s*trailer/.exec(text);
    if (trailer) return textAt(file, next + trailer[0].length).split('startxref')[0];
    const section = /^\s*(\d{1,10})[ \t]+(\d{1,10})\s+/.exec(text);
    if (!section) return undefined;
    let [first, count] = [Number(section[1]), Number(section[2])];
    next += section[0].length;
    // Some writers count the free entry, which is always number 0, as 1.
    if (first === 1 && /^0000000000 65535 f/.test(textAt(file, next, 20))) first = 0;
    for (; count > 0; count--, first++) {
      const entry = entryIn(file.at(next, ENTRY));
      if (!entry || budget.entries-- <= 0) return undefined;
      if (entry.inUse && !places.has(first)) places.set(first, { at: entry.at });
      next += entry.length;
    }
  }
}

/** `0000000017 00000 n` and one or two characters of white space. Byte by byte: there may be half a million of them. */
function entryIn(bytes: Buffer): { at: number; inUse: boolean; length: number } | undefined {
  let at = 0;
  for (let i = 0; i < 16; i++) {
    const digit = bytes[i]! - 0x30;
    if (i !== 10 && !(digit >= 0 && digit <= 9)) return undefined;
    if (i < 10) at = at * 10 + digit;
  }
  const inUse = bytes[17] === 0x6e;
  if (bytes[10] !== 0x20 || bytes[16] !== 0x20 || !(inUse || bytes[17] === 0x66) || !isBlank(bytes[18])) return undefined;
  return { at, inUse, length: isBlank(bytes[19]) ? ENTRY : ENTRY - 1 };
}

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d;

/** A stream of entries (ISO 32000-2, 7.5.8). @returns its dictionary, which is the trailer as well */
function readStream(file: ByteWindow, at: number, { places, budget }: Xref): string | undefined {
  const object = objectAt(file, at);
  if (!object?.stream || !/\/Type\s*\/XRef\b/.test(object.text)) return undefined;
  const { text } = object;
  const numbers = (key: string) =>
    /\[([\d\s]*)\]/
      .exec(text.slice(Math.max(0, text.search(new RegExp(`/${key}\\s*\\[`)))))?.[1]
      ?.trim()
      .split(/\s+/)
      .map(Number);
  const widths = /\/W\s*\[/.test(text) ? numbers('W') : undefined;
  const size = Number(/\/Size\s+(\d{1,10})/.exec(text)?.[1] ?? 0);
  const index = /\/Index\s*\[/.test(text) ? numbers('Index') : [0, size];
  const length = /\/Length\s+(\d{1,10})(?!\s+\d+\s+R)/.exec(text);
  if (widths?.length !== 3 || widths.some((width) => width > 8) || !index || !length) return undefined;
  const bytes = streamAt(file, object.stream, text, Number(length[1]), budget);
  const [w0, w1, w2] = widths as [number, number, number];
  if (!bytes || w0 + w1 + w2 === 0) return undefined;
  let from = 0;
  const field = (width: number): number => {
    let value = 0;
    for (const end = from + width; from < end; from++) value = value * 256 + bytes[from]!;
    return value;
  };
  for (let i = 0; i + 1 < index.length; i += 2) {
    for (let n = index[i]!, left = index[i + 1]!; left > 0; n++, left--) {
      if (from + w0 + w1 + w2 > bytes.length || budget.entries-- <= 0) return undefined;
      const [type, second, third] = [w0 === 0 ? 1 : field(w0), field(w1), field(w2)];
      if (places.has(n)) continue;
      if (type === 1) places.set(n, { at: second });
      if (type === 2) places.set(n, { packedIn: second, index: third });
    }
  }
  return text;
}

/** Rows of bytes without the difference to their neighbours that PNG's filters leave (PNG, section 9). */
function unpredicted(bytes: Buffer, dictionary: string): Buffer | undefined {
  const predictor = Number(/\/Predictor\s+(\d+)/.exec(dictionary)?.[1] ?? 1);
  if (predictor === 1) return bytes;
  const columns = Number(/\/Columns\s+(\d{1,5})/.exec(dictionary)?.[1] ?? 1);
  if (predictor < 10 || columns === 0 || bytes.length % (columns + 1) !== 0) return undefined;
  const rows = bytes.length / (columns + 1);
  const out = Buffer.alloc(rows * columns);
  for (let row = 0; row < rows; row++) {
    const filter = bytes[row * (columns + 1)]!;
    if (filter > 4) return undefined;
    for (let i = 0; i < columns; i++) {
      const at = row * columns + i;
      const left = i > 0 ? out[at - 1]! : 0;
      const up = row > 0 ? out[at - columns]! : 0;
      const corner = i > 0 && row > 0 ? out[at - columns - 1]! : 0;
      out[at] = bytes[row * (columns + 1) + 1 + i]! + guess(filter, left, up, corner);
    }
  }
  return out;
}

function guess(filter: number, left: number, up: number, corner: number): number {
  if (filter < 2) return filter === 0 ? 0 : left;
  if (filter < 4) return filter === 2 ? up : (left + up) >> 1;
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
