import type { EventEmitter } from 'node:events';
import { constants, gzipSync } from 'node:zlib';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
import { addVary } from './vary.ts';

/** Bytes below which compressing costs more than it saves. */
const WORTH_COMPRESSING = 2_048;

/** Lists as lines of JSON, which the library does not know as a text. What is to arrive line by line says `no-transform`. */
const LINES = /^application\/x-ndjson\b/i;

const compress = compression({
  filter: (req, res) => LINES.test(String(res.getHeader('Content-Type'))) || compression.filter(req, res),
  threshold: WORTH_COMPRESSING,
  // The fastest levels: JSON of lists shrinks to a tenth or less with them, and higher ones cost several times as much.
  level: 1,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
});

/** Bytes up to which an answer is compressed at once: to stream it costs twice as much, and keeps nobody else waiting who would notice. */
const AT_ONCE = 32 * 1024;
/** A client that has no wish among what it accepts, and no Brotli. */
const ANY_GZIP = /^(?!.*(?:;|\bbr\b)).*\bgzip\b/i;
/** A window as large as most of these answers: a larger one takes longer to make than to use. */
const SMALL = { level: 1, windowBits: 12, memLevel: 5 };

/**
 * Returns a short answer compressed, with the header that says so set; undefined if it is sent as it is, and perhaps compressed on its way. That of HEAD is
 * compressed to know its length.
 */
export function compressedAtOnce(req: Request, res: Response, text: string): Buffer | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes < WORTH_COMPRESSING || bytes > AT_ONCE || res.hasHeader('Content-Encoding')) return undefined;
  if (!ANY_GZIP.test(String(req.headers['accept-encoding'] ?? ''))) return undefined;
  addVary(res, 'Accept-Encoding');
  res.setHeader('Content-Encoding', 'gzip');
  return gzipSync(text, SMALL);
}

/** Compresses texts with Brotli or gzip, on every interface, when the client accepts that. Others are spared what the library adds to an answer. */
export const compressAnswers: RequestHandler = (req, res, next) => {
  if (req.headers['accept-encoding'] !== undefined)
    return compress(req, res, () => {
      listenOnce(res);
      next();
    });
  addVary(res, 'Accept-Encoding');
  next();
};

/**
 * The library has those who wait for a compressed answer to be taken (`drain`) listen to its own stream, and does not let them stop: an answer of
 * thousands of parts would keep a listener of each.
 */
function listenOnce(res: Response): void {
  type Listener = (...args: unknown[]) => void;
  const listen = res.on.bind(res) as (type: string, listener: Listener) => EventEmitter;
  const leave = res.off.bind(res) as typeof listen;
  let heard: EventEmitter = res;
  Object.assign(res, {
    on(type: string, listener: Listener) {
      const listened = listen(type, listener);
      if (type === 'drain') heard = listened;
      return res;
    },
    off(type: string, listener: Listener) {
      if (type === 'drain' && heard !== res) heard.off(type, listener);
      leave(type, listener);
      return res;
    },
  });
}
