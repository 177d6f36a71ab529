import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from 'express';
import type { Context } from '../platform/context.ts';
import { currentWork } from '../platform/database/request-work.ts';
import { AskedFor, BadRequest } from '../platform/errors.ts';
import { FAULT_HEADER, FAULTS, noteAskedFor } from '../platform/worlds/faults.ts';
import { isSandbox, worldOf } from '../platform/worlds/sandbox-ids.ts';

/** Seconds after which a client is asked to try again. */
const RETRY_AFTER = 5;
/** Milliseconds for which a client waits for an answer that does not come. */
const HELD = 20_000;
/** Clients of one sandbox that a process lets wait at a time, each of which holds a connection. More of them are not held. */
const MOST_HELD = 20;
const heldOf = new Map<string, number>();

/**
 * Says that a caller is in a sandbox, and does what they ask for by a header, before anything else is done for their request. Callers of real companies
 * may send it as they like.
 * @param held milliseconds
 * @throws BadRequest for what cannot go wrong, AskedFor
 */
export async function injectFault({ viewer }: Context, req: Request, held = HELD): Promise<void> {
  if (viewer) await injectFaultOf(viewer.companyId, req, held);
}

/** The same where only the caller's company is known, such as where a machine client gets its tokens. @throws as `injectFault` */
export async function injectFaultOf(companyId: string, req: Request, held = HELD): Promise<void> {
  if (!isSandbox(companyId)) return;
  const { res } = req;
  if (res && !res.headersSent) res.setHeader('X-Sandbox', 'true');
  const fault = req.headers[FAULT_HEADER.toLowerCase()];
  if (fault === undefined) return;
  if (fault === '503') throw askedFor(req);
  if (fault === 'duplicate-webhook') {
    const work = currentWork();
    if (work) work.sendsTwice = true;
  } else if (fault === 'timeout') await hold(req, worldOf(companyId)!, held);
  else throw new BadRequest('sandbox_fault_unknown', { values: FAULTS.join(', ') }, FAULT_HEADER);
}

/** Lets a client wait, and closes the connection without an answer. Nothing of the request is done. */
async function hold(req: Request, world: string, held: number): Promise<never> {
  const others = heldOf.get(world) ?? 0;
  if (others < MOST_HELD) {
    heldOf.set(world, others + 1);
    const left = new AbortController();
    const { signal } = left;
    try {
      await Promise.race([sleep(held, undefined, { signal, ref: false }), once(req.socket, 'close', { signal })]);
    } finally {
      left.abort();
      release(world);
    }
  }
  req.socket.destroy();
  throw askedFor(req);
}

function askedFor({ res }: Request): AskedFor {
  if (res) noteAskedFor(res);
  return new AskedFor(RETRY_AFTER);
}

function release(world: string): void {
  const rest = heldOf.get(world)! - 1;
  if (rest > 0) heldOf.set(world, rest);
  else heldOf.delete(world);
}
