import { readSync } from 'node:fs';

/** Bytes in memory at a time. */
const SIZE = 65_536;

/**
 * Looks at a file through a window, however large it is. Reads are synchronous: the file has just been written, so they come from the
 * page cache, and a step of the walk through a file costs nanoseconds instead of a turn of the event loop.
 */
export class ByteWindow {
  readonly #buffer = Buffer.alloc(SIZE);
  #from = 0;
  #length = 0;

  constructor(
    readonly fd: number,
    readonly size: number,
  ) {}

  /** Up to `length` bytes (at most 64 KiB) at `offset`; fewer at the end. Valid until the next call. */
  at(offset: number, length: number): Buffer {
    if (offset < this.#from || offset + length > this.#from + this.#length) this.#move(offset);
    const start = offset - this.#from;
    return this.#buffer.subarray(start, Math.min(start + length, this.#length));
  }

  /** A byte; -1 behind the end. */
  byte(offset: number): number {
    if (offset < this.#from || offset >= this.#from + this.#length) this.#move(offset);
    return this.#length > 0 ? this.#buffer[offset - this.#from]! : -1;
  }

  /** Where, from `offset` on, the first byte is `value` and the one behind it meets `follows`; -1 when nowhere. */
  find(value: number, offset: number, follows: (next: number) => boolean): number {
    for (let at = offset; at + 1 < this.size; ) {
      if (at < this.#from || at + 1 >= this.#from + this.#length) this.#move(at);
      const last = this.#length - 1;
      if (last < 1) return -1;
      let i = at - this.#from;
      while (i < last && !(this.#buffer[i] === value && follows(this.#buffer[i + 1]!))) i++;
      if (i < last) return this.#from + i;
      at = this.#from + last;
    }
    return -1;
  }

  #move(offset: number): void {
    this.#from = offset;
    this.#length = readSync(this.fd, this.#buffer, 0, SIZE, offset);
  }
}
