import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { removeFiles } from '../../src/app/sweepers.ts';
import { Pieces } from '../../src/archives/pieces.ts';
import { type Ask, adoptStorage } from '../../src/archives/storage-mark.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { fileStorage } from '../../src/platform/storage/storage.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';

let app: TestApp;
beforeAll(async () => {
  // The mark of its storage is one row of the whole database.
  app = await startTestApp({ newDatabase: true });
});
afterAll(() => app.close());

test('nothing is removed from a storage that another database has marked, until somebody says whose it is', async () => {
  const { em } = app.productOrm;
  const folder = join(app.folder, 'files');
  const [file, mark] = [join(folder, newId()), join(folder, `haulgate-storage-${newId()}`)];
  mkdirSync(folder, { recursive: true });
  for (const path of [file, mark]) writeFileSync(path, 'a picture of theirs');
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const sweep = () => removeFiles(em, log, -60_000);
  await expect(sweep()).rejects.toThrow(
    /^the storage has the mark of another database \(haulgate-storage-.*\): give each database a storage of its own/,
  );
  expect([existsSync(file), lines]).toEqual([true, []]);

  const pieces = new Pieces(em);
  const ask: Ask = (sql, values) => pieces.ask(sql, values);
  await adoptStorage(ask, fileStorage.of(em), join(app.folder, 'incoming'));
  expect(existsSync(mark)).toBe(false);
  await sweep();
  expect([existsSync(file), lines.map((line) => JSON.parse(line).removed)]).toEqual([false, [1]]);
});
