import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, findSecrets } from './secrets.ts';

/** Returns what looks like a secret in the files that git tracks in a folder; links and binary files are skipped. */
export function findTrackedSecrets(folder: string): { files: number; found: Finding[] } {
  const names = execFileSync('git', ['ls-files', '-z', '--stage'], { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\0')
    .filter((line) => line !== '' && !line.startsWith('120000'))
    .map((line) => line.slice(line.indexOf('\t') + 1));
  let files = 0;
  const found: Finding[] = [];
  for (const name of names) {
    const bytes = readFileSync(join(folder, name));
    if (bytes.subarray(0, 8000).includes(0)) continue;
    files++;
    found.push(...findSecrets(name, bytes.toString('utf8')));
  }
  return { files, found };
}
