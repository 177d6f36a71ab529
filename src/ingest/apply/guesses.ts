import type { ClaimedRecord, Failure, Outcome, Problem, Warning } from '../importer.ts';

/** Codes of warnings about what may be meant otherwise: something was chosen, not only left out or kept. */
export const GUESSES: ReadonlySet<string> = new Set([
  'ambiguous_match',
  'ambiguous_number',
  'duplicate_field',
  'local_time_repeated',
  'local_time_skipped',
  'not_a_customer',
  'unknown_service',
  'unknown_site_type',
  'unknown_unit',
]);

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
