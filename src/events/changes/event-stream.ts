import type { Request, Response } from 'express';
import { companyOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Gone, TooMany, Unauthenticated } from '../../platform/errors.ts';
import { drained } from '../../platform/http/stream-text.ts';
import { endTurn, whenLeft } from '../../platform/http/turns.ts';
import { type WireChange, wireChanges } from './change-wire.ts';
import { feedReaderOf, positionOf } from './feed-reader.ts';
import type { FeedServices } from './feed-services.ts';
import { feedWatch } from './feed-watch.ts';
import type { ChangesAsked } from './read-changes.ts';
import { numberOf, waitForChanges } from './wait-for-changes.ts';

/** Milliseconds after which a quiet stream says that it is there: proxies close what is silent for a minute. */
const SIGN_OF_LIFE = 15_000;
/** Milliseconds after which a quiet stream looks whether its reader may still read, and whether the process stops. */
const LOOK_EVERY = 1_000;
const RETRY = 2_000;

/**
 * Sends the feed as server-sent events, until the client leaves or may read it no longer. `id` of an event is its position, so that a client
 * that connects again says where it was (`Last-Event-ID`). Nothing is read ahead of what the client takes, and each read is under the limits of a request.
 * @throws TooMany when the caller, the company or the address has too many streams; what the first read throws, before anything is sent
 */
export async function streamChanges(
  begun: Context,
  asked: ChangesAsked,
  req: Request,
  res: Response,
  services: FeedServices,
): Promise<void> {
  const { renew, isStopping, takeTurn, openStream, countRead } = services;
  openStream(begun, req);
  const signal = whenLeft(res);
  let ctx = begun;
  let { after, informed } = asked;
  let saidAt = 0;
  const say = async (text: string) => {
    saidAt = Date.now();
    if (!res.write(text)) await drained(res);
  };
  try {
    for (let changed = true; !signal.aborted && !isStopping(); ) {
      if (changed) {
        const read = await waitForChanges(ctx, { ...asked, after, informed, shown: true }, { wait: 0, signal });
        const changes = wireChanges(read);
        endTurn(res);
        if (!res.headersSent) begin(res);
        await say(changes.map((change, at) => eventOf(change, changes[at + 1])).join(''));
        // Without data it is no event, but the client remembers the position.
        if (read.position !== (changes.at(-1)?.position ?? after)) await say(`id: ${read.position}\n\n`);
        after = read.position;
        changed = read.more;
        informed = true;
      }
      if (Date.now() - saidAt > SIGN_OF_LIFE) await say(': still here\n\n');
      // A request that waits keeps no other one of the same caller waiting, and asks the database nothing.
      changed ||= await feedWatch.of(ctx.em).wait(ctx.em, companyOf(ctx, asked.companyId), numberOf(after!), LOOK_EVERY, signal);
      if (signal.aborted) return;
      ctx = await renew(req);
      positionOf(after!, feedReaderOf(ctx, asked.companyId));
      if (!changed) continue;
      await takeTurn(ctx, res);
      await countRead(ctx);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!res.headersSent) throw error;
    if (error instanceof Gone) res.write(`event: gone\ndata: ${JSON.stringify({ reason: error.items[0]?.key, begin: error.begin })}\n\n`);
    else if (error instanceof Unauthenticated || error instanceof TooMany)
      res.write(`event: end\ndata: ${JSON.stringify({ reason: error.code })}\n\n`);
    else {
      // A broken connection shows that something was not sent. The client connects again, and begins after the last event that it got.
      ctx.report?.(error);
      return void res.destroy();
    }
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
