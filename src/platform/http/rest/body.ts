import type { Request } from 'express';
import { BadRequest, TooLarge } from '../../errors.ts';
import { decodeUtf8 } from '../../json/utf8.ts';
import { requireType } from './negotiation.ts';

/** A body that is a text of another media type than JSON. A byte order mark is removed. @throws BadRequest when it is not UTF-8 */
export async function readText(req: Request, limit: number, mediaType: string): Promise<string> {
  return decodeUtf8(await readBody(req, limit, mediaType));
}

/**
 * The bytes of a body, JSON unless another media type is given; empty when there is none, whatever the Content-Type says then.
 * A body that is too large is not read: the answer goes out at once, and Node discards what still comes in.
 * @param limit in bytes
 * @throws UnsupportedMedia, TooLarge, BadRequest when the client breaks off
 */
export async function readBody(req: Request, limit: number, mediaType?: string): Promise<Buffer> {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > 0) requireType(req, mediaType);
  if (declared > limit) throw new TooLarge();
  const bytes = await readBytes(req, limit);
  if (bytes.length > 0) requireType(req, mediaType);
  return bytes;
}

export const readJsonBytes = (req: Request, limit: number): Promise<Buffer> => readBody(req, limit);

function readBytes(req: Request, limit: number): Promise<Buffer> {
  if (req.readableEnded) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (settle: () => void) => {
      req.off('data', take).off('end', end).off('error', fail).off('close', fail);
      settle();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      done(() => reject(new TooLarge()));
      req.resume();
    };
    const end = () => done(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)));
    const fail = () => done(() => reject(new BadRequest('body_incomplete')));
    req.on('data', take).on('end', end).on('error', fail).on('close', fail);
  });
}
