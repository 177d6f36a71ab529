import type { Connection } from './connection.ts';

/** Pages that the reader has made for one answer. */
const pages = new WeakSet<object>();

/** Notes that a page is of one answer alone, and of no use when that is complete. */
export function isOfOneAnswer<T extends object>(page: T): T {
  pages.add(page);
  return page;
}

/**
 * Empties a page of which an answer has been made; other values stay as they are. While its statement ran, the collector of young objects has met
 * what waits for it (promises, the driver's result), which counts as old then. Until the next collection of old objects, which comes after hundreds of
 * answers, whatever is dead and old keeps alive what is put into it. Half of the memory of a dashboard was copied by one collection after the other for that, and
 * freed by that of the old ones.
 */
export function letGoOf(value: unknown): void {
  if (typeof value !== 'object' || value === null || !pages.has(value)) return;
  // Whoever has the records themselves keeps them.
  const page = value as Partial<Connection<unknown>>;
  page.nodes = undefined;
  page.edges = undefined;
  page.pageInfo = undefined;
}
