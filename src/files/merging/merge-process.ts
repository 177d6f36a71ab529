import { readSync, writeSync } from 'node:fs';
import { imageOf, reduced } from '../structure/image-decoders.ts';
import { type Announced, BEGUN, ENDED, type Words } from './merge-files.ts';
import { PdfBook, type Unmerged } from './pdf-book.ts';

// Run by merge-files.ts: words and files come in, one PDF goes out. On channel 3 it reports when it begins a file that is there, and when
// it ends it.

/** Pixels of the longer side of an image that is encoded anew: a US letter page at 300 to the inch. */
const SIDE = 3_300;
/** By EXIF orientation: how often what is no mirror image is turned a quarter to the right. */
const QUARTERS: Readonly<Record<number, number>> = { 1: 0, 6: 1, 3: 2, 8: 3 };
/** Characters of a line. */
const WIDTH = 95;

const words = JSON.parse(String(frame())) as Words;
const book = await PdfBook.begin();
const left: string[] = [];
for (let head = frame(); head.length > 0; head = frame()) {
  const { name, ends } = JSON.parse(String(head)) as Announced;
  const unmerged = ends ? 'damaged' : await add(content());
  if (unmerged) left.push(`${name}: ${words[unmerged]}`);
}
if (left.length > 0)
  book.addText([words.left_out, '', ...left.flatMap((line) => line.match(new RegExp(`.{1,${WIDTH}}`, 'gsu')) ?? [])].map(shown));
book.write((part) => {
  for (let at = 0; at < part.length; ) at += writeSync(1, part, at);
});

async function add(bytes: Buffer): Promise<Unmerged | undefined> {
  writeSync(3, BEGUN);
  const unmerged = await merge(bytes);
  writeSync(3, ENDED);
  return unmerged;
}

async function merge(bytes: Buffer): Promise<Unmerged | undefined> {
  if (bytes.subarray(0, 1_024).includes('%PDF-')) return book.addPdf(bytes);
  try {
    return await addImage(bytes);
  } catch {
    // Whatever a decoder says of it, it is no image that can be shown.
    return 'damaged';
  }
}

/** A photo is kept as it is, unless a reader of PDFs would show it otherwise than a viewer of photos. */
async function addImage(bytes: Buffer): Promise<Unmerged | undefined> {
  const { format, width, height, space, orientation } = await imageOf(bytes).metadata();
  const quarters = QUARTERS[orientation ?? 1];
  if (format === 'jpeg' && quarters !== undefined && (space === 'srgb' || space === 'b-w'))
    return book.addJpeg(bytes, { width, height }, quarters);
  const { data, info } = await reduced(imageOf(bytes).autoOrient(), SIDE).jpeg({ quality: 85 }).toBuffer({ resolveWithObject: true });
  return book.addJpeg(data, info);
}

/** The PDF's standard fonts have the characters of Western Europe; others are written as their number. */
function shown(text: string): string {
  return text.replace(/[^\x20-\x7e\xa0-\xff–—…]/gu, (letter) => `<${letter.codePointAt(0)!.toString(16)}>`);
}

/** The next file: chunks until an empty one. */
function content(): Buffer {
  const chunks: Buffer[] = [];
  for (let chunk = frame(); chunk.length > 0; chunk = frame()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Four bytes of length, and what they say; empty at the end. */
function frame(): Buffer {
  return exactly(exactly(4).readUInt32BE());
}

function exactly(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const read = readSync(0, bytes, at, length - at, null);
    if (read === 0) throw new Error('the input ended early');
    at += read;
  }
  return bytes;
}
