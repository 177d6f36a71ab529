import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ids = new WeakMap<IncomingMessage, string>();
const ACCEPTABLE = /^[\w.:/+=@-]{1,128}$/;

/** The id of a request: the caller's `X-Request-Id` when it is a harmless token, else a new one. The same for every call. */
export function requestIdOf(req: IncomingMessage): string {
  let id = ids.get(req);
  if (id === undefined) {
    const given = req.headers['x-request-id'];
    id = typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
    ids.set(req, id);
  }
  return id;
}
