import type { ByteWindow } from './byte-window.ts';
import { isSane } from './image-structure.ts';

interface Component {
  horizontal: number;
  vertical: number;
  quantization: number;
}

/** A frame header: the size and components to decode. */
interface Frame {
  marker: number;
  width: number;
  height: number;
  components: Map<number, Component>;
}

/** The tables that a decoder would have by now (ITU T.81). */
interface Known {
  frame?: Frame;
  quantization: Set<number>;
  /** DC tables by their number, AC tables by 16 and more. */
  huffman: Set<number>;
  /** Bytes of entropy-coded data. */
  coded: number;
  /** Components that some scan begins. */
  begun: Set<number>;
}

/**
 * SOI, a frame, the tables its scans name before they name them, as much entropy-coded data as the least possible coding of the frame
 * takes, EOI (T.81 Annex B). What telephones append behind EOI (previews, depth maps) stays: it is theirs, and no reader of JPEG looks
 * at it. No coefficient is decoded.
 */
export function isWholeJpeg(file: ByteWindow): boolean {
  const known: Known = { quantization: new Set(), huffman: new Set(), coded: 0, begun: new Set() };
  for (let at = 2; at + 2 <= file.size; ) {
    if (file.byte(at) !== 0xff) return false;
    const marker = file.byte(at + 1);
    // Fill bytes before a marker.
    if (marker === 0xff) at += 1;
    else if (marker === 0xd9) return isEnough(known);
    else if (marker === 0x01) at += 2;
    else {
      const head = file.at(at + 2, 2);
      const length = head.length < 2 ? 0 : head.readUInt16BE(0);
      // Lower values are reserved, and restart markers occur only in scans.
      if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8) || length < 2 || at + 2 + length > file.size) return false;
      if (!takeSegment(known, marker, file.at(at + 4, length - 2))) return false;
      at += 2 + length;
      if (marker === 0xda) {
        const end = endOfScan(file, at);
        known.coded += end - at;
        at = end;
      }
    }
  }
  return false;
}

/** @returns false for a segment that cannot be */
function takeSegment(known: Known, marker: number, segment: Buffer): boolean {
  if (isFrame(marker)) {
    // A second frame is of hierarchical files, which nothing shows.
    if (known.frame) return false;
    known.frame = frameOf(marker, segment);
    return known.frame !== undefined;
  }
  if (marker === 0xdb) return takeQuantization(known, segment);
  if (marker === 0xc4) return takeHuffman(known, segment);
  return marker !== 0xda || takeScan(known, segment);
}

/** SOF0 to SOF15 without DHT, JPG and DAC. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
const isLossless = (marker: number): boolean => (marker & 3) === 3;
const isProgressive = (marker: number): boolean => (marker & 3) === 2;
const isArithmetic = (marker: number): boolean => marker >= 0xc9;

function frameOf(marker: number, segment: Buffer): Frame | undefined {
  if (segment.length < 6 || segment.length !== 6 + 3 * segment[5]!) return undefined;
  const [height, width, count] = [segment.readUInt16BE(1), segment.readUInt16BE(3), segment[5]!];
  if (segment[0]! < 2 || segment[0]! > 16 || count < 1 || count > 4 || !isSane(width, height)) return undefined;
  const components = new Map<number, Component>();
  for (let at = 6; at < segment.length; at += 3) {
    const [horizontal, vertical] = [segment[at + 1]! >> 4, segment[at + 1]! & 15];
    if (horizontal < 1 || horizontal > 4 || vertical < 1 || vertical > 4) return undefined;
    components.set(segment[at]!, { horizontal, vertical, quantization: segment[at + 2]! });
  }
  return components.size === count ? { marker, width, height, components } : undefined;
}

function takeQuantization(known: Known, segment: Buffer): boolean {
  let at = 0;
  while (at < segment.length) {
    const [wide, id] = [segment[at]! >> 4, segment[at]! & 15];
    if (wide > 1 || id > 3) return false;
    known.quantization.add(id);
    at += 1 + 64 * (wide + 1);
  }
  return at === segment.length;
}

function takeHuffman(known: Known, segment: Buffer): boolean {
  let at = 0;
  while (at + 17 <= segment.length) {
    const [kind, id] = [segment[at]! >> 4, segment[at]! & 15];
    let codes = 0;
    let space = 0;
    for (let length = 1; length <= 16; length++) {
      codes += segment[at + length]!;
      space += segment[at + length]! * 2 ** (16 - length);
    }
    // More codes of a length than there are.
    if (kind > 1 || id > 3 || codes > 256 || space > 2 ** 16) return false;
    known.huffman.add(kind * 16 + id);
    at += 17 + codes;
  }
  return at === segment.length;
}

function takeScan(known: Known, segment: Buffer): boolean {
  const { frame } = known;
  const count = segment[0] ?? 0;
  if (!frame || count < 1 || count > 4 || segment.length !== 4 + 2 * count) return false;
  const { marker, components } = frame;
  const [start, end, approximation] = [segment[1 + 2 * count]!, segment[2 + 2 * count]!, segment[3 + 2 * count]!];
  if (!isLossless(marker) && (start > end || end > 63)) return false;
  for (let at = 1; at < 1 + 2 * count; at += 2) {
    const component = components.get(segment[at]!);
    if (!component) return false;
    const [dc, ac] = [segment[at + 1]! >> 4, 16 + (segment[at + 1]! & 15)];
    if (!isLossless(marker) && !known.quantization.has(component.quantization)) return false;
    // A scan that refines the first coefficients of a progressive file is not coded by a table.
    const wantsDc = start === 0 && !(isProgressive(marker) && approximation >> 4 !== 0);
    const wantsAc = !isLossless(marker) && (isProgressive(marker) ? start > 0 : true);
    if (!isArithmetic(marker) && ((wantsDc && !known.huffman.has(dc)) || (wantsAc && !known.huffman.has(ac)))) return false;
    if (isLossless(marker) || start === 0) known.begun.add(segment[at]!);
  }
  return true;
}

/** Whether every component has been begun, with the bits that its blocks take at the least: one each for their first coefficient, one for the others. */
function isEnough({ frame, coded, begun }: Known): boolean {
  if (!frame || coded === 0 || begun.size !== frame.components.size) return false;
  if (isLossless(frame.marker) || isArithmetic(frame.marker)) return true;
  const all = [...frame.components.values()];
  const widest = Math.max(...all.map((one) => one.horizontal));
  const highest = Math.max(...all.map((one) => one.vertical));
  const side = (length: number, factor: number, most: number) => Math.ceil(Math.ceil((length * factor) / most) / 8);
  const blocks = all.reduce(
    (sum, { horizontal, vertical }) => sum + side(frame.width, horizontal, widest) * side(frame.height, vertical, highest),
    0,
  );
  return coded * 8 >= blocks * (isProgressive(frame.marker) ? 1 : 2);
}

/** The marker behind entropy-coded data, in which FF is followed by 00 or a restart marker; FF before a marker fills up. */
function endOfScan(file: ByteWindow, from: number): number {
  const at = file.find(0xff, from, (next) => next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7));
  return at < 0 ? file.size : at;
}
