import { setImmediate as turn } from 'node:timers/promises';
import { type GraphQLOutputType, getNamedType, getNullableType, isEnumType, isListType } from 'graphql';
import type { RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { Decimal } from '../../../decimal.ts';
import { type Column, nameOf, valueAt } from './columns.ts';
import { ParquetDirectory } from './parquet-directory.ts';

/** Records of a row group at least: readers skip whole groups, and the values of one are what a file of any length keeps in memory. */
const GROUP = 1_000;
/** Values that are taken or written at a time, some ten milliseconds of a busy machine. Then everything else that waits in this process has its turn. */
const AT_ONCE = 5_000;
/** Digits behind the point of a decimal number: places have most of them, and money four. */
const SCALE = 12;
const DAY = 86_400_000;

/** The form in which a file keeps values of a GraphQL type: the column's type, and the value as the library takes it. */
interface Kept {
  element: Omit<SchemaElement, 'name'>;
  value(of: unknown): unknown;
  /** The least and the greatest value of a row group are noted, by which readers skip it: worth its time for what lists are in the order of. */
  ranged?: true;
}

const asIs = (value: unknown): unknown => value;
const TEXT: Kept = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  value: (of) => (typeof of === 'string' ? of : JSON.stringify(of)),
};
/** The column of values that have no type of their own in a sheet: lists, objects of any shape. */
const JSON_TEXT: Kept = { element: { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } }, value: asIs };
/** By scalar. */
const KEPT: Record<string, Kept> = {
  ID: TEXT,
  String: TEXT,
  DateOrInstant: TEXT,
  Boolean: { element: { type: 'BOOLEAN' }, value: asIs },
  Int: { element: { type: 'INT32' }, value: asIs, ranged: true },
  Float: { element: { type: 'DOUBLE' }, value: asIs },
  WholeNumber: { element: { type: 'INT64' }, value: (of) => BigInt(of as string | number) },
  Decimal: {
    element: {
      // With the older `converted_type`, too, the library would make the bytes, and takes several times as long.
      ...{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, precision: 38, scale: SCALE },
      logical_type: { type: 'DECIMAL', precision: 38, scale: SCALE },
    },
    value: (of) => bytesOf(unscaled(of)),
  },
  DateTime: {
    element: {
      ...{ type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    value: (of) => BigInt(Date.parse(of as string)),
    ranged: true,
  },
  Date: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    value: (of) => Date.parse(of as string) / DAY,
    ranged: true,
  },
};

const PLAIN = /^(-?)(\d+)(?:\.(\d+))?$/;

/** A decimal number as a whole number of its last digits. Digits behind the twelfth are rounded; no column of a record has more. */
function unscaled(value: unknown): bigint {
  const [, sign = '', whole, behind = ''] = PLAIN.exec(String(value)) ?? [];
  if (whole !== undefined && behind.length <= SCALE) return BigInt(`${sign}${whole}${behind.padEnd(SCALE, '0')}`);
  return BigInt(
    new Decimal(value as string | number)
      .toDecimalPlaces(SCALE)
      .times(10 ** SCALE)
      .toFixed(),
  );
}

/** Sixteen bytes, the highest first. */
function bytesOf(value: bigint): Uint8Array {
  const view = new DataView(new ArrayBuffer(16));
  view.setBigInt64(0, value >> 64n);
  view.setBigUint64(8, BigInt.asUintN(64, value));
  return new Uint8Array(view.buffer);
}

function keptAs(type: GraphQLOutputType | undefined): Kept {
  if (!type || isListType(getNullableType(type))) return JSON_TEXT;
  const named = getNamedType(type);
  return isEnumType(named) ? TEXT : (KEPT[named.name] ?? JSON_TEXT);
}

/** Keeps what is written until it is taken. */
class Part extends ByteWriter {
  take(): Uint8Array {
    const bytes = new Uint8Array(this.buffer.slice(0, this.index));
    this.index = 0;
    return bytes;
  }
}

/**
 * A list as a Parquet file that is sent while it is made, a row group at a time. Every column may be null: what a reader may not see is so, too.
 * @param more names of columns of text behind those of the records
 */
export class ParquetFile {
  readonly #columns: (Kept & { name: string; path: Column['path'] | undefined })[];
  readonly #part = new Part();
  readonly #writer: ParquetWriter;
  readonly #directory: ParquetDirectory;
  /** The values that the row group has by now, by column. */
  #data: unknown[][];

  constructor(columns: readonly Column[], more: readonly string[] = []) {
    this.#columns = [
      ...columns.map(({ path, type }) => ({ name: nameOf(path), path, ...keptAs(type) })),
      ...more.map((name) => ({ name, path: undefined, ...TEXT })),
    ];
    const schema: SchemaElement[] = [
      { name: 'root', num_children: this.#columns.length },
      ...this.#columns.map(({ name, element }): SchemaElement => ({ ...element, name, repetition_type: 'OPTIONAL' })),
    ];
    this.#writer = new ParquetWriter({ writer: this.#part, schema });
    this.#directory = new ParquetDirectory({ schema, created_by: 'haulgate' });
    this.#data = this.#columns.map(() => []);
  }

  /** Begins the file. @returns its first bytes */
  begin(): Uint8Array {
    return this.#part.take();
  }

  /**
   * Takes records, each with what is in the columns behind its own. One call at a time.
   * @returns what is to be sent, if a row group is full
   */
  async write(rows: readonly (readonly [record: unknown, ...more: unknown[]])[]): Promise<Uint8Array> {
    let behind = 0;
    let taken = 0;
    for (const [index, { path, value }] of this.#columns.entries()) {
      const at = path ? 0 : ++behind;
      for (const row of rows) {
        const found = path ? valueAt(path, row[0]) : row[at];
        this.#data[index]!.push(found === null || found === undefined ? null : value(found));
      }
      taken += rows.length;
      if (taken < AT_ONCE) continue;
      taken = 0;
      await turn();
    }
    if (this.#length >= GROUP) await this.#close();
    return this.#part.take();
  }

  /** Ends the file. @returns the rest of it */
  async end(): Promise<Uint8Array> {
    if (this.#length > 0) await this.#close();
    this.#directory.write(this.#part);
    return this.#part.take();
  }

  get #length(): number {
    return this.#data[0]?.length ?? 0;
  }

  /** Writes the row group, some columns at a time. The library notes each time a group of these columns; together they are one. */
  async #close(): Promise<void> {
    const length = this.#length;
    const group: RowGroup = { columns: [], total_byte_size: 0n, total_compressed_size: 0n, num_rows: BigInt(length) };
    const most = Math.max(1, Math.floor(AT_ONCE / length));
    for (let from = 0; from < this.#columns.length; from += most) {
      const columnData = this.#columns.slice(from, from + most).map(({ name, ranged = false }, index) => {
        return { name, data: this.#data[from + index]!, offsetIndex: false, statistics: ranged };
      });
      // A file in memory has nothing to wait for.
      void this.#writer.write({ columnData, rowGroupSize: length });
      for (const { columns, total_byte_size, total_compressed_size } of this.#writer.row_groups.splice(0)) {
        group.columns.push(...columns);
        group.total_byte_size += total_byte_size;
        group.total_compressed_size! += total_compressed_size!;
      }
      // The indexes of pages that it would write, of which there are none.
      this.#writer.pendingIndexes = [];
      await turn();
    }
    this.#directory.add(group);
    this.#data = this.#columns.map(() => []);
  }
}
