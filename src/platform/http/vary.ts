import type { ServerResponse } from 'node:http';

/** Adds names of request headers to `Vary`, on which the answer depends. Express's `vary` reads and checks the whole header each time. */
export function addVary(res: ServerResponse, names: string): void {
  const known = res.getHeader('Vary');
  res.setHeader('Vary', known === undefined ? names : `${known}, ${names}`);
}
