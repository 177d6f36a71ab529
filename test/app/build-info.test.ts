import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { buildOf } from '../../src/app/build-info.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'haulgate-build-'));
  writeFileSync(join(root, 'package.json'), '{"version": "1.2.3"}');
});
afterEach(() => rmSync(root, { recursive: true }));

const git = (files: Record<string, string>) => {
  mkdirSync(join(root, '.git/refs/heads'), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, '.git', path), text);
};
const SHA = 'a'.repeat(40);

test('the commit is the one of the environment, otherwise the one checked out, otherwise unknown', () => {
  expect(buildOf(root)).toMatchObject({ version: '1.2.3', sha: 'unknown' });
  expect(Math.abs(buildOf(root).time.getTime() - Date.now())).toBeLessThan(60_000);
  git({ HEAD: `${SHA}\n` });
  expect(buildOf(root).sha).toBe(SHA);
  git({ HEAD: 'ref: refs/heads/main\n', 'packed-refs': `# pack-refs\n${'b'.repeat(40)} refs/heads/main\n` });
  expect(buildOf(root).sha).toBe('b'.repeat(40));
  git({ 'refs/heads/main': `${SHA}\n` });
  expect(buildOf(root).sha).toBe(SHA);
  expect(buildOf(root, 'c0ffee').sha).toBe('c0ffee');
});
