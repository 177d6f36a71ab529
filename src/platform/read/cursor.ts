import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type InApplication, provided } from '../application.ts';
import { BadRequest } from '../errors.ts';

/**
 * The content of a cursor: the list and the sort to which it belongs, the keys of its row as PostgreSQL texts, the id, and the direction.
 */
export interface Cursor {
  sort: string;
  keys: string[];
  /** True when the page lies before the row. */
  backward: boolean;
}

/**
 * The first one signs cursors, and what any of them has signed is good. Processes that serve one database share them, so that a page may be fetched from
 * another process. They are key objects, because bytes would be made into one for every cursor.
 */
export const cursorSecrets = provided<readonly KeyObject[]>('secrets to sign cursors with');

/** Opaque and signed: clients can neither read meaning into it nor forge a position. */
export function writeCursor(application: InApplication, { sort, keys, backward }: Cursor): string {
  const body = Buffer.from(JSON.stringify([sort, backward ? 1 : 0, ...keys])).toString('base64url');
  return `${body}.${sign(cursorSecrets.of(application)[0]!, body)}`;
}

/** @throws BadRequest `invalid_cursor` when it is malformed, foreign, or belongs to another list or sort. */
export function readCursor(application: InApplication, text: string, sort: string, field: string): Cursor {
  const [body = '', signature = '', ...more] = text.split('.');
  // As bytes: a text of the same length may have more of them.
  const given = Buffer.from(signature);
  const isRight = (secret: KeyObject): boolean => {
    const right = Buffer.from(sign(secret, body));
    return given.length === right.length && timingSafeEqual(given, right);
  };
  if (more.length > 0 || !cursorSecrets.of(application).some(isRight)) throw new BadRequest('invalid_cursor', undefined, field);
  const [of, backward, ...keys] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [string, number, ...string[]];
  if (of !== sort) throw new BadRequest('invalid_cursor', undefined, field);
  return { sort, keys, backward: backward === 1 };
}

/** The cursor that pages backwards from the same row: the `prev` link of a page is made from its first cursor. */
export function reverseCursor(application: InApplication, text: string): string {
  const [sort, , ...keys] = JSON.parse(Buffer.from(text.split('.')[0]!, 'base64url').toString()) as [string, number, ...string[]];
  return writeCursor(application, { sort, keys, backward: true });
}

const sign = (secret: KeyObject, body: string): string =>
  createHmac('sha256', secret).update(body).digest().subarray(0, 16).toString('base64url');
