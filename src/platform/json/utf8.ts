import { isUtf8 } from 'node:buffer';
import { BadRequest } from '../errors.ts';

const LF = 0x0a;

/** The text of bytes; a byte order mark is no part of it. @throws BadRequest naming the line that is not UTF-8, counted from 1 */
export function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  let line = 1;
  let from = 0;
  // In UTF-8 no other character contains the byte of a line end, so every line can be checked alone.
  for (let end = bytes.indexOf(LF); end >= 0 && isUtf8(bytes.subarray(from, end)); end = bytes.indexOf(LF, from)) {
    from = end + 1;
    line++;
  }
  throw new BadRequest('body_not_utf8_at', { line });
}
