import type { Request } from 'express';
import { type GraphQLSchema, getNullableType, isListType } from 'graphql';
import { type CsvRow, csvLines } from '../../../csv.ts';
import type { RestOperation } from '../operation.ts';
import { cellsOf, columnsOf, nameOf } from './columns.ts';

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
const OFFERED = [CSV, `${CSV}; charset=utf-8`, NDJSON, `${NDJSON}; charset=utf-8`];

/** What the value of `page[after]` is called that continues behind a record: a key of NDJSON, the last column of CSV. */
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

/** A form in which a list is exported. */
export interface Format {
  type: typeof CSV | typeof NDJSON;
  /** Name that browsers suggest. */
  filename: string;
  /** The text before the first record. */
  head(positions: boolean): string;
  lines(records: readonly Line[]): string;
}

/** Whether an operation answers a list, which is exported in every form of `EXPORT_TYPES`. */
export const isList = ({ method, reply, paged, rootType }: RestOperation): boolean =>
  method === 'GET' && reply === 'DATA' && (paged || isListType(getNullableType(rootType)));

/** The media types of exports, as OpenAPI names them. */
export const EXPORT_TYPES = [CSV, NDJSON] as const;

/** Media types in which an operation can answer, in addition to JSON. */
export const exportsOf = (operation: RestOperation): readonly string[] => (isList(operation) ? OFFERED : []);

/** Returns the media type in which a client wants a list if it is not JSON. */
export function exportTypeOf(req: Request, operation: RestOperation): Format['type'] | undefined {
  if (!isList(operation) || req.headers.accept === undefined) return undefined;
  const best = req.accepts(['application/json', 'application/json; charset=utf-8', ...OFFERED]);
  return EXPORT_TYPES.find((type) => typeof best === 'string' && best.startsWith(type));
}

/** @param sheet of a list whose CSV has other lines than its records */
export function formatOf(
  type: Format['type'],
  operation: RestOperation,
  variables: Record<string, unknown>,
  schema: GraphQLSchema,
  sheet: Sheet | undefined,
): Format {
  const name = operation.name
    .replace(/^(List|Get)/, '')
    .replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
  if (type === NDJSON) return { type, filename: `${name}.ndjson`, head: () => '', lines: ndjsonOf };
  const paths = sheet ? [] : columnsOf(schema, operation);
  const columns = sheet?.columns(variables) ?? paths.map(nameOf);
  const linesOf = (record: unknown) => sheet?.lines(record as never, variables) ?? [cellsOf(paths, record)];
  return {
    type,
    filename: `${name}.csv`,
    head: (positions) => csvLines([positions ? [...columns, POSITION] : columns], { bom: true }),
    lines: (records) => {
      const rows = records.flatMap(({ record, position }) => {
        const lines = linesOf(record);
        if (position === undefined) return lines;
        // Behind the last line of a record, so that who goes on from there has all of them.
        return lines.map((line, at) => [...line, at === lines.length - 1 ? position : null]);
      });
      return rows.length > 0 ? csvLines(rows) : '';
    },
  };
}

const ndjsonOf = (records: readonly Line[]): string =>
  records
    .map(({ record, position }) => `${JSON.stringify(position === undefined ? record : { ...(record as object), [POSITION]: position })}\n`)
    .join('');
