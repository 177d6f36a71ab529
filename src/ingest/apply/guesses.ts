import { GUESSES } from '../code-sentences.ts';
import type { ClaimedRecord, Failure, Outcome, Problem, Warning } from '../importer.ts';

/**
 * Returns the failure of a payload whose sender wants no guesses (`?strict=true`), with an error for each guess; undefined if none was made,
 * or guesses are welcome.
 */
export function guessRefused({ strict, noted = [] }: Pick<ClaimedRecord, 'strict' | 'noted'>, outcome: Outcome): Failure | undefined {
  if (!strict || outcome.state === 'failed') return undefined;
  const warnings = outcome.warnings ?? [];
  const [first, ...more] = [...noted, ...warnings].filter(({ code }) => GUESSES.has(code)).map(problemOf);
  return first && { state: 'failed', ...first, more, warnings };
}

const problemOf = ({ code, pointer }: Warning): Problem => ({ code, pointer, key: 'import_guess_refused' });
