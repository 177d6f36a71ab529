import type { Outcome, Warning } from '../importer.ts';

/**
 * Codes of warnings from before a payload comes to the ledger. No importer can find them any more: a sheet's numbers have become JSON, and
 * JSON has become a value; and of elements of one key only the newest is applied.
 */
export const BEFORE: readonly string[] = ['ambiguous_number', 'duplicate_field', 'superseded_fields'];

/** Returns whether a warning came with the payload, not from an attempt. */
export const isNoted = (code: string): boolean => BEFORE.includes(code);

/** Returns the outcome with the warnings that came with the payload. If nothing was read, the record keeps its warnings. */
export function withNoted(noted: readonly Warning[], outcome: Outcome): Outcome {
  if (noted.length === 0 || (outcome.state === 'failed' && !outcome.warnings)) return outcome;
  return { ...outcome, warnings: [...noted, ...(outcome.warnings ?? [])] };
}
