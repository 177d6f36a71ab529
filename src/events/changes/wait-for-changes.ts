import type { Context } from '../../platform/context.ts';
import { feedWatch } from './feed-watch.ts';
import { type Changes, type ChangesAsked, readChanges } from './read-changes.ts';

/** Seconds that somebody may wait for changes at most: less than a request may take (SPEC Limits). */
export const LONGEST_WAIT = 30;

export interface Patience {
  /** Seconds. */
  wait: number;
  /** Aborted when the caller leaves. */
  signal?: AbortSignal;
  /** Makes the context anew after each wait: rights may have changed meanwhile. */
  renew?: () => Promise<Context>;
  /** Called before each wait, in which the caller uses nothing of the database. */
  pausing?: () => void;
}

/**
 * What changed after a position; if that is nothing yet, waits for something that the caller may see. @throws as `readChanges` does
 */
export async function waitForChanges(given: Context, asked: ChangesAsked, { wait, signal, renew, pausing }: Patience): Promise<Changes> {
  const until = Date.now() + wait * 1_000;
  let ctx = given;
  for (let { after } = asked; ; ) {
    const read = await readChanges(ctx, { ...asked, after });
    after = read.position;
    if (read.changes.length > 0 || signal?.aborted) return read;
    if (read.more) continue;
    const left = until - Date.now();
    if (left <= 0) return read;
    pausing?.();
    await feedWatch.of(ctx.em).wait(ctx.em, read.reader.companyId, numberOf(after), left, signal);
    if (renew) ctx = await renew();
  }
}

/** The number in a position's text. */
export const numberOf = (position: string): bigint => BigInt(position.split('-')[0]!);
