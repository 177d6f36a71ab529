import type { Warning } from '../importer.ts';
import type { Column } from './columns.ts';
import { CUT } from './fields.ts';
import type { CsvRow } from './read-csv.ts';

/** How a file writes its numbers. */
export interface NumberStyle {
  /** What parts whole and fraction. */
  mark: ',' | '.';
  /** Nothing in the file tells the mark: `1.250` is read as 1.25 and may be meant as 1250. */
  doubtful: boolean;
}

const WITH_COMMA = /^[-+]?\d[\d.]*,\d+$/;
const GROUPED_TWICE = /^[-+]?[1-9]\d{0,2}(\.\d{3}){2,}$/;
const WITH_DOT = /^[-+]?\d*\.\d+$/;
/** A lone dot before three digits. */
const EITHER = /^[-+]?[1-9]\d{0,2}\.\d{3}$/;

/**
 * How a file writes its numbers. In files with semicolons the comma is the decimal mark as soon as one of their numbers shows it: `1.250` is then 1250
 * in all of them, as it is in Excel where such files come from. All others have the dot; of a file with semicolons that is told by a number that
 * can be no group of thousands (`12.5`).
 */
export function numberStyleOf(columns: readonly Column[], rows: readonly CsvRow[], separator: string): NumberStyle {
  if (separator !== ';') return { mark: '.', doubtful: false };
  const numbers = columns.filter(({ field }) => field.type === 'number').map(({ index }) => index);
  const cells = rows.flatMap((row) => ('cells' in row ? numbers.flatMap((index) => (row.cells[index] ?? '').split(CUT)) : []));
  const shows = (...patterns: RegExp[]) => cells.some((cell) => patterns.some((pattern) => pattern.test(cell.trim())));
  if (shows(WITH_COMMA, GROUPED_TWICE)) return { mark: ',', doubtful: false };
  return { mark: '.', doubtful: !cells.some((cell) => WITH_DOT.test(cell.trim()) && !EITHER.test(cell.trim())) };
}

/** A warning for each number of an element that may be meant a thousand times as large; coordinates never are. */
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

/** As decimals are told: `+1.250` is 1.25. By the letters, because the command-line sender carries no library of decimals. */
const plain = (number: string): string => number.replace('+', '').replace(/\.?0+$/, '');
