import { setTimeout as sleep } from 'node:timers/promises';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { feedReaderOf, positionOf } from './feed-reader.ts';
import { feedWatch } from './feed-watch.ts';
import { type Change, readChanges } from './read-changes.ts';
import type { RecordType } from './record-types.ts';
import { numberOf } from './wait-for-changes.ts';

/** The answers for a subscriber, one after the other, and the context in which the fields of all of them are read. */
export interface Live<T> {
  payloads: readonly T[];
  /** The payloads are ids of records, each of which is the answer: they are read in one statement. */
  ids?: boolean;
  ctx: Context;
}

interface Followed {
  companyId?: string | null;
  types: readonly RecordType[];
  /**
   * Milliseconds between two values at least. What changed meanwhile is one value. For those whose answer shows more than the changes: the changes are
   * all that there are, and only the first of them.
   */
  every?: number;
  /** Which changes are meant; by default, all. A change that is not asked for takes the place of none that is. */
  isAsked?: (change: Change) => boolean;
  /** Whether what is shown is another one now although nothing has changed, such as today. It is asked every few seconds. */
  isOver?: () => boolean;
}

/** Milliseconds after which a quiet subscription looks whether its subscriber may still read. */
const LOOK_EVERY = 3_000;
const MOST = 100;

/**
 * Changes from now on, in their order. Of several changes of a record that wait for a slow subscriber, they get the last one that they asked for: nothing is
 * read ahead of what they take. The first value is empty and says that it follows. While nothing changes in the company, it asks the database nothing.
 * @throws Unauthenticated when the session ends, Gone when the rights of the subscriber change
 */
export async function* liveChanges(
  begun: Context,
  { companyId, types, every = 0, isAsked = () => true, isOver = () => false }: Followed,
): AsyncGenerator<Live<Change>> {
  let ctx = await renewed(begun);
  const { ended } = begun;
  const watch = feedWatch.of(ctx.em);
  let { position, reader } = await readChanges(ctx, { companyId, limit: 1 });
  let said = Date.now();
  yield { payloads: [], ctx };
  while (!ended?.aborted) {
    begun.turn?.end();
    await pause(said + every - Date.now(), ended);
    const changed = await watch.wait(ctx.em, reader.companyId, numberOf(position), LOOK_EVERY, ended);
    if (ended?.aborted) return;
    ctx = await renewed(begun);
    reader = feedReaderOf(ctx, companyId);
    positionOf(position, reader);
    const over = isOver();
    if (!changed && !over) continue;
    let changes: Change[] = [];
    for (let more = true; more && !ended?.aborted; ) {
      const read = await readChanges(ctx, { companyId, types, after: position, limit: MOST, informed: true });
      if (changes.length === 0) changes = read.changes;
      position = read.position;
      more = every > 0 && read.more;
    }
    const asked = changes.filter(isAsked);
    const last = new Map(asked.map((change) => [change.id, change]));
    if (last.size === 0 && !over) continue;
    said = Date.now();
    yield { payloads: asked.filter((change) => last.get(change.id) === change), ctx };
  }
}

/** The caller as they are now, in a turn of theirs. @throws Unauthenticated */
export async function renewed(ctx: Context): Promise<Context> {
  const now = await ctx.renew?.();
  // Outside of a subscription nobody asks.
  if (!now) throw new Unauthenticated('missing_token');
  viewerOf(now);
  await ctx.turn?.take();
  return now;
}

/** Waits, and no longer than somebody follows. */
export async function pause(milliseconds: number, ended: AbortSignal | undefined): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds, undefined, { ref: false, signal: ended }).catch(() => undefined);
}
