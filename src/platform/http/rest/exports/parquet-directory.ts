import type { FileMetaData, RowGroup } from 'hyparquet';
import { ByteWriter, type Writer } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';

/** The word at both ends of a file: `PAR1`. */
const MAGIC = 0x31524150;
/** The list of row groups, of a few or of many, as Thrift's compact protocol begins it: its length, and that it is of structures. */
const STRUCT = 12;
const MOST_FEW = 14;

/**
 * The directory at the end of a Parquet file. Of each row group the library would keep an object of a dozen values for each column, and make a second
 * tree of all of them at the end; here it is written at once, as the bytes that come into the file, about a tenth of that.
 */
export class ParquetDirectory {
  readonly #about: Pick<FileMetaData, 'schema' | 'created_by'>;
  readonly #groups: Uint8Array[] = [];
  #rows = 0n;
  /** Bytes of a directory behind its list of row groups. */
  #behind = 0;

  constructor(about: Pick<FileMetaData, 'schema' | 'created_by'>) {
    this.#about = about;
  }

  add(group: RowGroup): void {
    const [none, one] = [this.#written([]), this.#written([group])];
    // They differ first where the list begins, which takes one byte in both.
    const head = none.findIndex((byte, at) => byte !== one[at]);
    this.#behind = none.length - head - 1;
    this.#groups.push(one.slice(head + 1, one.length - this.#behind));
    this.#rows += group.num_rows;
  }

  /** Writes it to the end of the file. */
  write(to: Writer): void {
    const none = this.#written([], this.#rows);
    const begin = to.offset;
    if (this.#groups.length === 0) to.appendBytes(none);
    else {
      const head = none.length - this.#behind - 1;
      to.appendBytes(none.subarray(0, head));
      if (this.#groups.length > MOST_FEW) {
        to.appendUint8((0xf << 4) | STRUCT);
        to.appendVarInt(this.#groups.length);
      } else to.appendUint8((this.#groups.length << 4) | STRUCT);
      for (const group of this.#groups) to.appendBytes(group);
      to.appendBytes(none.subarray(head + 1));
    }
    to.appendUint32(to.offset - begin);
    to.appendUint32(MAGIC);
  }

  /** A directory of row groups, without its length. */
  #written(groups: RowGroup[], rows = 0n): Uint8Array {
    const to = new ByteWriter();
    writeMetadata(to, { version: 2, ...this.#about, num_rows: rows, row_groups: groups, metadata_length: 0 });
    return to.getBytes().slice(0, -4);
  }
}
