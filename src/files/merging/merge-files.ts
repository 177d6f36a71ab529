import type { ChildProcess } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { startBounded } from '../bounded-process.ts';
import type { Unmerged } from './pdf-book.ts';

/** A file that becomes pages. */
export interface Merged {
  /** The name of the file on the last page, if it could not be merged. */
  name: string;
  open(): Promise<Readable>;
}

/** The texts of the last page: above the files that have no pages, and why each has none. */
export type Words = Record<Unmerged | 'left_out', string>;

/** The input of merge-process.ts for a file; `ends`: the file has ended such a process, and is not sent again. */
export interface Announced {
  name: string;
  ends: boolean;
}

/** The messages on channel 3. */
export const BEGUN = 'b';
export const ENDED = 'e';

export interface MergeOptions {
  /** Called before each file. */
  next: () => Promise<unknown>;
  signal: AbortSignal;
  /** Milliseconds for a file, for a machine that is busy; 300,000 by default. */
  patience?: number;
  /** Seconds of computing for a file, on average; 3 by default, and 60 for all together. */
  cpuSeconds?: number;
}

/** Files that may each end a process before all of them are given up. */
const MOST_ENDS = 20;

/** It ended while it was at a file. */
class Ended extends Error {
  readonly index: number;
  constructor(index: number, how: string) {
    super(`merging ended (${how}) at file ${index}`);
    this.index = index;
  }
}

/**
 * Makes one PDF of many files: the pages of PDFs, and a page for each image. It runs in a separate process (bounded-process.ts). A file
 * that cannot be merged, or ends the process, is named on a last page.
 * @param take gets the PDF while it is written; called again when a file had to be left out
 * @throws Error when it cannot be made at all; whatever `take` and `open` throw
 */
export async function mergeFiles<T>(
  files: readonly Merged[],
  words: Words,
  take: (pdf: Readable) => Promise<T>,
  options: MergeOptions,
): Promise<T> {
  const ends = new Set<number>();
  for (;;) {
    try {
      return await mergeOnce(files, words, ends, take, options);
    } catch (error) {
      if (!(error instanceof Ended) || options.signal.aborted || ends.size === MOST_ENDS) throw error;
      ends.add(error.index);
    }
  }
}

async function mergeOnce<T>(
  files: readonly Merged[],
  words: Words,
  ends: ReadonlySet<number>,
  take: (pdf: Readable) => Promise<T>,
  { next, signal, patience = 300_000, cpuSeconds = 3 }: MergeOptions,
): Promise<T> {
  const child = startBounded('./merge-process', import.meta.url, [], { cpuSeconds: 60 + cpuSeconds * files.length, heap: 192 }, 1);
  const end = () => void child.kill('SIGKILL');
  let timer = setTimeout(end, patience);
  const sent = [...files.keys()].filter((index) => !ends.has(index));
  let signs = '';
  child.stdio[3]!.on('data', (given: Buffer) => {
    signs += given.toString();
    clearTimeout(timer);
    timer = setTimeout(end, patience);
  });
  signal.addEventListener('abort', end, { once: true });
  const pdf = new PassThrough();
  child.stdout!.pipe(pdf, { end: false });
  // It is at a file that it has begun and not ended.
  const over = ending(child, () => (signs.endsWith(BEGUN) ? sent[Math.floor(signs.length / 2)] : undefined)).then(
    () => pdf.end(),
    (error) => pdf.destroy(error),
  );
  const stop = (error: Error) => {
    pdf.destroy(error);
    end();
    throw error;
  };
  const [taken, fed] = await Promise.allSettled([take(pdf).catch(stop), feed(child.stdin!, files, words, ends, next).catch(stop)]);
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  // A stream that nobody reads any more would keep it from ending.
  child.stdout!.unpipe(pdf).resume();
  end();
  await over;
  // A fault of the storage is no fault of a file.
  if (fed.status === 'rejected') throw fed.reason;
  if (taken.status === 'rejected') throw taken.reason;
  return taken.value;
}

/** Settles when the process is over and all it wrote was read. @param at index of the file it was at, undefined before and after them */
function ending(child: ChildProcess, at: () => number | undefined): Promise<void> {
  let said = '';
  child.stderr!.on('data', (part: Buffer) => {
    said = (said + part.toString()).slice(0, 500);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve();
      const [index, how] = [at(), `${signal ?? code} ${said.trim()}`.trim()];
      reject(index === undefined ? new Error(`merging ended: ${how}`) : new Ended(index, how));
    });
  });
}

/** Sends words and files as merge-process.ts reads them: frames of four bytes of length and what they say. */
async function feed(
  to: Writable,
  files: readonly Merged[],
  words: Words,
  ends: ReadonlySet<number>,
  next: () => Promise<unknown>,
): Promise<void> {
  // It may end before it has read everything; its exit says why.
  let gone = false;
  to.on('error', () => {
    gone = true;
  });
  to.on('close', () => {
    gone = true;
  });
  const send = async (bytes: Uint8Array) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    to.write(length);
    if (!gone && !to.write(bytes)) await room(to);
  };
  await send(Buffer.from(JSON.stringify(words)));
  for (const [index, { name, open }] of files.entries()) {
    if (gone) return;
    await next();
    await send(Buffer.from(JSON.stringify({ name, ends: ends.has(index) } satisfies Announced)));
    if (ends.has(index)) continue;
    for await (const chunk of await open()) {
      if (gone) return;
      if ((chunk as Buffer).length > 0) await send(chunk as Buffer);
    }
    await send(Buffer.alloc(0));
  }
  await send(Buffer.alloc(0));
  to.end();
}

/** Resolves when more can be written, or nothing can any more. */
function room(to: Writable): Promise<void> {
  const events = ['drain', 'close', 'error'] as const;
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) to.off(event, done);
      resolve();
    };
    for (const event of events) to.on(event, done);
  });
}
