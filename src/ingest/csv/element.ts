import { type Column, listOf } from './columns.ts';
import { type CellType, CUT, PEOPLE, WAYPOINTS } from './fields.ts';
import { GROUPED_BY_COMMAS, mayGroup, type NumberStyle } from './number-style.ts';

type Json = Record<string, unknown>;

const YES = new Set(['true', 'yes', 'y', 'x', '1', 'oui', 'o', 'si', 'sí', 'vrai', 'verdadero']);
const NO = new Set(['false', 'no', 'n', '0', 'non', 'faux', 'falso']);

/**
 * Returns the payload of a row, as if it had been sent as JSON. An empty cell is an absent field. Text that a spreadsheet would take for a
 * formula is kept as it is. A number that cannot be read stays a text, so that the importer reports it.
 * @param line of the row in its file, stored as `metadata.csv_line`
 * @param mark the decimal mark of the file's numbers (`numberStyleOf`)
 */
export function toElement(columns: Column[], cells: string[], line: number, mark: NumberStyle['mark']): Json {
  const element: Json = {};
  const metadata: Json = {};
  const lists = new Map<string, Json[]>();
  for (const { index, field } of columns) {
    const cell = (cells[index] ?? '').trim();
    if (cell === '') continue;
    const { path, type } = field;
    const list = listOf(path);
    const steps = path.split('.');
    if (list) addToList(lists, list, steps[1], cell, type, mark);
    else if (steps[0] === 'metadata') metadata[steps[1] as string] = cell;
    else if (WAYPOINTS.some((waypoint) => waypoint === steps[0]))
      siteOf(element, steps[0] as string)[steps[1] as string] = readCell(cell, type, mark);
    else if (steps[1]) objectOf(element, steps[0] as string)[steps[1]] = readCell(cell, type, mark);
    else element[path] = readCell(cell, type, mark);
  }
  for (const [list, items] of lists) element[list] = items.filter((item) => Object.keys(item).length > 0);
  element.metadata = { ...metadata, csv_line: line };
  return element;
}

function objectOf(element: Json, key: string): Json {
  element[key] ??= {};
  return element[key] as Json;
}

function siteOf(element: Json, waypoint: string): Json {
  element.sites ??= [];
  const sites = element.sites as Json[];
  let site = sites.find((one) => one.waypoint === waypoint);
  if (!site) {
    site = { waypoint };
    sites.push(site);
  }
  return site;
}

/** `foremen.email` of `a@x.ca;b@x.ca` are the e-mails of the first and the second foreman. */
function addToList(
  lists: Map<string, Json[]>,
  list: string,
  step: string | undefined,
  cell: string,
  type: CellType,
  mark: NumberStyle['mark'],
): void {
  const items = lists.get(list) ?? [];
  lists.set(list, items);
  cell.split(CUT).forEach((part, i) => {
    items[i] ??= {};
    const value = part.trim();
    if (value === '') return;
    const key = step ?? (PEOPLE.includes(list) ? personKey(value) : 'name');
    (items[i] as Json)[key] = readCell(value, type, mark);
  });
}

function personKey(text: string): string {
  if (text.includes('@')) return 'email';
  return /^\+?[\d\s().-]{7,}$/.test(text) && /[\s().+-]|\d{10}/.test(text) ? 'phone' : 'external_id';
}

function readCell(cell: string, type: CellType, mark: NumberStyle['mark']): unknown {
  if (type === 'number') return plainNumber(cell, mark);
  if (type === 'flag') return YES.has(cell.toLowerCase()) ? true : NO.has(cell.toLowerCase()) ? false : cell;
  return cell;
}

const GROUPED = /^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
const SPACED = /^[-+]?[1-9]\d{0,2}([ \u00A0\u202F]\d{3})+([.,]\d+)?$/;
const DECIMAL_COMMA = /^[-+]?\d+,\d+$/;
const DOTTED = /^[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/;

/**
 * Returns a number such as `1,250.5` or `1 250,5` without its group separators; no group begins with 0. The file's decimal mark decides what a single comma
 * or dot is. If the file shows both, only what can mean one number is read.
 */
function plainNumber(cell: string, mark: NumberStyle['mark']): string {
  if (SPACED.test(cell)) return cell.replace(/[ \u00A0\u202F]/g, '').replace(',', '.');
  if (mark === '.' ? GROUPED.test(cell) : mark !== ',' && GROUPED_BY_COMMAS.test(cell)) return cell.replaceAll(',', '');
  if (mark === '.' || mark === 'both' || (mark === 'mixed' && mayGroup(cell))) return cell;
  if (DOTTED.test(cell)) return cell.replaceAll('.', '').replace(',', '.');
  return DECIMAL_COMMA.test(cell) ? cell.replace(',', '.') : cell;
}
