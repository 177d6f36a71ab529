import DataLoader from 'dataloader';
import type { Context } from '../context.ts';

/**
 * A loader of values that are computed for many records in one statement (sums, counts, conflicts), once a request and name. Relations and
 * lists need none: the read planner makes them part of the list's own statement (docs/read-planner.md).
 * @param name one for each question; other values on which the question depends must be part of the name
 * @param batch answers in the order of the keys; an Error in a place fails that record alone
 */
export function loaderOf<V>(
  ctx: Context,
  name: string,
  batch: (keys: readonly string[]) => Promise<readonly (V | Error)[]>,
): DataLoader<string, V> {
  const key = `loader:${name}`;
  const known = ctx.memo.get(key) as DataLoader<string, V> | undefined;
  if (known) return known;
  const loader = new DataLoader<string, V>(batch);
  ctx.memo.set(key, loader);
  return loader;
}
