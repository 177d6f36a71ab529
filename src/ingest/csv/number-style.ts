import type { Warning } from '../importer.ts';
import type { Column } from './columns.ts';
import { CUT } from './fields.ts';
import type { CsvRow } from './read-csv.ts';

/** The style in which a file writes its numbers. */
export interface NumberStyle {
  /**
   * The decimal mark; `both` if the file shows each of them as one, so that `1,250` may mean either. In such a file `22,5` is a mistake, too, unless it is `mixed`:
   * one with semicolons, in which the comma may be the mark.
   */
  mark: ',' | '.' | 'both' | 'mixed';
  /** Nothing in the file decides the mark: `1.250` is read as 1.25 but may mean 1250. */
  doubtful: boolean;
}

const WITH_COMMA = /^[-+]?\d[\d.]*,\d+$/;
/** A single comma before three digits. */
const EITHER_COMMA = /^[-+]?[1-9]\d{0,2},\d{3}$/;
/** Commas that can only group: several, or one before a dot. */
export const GROUPED_BY_COMMAS = /^[-+]?[1-9]\d{0,2}((,\d{3})+\.\d+|(,\d{3}){2,})$/;
const GROUPED_TWICE = /^[-+]?[1-9]\d{0,2}(\.\d{3}){2,}$/;
const WITH_DOT = /^[-+]?\d*\.\d+$/;
/** A single dot before three digits. */
const EITHER = /^[-+]?[1-9]\d{0,2}\.\d{3}$/;

/** Whether a number may mean a thousand times as much, as long as nobody knows which mark divides. */
export const mayGroup = (cell: string): boolean => EITHER.test(cell) || EITHER_COMMA.test(cell);

/**
 * Returns how a file writes its numbers. In files separated by semicolons, the comma is the decimal mark as soon as one number shows it;
 * `1.250` is then 1250 everywhere, as in Excel, which writes such files. All other files have the dot. In a file with semicolons, a number
 * that cannot be a group of thousands (`12.5`) shows the dot, and so do commas that can only group (`1,250.5`). A file that shows the other mark than it should
 * decides nothing.
 */
export function numberStyleOf(columns: readonly Column[], rows: readonly CsvRow[], separator: string): NumberStyle {
  const numbers = columns.filter(({ field }) => field.type === 'number').map(({ index }) => index);
  const cells = rows.flatMap((row) =>
    'cells' in row ? numbers.flatMap((index) => (row.cells[index] ?? '').split(CUT).map((cell) => cell.trim())) : [],
  );
  const shows = (pattern: RegExp) => cells.some((cell) => pattern.test(cell));
  const hasComma = shows(GROUPED_TWICE) || cells.some((cell) => WITH_COMMA.test(cell) && !EITHER_COMMA.test(cell));
  if (separator !== ';') return hasComma ? { mark: 'both', doubtful: true } : { mark: '.', doubtful: false };
  if (shows(GROUPED_BY_COMMAS)) return hasComma ? { mark: 'mixed', doubtful: true } : { mark: '.', doubtful: false };
  if (hasComma || shows(WITH_COMMA)) return { mark: ',', doubtful: false };
  return { mark: '.', doubtful: !cells.some((cell) => WITH_DOT.test(cell) && !EITHER.test(cell)) };
}

/** Returns a warning for each number of an element that may mean a thousand times as much; coordinates never do. */
export function doubtfulNumbers(columns: readonly Column[], element: Record<string, unknown>): Warning[] {
  return columns.flatMap(({ field: { path, type } }) => {
    const [first = '', key] = path.split('.');
    const held = element[first];
    if (type !== 'number') return [];
    if (key === undefined) return warningOf(`/${first}`, held);
    return Array.isArray(held) ? held.flatMap((item, i) => warningOf(`/${first}/${i}/${key}`, item[key])) : [];
  });
}

function warningOf(pointer: string, given: unknown): Warning[] {
  return typeof given === 'string' && EITHER.test(given) ? [{ code: 'ambiguous_number', pointer, given, used: plain(given) }] : [];
}

/**
 * Returns a number in the form of the API: `+1.250` is 1.25. It works on the text, because the command-line sender has no library for
 * decimals.
 */
const plain = (number: string): string => number.replace('+', '').replace(/\.?0+$/, '');
