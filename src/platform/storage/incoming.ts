import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, constants, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type InApplication, provided } from '../application.ts';
import { newId } from '../ids.ts';
import { fileStorage } from './storage.ts';

/** A file that arrived whole and lies in the incoming folder until somebody keeps or drops it. */
export interface Received {
  path: string;
  size: number;
  /** Of the bytes, lower case hexadecimal. */
  sha256: string;
  /** Of the bytes, base64: what clients of direct uploads announce. Null unless it was asked for. */
  md5: string | null;
}

/** The folder in which files lie while they arrive; on this machine, whatever the storage is. */
export const incomingFolder = provided<string>('folder for files that arrive');

/** Makes the folder if it is missing. @returns it @throws the system's error if nothing can be written there */
export async function openIncoming(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await access(path, constants.W_OK);
  return path;
}

/**
 * Writes a stream to the incoming folder, a chunk at a time. When the stream fails, nothing stays.
 * @param withMd5 also computes the MD5, which takes as long again as the SHA-256
 */
export async function receive(application: InApplication, stream: Readable, withMd5 = false): Promise<Received> {
  const path = join(incomingFolder.of(application), newId());
  const hash = createHash('sha256');
  const md5 = withMd5 ? createHash('md5') : null;
  let size = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      size += chunk.length;
      hash.update(chunk);
      md5?.update(chunk);
      yield chunk;
    }
  };
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  try {
    await pipeline(stream, counted, file);
  } catch (error) {
    // A stream that fails at once does so before the file is open: what is removed too early would still come.
    if (!file.closed) await new Promise<void>((resolve) => file.once('close', resolve));
    await dropReceived(path);
    throw error;
  }
  return { path, size, sha256: hash.digest('hex'), md5: md5?.digest('base64') ?? null };
}

/** Moves a file into the storage; when that fails it is dropped, for nobody else would. */
export async function keepReceived(
  application: InApplication,
  key: string,
  { path, size }: Pick<Received, 'path' | 'size'>,
  mimeType: string,
): Promise<void> {
  try {
    await fileStorage.of(application).keep(key, path, { size, mimeType });
  } catch (error) {
    await dropReceived(path);
    throw error;
  }
}

/** No error when the file was moved away already. */
export async function dropReceived(path: string): Promise<void> {
  await rm(path, { force: true });
}

/**
 * Removes what a process that died has left in the incoming folder.
 * @param age milliseconds since a file was last written
 * @returns how many
 */
export async function sweepIncoming(application: InApplication, age: number): Promise<number> {
  const folder = incomingFolder.of(application);
  let removed = 0;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(ignoreMissing);
    if (!found || Date.now() - found.mtimeMs < age) continue;
    await dropReceived(path);
    removed++;
  }
  return removed;
}

/** Another process of this machine may have been faster. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
