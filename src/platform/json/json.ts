import { Decimal } from '../decimal.ts';
import { BadRequest } from '../errors.ts';
import { notJson } from './not-json.ts';
import { countMembers, type RepeatedKey, repeatedKeys } from './repeated-keys.ts';
import { decodeUtf8 } from './utf8.ts';

/** Deeper nesting is refused: no contract needs it, and recursive code would overflow its stack. */
export const MAX_DEPTH = 64;
/**
 * Deeper nesting of a GraphQL request is refused. Between the two limits its variables decide, whose types are not known yet: the importer
 * fails single payloads that are too deep.
 */
const MAX_DEPTH_OF_VARIABLES = 1_000;
/**
 * Replaces a value that is nested deeper, in a body that is a list of independent elements: the code that takes them fails those that
 * contain it. No sender would send this text.
 */
export const TOO_DEEP = '\u2026 nested too deep \u2026';

/** Characters of a text in which repeated keys are looked for: it takes several times as long as to parse it, also for who has no token yet. */
const LONGEST_SEARCHED = 256 * 1024;

export interface ParsedJson {
  value: unknown;
  /** False when no string in the text can hold a NUL or a lone surrogate; then nobody needs to look for them. */
  suspicious: boolean;
  /** True when some number is an `ExactNumber`. */
  exact: boolean;
  /** Values of payloads that were lost to a later value of the same key. */
  repeated?: readonly RepeatedKey[];
  /** The same of a value of the API, unless its text is very long. */
  doubled?: readonly RepeatedKey[];
}

/**
 * A number whose digits a double cannot hold, with its source text. Only `Decimal` inputs see it; everybody else gets `value`, which is
 * infinite for `1e400`.
 */
export class ExactNumber {
  constructor(
    readonly value: number,
    readonly text: string,
  ) {}
}

/**
 * The kind of a body: a value of the API; a GraphQL request, whose variables are either; one payload, kept as it was sent; or a list of
 * independent payloads. Senders of payloads get a warning about values that were lost to a later value of the same key, and a number whose
 * digits a double cannot hold is kept as text.
 */
export type BodyKind = 'value' | 'payload' | 'payloads' | 'variables';

/**
 * Parses a request body: strict UTF-8 (a byte order mark is tolerated), at most 64 levels deep. Numbers that a double would round come back
 * as `ExactNumber`, in payloads as texts (`asWritten`).
 * @param kind for `payloads` TOO_DEEP replaces what is deeper; any other body is refused
 * @throws BadRequest
 */
export function parseJson(bytes: Buffer, kind: BodyKind = 'value'): ParsedJson {
  const { deepest, beneath, suspicious, longNumber, members } = scan(bytes);
  const depth = kind === 'variables' ? MAX_DEPTH_OF_VARIABLES : MAX_DEPTH;
  if (deepest > depth && kind !== 'payloads') {
    decodeUtf8(bytes);
    throw new BadRequest('body_too_deep', { depth });
  }
  const text = decodeUtf8(beneath.length === 0 || kind === 'variables' ? bytes : without(bytes, beneath));
  if (kind === 'value' || kind === 'variables') {
    const value = parsed(text, longNumber ? keepDigits : undefined);
    // An `ExactNumber` has members as well.
    const isWhole = kind === 'variables' || text.length > LONGEST_SEARCHED || (!longNumber && countMembers(value) === members);
    return { value, suspicious, exact: longNumber, ...(isWhole ? {} : { doubled: repeatedKeys(text, (part) => part) }) };
  }
  const parse = (part: string) => parsed(part, longNumber ? keepText : undefined);
  const value = parse(text);
  const isWhole = countMembers(value) === members;
  return { value, suspicious, exact: false, ...(isWhole ? {} : { repeated: repeatedKeys(text, parse) }) };
}

/** The function that is called for each value while JSON is parsed. TypeScript does not know that the source text of numbers is passed. */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

function parsed(text: string, reviver: Reviver | undefined): unknown {
  try {
    return reviver ? JSON.parse(text, reviver as never) : JSON.parse(text);
  } catch {
    throw notJson(text);
  }
}

/** The bytes with TOO_DEEP in place of these ranges. What never ends is malformed, and left for the parser to say so. */
function without(bytes: Buffer, ranges: readonly [number, number][]): Buffer {
  const mark = Buffer.from(JSON.stringify(TOO_DEEP));
  const parts: Buffer[] = [];
  let from = 0;
  for (const [start, end] of ranges) {
    parts.push(bytes.subarray(from, start), mark);
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

/**
 * The same value with plain numbers, for JSON scalars; a copy where anything had to change. A number too large for any double is left as
 * its text: written down again as JSON it would be null, and a field that was sent would be taken for one that was not.
 */
export const withPlainNumbers = (value: unknown): unknown =>
  withNumbers(value, ({ value, text }) => (Number.isFinite(value) ? value : text));

/** The same value with what `made` says in place of each `ExactNumber`. */
export function withNumbers(value: unknown, made: (number: ExactNumber) => unknown): unknown {
  if (value instanceof ExactNumber) return made(value);
  if (Array.isArray(value)) return value.map((item) => withNumbers(item, made));
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines keys, where assigning would call the setter of __proto__.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNumbers(inner, made)]));
}

function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && mayLose(value, source) ? new ExactNumber(value, source) : value;
}

function keepText(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && mayLose(value, source) ? asWritten(value, source) : value;
}

const mayLose = (value: number, source: string): boolean => source.length >= 16 || !Number.isFinite(value);

/** Digits that decimals are read of, at most. */
const PLAIN = /^-?[\d.]{1,64}$/;

/**
 * A number, or its text if a double has other digits. Many programs write seventeen digits of a double, such as 110.09999999999999 for
 * 110.1: that is the double itself and has lost nothing. Beyond 2^53 only every second whole number is a double, so all of them are texts.
 */
export function asWritten(value: number, source: string): number | string {
  if (!Number.isFinite(value)) return source;
  if (!PLAIN.test(source)) return value;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return source;
  if (String(value) === source) return value;
  const sent = new Decimal(source);
  return sent.eq(value) || sent.eq(value.toPrecision(17)) ? value : source;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

interface Scan {
  deepest: number;
  /** Where the values below MAX_DEPTH begin and end. */
  beneath: [number, number][];
  suspicious: boolean;
  /** Some number has more digits than a double, or an exponent. */
  longNumber: boolean;
  /** Members of all objects that are not too deep. */
  members: number;
}

/** One pass over the bytes before parsing, iterative on purpose: 100,000 brackets are only a number here. */
function scan(bytes: Buffer): Scan {
  const beneath: [number, number][] = [];
  let depth = 0;
  let start = 0;
  let deepest = 0;
  let digits = 0;
  let suspicious = false;
  let longNumber = false;
  let members = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) {
      digits = 0;
      for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) {
        if (bytes[i] !== BACKSLASH) continue;
        i++;
        // \u0000 and \uD8xx to \uDFxx are the only ways to write what PostgreSQL cannot store.
        if (bytes[i] === 0x75 && (bytes[i + 1] === 0x30 || bytes[i + 1] === 0x64 || bytes[i + 1] === 0x44)) suspicious = true;
      }
    } else if (byte >= 0x30 && byte <= 0x39) {
      if (++digits > 15) longNumber = true;
    } else if (byte !== 0x2e) {
      if (digits > 0 && (byte === 0x65 || byte === 0x45)) longNumber = true;
      digits = 0;
      if (byte === 0x3a) {
        if (depth <= MAX_DEPTH) members++;
      } else if (byte === 0x5b || byte === 0x7b) {
        deepest = Math.max(deepest, ++depth);
        if (depth === MAX_DEPTH + 1) start = i;
      } else if (byte === 0x5d || byte === 0x7d) {
        if (depth === MAX_DEPTH + 1) beneath.push([start, i + 1]);
        depth--;
      }
    }
  }
  return { deepest, beneath, suspicious, longNumber, members };
}
