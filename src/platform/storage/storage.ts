import { open } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { provided } from '../application.ts';
import { Unavailable } from '../errors.ts';

/** Where files lie: under keys of ours, never under a sender's name. A key is written once and never changed. */
export interface FileStorage {
  /**
   * Moves a complete local file into the storage. When it resolves the bytes are kept, on disk or by the service; when it rejects,
   * what may be left under the key is an orphan.
   */
  keep(key: string, path: string, file: { size: number; mimeType: string }): Promise<void>;
  /** @throws when there is nothing under the key, or the storage is away */
  read(key: string): Promise<Readable>;
  /** Whether there is something under the key. @throws when the storage is away */
  has(key: string): Promise<boolean>;
  /** No error when there is nothing under the key. */
  remove(key: string): Promise<void>;
  /** Every key, in no particular order. */
  keys(): AsyncIterable<string>;
}

/** Seconds after which a client tries again what the storage did not take or give. */
const AWAY = 5;

/** What a request ends with if the storage fails. @throws Unavailable with what it said, for the log */
export function storageIsAway(error: unknown): never {
  throw new Unavailable(AWAY, error);
}

export interface S3Settings {
  bucket: string;
  region: string;
  /** Of a service other than AWS. */
  endpoint?: string;
  accessKeyId?: string;
  secretAccessKey?: string;
  /** `https://host/bucket/key` instead of `https://bucket.host/key`. */
  pathStyle: boolean;
}

/** Files in a folder of this machine. */
export function localStorage(folder: string): FileStorage {
  const disk = new Disk(new FSDriver({ location: folder, visibility: 'private' }));
  return {
    ...onDisk(disk),
    async keep(key, path) {
      await disk.moveFromFs(path, key);
      // A row must not outlive a power cut that its bytes did not; nor may the folders on the way to them be lost.
      for (let path = join(folder, key); ; path = dirname(path)) {
        const file = await open(path, 'r');
        await file.sync().finally(() => file.close());
        if (relative(folder, path) === '') return;
      }
    },
  };
}

/**
 * Files in a bucket of S3 or of a service with the same protocol. An object is written in one request: completely or not at all. The SDK
 * takes 39 MB of memory and is loaded only if a bucket is configured.
 */
export async function s3Storage(settings: S3Settings): Promise<FileStorage> {
  const { S3Driver } = await import('flydrive/drivers/s3');
  const { accessKeyId, secretAccessKey } = settings;
  const disk = new Disk(
    new S3Driver({
      bucket: settings.bucket,
      region: settings.region,
      visibility: 'private',
      // Buckets without ACLs are the default of AWS, and others do not know them.
      supportsACL: false,
      endpoint: settings.endpoint,
      forcePathStyle: settings.pathStyle,
      // Errors are thrown; the SDK would write its own to the console, past our log.
      logger: { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing },
      // Without keys the SDK asks its own chain: environment, profile, role of the machine.
      credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
      // Checksums as trailers are AWS's own; other services refuse them.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
  );
  return {
    ...onDisk(disk),
    async keep(key, path, { size, mimeType }) {
      await disk.moveFromFs(path, key, { contentLength: size, contentType: mimeType });
    },
  };
}

const nothing = (): void => undefined;

/** Where the application keeps files. */
export const fileStorage = provided<FileStorage>('storage of files');

function onDisk(disk: Disk): Pick<FileStorage, 'read' | 'has' | 'remove' | 'keys'> {
  return {
    async read(key) {
      const stream = await disk.getStream(key);
      // A local file is opened later, but a missing one must be reported before the answer begins.
      await new Promise<unknown>((resolve, reject) => stream.once('readable', resolve).once('end', resolve).once('error', reject));
      return stream;
    },
    has: (key) => disk.exists(key),
    remove: (key) => disk.delete(key),
    async *keys() {
      let paginationToken: string | undefined;
      do {
        const page = await disk.listAll('/', { recursive: true, paginationToken });
        for (const object of page.objects) if (object.isFile) yield object.key;
        paginationToken = page.paginationToken;
      } while (paginationToken);
    },
  };
}
