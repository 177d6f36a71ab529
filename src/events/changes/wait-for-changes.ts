import type { Context } from '../../platform/context.ts';
import { feedWatch } from './feed-watch.ts';
import { type Changes, type ChangesAsked, readChanges } from './read-changes.ts';

/** Seconds that somebody may wait for changes at most: less than a request may take (SPEC Limits). */
export const LONGEST_WAIT = 30;

/** Milliseconds in which changes are looked through that the caller does not see. */
const LONGEST_LOOK = 2_000;

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
 * Reads the changes after a position; if there are none yet, waits for some that the caller may see. @throws as `readChanges` does
 */
export async function waitForChanges(given: Context, asked: ChangesAsked, { wait, signal, renew, pausing }: Patience): Promise<Changes> {
  const begun = Date.now();
  const until = begun + wait * 1_000;
  let ctx = given;
  for (let { after, informed } = asked; ; informed = true) {
    const read = await readChanges(ctx, { ...asked, after, informed });
    after = read.position;
    if (read.changes.length > 0 || signal?.aborted) return read;
    // A reader who sees few of the changes learns how far the feed was read, so that they get on.
    if (read.more && Date.now() - begun > LONGEST_LOOK) return read;
    if (read.more) continue;
    const left = until - Date.now();
    if (left <= 0) return read;
    pausing?.();
    if (!(await feedWatch.of(ctx.em).wait(ctx.em, read.reader.companyId, numberOf(after), left, signal))) return read;
    if (renew) ctx = await renew();
  }
}

/** The number in a position's text. */
export const numberOf = (position: string): bigint => BigInt(position.split('-')[0]!);
