import type { Warning } from '../importer.ts';

/** The most warnings of one record; the last one counts those that are left out. */
const MOST = 100;
/** The most characters of a text that a warning repeats. */
const LONGEST = 500;
/**
 * The most characters of an object or list as JSON. A larger one is left out as a whole: a part of it could not be read, and its money
 * could not be hidden.
 */
const LARGEST = 2_000;

/** Returns the warnings of a record as they are stored, limited to a number and length that a person would read. */
export function boundWarnings(warnings: readonly Warning[]): Warning[] {
  const kept = warnings.slice(0, MOST).map(bounded);
  const leftOut = warnings.length - kept.length;
  if (leftOut > 0) kept.push({ code: 'more_warnings', pointer: '', given: leftOut });
  return kept;
}

function bounded({ code, pointer, given, used }: Warning): Warning {
  const warning: Warning = { code, pointer };
  if (given !== undefined) warning.given = shown(given);
  if (used !== undefined) warning.used = shown(used);
  return warning;
}

function shown(value: unknown): unknown {
  if (typeof value === 'string') return value.length > LONGEST ? `${value.slice(0, LONGEST - 1).toWellFormed()}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  return JSON.stringify(value).length > LARGEST ? null : value;
}
