import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { InApplication } from '../platform/application.ts';
import { newId } from '../platform/ids.ts';
import { incomingFolder, keepReceived, receive } from '../platform/storage/incoming.ts';
import { type FileStorage, fileStorage } from '../platform/storage/storage.ts';
import type { Piece, Written } from './pieces.ts';

/** The contents of a manifest next to its file, so that the file is understood without the database and the product. */
export interface Manifest {
  format: 'haulgate-archive/1';
  table: string;
  /** Null for rows of all companies. */
  company_id: string | null;
  /** The month in UTC, `2026-03`. */
  period: string;
  part: number;
  /** Lines of the file: a row of the table each, as a JSON object. */
  rows: number;
  bytes: number;
  /** Of the compressed file. */
  sha256: string;
  columns: { name: string; type: string }[];
  written_at: string;
}

/** Where the manifest of a file is. */
export const manifestKeyOf = (key: string): string => key.replace(/\.ndjson\.gz$/, '.manifest.json');

/** The file in the storage is not what was written. */
export class ArchiveDamaged extends Error {}

/** Lines of a file, with the hashes that PostgreSQL has of them. */
export type Lines = AsyncIterable<readonly { line: string; hash: string }[]>;

/** Writes the lines as a file of the storage. It is whole when this resolves; nobody has read it yet. */
export async function writeLines(application: InApplication, key: string, pages: Lines): Promise<Written> {
  let [rows, checksum] = [0, 0n];
  const texts = async function* () {
    for await (const page of pages) {
      rows += page.length;
      for (const { hash } of page) checksum += BigInt(hash);
      if (page.length > 0) yield page.map(({ line }) => `${line}\n`).join('');
    }
  };
  const gzip = createGzip();
  const [file] = await Promise.all([receive(application, gzip), pipeline(Readable.from(texts()), gzip)]);
  await keepReceived(application, key, file, 'application/gzip');
  return { rows, bytes: file.size, sha256: file.sha256, checksum };
}

/** Writes the manifest of a file next to it. */
export async function writeManifest(
  application: InApplication,
  piece: Piece,
  written: Written,
  columns: Manifest['columns'],
): Promise<void> {
  const { table, companyId, period, part, key } = piece;
  const { rows, bytes, sha256 } = written;
  const manifest: Manifest = {
    ...{ format: 'haulgate-archive/1', table, company_id: companyId, period: period.slice(0, 7), part, rows, bytes, sha256, columns },
    written_at: new Date().toISOString(),
  };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  const path = join(incomingFolder.of(application), newId());
  await writeFile(path, text, { mode: 0o600 });
  await keepReceived(application, manifestKeyOf(key), { path, size: Buffer.byteLength(text) }, 'application/json');
}

/** The properties that a file must have. */
type Expected = Pick<Piece, 'key' | 'rows' | 'sha256'>;

/** Reads a file and its manifest back. @throws ArchiveDamaged unless both are as they were written; the storage's error if it is away */
export async function verifyFile(storage: FileStorage, { key, rows, sha256 }: Expected, progress: () => Promise<void>): Promise<void> {
  const hash = createHash('sha256');
  const compressed = await storage.read(key);
  let lines = 0;
  await pipeline(
    compressed,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createGunzip(),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        for (const byte of chunk) if (byte === 10) lines++;
        await progress();
      }
    },
  ).catch((error: NodeJS.ErrnoException) => {
    throw error.code?.startsWith('Z_') || error.code === 'ERR_STREAM_PREMATURE_CLOSE'
      ? new ArchiveDamaged(`${key}: ${error.message}`)
      : error;
  });
  const found = hash.digest('hex');
  if (found !== sha256) throw new ArchiveDamaged(`${key} has the SHA-256 ${found}, and ${sha256} was written`);
  if (lines !== rows) throw new ArchiveDamaged(`${key} has ${lines} rows, and ${rows} were written`);
  const manifest = await readManifest(storage, key);
  if (manifest.sha256 !== sha256 || manifest.rows !== rows) throw new ArchiveDamaged(`${manifestKeyOf(key)} is not of this file`);
}

/** @throws ArchiveDamaged for what is no manifest */
export async function readManifest(storage: FileStorage, key: string): Promise<Manifest> {
  let text = '';
  for await (const chunk of await storage.read(manifestKeyOf(key))) text += String(chunk);
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (manifest.format === 'haulgate-archive/1') return manifest;
  } catch {
    // A file that is no JSON is no manifest either.
  }
  throw new ArchiveDamaged(`${manifestKeyOf(key)} is no manifest`);
}

/** The lines of a file, some at a time. */
export async function* linesOf(storage: FileStorage, key: string, most: number): AsyncGenerator<string[]> {
  const compressed = await storage.read(key);
  const text = createGunzip().setEncoding('utf8');
  compressed.once('error', (error) => text.destroy(error)).pipe(text);
  let lines: string[] = [];
  let rest = '';
  // Cut at line feeds alone: JSON may contain what else ends lines elsewhere, such as U+2028.
  for await (const chunk of text as AsyncIterable<string>) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop()!;
    for (const line of parts) {
      lines.push(line);
      if (lines.length < most) continue;
      yield lines;
      lines = [];
    }
  }
  if (lines.length > 0) yield lines;
}

/** Removes a file and its manifest; no error if they are not there. */
export async function dropFile(application: InApplication, key: string): Promise<void> {
  const storage = fileStorage.of(application);
  for (const one of [key, manifestKeyOf(key)]) await storage.remove(one);
}
