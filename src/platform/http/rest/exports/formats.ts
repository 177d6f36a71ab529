import { setImmediate as turn } from 'node:timers/promises';
import type { Request } from 'express';
import { type GraphQLSchema, getNullableType, isListType } from 'graphql';
import { type CsvRow, csvLines } from '../../../csv.ts';
import { acceptedOf } from '../negotiation.ts';
import type { RestOperation } from '../operation.ts';
import { cellsOf, columnsOf, nameOf } from './columns.ts';
import { ParquetFile } from './parquet.ts';

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
/** As Apache has registered it. */
export const PARQUET = 'application/vnd.apache.parquet';
const OFFERED = [CSV, `${CSV}; charset=utf-8`, NDJSON, `${NDJSON}; charset=utf-8`, PARQUET];

/** The name of the value of `page[after]` that continues behind a record: a key of NDJSON, the last column of a sheet. */
const POSITION = 'page_after';

/** A list as CSV whose lines are not the records: what a room says of one list, where its records have lists that people read as lines. */
export interface Sheet {
  columns(variables: Record<string, unknown>): readonly string[];
  /** Returns the lines of a record, as REST answers it. */
  lines(record: never, variables: Record<string, unknown>): readonly CsvRow[];
  /** Changes what is asked for, so that records without lines are not read. */
  narrow?(variables: Record<string, unknown>): Record<string, unknown>;
}

/** Sheets by operation name. */
export type Sheets = Readonly<Record<string, Sheet>>;

/** A record of an exported list, and the cursor behind it if the client wants positions. */
export interface Line {
  record: unknown;
  position?: string;
}

/** Values that are read at a time, and records at most. While a chunk is read from PostgreSQL's answer, nothing else has its turn in the process. */
const READ_AT_ONCE = 50_000;
const MOST_RECORDS = 500;
/** Values that are written as text at a time, some ten milliseconds of a busy machine. */
const WRITTEN_AT_ONCE = 5_000;

/** A piece of a file. */
export type Piece = string | Uint8Array;

/** A form in which a list is exported, for one file at a time. */
export interface Format<P extends Piece = Piece> {
  type: (typeof EXPORT_TYPES)[number];
  /** As the header says it. */
  contentType: string;
  /** Name that browsers suggest. */
  filename: string;
  /** The number of records that are read at a time. It limits the memory of an export of any length. */
  chunk: number;
  /** Begins a file. @returns what is before the first record */
  head(positions: boolean): P;
  /** What is to be sent with these records. Called once at a time: a form may let others have a turn in between. */
  lines(records: readonly Line[]): P | Promise<P>;
  /** Ends the file. @returns what is behind the last record */
  end(): P | Promise<P>;
}

/** Whether an operation answers a list, which is exported in every form of `EXPORT_TYPES`. */
export const isList = ({ method, reply, paged, rootType }: RestOperation): boolean =>
  method === 'GET' && reply === 'DATA' && (paged || isListType(getNullableType(rootType)));

/** The media types of exports, as OpenAPI names them. */
export const EXPORT_TYPES = [CSV, NDJSON, PARQUET] as const;

/** Media types in which an operation can answer, in addition to JSON. */
export const exportsOf = (operation: RestOperation): readonly string[] => (isList(operation) ? OFFERED : []);

/** Returns the media type in which a client wants a list if it is not JSON. */
export function exportTypeOf(req: Request, operation: RestOperation): Format['type'] | undefined {
  if (!isList(operation) || req.headers.accept === undefined) return undefined;
  const best = acceptedOf(req, ['application/json', 'application/json; charset=utf-8', ...OFFERED]);
  return EXPORT_TYPES.find((type) => best?.startsWith(type));
}

/** @param sheet of a list whose CSV has other lines than its records */
export function formatOf(
  type: Format['type'],
  operation: RestOperation,
  variables: Record<string, unknown>,
  schema: GraphQLSchema,
  sheet: Sheet | undefined,
): Format {
  return type === PARQUET ? parquetOf(operation, schema) : textOf(type, operation, variables, schema, sheet);
}

const fileOf = ({ name }: RestOperation): string =>
  name
    .replace(/^(List|Get)/, '')
    .replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();

/** Records that have so many values together, one at least. */
const recordsOf = (values: number, columns: number, most = Number.POSITIVE_INFINITY): number =>
  Math.max(1, Math.min(most, Math.floor(values / Math.max(1, columns))));

/** Records with typed columns, which is not cut and continued: readers find everything from the end of the file. */
function parquetOf(operation: RestOperation, schema: GraphQLSchema): Format<Uint8Array> {
  const columns = columnsOf(schema, operation);
  let file: ParquetFile;
  return {
    type: PARQUET,
    contentType: PARQUET,
    filename: `${fileOf(operation)}.parquet`,
    chunk: recordsOf(READ_AT_ONCE, columns.length, MOST_RECORDS),
    head(positions) {
      file = new ParquetFile(columns, positions ? [POSITION] : []);
      return file.begin();
    },
    lines: (records) => file.write(records.map(({ record, position }) => [record, position])),
    end: () => file.end(),
  };
}

/** The forms that are texts. */
function textOf(
  type: Exclude<Format['type'], typeof PARQUET>,
  operation: RestOperation,
  variables: Record<string, unknown>,
  schema: GraphQLSchema,
  sheet: Sheet | undefined,
): Format<string> {
  const name = fileOf(operation);
  const typed = columnsOf(schema, operation);
  const text = {
    type,
    contentType: `${type}; charset=utf-8`,
    chunk: recordsOf(READ_AT_ONCE, typed.length, MOST_RECORDS),
    end: () => '',
  };
  const inTurns = (write: (records: readonly Line[]) => string) => inPieces(write, recordsOf(WRITTEN_AT_ONCE, typed.length));
  if (type === NDJSON) return { ...text, filename: `${name}.ndjson`, head: () => '', lines: inTurns(ndjsonOf) };
  const columns = sheet?.columns(variables) ?? typed.map(({ path }) => nameOf(path));
  const linesOf = (record: unknown) => sheet?.lines(record as never, variables) ?? [cellsOf(typed, record)];
  return {
    ...text,
    filename: `${name}.csv`,
    head: (positions) => csvLines([positions ? [...columns, POSITION] : columns], { bom: true }),
    lines: inTurns((records) => {
      const rows = records.flatMap(({ record, position }) => {
        const lines = linesOf(record);
        if (position === undefined) return lines;
        // Behind the last line of a record, so that who goes on from there has all of them.
        return lines.map((line, at) => [...line, at === lines.length - 1 ? position : null]);
      });
      return csvLines(rows);
    }),
  };
}

/** Writes so many records at a time, and lets everything else have its turn in between. */
const inPieces =
  (write: (records: readonly Line[]) => string, atOnce: number) =>
  async (records: readonly Line[]): Promise<string> => {
    let text = '';
    for (let from = 0; from < records.length; from += atOnce) {
      if (from > 0) await turn();
      text += write(records.slice(from, from + atOnce));
    }
    return text;
  };

const ndjsonOf = (records: readonly Line[]): string =>
  records
    .map(({ record, position }) => `${JSON.stringify(position === undefined ? record : { ...(record as object), [POSITION]: position })}\n`)
    .join('');
