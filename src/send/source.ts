import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { type HeaderProblem, matchColumns } from '../ingest/csv/columns.ts';
import { toElement } from '../ingest/csv/element.ts';
import { SHEET_KINDS, type SheetKind } from '../ingest/csv/fields.ts';
import { doubtfulNumbers, numberStyleOf } from '../ingest/csv/number-style.ts';
import { type CsvSheet, openCsv, type RowFault, UnreadableCsv } from '../ingest/csv/read-csv.ts';
import { count, plain, usage } from './fault.ts';
import { type JsonPart, partsOf } from './json-parts.ts';
import type { Options } from './options.ts';
import { partOf } from './part.ts';
import { decodedLines, decodeText } from './text.ts';

/** An element of the file, for JSON also its original text; or why it cannot be sent. */
export type Item = { place: string } & ({ element: unknown; text?: string } | { fault: string });

export interface Source {
  kind: SheetKind;
  /** SHA-256 of the file, in hex. */
  hash: string;
  /** The number of elements; for NDJSON, of lines. */
  total: number;
  /** The file's metadata for all its elements, which is sent with each request: JSON. */
  metadata?: string;
  /** Columns of a sheet that are ignored, and further keys of a JSON file. */
  unknownColumns: string[];
  /** Numbers of a sheet that may mean a thousand times as much, as they are written there and as they are sent. */
  doubtful: { place: string; pointer: string; given: unknown; used?: unknown }[];
  /** The elements in order, the same ones each time. */
  items(): AsyncIterable<Item> | Iterable<Item>;
}

/** The most characters of the metadata, which must fit into a request together with elements. */
const LARGEST_METADATA = 100_000;

/** Opens a file by its extension. NDJSON is read line by line, everything else at once. @throws Fault if it cannot be read */
export async function openSource(options: Pick<Options, 'file' | 'kind' | 'mapping' | 'strict'>): Promise<Source> {
  const { file } = options;
  const type = extname(file).toLowerCase();
  const isSheet = type === '.csv' || type === '.tsv' || type === '.txt';
  if (!isSheet && Object.keys(options.mapping).length > 0) throw usage(`--map places columns of a sheet; ${file} is none.`);
  try {
    if (isSheet) return openSheet(options, await readFile(file));
    if (type === '.ndjson' || type === '.jsonl') return await openLines(options);
    if (type === '.json') return openJson(options, await readFile(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw usage(`There is no file ${file}.`);
    if (code === 'EISDIR') throw usage(`${file} is a folder.`);
    if (code === 'EACCES') throw usage(`${file} may not be read.`);
    throw error;
  }
  throw usage(`${file} must end in .csv, .json or .ndjson.`);
}

function openSheet({ file, kind: given, mapping, strict }: Pick<Options, 'file' | 'kind' | 'mapping' | 'strict'>, bytes: Buffer): Source {
  const sheet = readSheet(file, decodeText(file, bytes));
  const kind = given ?? kindByName(file) ?? SHEET_KINDS.find((one) => matchColumns(one, sheet.header, mapping).problems.length === 0);
  if (!kind) throw usage(`${file} does not show whether it holds orders, projects or tickets: use --kind.`);
  const { columns, unknown, problems } = matchColumns(kind, sheet.header, mapping);
  if (problems.length > 0)
    throw usage(`The columns of ${file} do not make ${kind}:\n${problems.map((one) => `  ${sentenceOf(one)}`).join('\n')}`);
  const rows = [...sheet.blocks()].flat();
  const style = numberStyleOf(columns, rows, sheet.separator);
  const doubtful: Source['doubtful'] = [];
  const items = rows.map((row): Item => {
    const place = `line ${row.line}`;
    if ('fault' in row) return { place, fault: faultOf(row.fault) };
    const element = toElement(columns, row.cells, row.line, style.mark);
    if (!style.doubtful) return { place, element };
    const mine = doubtfulNumbers(columns, element);
    // The server reads the JSON, in which nothing is open any more, so a guess is refused here.
    const refused = strict && mine.map(({ pointer, given }) => `ambiguous_number: ${pointer}: ${given} may be a thousand times as large`);
    if (refused && refused.length > 0) return { place, fault: refused.join(' | ') };
    for (const { pointer, given, used } of mine) doubtful.push({ place, pointer, given, used });
    return { place, element };
  });
  return { kind, hash: hashOf(bytes), total: items.length, unknownColumns: unknown, doubtful, items: () => items };
}

function readSheet(file: string, text: string): CsvSheet {
  try {
    return openCsv(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof UnreadableCsv)) throw error;
    throw usage(`${file} has no header row.`);
  }
}

function sentenceOf({ key, params }: HeaderProblem): string {
  const quoted = (name: string) => `"${plain(params[name] ?? '')}"`;
  switch (key) {
    case 'csv_too_many_columns':
      return `There are more than ${params.max} columns.`;
    case 'csv_column_missing':
      return `No column for ${params.path}, which is required (place one with --map HEADER=${params.path}).`;
    case 'csv_column_twice':
      return `The columns ${quoted('first')} and ${quoted('second')} mean the same field (leave one out with --map HEADER=).`;
    case 'csv_path_unknown':
      return `There is no field ${quoted('path')} for the column ${quoted('header')}.`;
    case 'csv_header_unknown':
      return `There is no column ${quoted('header')}.`;
  }
}

function faultOf(fault: RowFault): string {
  if (fault.code === 'cells') return `invalid_row: has ${fault.given} cells, the header has ${fault.wanted}`;
  if (fault.code === 'nul') return 'invalid_row: contains a NUL character';
  return 'invalid_row: has a quotation mark in the wrong place, or one that is never closed';
}

function openJson({ file, kind: given }: Pick<Options, 'file' | 'kind'>, bytes: Buffer): Source {
  const text = decodeText(file, bytes);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw usage(`${file} is not JSON: ${plain((error as Error).message)}.`);
  }
  const root = isObject(body) ? body : undefined;
  const kinds = root ? SHEET_KINDS.filter((kind) => kind in root) : [];
  if (kinds.length > 1) throw usage(`${file} holds ${kinds.join(' and ')}: put each kind into a file of its own.`);
  const kind = given ?? kinds[0] ?? kindByName(file);
  if (!kind) throw usage(`${file} does not show whether it holds orders, projects or tickets: use --kind.`);
  const { [kind]: elements, metadata, ...others } = root ?? { [kind]: body };
  if (!Array.isArray(elements)) throw usage(`${file} must hold {"${kind}": [...]} or an array.`);
  const parts = root ? partsOf(text) : [{ key: kind, text }];
  const [list, metadataText] = [kind, 'metadata'].map((key) => onlyText(file, parts, key));
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) throw usage(`"metadata" of ${file} must be an object.`);
  const { part, why } = partOf(metadata ?? null, metadataText);
  if (why !== undefined) throw usage(`"metadata" of ${file} cannot be sent: ${why}.`);
  if (part.length > LARGEST_METADATA) throw usage(`"metadata" of ${file} is too large to go with each request.`);
  const texts = partsOf(list!);
  const items = elements.map((element, i): Item => ({ place: `element ${count(i + 1)}`, element, text: texts[i]!.text }));
  return {
    kind,
    hash: hashOf(bytes),
    total: items.length,
    metadata: metadataText,
    unknownColumns: Object.keys(others),
    doubtful: [],
    items: () => items,
  };
}

/** Returns the text of a part that may appear only once: of two, the first would be lost. */
function onlyText(file: string, parts: readonly JsonPart[], key: string): string | undefined {
  const [first, second] = parts.filter((part) => part.key === key);
  if (second) throw usage(`${file} holds "${key}" more than once: only the last one would count.`);
  return first?.text;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

async function openLines({ file, kind: given }: Pick<Options, 'file' | 'kind'>): Promise<Source> {
  const kind = given ?? kindByName(file);
  if (!kind) throw usage(`The name ${file} does not show whether it holds orders, projects or tickets: use --kind.`);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  let total = 0;
  for await (const line of decodedLines(file)) if (line.trim() !== '') total++;
  return { kind, hash: hash.digest('hex'), total, unknownColumns: [], doubtful: [], items: () => readLines(file) };
}

async function* readLines(file: string): AsyncIterable<Item> {
  let number = 0;
  for await (const line of decodedLines(file)) {
    number++;
    const text = line.replace(/^\uFEFF/, '').trim();
    if (text === '') continue;
    yield { place: `line ${number}`, ...parseLine(text) };
  }
}

function parseLine(text: string): { element: unknown; text: string } | { fault: string } {
  try {
    return { element: JSON.parse(text) as unknown, text };
  } catch (error) {
    // The parser counts lines from this one.
    return { fault: `not_json: ${plain((error as Error).message).replace(/ \(line \d+ column \d+\)$/, '')}` };
  }
}

function kindByName(file: string): SheetKind | undefined {
  const name = basename(file).toLowerCase();
  const named = SHEET_KINDS.filter((kind) => name.includes(kind.slice(0, -1)));
  return named.length === 1 ? named[0] : undefined;
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
