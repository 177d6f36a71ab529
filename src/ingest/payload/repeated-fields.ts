import type { Context } from '../../platform/context.ts';
import type { Warning } from '../importer.ts';
import { unstorable } from './unstorable.ts';

/**
 * Returns warnings for repeated fields of payloads, by their index in the request. The last value counts, as usual in JSON.
 * @param key of the body that holds them
 * @param holds one payload, or a list of `each`
 */
export function repeatedFields({ repeated = [] }: Context, key: string, holds: 'one' | 'each'): Map<number, Warning[]> {
  const noted = new Map<number, Warning[]>();
  const depth = holds === 'each' ? 2 : 1;
  for (const { path, given, used } of repeated) {
    if (path[0] !== key || path.length <= depth) continue;
    const index = holds === 'each' ? Number(path[1]) : 0;
    const pointer = path
      .slice(depth)
      .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join('');
    // The lost value was never checked, and is not refused for text that cannot be stored.
    const warning: Warning = { code: 'duplicate_field', pointer, given: unstorable(JSON.stringify(given)) ? null : given, used };
    noted.set(index, [...(noted.get(index) ?? []), warning]);
  }
  return noted;
}
