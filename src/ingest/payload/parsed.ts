import type { Failure } from '../importer.ts';
import type { PayloadReader } from './payload-reader.ts';

/** What was read of a payload, or why it cannot be used. */
export type Parsed<D> = { draft: D; failure?: undefined } | { draft?: undefined; failure: Failure };

/** Returns the draft that a reader made, or the first of its problems with all others. */
export function parsedBy<D>({ problems, warnings }: PayloadReader, draft: D): Parsed<D> {
  const [first, ...more] = problems;
  return first ? { failure: { state: 'failed', ...first, more, warnings } } : { draft };
}
