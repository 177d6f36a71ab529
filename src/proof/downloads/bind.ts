import type { EntityManager } from '@mikro-orm/postgresql';
import { mergeFiles, type Words } from '../../files/merging/merge-files.ts';
import { type Language, translate } from '../../platform/i18n/messages.ts';
import { type Received, receive } from '../../platform/storage/incoming.ts';
import { fileStorage } from '../../platform/storage/storage.ts';
import type { PackedFile } from './bulk-download.entity.ts';

/**
 * Makes one PDF of stored files, in their order.
 * @param next called before each file
 * @param signal ends it
 * @throws whatever the storage throws; nothing stays then
 */
export function bind(
  em: EntityManager,
  files: readonly PackedFile[],
  language: Language,
  next: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<Received> {
  const storage = fileStorage.of(em);
  const words: Words = {
    left_out: translate(language, 'download_left_out'),
    locked: translate(language, 'download_file_locked'),
    damaged: translate(language, 'download_file_damaged'),
    too_long: translate(language, 'download_file_too_long'),
  };
  return mergeFiles(
    files.map(({ key, name }) => ({ name, open: () => storage.read(key) })),
    words,
    (pages) => receive(em, pages),
    { next, signal },
  );
}
