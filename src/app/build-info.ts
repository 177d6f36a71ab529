import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Build } from '../platform/http/health.ts';

/**
 * Returns which code is in `root`: the version of its package, the commit that was built (from the image, or else from the checkout) and
 * when it was built.
 * @param sha the commit by the environment, if it is set
 */
export function buildOf(root: string, sha?: string): Build {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const built = [join(root, 'dist/src/main.js'), join(root, 'package.json')].find((path) => existsSync(path))!;
  return { version, sha: sha || headOf(join(root, '.git')) || 'unknown', time: statSync(built).mtime };
}

/** Returns the commit that is checked out; undefined if this is no checkout. */
function headOf(git: string): string | undefined {
  const read = (path: string) => (existsSync(join(git, path)) ? readFileSync(join(git, path), 'utf8').trim() : undefined);
  const head = read('HEAD');
  const branch = head?.startsWith('ref: ') ? head.slice('ref: '.length) : undefined;
  if (!branch) return head;
  const packed = read('packed-refs')
    ?.split('\n')
    .find((line) => line.endsWith(` ${branch}`));
  return read(branch) ?? packed?.split(' ')[0];
}
