import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packClient } from '../client/package.ts';
import { billOfMaterials } from './bill-of-materials.ts';

export const FOLDER = 'dist/release';
export const SUMS = 'SHA256SUMS';
/** The folders that the build makes, of which an image is made. */
const BUILT = ['dist/src', 'dist/migrations', 'dist/console'];

/** Makes what a release publishes. `npm run build` comes first. @returns the paths of its files */
export async function makeRelease(): Promise<string[]> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync('dist/client', { recursive: true });
  mkdirSync(FOLDER);
  const tarball = await packClient('dist/client');
  const client = join(FOLDER, basename(tarball));
  copyFileSync(tarball, client);
  const bill = join(FOLDER, 'sbom.cdx.json');
  const committed = execFileSync('git', ['log', '-1', '--format=%cI'], { encoding: 'utf8' }).trim();
  writeFileSync(bill, `${JSON.stringify(billOfMaterials(new Date(committed)), null, 2)}\n`);
  const built = BUILT.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  ).sort();
  const sums = [client, bill, ...built].map((path) => `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${path}\n`);
  writeFileSync(join(FOLDER, SUMS), sums.join(''));
  return [client, bill, join(FOLDER, SUMS)];
}
