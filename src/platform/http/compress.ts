import { constants } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler } from 'express';
import { addVary } from './vary.ts';

/** Bytes below which compressing costs more than it saves. */
const WORTH_COMPRESSING = 2_048;

const compress = compression({
  threshold: WORTH_COMPRESSING,
  // The fastest levels: JSON of lists shrinks to a tenth or less with them, and higher ones cost several times as much.
  level: 1,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
});

/** Compresses texts with Brotli or gzip, on every interface, when the client accepts that. Others are spared what the library adds to an answer. */
export const compressAnswers: RequestHandler = (req, res, next) => {
  if (req.headers['accept-encoding'] !== undefined) return compress(req, res, next);
  addVary(res, 'Accept-Encoding');
  next();
};
