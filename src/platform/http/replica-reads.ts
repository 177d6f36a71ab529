import type { RequestHandler, Response } from 'express';
import type { Context, Viewer } from '../context.ts';
import { type Position, positionOf, positionText } from '../database/replicas/position.ts';
import { ReadRoute } from '../database/replicas/read-route.ts';
import type { ReplicaUse } from '../database/replicas/replica-use.ts';
import type { Manner, Replicas } from '../database/replicas/replicas.ts';
import { currentWork, inRequest, RequestWork } from '../database/request-work.ts';
import { BadRequest, HaulgateError } from '../errors.ts';

/** Says how far an answer shows the database, and how far the next one must (docs/scale.md, "Read replicas"). */
const POSITION = 'X-Read-Position';
/** In place of a position that is not known: what the client had before holds no longer. */
const NONE = 'none';

/**
 * Takes the position that a client sends along, and answers with its own: of everything that the request has read or written. A stream has none,
 * because its headers leave before it is read.
 */
export function reportPosition(replicas: Replicas): RequestHandler {
  return (req, res, next) => {
    const text = req.get(POSITION) ?? NONE;
    const sent = text === NONE ? undefined : positionOf(text);
    if (text !== NONE && !sent) return next(new BadRequest('invalid_read_position', undefined, POSITION));
    const work = currentWork()!;
    const use: ReplicaUse = { replicas, sent, usedPrimary: false };
    work.replicas = use;
    const writes = req.method !== 'GET' && req.method !== 'HEAD' && req.method !== 'OPTIONS';
    beforeEnd(res, () => {
      const { route } = use;
      if (route) replicas.counts[route.isAtReplica ? 'replica' : 'primary']++;
      const report = (position: Position) => {
        if (work.asker) replicas.remember(work.asker.caller, position);
        if (!res.headersSent) res.setHeader(POSITION, positionText(position));
      };
      // The primary may be what is missing.
      if (res.statusCode >= 500) return void (res.headersSent || res.setHeader(POSITION, NONE));
      if (!use.usedPrimary && (route || !writes)) return void (route?.seen && report(route.seen));
      // Also what was written for a purpose: a session, a counter, an upload.
      return replicas.position().then(report, () => void (res.headersSent || res.setHeader(POSITION, NONE)));
    });
    next();
  };
}

/** Calls `work` when an answer is about to end, and lets it end when that is done. */
function beforeEnd(res: Response, work: () => Promise<void> | undefined): void {
  const end = res.end.bind(res) as (...args: unknown[]) => Response;
  let begun = false;
  res.end = ((...args: unknown[]) => {
    if (begun) return end(...args);
    begun = true;
    const done = work();
    if (!done) return end(...args);
    void done.then(() => end(...args));
    return res;
  }) as never;
}

/**
 * Has what a request reads from now on answered by a replica that has replayed what its caller must see; by the primary if there is none, and for who
 * reads as another person, because that is written down.
 * @param fresh they see everything that is committed now, whatever position the client has sent
 */
export function readAtReplica({ viewer }: Context, { fresh, ...manner }: Manner & { fresh?: true } = {}): Promise<void> | undefined {
  const use = currentWork()?.replicas;
  if (!use || use.route || !viewer || viewer.realActor) return undefined;
  // The rows that were read before are on the primary, and may be newer.
  if (use.usedPrimary && !fresh) {
    use.route = ReadRoute.atPrimary();
    return undefined;
  }
  return use.replicas.begin(fresh ? undefined : use.sent, callerOf(viewer), manner).then((route) => {
    use.route = route;
    // Meanwhile, too.
    if (use.usedPrimary && !fresh) route.leave();
  });
}

/** As of `RequestWork.asker`. */
const callerOf = ({ id, realActor }: Viewer): string => realActor?.id ?? id;

/**
 * Whether reads that have failed are to be made once more, now on the primary.
 * @param error with which they failed; what is wrong with the request is wrong everywhere
 */
export function triesPrimary(error: unknown): boolean {
  const use = currentWork()?.replicas;
  const replica = use?.route?.replica;
  // A server that is gone has become a 503 by now.
  const cause = error instanceof HaulgateError ? error.status === 503 && error.cause : error;
  if (!replica || !cause) return false;
  use!.replicas.failed(replica, cause as Error);
  readAtPrimary();
  return true;
}

/** Has what the request reads from now on answered by the primary: it depends on what was just written there for all, as feeds are. */
export function readAtPrimary(): void {
  const use = currentWork()?.replicas;
  if (!use) return;
  use.route?.leave();
  use.usedPrimary = true;
}

/** Makes a long read of a worker at a replica that has replayed everything that is committed now. */
export async function readApart<T>(replicas: Replicas | undefined, run: () => Promise<T>): Promise<T> {
  if (!replicas) return run();
  const work = new RequestWork(0);
  const route = await replicas.begin(undefined, undefined, { long: true });
  work.replicas = { replicas, route, usedPrimary: false };
  const read = await inRequest(work, run);
  replicas.counts[route.isAtReplica ? 'replica' : 'primary']++;
  return read;
}
