import { localDoubt, localToInstant } from '../platform/time.ts';
import type { Warning } from './importer.ts';

/**
 * Reads an instant; without an offset it is local time in `zone`, and a time that a change of clocks skips or repeats is noted.
 * @returns undefined when the text is no ISO 8601
 */
export function readMoment(text: string, zone: string, pointer: string, warnings: Warning[]): Date | undefined {
  const instant = localToInstant(text, zone);
  const doubt = instant && localDoubt(text, zone);
  if (doubt === 'skipped') warnings.push({ code: 'local_time_skipped', pointer, given: text, used: instant?.toISOString() });
  if (doubt === 'repeated') warnings.push({ code: 'local_time_repeated', pointer, given: text, used: instant?.toISOString() });
  return instant;
}
