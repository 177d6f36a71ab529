import type { Readable } from 'node:stream';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ZipFile } from 'yazl';
import { type Received, receive } from '../../platform/storage/incoming.ts';
import { fileStorage } from '../../platform/storage/storage.ts';
import type { PackedFile } from './bulk-download.entity.ts';

/**
 * Packs stored files into one archive, a file after the other and a chunk at a time. Nothing is compressed: pictures and PDFs are already.
 * @param next called before each file
 * @param signal ends it, and what it reads
 * @throws whatever the storage throws; nothing stays then
 */
export function pack(
  em: EntityManager,
  files: readonly PackedFile[],
  next: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<Received> {
  const storage = fileStorage.of(em);
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const fail = (error: unknown) => output.destroy(error as Error);
  zip.on('error', fail);
  signal.addEventListener('abort', () => fail(signal.reason), { once: true });
  for (const { key, name } of files)
    zip.addReadStreamLazy(name, { compress: false, mtime: madeAt(key) }, (take) => {
      next()
        .then(() => storage.read(key))
        .then((stream) => {
          // A file that breaks off would leave the archive waiting for its rest.
          stream.once('error', fail);
          // yazl reads on where nobody takes the archive any more.
          output.once('close', () => stream.destroy());
          take(null, stream);
        }, fail);
    });
  zip.end();
  return receive(em, output);
}

/** Keys are UUIDs of version 7: their first 48 bits are milliseconds since 1970. */
const madeAt = (key: string): Date => new Date(Number.parseInt(key.replace('-', '').slice(0, 12), 16));
