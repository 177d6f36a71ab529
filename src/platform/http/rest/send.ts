import type { Request, Response } from 'express';
import type { Context } from '../../context.ts';
import { rateHeaders } from '../attempt-limits.ts';
import { compressedAtOnce } from '../compress.ts';
import type { Answer } from './envelope.ts';

/** Bytes and milliseconds of a body that nobody reads which are let in all the same, where the connection ends with the answer. */
const LET_IN = { bytes: 64 * 1024 * 1024, milliseconds: 10_000 };

/** Sends an answer, as JSON unless its headers say otherwise. */
export async function sendAnswer(req: Request, res: Response, answer: Answer): Promise<void> {
  if (!req.complete && !res.shouldKeepAlive) await letIn(req);
  // Its time was up, and the caller has got that answer.
  if (res.headersSent) return;
  res.status(answer.status);
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  // An answer for one caller, which may contain tokens, must be in no cache (RFC 6749, section 5.1).
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
  if (answer.body === undefined) {
    res.end();
    return;
  }
  const isJson = !res.hasHeader('Content-Type');
  if (isJson) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  // As a text it is sent in one piece with the headers. That of a record is one already, of which there is an `ETag`.
  const text = typeof answer.body === 'string' || Buffer.isBuffer(answer.body) ? answer.body : JSON.stringify(answer.body);
  const sent = (isJson && typeof text === 'string' ? compressedAtOnce(req, res, text) : undefined) ?? text;
  res.setHeader('Content-Length', Buffer.byteLength(sent));
  res.end(req.method === 'HEAD' ? undefined : sent);
}

/**
 * Reads the rest of a body away. A client that asked for the connection to end (`Connection: close`) would find it closed before its body
 * is out, and never read the 401 or 413 that says why; on any other connection Node reads on behind the answer.
 */
function letIn(req: Request): Promise<void> {
  return new Promise((resolve) => {
    let left = LET_IN.bytes;
    const done = () => {
      clearTimeout(late);
      req.off('data', take).off('end', done).off('close', done).off('error', done);
      resolve();
    };
    const take = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) done();
    };
    const late = setTimeout(done, LET_IN.milliseconds);
    if (req.destroyed || req.readableEnded) return done();
    req.on('data', take).on('end', done).on('close', done).on('error', done).resume();
  });
}

/** Sets the headers that say in which language the answer is, and what is left of the caller's limit. */
export function setAnswerHeaders(res: Response, language: Context['language'], rate: Context['rate']): void {
  if (rate?.taken) res.set(rateHeaders(rate.taken));
  res.setHeader('Content-Language', language);
}
