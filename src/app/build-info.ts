import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Build } from '../platform/http/health.ts';

/**
 * Which code lies in `root`: the version of its package, the commit that was built (told by the image, else read from the checkout)
 * and when it was built.
 * @param sha what the environment says, when it does
 */
export function buildOf(root: string, sha?: string): Build {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const built = [join(root, 'dist/src/main.js'), join(root, 'package.json')].find((path) => existsSync(path))!;
  return { version, sha: sha || headOf(join(root, '.git')) || 'unknown', time: statSync(built).mtime };
}

/** The commit checked out; undefined when this is no checkout. */
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
