import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../platform/ids.ts';
import { openIncoming } from '../platform/storage/incoming.ts';
import type { FileStorage } from '../platform/storage/storage.ts';

/** Asks the database, for the purpose of archives or as the owner of the tables. */
export type Ask = <R extends object>(sql: string, values?: unknown[]) => Promise<R[]>;

/** The storage is not the one in which the files of the database are. */
export class OtherStorage extends Error {
  constructor() {
    super('the storage of files is not that of the other processes of this database: nothing is archived in it');
  }
}

const KNOWN = 'select id from storage_mark';
const MARK = 'insert into storage_mark (id) values ($1) on conflict do nothing returning id';

/** No UUID alone, so that it is not taken for a file that belongs to nothing. */
const MARKS = 'haulgate-storage-';
const keyOf = (id: string): string => `${MARKS}${id}`;

/**
 * Returns whether the storage has the mark that the database names; undefined if no process has marked one yet.
 * @throws the storage's error if it is away
 */
export async function hasMark(ask: Ask, storage: FileStorage): Promise<boolean | undefined> {
  const [known] = await ask<{ id: string }>(KNOWN);
  return known && storage.has(keyOf(known.id));
}

/**
 * The same, and marks the storage if it is the first of the database.
 * @param incoming folder of this machine, on the disk of the storage if that is local
 */
export async function isMarkedStorage(ask: Ask, storage: FileStorage, incoming: string): Promise<boolean> {
  const has = await hasMark(ask, storage);
  if (has !== undefined) return has;
  const id = newId();
  // Whoever reads the row must find the file: it comes first.
  await write(storage, incoming, id);
  const [mine] = await ask<{ id: string }>(MARK, [id]);
  if (mine) return true;
  // Another process was faster, maybe with the same storage.
  await storage.remove(keyOf(id));
  return (await hasMark(ask, storage)) ?? false;
}

/** Returns what says of a key of the storage whether it is the mark of another database than this one. */
export async function strangerTo(ask: Ask): Promise<(key: string) => boolean> {
  const [known] = await ask<{ id: string }>(KNOWN);
  const own = known && keyOf(known.id);
  return (key) => key.startsWith(MARKS) && key !== own;
}

/** Makes the storage that of the database, and of no other one, whatever it was before: the files were moved, or those of before are lost. */
export async function adoptStorage(ask: Ask, storage: FileStorage, incoming: string): Promise<void> {
  if (!(await isMarkedStorage(ask, storage, incoming))) {
    const [known] = await ask<{ id: string }>(KNOWN);
    await write(storage, incoming, known!.id);
  }
  const isStranger = await strangerTo(ask);
  const strangers: string[] = [];
  for await (const key of storage.keys()) if (isStranger(key)) strangers.push(key);
  for (const key of strangers) await storage.remove(key);
}

async function write(storage: FileStorage, incoming: string, id: string): Promise<void> {
  const text = 'The files of a Haulgate database: its table storage_mark names this one.\n';
  const path = join(await openIncoming(incoming), newId());
  await writeFile(path, text, { mode: 0o600 });
  await storage.keep(keyOf(id), path, { size: text.length, mimeType: 'text/plain' });
}
