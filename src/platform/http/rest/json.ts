import { BadRequest } from '../../errors.ts';

/** Deeper nesting is refused: no contract needs it and recursive code downstream would overflow its stack. */
const MAX_DEPTH = 64;

export interface ParsedJson {
  value: unknown;
  /** False when no string in the text can hold a NUL or a lone surrogate; then nobody needs to look for them. */
  suspicious: boolean;
  /** True when some number is an `ExactNumber`. */
  exact: boolean;
}

/** A number whose digits a double cannot hold, with its source text. Only `Decimal` inputs see it; everybody else gets `value`. */
export class ExactNumber {
  constructor(
    readonly value: number,
    readonly text: string,
  ) {}
}

/**
 * Parses a request body: strict UTF-8 (a byte order mark is tolerated), at most 64 levels deep. Numbers that a double would round
 * come back as `ExactNumber`.
 * @throws BadRequest
 */
export function parseJson(bytes: Buffer): ParsedJson {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BadRequest('body_not_utf8');
  }
  const { depth, suspicious, longNumber } = scan(bytes);
  if (depth > MAX_DEPTH) throw new BadRequest('body_too_deep', { depth: MAX_DEPTH });
  try {
    return { value: longNumber ? JSON.parse(text, keepDigits as never) : JSON.parse(text), suspicious, exact: longNumber };
  } catch {
    throw new BadRequest('body_not_json');
  }
}

/** The same value with plain numbers, for JSON scalars; a copy where anything had to change. */
export function withPlainNumbers(value: unknown): unknown {
  if (value instanceof ExactNumber) return value.value;
  if (Array.isArray(value)) return value.map(withPlainNumbers);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines keys, where assigning would call the setter of __proto__.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withPlainNumbers(inner)]));
}

function keepDigits(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined || context.source.length < 16) return value;
  return new ExactNumber(value, context.source);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** One pass over the bytes before parsing, iterative on purpose: 100,000 brackets are only a number here. */
function scan(bytes: Buffer): { depth: number; suspicious: boolean; longNumber: boolean } {
  let depth = 0;
  let deepest = 0;
  let digits = 0;
  let suspicious = false;
  let longNumber = false;
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
      digits = 0;
      if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++depth);
      else if (byte === 0x5d || byte === 0x7d) depth--;
    }
  }
  return { depth: deepest, suspicious, longNumber };
}
