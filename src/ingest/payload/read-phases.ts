import type { PhaseValues } from '../../dispatch/fields/write-parts.ts';
import { LIMITS } from './limits.ts';
import type { PayloadReader } from './payload-reader.ts';

/** Returns the key that distinguishes the phases of a payload. */
export const phaseKey = (phase: { name: string; code: string | null }): string => JSON.stringify([phase.name, phase.code]);

/**
 * Returns the phases of a payload, or undefined if it has no such field. A phase is identified by its name and code: a second one of a pair
 * is left out; and only the first primary one is primary (SPEC: at most one).
 */
export function readPhases(reader: PayloadReader): PhaseValues[] | undefined {
  if (reader.payload.phases === undefined) return undefined;
  let primary = false;
  const seen = new Set<string>();
  return reader.list('phases').flatMap((value, i) => {
    const pointer = `/phases/${i}`;
    const given = reader.object(value, pointer);
    const before = reader.problems.length;
    const name = given && reader.text(given.name, `${pointer}/name`, LIMITS.phase.name);
    if (!given || !name) {
      if (given && reader.problems.length === before) reader.missing(`${pointer}/name`);
      return [];
    }
    const code = reader.text(given.code, `${pointer}/code`, LIMITS.phase.code) ?? null;
    const key = phaseKey({ name, code });
    if (seen.has(key)) {
      reader.warn('second_phase', pointer, name);
      return [];
    }
    seen.add(key);
    const isFlag = given.primary === undefined || given.primary === null || typeof given.primary === 'boolean';
    if (!isFlag) reader.problems.push({ code: 'invalid_flag', pointer: `${pointer}/primary`, key: 'not_a_boolean' });
    const wants = given.primary === true;
    if (wants && primary) reader.warn('second_primary_phase', pointer, true, false);
    const phase = { name, code, primary: wants && !primary };
    primary ||= wants;
    return [phase];
  });
}
