import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { count, type Fault, usage } from './fault.ts';

const LF = 0x0a;
/** Steps in bytes for finding the first wrong one: first blocks, whose end may split a letter, then letters. */
const STEPS = [65_536, 65_535, 65_534, 65_533, 4, 3, 2, 1];
const SPLIT = Buffer.from([LF]);

/**
 * Returns the text of a file: UTF-8, with or without a byte order mark, or UTF-16. No byte is replaced: otherwise two keys that each lost a
 * letter could become one order.
 * @throws Fault naming line and byte in any other encoding
 */
export function decodeText(file: string, bytes: Buffer): string {
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    if (encoding !== 'utf-8') throw usage(`${file} is not whole: it begins as ${encoding.toUpperCase()} and does not go on as it.`);
    throw notUtf8(file, bytes);
  }
}

/**
 * Yields lines that end with LF only, because a text may contain any other line end; UTF-8 is decoded line by line. @throws Fault as
 * `decodeText`
 */
export async function* decodedLines(file: string): AsyncIterable<string> {
  if (encodingOf(await headOf(file)) !== 'utf-8') {
    yield* decodeText(file, await readFile(file)).split('\n');
    return;
  }
  let number = 0;
  for await (const line of rawLines(file)) {
    number++;
    // In UTF-8 no letter contains the byte of a line end, so every line is complete.
    if (!isUtf8(line)) throw notUtf8(file, line, number);
    yield line.toString('utf8');
  }
}

async function* rawLines(file: string): AsyncIterable<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(SPLIT); end >= 0; end = chunk.indexOf(SPLIT, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  yield Buffer.concat(parts);
}

async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Detects the encoding by the byte order mark, or by the NUL that is half of a first letter in UTF-16: no other file begins with one. */
function encodingOf([first, second]: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second) ? 'utf-16be' : 'utf-8';
}

/** @param firstLine number of the line in which the bytes begin */
function notUtf8(file: string, bytes: Buffer, firstLine = 1): Fault {
  let line = firstLine;
  let from = 0;
  for (let end = bytes.indexOf(LF); end >= 0 && isUtf8(bytes.subarray(from, end)); end = bytes.indexOf(LF, from)) {
    from = end + 1;
    line++;
  }
  const end = bytes.indexOf(LF, from);
  const broken = bytes.subarray(from, end < 0 ? undefined : end);
  let whole = 0;
  for (let step: number | undefined = 0; step !== undefined; whole += step ?? 0)
    step = STEPS.find((n) => whole + n <= broken.length && isUtf8(broken.subarray(whole, whole + n)));
  const byte = broken[whole]?.toString(16).toUpperCase();
  return usage(`${file} is not UTF-8: see line ${count(line)}, byte ${count(whole + 1)} (${byte}). Nothing was sent; save it as UTF-8.`);
}
