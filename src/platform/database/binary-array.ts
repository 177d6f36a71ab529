import { writeNewId } from '../ids.ts';

/** Milliseconds from 1970 to the day that PostgreSQL counts microseconds from. */
const EPOCH = Date.UTC(2000, 0, 1);
/** Bytes before the first element: dimensions, nulls, element type, how many, from which place on. */
const HEADER = 20;
/** A placeholder for the length of an element. */
const LENGTH = '\0\0\0\0';

/** Writes a value of a fixed length. @returns whether it is a value of the type */
type Put = (into: Buffer, value: unknown, at: number) => boolean;
const FIXED: Record<string, { oid: number; bytes: number; put: Put }> = {
  uuid: { oid: 2950, bytes: 16, put: putUuid },
  integer: { oid: 23, bytes: 4, put: putInteger },
  bigint: { oid: 20, bytes: 8, put: putBigint },
  'double precision': { oid: 701, bytes: 8, put: (into, value, at) => typeof value === 'number' && into.writeDoubleBE(value, at) > at },
  boolean: { oid: 16, bytes: 1, put: (into, value, at) => typeof value === 'boolean' && into.writeInt8(Number(value), at) > at },
  'timestamp with time zone': { oid: 1184, bytes: 8, put: putInstant },
};
/** `before` is what an element begins with: the version of its format. */
const TEXTS: Record<string, { oid: number; before: string }> = {
  text: { oid: 25, before: '' },
  json: { oid: 114, before: '' },
  jsonb: { oid: 3802, before: '\u0001' },
};
/** Other names of these types. */
const ALIASES: Record<string, string> = {
  bool: 'boolean',
  float8: 'double precision',
  int: 'integer',
  timestamptz: 'timestamp with time zone',
};

/**
 * An array in PostgreSQL's binary form (its `array_recv`). As text, an array is read character by character and unquoted, and each element
 * is parsed again. For ids and JSON, which most of an import is, that took a tenth of the time of the statements.
 * @param type of the elements, as PostgreSQL or a statement names it: `uuid`, `timestamp with time zone`, `int`
 * @param values missing ones are null; JSON values are texts already
 * @returns undefined if a value is not clearly of the type, or the type is none of these. Then the array is sent as text, and PostgreSQL
 *   checks it.
 */
export function binaryArray(type: string, values: readonly unknown[]): Buffer | undefined {
  const name = ALIASES[type] ?? type;
  const fixed = FIXED[name];
  if (fixed) return packFixed(values, fixed);
  const texts = TEXTS[name];
  return texts && packTexts(values, texts);
}

/** The array of so many new ids, which are not written as text first: that took as long as everything else about them. */
export function newIdsArray(count: number): Buffer {
  const { oid, bytes } = FIXED.uuid!;
  const into = Buffer.allocUnsafe(HEADER + count * (4 + bytes));
  for (let at = HEADER; at < into.length; at += bytes) {
    at = into.writeInt32BE(bytes, at);
    writeNewId(into, at);
  }
  return headed(into, oid, count);
}

function packFixed(values: readonly unknown[], { oid, bytes, put }: (typeof FIXED)[string]): Buffer | undefined {
  const into = Buffer.allocUnsafe(HEADER + values.length * (4 + bytes));
  let at = HEADER;
  for (const value of values) {
    const missing = isMissing(value);
    at = into.writeInt32BE(missing ? -1 : bytes, at);
    if (missing) continue;
    if (!put(into, value, at)) return undefined;
    at += bytes;
  }
  return headed(into.subarray(0, at), oid, values.length);
}

/** All elements are encoded at once, between places for their lengths: once for each, it would take as long as reading them as text. */
function packTexts(values: readonly unknown[], { oid, before }: (typeof TEXTS)[string]): Buffer {
  const elements = values.map((value) => (isMissing(value) ? undefined : before + String(value)));
  const text = '\0'.repeat(HEADER) + elements.map((element) => LENGTH + (element ?? '')).join('');
  const into = Buffer.from(text);
  const isAscii = into.length === text.length;
  let at = HEADER;
  for (const element of elements) {
    const bytes = element === undefined ? -1 : isAscii ? element.length : Buffer.byteLength(element);
    at = into.writeInt32BE(bytes, at) + Math.max(bytes, 0);
  }
  return headed(into, oid, values.length);
}

function headed(into: Buffer, oid: number, count: number): Buffer {
  into.writeInt32BE(count > 0 ? 1 : 0, 0);
  // That there are nulls: PostgreSQL looks for itself.
  into.writeInt32BE(1, 4);
  into.writeInt32BE(oid, 8);
  if (count === 0) return into.subarray(0, 12);
  into.writeInt32BE(count, 12);
  into.writeInt32BE(1, 16);
  return into;
}

const isMissing = (value: unknown): value is null | undefined => value === null || value === undefined;

/** @returns undefined for what is no whole number, or `below` and more away from zero */
function wholeOf(value: unknown, below: number): number | undefined {
  if (typeof value !== 'number' && !(typeof value === 'string' && /^-?\d{1,16}$/.test(value))) return undefined;
  const whole = Number(value);
  return Number.isInteger(whole) && Math.abs(whole) < below ? whole : undefined;
}

function putInteger(into: Buffer, value: unknown, at: number): boolean {
  const whole = wholeOf(value, 2 ** 31);
  return whole !== undefined && into.writeInt32BE(whole, at) > at;
}

function putBigint(into: Buffer, value: unknown, at: number): boolean {
  const whole = wholeOf(value, 2 ** 53);
  return whole !== undefined && putLong(into, whole, at);
}

/** @param value a safe integer: halves of it need no `BigInt`, which takes five times as long */
function putLong(into: Buffer, value: number, at: number): boolean {
  const high = Math.floor(value / 2 ** 32);
  into.writeInt32BE(high, at);
  return into.writeUInt32BE(value - high * 2 ** 32, at + 4) > at;
}

function putInstant(into: Buffer, value: unknown, at: number): boolean {
  if (value instanceof Date) return putMoment(into, value, at);
  const instant = new Date(String(value));
  // JavaScript makes the second of March of the thirtieth of February; and it knows no microseconds.
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === value && putMoment(into, instant, at);
}

function putMoment(into: Buffer, instant: Date, at: number): boolean {
  const microseconds = (instant.getTime() - EPOCH) * 1000;
  return Number.isSafeInteger(microseconds) && putLong(into, microseconds, at);
}

/** The value of each hexadecimal digit by its character code; -1 for other characters. */
const DIGIT = Int8Array.from({ length: 128 }, (_, code) => '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()));
/** Where the digits of each byte begin. */
const BYTES_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

function putUuid(into: Buffer, value: unknown, at: number): boolean {
  if (typeof value !== 'string' || value.length !== 36) return false;
  for (let i = 0; i < 16; i++) {
    const high = DIGIT[value.charCodeAt(BYTES_AT[i]!)] ?? -1;
    const low = DIGIT[value.charCodeAt(BYTES_AT[i]! + 1)] ?? -1;
    if ((high | low) < 0) return false;
    into[at + i] = high * 16 + low;
  }
  return value[8] === '-' && value[13] === '-' && value[18] === '-' && value[23] === '-';
}
