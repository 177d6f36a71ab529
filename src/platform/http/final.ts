import type { ErrorRequestHandler, RequestHandler } from 'express';
import { BadRequest, HaulgateError, Missing } from '../errors.ts';
import { pickLanguage } from '../i18n/messages.ts';
import { type FailureLog, logFailure, requestIdOf } from './request-id.ts';
import { errorAnswer } from './rest/envelope.ts';
import { sendAnswer } from './rest/send.ts';

/** The last handler: paths that nobody serves are 404 in the error envelope. */
export const notFound: RequestHandler = (_req, _res, next) => next(new Missing());

/** The error handler behind everything: our errors as they are, all others as a bare 500 that is logged with the request id. */
export function errorHandler(log: FailureLog): ErrorRequestHandler {
  return (error, req, res, next) => {
    // Answered in full already, such as when its time was up or its body was refused while it came in: Express would print the error.
    const late = res.writableEnded && error instanceof HaulgateError;
    if (res.headersSent) return late ? undefined : next(error);
    // Express reports paths it cannot decode, and nothing else, as URIError.
    const known = error instanceof HaulgateError ? error : error instanceof URIError ? new BadRequest() : undefined;
    const language = pickLanguage(req.headers['accept-language']);
    const answer = errorAnswer(known ?? error, language);
    res.setHeader('Content-Language', language);
    res.vary('Accept-Language');
    logFailure(log, req, answer.status, error);
    res.setHeader('X-Request-Id', requestIdOf(req));
    return sendAnswer(req, res, answer);
  };
}
