import type { RequestHandler } from 'express';
import { BadRequest, UnsupportedMedia } from '../../errors.ts';
import { tooExpensive } from '../../graphql/limits.ts';
import { excessOf } from '../../graphql/shape.ts';
import { pickLanguage } from '../../i18n/messages.ts';
import { parseJson } from '../../json/json.ts';
import { readJsonBytes } from '../rest/body.ts';

const BODY_LIMIT = 1024 * 1024;
/** Bytes of a body whose variables are checked for mistakes before the compiled document does it (`executorOf`). */
const LARGE = 4 * 1024;

/**
 * Reads the JSON body under the rules of REST, so that a bad body gets the same answer everywhere. `res.locals.exact` says that its
 * variables may contain `ExactNumber`s (`withDigits`), and `res.locals.large` that they may have more mistakes than an answer names.
 */
export const readBody: RequestHandler = async (req, res, next) => {
  try {
    // Apollo insists on a body, also where a query string says it all.
    req.body = {};
    if (req.method === 'POST') {
      if (!/^application\/([\w.+-]*\+)?json\s*(;|$)/i.test(req.headers['content-type'] ?? '')) throw new UnsupportedMedia();
      const bytes = await readJsonBytes(req, BODY_LIMIT);
      const { value, exact } = parseJson(bytes, 'variables');
      req.body = value;
      res.locals.exact = exact;
      res.locals.large = bytes.length > LARGE;
      if (Array.isArray(req.body)) throw new BadRequest('body_is_batch');
      if (typeof req.body !== 'object' || req.body === null) throw new BadRequest('body_not_object');
      // Many clients send an empty name for none, as GraphQL over HTTP has it.
      if (req.body.operationName === '') req.body.operationName = null;
    }
    // Of a query string Apollo parses them, after they were measured here.
    for (const name of ['variables', 'extensions']) {
      const given = req.query[name];
      if (typeof given !== 'string') continue;
      requireJson(name, given);
      res.locals.large = true;
    }
    next();
  } catch (error) {
    next(error);
  }
};

/** Names the parameter that is not JSON: there is no body whose line and character would help. */
function requireJson(name: string, text: string): void {
  try {
    parseJson(Buffer.from(text), 'variables');
  } catch (error) {
    const isOther = !(error instanceof BadRequest) || !error.items.some(({ key }) => key.startsWith('body_not_json'));
    throw isOther ? error : new BadRequest('parameter_not_json', undefined, name);
  }
}

/** Refuses a text that is too much to even parse. */
export const requireModest: RequestHandler = (req, res, next) => {
  const text: unknown = req.body.query ?? req.query.query;
  const excess = typeof text === 'string' ? excessOf(text) : undefined;
  if (!excess) return next();
  const { message, extensions } = tooExpensive(pickLanguage(req.headers['accept-language']), excess);
  const { http: _http, ...shown } = extensions;
  res.status(400).json({ errors: [{ message, extensions: shown }] });
};
