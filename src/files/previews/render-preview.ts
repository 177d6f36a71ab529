import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { startBounded, UNREADABLE } from '../bounded-process.ts';

/** The format of previews. */
export const PREVIEW_TYPE = 'image/jpeg';

/** The file cannot be shown, now or later; the message says why. */
export class NoPreview extends Error {}
/** It took too long, or the machine ended it: the file's fault perhaps. */
export class Unsure extends Error {}

export interface RenderOptions {
  signal?: AbortSignal;
  /** Seconds of computing; 15 by default. */
  cpuSeconds?: number;
  /** Milliseconds in all, for a machine that is busy; 300,000 by default. */
  patience?: number;
}

/** Bytes of a preview; one of 1,024 by 1,024 pixels of noise takes less. */
const MOST = 4 * 1024 * 1024;
/** Characters kept of what a process says. */
const SAID = 500;

/**
 * Makes the preview of an image or a PDF in a separate process (bounded-process.ts), which gets only the bytes.
 * @throws NoPreview, Unsure; anything else is a fault of ours
 */
export async function renderPreview(bytes: Readable, mimeType: string, options: RenderOptions = {}): Promise<Buffer> {
  const child = startBounded('./preview-process', import.meta.url, [mimeType], { cpuSeconds: options.cpuSeconds ?? 15 });
  let late = false;
  const end = () => void child.kill('SIGKILL');
  const timer = setTimeout(() => {
    late = true;
    end();
  }, options.patience ?? 300_000);
  options.signal?.addEventListener('abort', end, { once: true });
  try {
    return await answerOf(child, bytes);
  } catch (error) {
    throw late ? new Unsure('took too long') : error;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', end);
    bytes.destroy();
    end();
  }
}

function answerOf(child: ChildProcess, bytes: Readable): Promise<Buffer> {
  const { stdin, stdout, stderr } = child as ChildProcess & { stdin: NodeJS.WritableStream; stdout: Readable; stderr: Readable };
  const parts: Buffer[] = [];
  let size = 0;
  let said = '';
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    bytes.once('error', reject);
    // It may end before it has read everything; its exit says why.
    stdin.on('error', () => undefined);
    stdout.on('data', (part: Buffer) => {
      size += part.length;
      if (size <= MOST) parts.push(part);
    });
    stderr.on('data', (part: Buffer) => {
      said = (said + part.toString()).slice(0, SAID);
    });
    child.once('close', (code, signal) => {
      if (code === 0 && size > 0 && size <= MOST) resolve(Buffer.concat(parts));
      else if (code === 0) reject(new NoPreview(size > 0 ? 'too large' : 'empty'));
      else if (code === UNREADABLE) reject(new NoPreview(said.trim()));
      else if (signal === 'SIGKILL') reject(new Unsure('was ended'));
      else if (signal) reject(new NoPreview(`ended by ${signal}`));
      else reject(new Error(`the process of previews ended with ${code}: ${said}`));
    });
    bytes.pipe(stdin);
  });
}
