import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Unavailable } from '../../platform/errors.ts';
import { ConcurrencyGate } from '../../platform/queue/concurrency-gate.ts';
import { startBounded, UNREADABLE } from '../bounded-process.ts';

/** Seconds of computing for one file. */
const CPU_SECONDS = 5;
/** Milliseconds in all, for a machine that is busy. */
const PATIENCE = 30_000;
/** Seconds of `Retry-After` when that was not enough. */
const RETRY_AFTER = 10;
/** Characters kept of what a process says. */
const SAID = 500;
/** Files of this process that are judged at a time. Each takes a process with up to 1.4 GB that the machine has once. */
const turns = new ConcurrencyGate(2, PATIENCE + 5_000);

/**
 * Whether PDFium, which repairs references, opens every page of a file. It runs in a separate process whose memory and computing time are
 * limited (bounded-process.ts); a file that exceeds them does not open.
 * @throws Unavailable if the machine was too busy to find out; anything else is a fault of ours
 */
export const opensInPdfium = (path: string): Promise<boolean> => turns.pass(() => judge(path));

async function judge(path: string): Promise<boolean> {
  const child = startBounded('./judge-pdf-process', import.meta.url, [], { cpuSeconds: CPU_SECONDS });
  let isLate = false;
  let said = '';
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, PATIENCE);
  try {
    child.stderr!.on('data', (part: Buffer) => {
      said = (said + part.toString()).slice(0, SAID);
    });
    const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
    // A process that ends before it has read everything says with its end why.
    const fed = pipeline(createReadStream(path), child.stdin!).catch(() => undefined);
    const [{ code, signal }] = await Promise.all([ended, fed]);
    if (isLate) throw new Unavailable(RETRY_AFTER);
    // A process that the machine ends has taken more than it may.
    if (code === 0 || code === UNREADABLE || signal) return code === 0;
    throw new Error(`the process that opens PDFs ended with ${code}: ${said}`);
  } finally {
    clearTimeout(timer);
  }
}
