import { crc32 } from 'node:zlib';
import type { ByteWindow } from './byte-window.ts';

/** Pixels of the largest image we take: beyond, whoever decodes it later needs gigabytes. Telephones reach 200 million. */
const MOST_PIXELS = 250_000_000;
const LONGEST_SIDE = 65_535;
/** Chunks of the longest file we walk through: those of scanners and cameras are kilobytes long. */
const MOST_CHUNKS = 65_536;

const isSane = (width: number, height: number): boolean =>
  width > 0 && height > 0 && width <= LONGEST_SIDE && height <= LONGEST_SIDE && width * height <= MOST_PIXELS;

/**
 * SOI, segments with a frame header, entropy-coded data, EOI (ITU T.81 Annex B). What telephones append behind EOI (previews, depth
 * maps) stays: it is theirs, and no reader of JPEG looks at it.
 */
export function isWholeJpeg(file: ByteWindow): boolean {
  let framed = false;
  let scanned = false;
  for (let at = 2; at + 2 <= file.size; ) {
    if (file.byte(at) !== 0xff) return false;
    const marker = file.byte(at + 1);
    // Fill bytes before a marker.
    if (marker === 0xff) at += 1;
    else if (marker === 0xd9) return framed && scanned;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else {
      const segment = file.at(at + 2, 7);
      const length = segment.length < 2 ? 0 : segment.readUInt16BE(0);
      if (marker < 0xc0 || marker === 0xd8 || length < 2 || at + 2 + length > file.size) return false;
      if (isFrame(marker)) {
        if (segment.length < 7 || !isSane(segment.readUInt16BE(5), segment.readUInt16BE(3))) return false;
        framed = true;
      }
      at += 2 + length;
      if (marker === 0xda) {
        scanned = true;
        at = endOfScan(file, at);
      }
    }
  }
  return false;
}

/** SOF0 to SOF15 without DHT, JPG and DAC. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** The marker behind entropy-coded data, in which FF is followed by 00 or a restart marker; FF before a marker fills up. */
function endOfScan(file: ByteWindow, from: number): number {
  const at = file.find(0xff, from, (next) => next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7));
  return at < 0 ? file.size : at;
}

/** Chunks from IHDR to IEND, which ends the file (PNG, third edition, section 5). */
export function isWholePng(file: ByteWindow): boolean {
  let data = false;
  for (let at = 8, chunks = 0; at + 12 <= file.size && chunks < MOST_CHUNKS; chunks++) {
    const head = file.at(at, 25);
    const length = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    if (at === 8) {
      const header = file.at(at, 25);
      if (type !== 'IHDR' || length !== 13 || header.length < 25) return false;
      if (!isSane(header.readUInt32BE(8), header.readUInt32BE(12))) return false;
      if (crc32(header.subarray(4, 21)) !== header.readUInt32BE(21)) return false;
    }
    if (!/^[A-Za-z]{4}$/.test(type)) return false;
    if (type === 'IDAT') data = true;
    at += 12 + length;
    if (type === 'IEND') return data && length === 0 && at === file.size;
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
      // One byte of code size stands before the data.
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
    // Chunks stand at even offsets.
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
