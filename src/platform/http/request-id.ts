import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { AskedFor } from '../errors.ts';
import type { RequestNames } from '../log.ts';

const known = new WeakMap<IncomingMessage, RequestNames>();
const ACCEPTABLE = /^[\w.:/+=@-]{1,128}$/;

/** The names of a request: an id of ours, and the client's `X-Request-Id` when that is a harmless token. The same for every call. */
export function namesOf(req: IncomingMessage): RequestNames {
  let names = known.get(req);
  if (names === undefined) {
    const given = req.headers['x-request-id'];
    names = { requestId: randomUUID(), ...(typeof given === 'string' && ACCEPTABLE.test(given) ? { clientRequestId: given } : {}) };
    known.set(req, names);
  }
  return names;
}

/** The id of a request, made here: in the answer, in the log, in the audit. */
export const requestIdOf = (req: IncomingMessage): string => namesOf(req).requestId;

/** Signed ids, tokens and keys are longer than any name or UUID in a path of ours. */
const LONG = /[^/]{40,}/g;

/** A request as the log describes it. Links may say in their path what opens them, so that such parts are left out. */
export const describeRequest = (req: Request): RequestNames & { method: string; path: string } => ({
  ...namesOf(req),
  method: req.method,
  // Below a router, as that of GraphQL, `path` is only the rest of it.
  path: req.originalUrl.split('?', 1)[0]!.replace(LONG, '[secret]'),
});

/** What takes the failures of requests. */
export interface FailureLog {
  error(fields: object, message: string): void;
}

const unavailable = new WeakSet<IncomingMessage>();

/**
 * Logs a request that fails on our side, with what its answer does not say. A client that has left gets no answer, and that its statements were ended is no
 * fault; nobody has to look after what a sandbox asked for. That something is not available is said once for a request: its other fields fail for the same reason.
 */
export function logFailure(log: FailureLog, req: Request, status: number, error: unknown): void {
  if (status < 500 || error instanceof AskedFor || req.socket.destroyed) return;
  if (status === 503) {
    if (unavailable.has(req)) return;
    unavailable.add(req);
  }
  log.error({ err: error, ...describeRequest(req) }, 'request failed');
}

/** Logs a request whose time is over. What it still did is ended by that, and is no failure of its own. */
export function logLate(log: FailureLog, req: Request, ms: number): void {
  unavailable.add(req);
  log.error({ ...describeRequest(req), ms }, 'request took longer than it may');
}
