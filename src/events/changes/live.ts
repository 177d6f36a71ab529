import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { feedReaderOf, positionOf } from './feed-reader.ts';
import { feedWatch } from './feed-watch.ts';
import { type Change, readChanges } from './read-changes.ts';
import type { RecordType } from './record-types.ts';
import { numberOf } from './wait-for-changes.ts';

/** Something to be answered to a subscriber, and the context in which its fields are read. */
export interface Live<T> {
  payload: T;
  ctx: Context;
}

interface Followed {
  companyId?: string | null;
  types: readonly RecordType[];
}

/** Milliseconds after which a quiet subscription looks whether its subscriber may still read. */
const LOOK_EVERY = 3_000;
const MOST = 100;

/**
 * Changes from now on, in their order. Of several changes of a record that wait for a slow subscriber, they get the last one: nothing is read ahead of
 * what they take. The first value is empty and says that it follows. While nothing changes in the company, it asks the database nothing.
 * @throws Unauthenticated when the session ends, Gone when the rights of the subscriber change
 */
export async function* liveChanges(begun: Context, { companyId, types }: Followed): AsyncGenerator<Live<Change[]>> {
  let ctx = await renewed(begun);
  const { ended } = begun;
  const watch = feedWatch.of(ctx.em);
  let { position } = await readChanges(ctx, { companyId, limit: 1 });
  yield { payload: [], ctx };
  while (!ended?.aborted) {
    ctx = await renewed(begun);
    const reader = feedReaderOf(ctx, companyId);
    positionOf(position, reader);
    if (!(await watch.wait(ctx.em, reader.companyId, numberOf(position), LOOK_EVERY, ended))) continue;
    const read = await readChanges(ctx, { companyId, types, after: position, limit: MOST });
    position = read.position;
    const last = new Map(read.changes.map((change) => [change.id, change]));
    if (last.size > 0) yield { payload: read.changes.filter((change) => last.get(change.id) === change), ctx };
  }
}

/** The caller as they are now. @throws Unauthenticated */
export async function renewed(ctx: Context): Promise<Context> {
  const now = await ctx.renew?.();
  // Outside of a subscription nobody asks.
  if (!now) throw new Unauthenticated('missing_token');
  viewerOf(now);
  return now;
}
