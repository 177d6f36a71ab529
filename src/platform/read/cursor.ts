import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { BadRequest } from '../errors.ts';
import './read.messages.ts';

/**
 * The content of a cursor: the list and the sort to which it belongs, the keys of its row as PostgreSQL texts, the id, and the direction.
 */
export interface Cursor {
  sort: string;
  keys: string[];
  /** True when the page lies before the row. */
  backward: boolean;
}

// A key object is used as it is; bytes would be made into one for every cursor.
let secret = createSecretKey(randomBytes(32));

/** Sets the signing secret; processes that serve one database share one, so that a page may be fetched from another process. */
export function configureCursors(shared: Uint8Array): void {
  secret = createSecretKey(shared);
}

/** Opaque and signed: clients can neither read meaning into it nor forge a position. */
export function writeCursor({ sort, keys, backward }: Cursor): string {
  const body = Buffer.from(JSON.stringify([sort, backward ? 1 : 0, ...keys])).toString('base64url');
  return `${body}.${sign(body)}`;
}

/** @throws BadRequest `invalid_cursor` when it is malformed, foreign, or belongs to another list or sort. */
export function readCursor(text: string, sort: string, field: string): Cursor {
  const [body = '', signature = '', ...more] = text.split('.');
  // As bytes: a text of the same length may have more of them.
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(body))];
  const fits = more.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
  if (!fits) throw new BadRequest('invalid_cursor', undefined, field);
  const [of, backward, ...keys] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [string, number, ...string[]];
  if (of !== sort) throw new BadRequest('invalid_cursor', undefined, field);
  return { sort, keys, backward: backward === 1 };
}

/** The cursor that pages backwards from the same row: the `prev` link of a page is made from its first cursor. */
export function reverseCursor(text: string): string {
  const [sort, , ...keys] = JSON.parse(Buffer.from(text.split('.')[0]!, 'base64url').toString()) as [string, number, ...string[]];
  return writeCursor({ sort, keys, backward: true });
}

const sign = (body: string): string => createHmac('sha256', secret).update(body).digest().subarray(0, 16).toString('base64url');
