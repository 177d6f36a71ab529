import type { Request, Response } from 'express';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { TooMany, Unauthenticated } from '../../platform/errors.ts';
import { endTurn } from '../../platform/http/turns.ts';
import { type WireChange, wireChanges } from './change-wire.ts';
import { type FeedServices, isGone, startOf, whenLeft } from './feed-services.ts';
import type { ChangesAsked } from './read-changes.ts';
import { waitForChanges } from './wait-for-changes.ts';

/** Milliseconds after which a quiet stream says that it is there: proxies close what is silent for a minute. */
const SIGN_OF_LIFE = 15_000;
/** Seconds after which a quiet stream looks whether its reader may still read, and whether the process stops. */
const LOOK_EVERY = 1;
/** Streams of one caller in one process. */
const MOST_STREAMS = 20;
const RETRY = 2_000;

const open = new Map<string, number>();

/**
 * Sends the feed as server-sent events, until the client leaves or may read it no longer. `id` of an event is its position, so that a client
 * that connects again says where it was (`Last-Event-ID`). Nothing is read ahead of what the client takes.
 * @throws what the first read throws, before anything is sent
 */
export async function streamChanges(ctx: Context, asked: ChangesAsked, req: Request, res: Response, services: FeedServices): Promise<void> {
  const { type, id } = viewerOf(ctx);
  const caller = `${type}:${id}`;
  const streams = open.get(caller) ?? 0;
  if (streams >= MOST_STREAMS) throw new TooMany(5);
  open.set(caller, streams + 1);
  try {
    await stream(ctx, asked, req, res, services);
  } finally {
    const left = open.get(caller)! - 1;
    if (left > 0) open.set(caller, left);
    else open.delete(caller);
  }
}

async function stream(
  begun: Context,
  asked: ChangesAsked,
  req: Request,
  res: Response,
  { renew, isStopping }: FeedServices,
): Promise<void> {
  const signal = whenLeft(res);
  let ctx = begun;
  let { after } = asked;
  let saidAt = 0;
  const say = async (text: string) => {
    saidAt = Date.now();
    if (res.write(text) || signal.aborted) return;
    await new Promise<void>((go) => res.once('drain', go).once('close', go));
  };
  try {
    for (let wait = 0; !signal.aborted && !isStopping(); wait = LOOK_EVERY) {
      const read = await waitForChanges(ctx, { ...asked, after }, { wait, signal });
      const changes = await wireChanges(ctx, read);
      if (!res.headersSent) begin(res);
      await say(changes.map((change, at) => eventOf(change, changes[at + 1])).join(''));
      // Without data it is no event, but the client remembers the position.
      if (read.position !== (changes.at(-1)?.position ?? after)) await say(`id: ${read.position}\n\n`);
      after = read.position;
      if (Date.now() - saidAt > SIGN_OF_LIFE) await say(': still here\n\n');
      endTurn(res);
      ctx = await renew(req);
      viewerOf(ctx);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!res.headersSent) throw error;
    if (isGone(error))
      res.write(`event: gone\ndata: ${JSON.stringify({ reason: error.items[0]?.key, begin: startOf(String(req.params.companyId)) })}\n\n`);
    else if (error instanceof Unauthenticated) res.write('event: end\ndata: {"reason":"unauthorized"}\n\n');
    // The client connects again, and begins after the last event that it got.
    else ctx.report?.(error);
  }
  res.end();
}

function begin(res: Response): void {
  res.set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    // Compressed, it would wait until there is enough of it.
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  });
  res.write(`retry: ${RETRY}\n\n`);
}

/** Of several changes at one position, only the last one has it: whoever is cut off between them gets them all again. */
const eventOf = (change: WireChange, next: WireChange | undefined): string =>
  `${next?.position === change.position ? '' : `id: ${change.position}\n`}event: ${change.event}\ndata: ${JSON.stringify(change)}\n\n`;
