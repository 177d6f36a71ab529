import { LISTS, plainHeader, SHEET_FIELDS, type SheetField, type SheetKind, WAYPOINTS } from './fields.ts';

/** A header that belongs to a field of the payload. */
export interface Column {
  index: number;
  header: string;
  field: SheetField;
}

/** An error of the header as a whole, because of which the sheet is not read. */
export interface HeaderProblem {
  /** Message key of csv.messages.ts, with its params. */
  key: 'csv_too_many_columns' | 'csv_column_missing' | 'csv_column_twice' | 'csv_path_unknown' | 'csv_header_unknown';
  /** The path it is about, `mapping`, or nothing. */
  field: string;
  params: Record<string, string>;
}

export interface Columns {
  columns: Column[];
  /** Headers that belong to no field; their cells are not read. */
  unknown: string[];
  problems: HeaderProblem[];
}

/** Paths that the sender assigns to headers; an empty path leaves the column out. */
export type Mapping = Record<string, string>;

/** The most headers of a sheet, and the most unknown ones that are reported. */
const MOST = 1_000;
const REPORTED = 100;

/** Finds the field of every header: by the sender's mapping first, then by the table of the kind. Reports all problems at once. */
export function matchColumns(kind: SheetKind, header: string[], mapping: Mapping = {}): Columns {
  if (header.length > MOST)
    return { columns: [], unknown: [], problems: [{ key: 'csv_too_many_columns', field: '', params: { max: String(MOST) } }] };
  const fields = SHEET_FIELDS[kind];
  const byName = namesOf(fields);
  const byHand = new Map(Object.entries(mapping).map(([name, path]) => [plainHeader(name), { name, path: path.trim() }]));
  const result: Columns = { columns: [], unknown: [], problems: [] };
  const taken = new Map<string, string>();
  header.forEach((raw, index) => {
    const name = raw.trim();
    if (name === '') return;
    const plain = plainHeader(name);
    const hand = byHand.get(plain);
    byHand.delete(plain);
    if (hand?.path === '') return;
    const field = hand ? fieldOf(fields, hand.path) : (byName.get(plain) ?? metadataOf(name));
    if (hand && !field) result.problems.push({ key: 'csv_path_unknown', field: 'mapping', params: { path: hand.path, header: hand.name } });
    else if (!field) {
      if (result.unknown.length < REPORTED) result.unknown.push(name);
    } else if (taken.has(field.path))
      result.problems.push({
        key: 'csv_column_twice',
        field: field.path,
        params: { first: taken.get(field.path) as string, second: name },
      });
    else {
      taken.set(field.path, name);
      result.columns.push({ index, header: name, field });
    }
  });
  for (const { name } of byHand.values()) result.problems.push({ key: 'csv_header_unknown', field: 'mapping', params: { header: name } });
  for (const { path, required } of fields)
    if (required && !taken.has(path)) result.problems.push({ key: 'csv_column_missing', field: path, params: { path } });
  return result;
}

/** Returns the field of a path that a sender wrote, by its exact spelling. */
function fieldOf(fields: SheetField[], path: string): SheetField | undefined {
  return fields.find((field) => field.path === path) ?? metadataOf(path);
}

/** `metadata.anything` is stored with the record. */
function metadataOf(name: string): SheetField | undefined {
  return /^metadata\.[a-z][\w-]{0,63}$/i.test(name) && name !== 'metadata.csv_line' ? { path: name, type: 'text', names: [] } : undefined;
}

const known = new WeakMap<SheetField[], Map<string, SheetField>>();

/** Returns the fields by plain header. A path goes before another field's synonym, and an earlier synonym before a later one. */
function namesOf(fields: SheetField[]): Map<string, SheetField> {
  const found = known.get(fields);
  if (found) return found;
  const names = new Map<string, SheetField>();
  for (const field of fields) names.set(plainHeader(field.path), field);
  // A site can be addressed by its place in the list or by its waypoint: sites.pickup.name.
  for (const field of fields)
    if (WAYPOINTS.some((waypoint) => field.path.startsWith(`${waypoint}.`))) addName(names, `sites.${field.path}`, field);
  for (const field of fields) for (const name of field.names) addName(names, name, field);
  known.set(fields, names);
  return names;
}

function addName(names: Map<string, SheetField>, name: string, field: SheetField): void {
  const plain = plainHeader(name);
  if (!names.has(plain)) names.set(plain, field);
}

/** Returns the list that a path belongs to, such as `foremen` for `foremen.email`. */
export function listOf(path: string): (typeof LISTS)[number] | undefined {
  return LISTS.find((list) => path === list || path.startsWith(`${list}.`));
}
