import { crc32 } from 'node:zlib';
import type { ByteWindow } from './byte-window.ts';

/** Pixels of the largest image that is accepted: decoding a larger one takes gigabytes. Telephones reach 200 million. */
const MOST_PIXELS = 250_000_000;
const LONGEST_SIDE = 65_535;
/** Chunks of the longest file we walk through: those of scanners and cameras are kilobytes long. */
const MOST_CHUNKS = 65_536;

/** Sides of an image that somebody can show. */
export const isSane = (width: number, height: number): boolean =>
  width > 0 && height > 0 && width <= LONGEST_SIDE && height <= LONGEST_SIDE && width * height <= MOST_PIXELS;

/** Samples of a pixel by color type (PNG, third edition, table 11.1). */
const SAMPLES: readonly (number | undefined)[] = [1, undefined, 3, 1, 2, undefined, 4];
/** Bytes that one byte of deflated data can become at most. */
const MOST_INFLATED = 1_032;

/** Chunks from IHDR to IEND, which ends the file (PNG, third edition, section 5), with data enough for its size. */
export function isWholePng(file: ByteWindow): boolean {
  let needed = 0;
  let data = 0;
  for (let at = 8, chunks = 0; at + 12 <= file.size && chunks < MOST_CHUNKS; chunks++) {
    const head = file.at(at, 25);
    const length = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    if (at === 8) {
      const header = file.at(at, 25);
      if (type !== 'IHDR' || length !== 13 || header.length < 25) return false;
      if (!isSane(header.readUInt32BE(8), header.readUInt32BE(12))) return false;
      if (crc32(header.subarray(4, 21)) !== header.readUInt32BE(21)) return false;
      const bits = (SAMPLES[header[17]!] ?? 0) * header[16]!;
      if (bits === 0) return false;
      needed = (header.readUInt32BE(8) * header.readUInt32BE(12) * bits) / 8 / MOST_INFLATED;
    }
    if (!/^[A-Za-z]{4}$/.test(type)) return false;
    if (type === 'IDAT') data += length;
    at += 12 + length;
    if (type === 'IEND') return data > 0 && data >= needed && length === 0 && at === file.size;
  }
  return false;
}

/** Blocks from the logical screen to the trailer, which ends the file, with an image among them (GIF89a). */
export function isWholeGif(file: ByteWindow): boolean {
  const screen = file.at(0, 13);
  if (screen.length < 13 || !/^GIF8[79]a$/.test(screen.toString('latin1', 0, 6))) return false;
  if (!isSane(screen.readUInt16LE(6), screen.readUInt16LE(8))) return false;
  let images = 0;
  for (let at = 13 + colorTable(screen[10]!); at >= 0 && at < file.size; ) {
    const block = file.byte(at);
    if (block === 0x3b) return images > 0 && at + 1 === file.size;
    if (block === 0x21) at = endOfSubBlocks(file, at + 2);
    else if (block === 0x2c) {
      const image = file.at(at, 10);
      if (image.length < 10 || !isSane(image.readUInt16LE(5), image.readUInt16LE(7))) return false;
      images++;
      // One byte of code size precedes the data.
      at = endOfSubBlocks(file, at + 10 + colorTable(image[9]!) + 1);
    } else return false;
  }
  return false;
}

/** Bytes of the color table a packed field announces. */
const colorTable = (packed: number): number => (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0);

/** Behind the empty block that ends a chain; -1 when it does not end. */
function endOfSubBlocks(file: ByteWindow, from: number): number {
  for (let at = from; at < file.size; ) {
    const length = file.byte(at);
    at += 1 + length;
    if (length === 0) return at;
  }
  return -1;
}

/** A RIFF of type WEBP that is as long as it says and holds an image (RFC 9649). */
export function isWholeWebp(file: ByteWindow): boolean {
  const riff = file.at(0, 12);
  if (riff.length < 12 || riff.readUInt32LE(4) + 8 !== file.size) return false;
  let images = 0;
  for (let at = 12, chunks = 0; at + 8 <= file.size && chunks < MOST_CHUNKS; chunks++) {
    const chunk = file.at(at, 18);
    const type = chunk.toString('latin1', 0, 4);
    const length = chunk.readUInt32LE(4);
    if (at + 8 + length > file.size) return false;
    if (type === 'VP8X' || type === 'VP8 ' || type === 'VP8L') {
      const size = chunk.length === 18 ? webpSize(type, chunk.subarray(8)) : undefined;
      if (!size || !isSane(...size)) return false;
      if (type !== 'VP8X') images++;
    }
    if (type === 'ANMF') images++;
    // Chunks begin at even offsets.
    at += 8 + length + (length % 2);
    if (at === file.size) return images > 0;
  }
  return false;
}

function webpSize(type: string, data: Buffer): [number, number] | undefined {
  if (type === 'VP8X') return [data.readUIntLE(4, 3) + 1, data.readUIntLE(7, 3) + 1];
  if (type === 'VP8L') {
    const bits = data.readUInt32LE(1);
    return data[0] === 0x2f ? [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1] : undefined;
  }
  return data.readUIntBE(3, 3) === 0x9d012a ? [data.readUInt16LE(6) & 0x3fff, data.readUInt16LE(8) & 0x3fff] : undefined;
}
