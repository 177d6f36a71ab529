import { type Language, translate } from '../../platform/i18n/messages.ts';
import type { Problem } from '../importer.ts';

/** The most errors of one record; a payload of a thousand wrong phases can be corrected after the first fifty. */
const MOST_SHOWN = 50;

/** Returns a line `code: pointer: message` for each error, as published in `last_error`. */
export function lastError(language: Language, failure: Problem & { more?: readonly Problem[] }): string {
  const all = [failure, ...(failure.more ?? [])];
  const leftOut = all.length - MOST_SHOWN;
  const shown: Problem[] = all.slice(0, MOST_SHOWN);
  if (leftOut > 0) shown.push({ code: 'more_problems', pointer: '', key: 'import_more_problems', params: { count: leftOut } });
  return shown.map(({ code, pointer, key, params }) => `${code}: ${pointer}: ${translate(language, key, params)}`).join('\n');
}
