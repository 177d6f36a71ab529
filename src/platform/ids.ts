import { createHash, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Random bytes for 256 ids: asking for 16 at a time took a fifth of an import's processor time. */
const POOL = Buffer.alloc(4096);
let drawn = POOL.length;
/** The last id's time, and its place within that millisecond, so that ids sort by creation. */
let msecs = 0;
let seq = 0;

/** A UUID v7, made in the application so that bulk statements know their ids; ids of one process sort by creation. */
export function newId(): string {
  return v7(drawNext());
}

/** Writes an id as `newId` makes them into 16 bytes from `at` on. */
export function writeNewId(into: Uint8Array, at: number): void {
  v7(drawNext(), into, at);
}

function drawNext(): { random: Uint8Array; msecs: number; seq: number } {
  if (drawn === POOL.length) {
    randomFillSync(POOL);
    drawn = 0;
  }
  const random = POOL.subarray(drawn, drawn + 16);
  drawn += 16;
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    // 31 bits, so that there is room to count up in.
    seq = random.readUInt32BE(6) >>> 1;
  } else {
    seq = (seq + 1) >>> 0;
    if (seq === 0) msecs++;
  }
  return { random, msecs, seq };
}

/** True for text PostgreSQL's `uuid` type takes in the canonical spelling, whatever the version digit. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Returns the UUID of a text: always the same for the same text, and of version 8 (RFC 9562), as none that `newId` makes. */
export function uuidOfText(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

/** When an id of version 7 was made, in milliseconds since 1970: its first 48 bits. NaN for an id of another version. */
export const timeOf = (id: string): number => (id[14] === '7' ? Number.parseInt(id.replace('-', '').slice(0, 12), 16) : Number.NaN);
