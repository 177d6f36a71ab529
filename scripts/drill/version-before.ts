import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startsBuilt } from '../bench/start.ts';
import { folderFor, say, type Undo } from './stage.ts';

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** The file that `npm run release` writes with each release: its migrations. */
const RELEASED = 'scripts/release/released-migrations.json';

/** The version before: the last release that is not this commit, by its tag, or, in a clone without tags, by what the release wrote. */
function commitBefore(): string {
  const head = git('rev-parse', 'HEAD');
  const released = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n').filter(Boolean);
  const last = released.find((tag) => git('rev-list', '-n', '1', tag) !== head);
  return last ?? git('log', '-1', '--format=%H', 'HEAD', '--', RELEASED);
}

/** Returns how many migrations there are now that a commit does not have. */
function migrationsSince(commit: string): number {
  const had = new Set(git('ls-tree', '--name-only', commit, 'migrations/').split('\n'));
  return readdirSync('migrations').filter((name) => !had.has(`migrations/${name}`)).length;
}

/** Builds a commit in a folder that is removed with the drill, as `npm ci && npm run build` would. @returns the folder */
export function buildVersionBefore(undo: Undo, commit = commitBefore()): string {
  const folder = folderFor('before', undo);
  say(`the version before: ${git('log', '-1', '--format=%h %s', commit)}; ${migrationsSince(commit)} migrations are new`);
  const archive = join(folder, '..', 'before.tar');
  git('archive', '--output', archive, commit);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const lock = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock('.')) symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  else npm('ci', '--no-audit', '--no-fund');
  if (startsBuilt()) npm('run', '--silent', 'build');
  return folder;
}
