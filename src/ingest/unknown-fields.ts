import type { Warning } from './importer.ts';
import type { RootFields } from './payload-reader.ts';
import { CONTACTS } from './read-people.ts';

/** Names told of one payload, and characters of each. */
const TOLD = 20;
const LONGEST = 80;

/** One warning for all fields of a payload that mean nothing to us: a misspelt one would otherwise be lost without a word. */
export function warnOfUnknownFields(payload: object, known: ReadonlySet<string>, warnings: Warning[]): void {
  const names = Object.keys(payload).filter((name) => !known.has(name));
  if (names.length === 0) return;
  const given = names.slice(0, TOLD).map((name) => name.slice(0, LONGEST).toWellFormed());
  warnings.push({ code: 'unknown_fields', pointer: '', given });
}

/** The fields of a payload: those of its root by kind, the contacts every kind has, and its own. */
export function fieldsOf(root: RootFields, own: readonly string[]): ReadonlySet<string> {
  const { texts, decimals, wholes, flags, units, choices } = root;
  return new Set([...own, ...CONTACTS, ...texts, ...decimals, ...wholes, ...flags, ...units, ...Object.keys(choices)]);
}
