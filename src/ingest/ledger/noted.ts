import type { Outcome, Warning } from '../importer.ts';

/** Codes of what is guessed before a payload comes to the ledger, where no importer can tell it any more: a sheet's numbers have become JSON, and JSON a value. */
const BEFORE: ReadonlySet<string> = new Set(['ambiguous_number', 'duplicate_field']);

/** Whether a warning of a record came with its payload, and not from an attempt. */
export const isNoted = ({ code }: Warning): boolean => BEFORE.has(code);

/** An outcome that also tells what came with the payload; where nothing was read, the warnings that the record has stay as they are. */
export function withNoted(noted: readonly Warning[], outcome: Outcome): Outcome {
  if (noted.length === 0 || (outcome.state === 'failed' && !outcome.warnings)) return outcome;
  return { ...outcome, warnings: [...noted, ...(outcome.warnings ?? [])] };
}
