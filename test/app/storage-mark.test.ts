import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { migratedDatabase } from '../helpers/database.ts';
import { allGone, dataFolder, type Product, removeFolder, startProduct } from '../helpers/product.ts';

let folders: string[] = [];
let products: Product[] = [];
beforeEach(() => {
  folders = [dataFolder(), dataFolder()];
  products = [];
});
afterEach(async () => {
  for (const { child } of products) child.kill('SIGTERM');
  for (const folder of folders) {
    await allGone(folder);
    removeFolder(folder);
  }
});

function start(env: Record<string, string>, script?: string, ...args: string[]): Product {
  const product = startProduct({ PORT: '0', HAULGATE_DEMO: 'off', ...env }, script, ...args);
  products.push(product);
  return product;
}

test('a process with another storage of files says so, archives nothing, until somebody says that the files were moved', async () => {
  const DATABASE_URL = await migratedDatabase();
  const [one, two] = folders as [string, string];
  const first = start({ DATABASE_URL, HAULGATE_ROLE: 'web', HAULGATE_DATA: one, HAULGATE_ARCHIVES: 'on' });
  await first.says(/"msg":"ready"/);
  expect(first.stdout()).not.toContain('another storage');
  const other = { DATABASE_URL, HAULGATE_ROLE: 'worker', HAULGATE_DATA: two };

  const refused = start({ ...other, HAULGATE_ARCHIVES: 'on' });
  expect(await refused.ended).toBe(1);
  expect(refused.stderr()).toBe(
    'HAULGATE_DATA names another storage of files than that of the processes that used this database before, and HAULGATE_ARCHIVES=on would move rows into it: ' +
      'share one, or say "npm run archive -- adopt" if the files were moved.\n',
  );
  const warned = start(other);
  await warned.says(
    /"level":40.*HAULGATE_DATA names another storage of files than .*: files that one process stores are missing in others/,
  );
  await warned.says(/"msg":"ready"/);

  const adopting = start(other, 'src/archive.ts', 'adopt');
  expect(await adopting.ended).toBe(0);
  expect(adopting.stdout()).toContain('this storage is that of the database now\n');
  const examined = start(other, 'src/doctor.ts');
  await examined.ended;
  expect(examined.stdout()).toMatch(/good +HAULGATE_FILES: It is the storage that the processes of this database use/);
});
