import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { sentenceOf } from '../../src/ingest/code-sentences.ts';

/** Every module that `haulgate-send` loads: ours by path, others by name. */
function loaded(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, type, from] of readFileSync(file, 'utf8').matchAll(/^import (type )?[^;]*?from '([^']+)';/gms)) {
    if (type) continue;
    if (from?.startsWith('.')) loaded(resolve(dirname(file), from), found);
    else found.add(from as string);
  }
  return found;
}

test('npm finds the sender, and may run it', () => {
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: Record<string, string> };
  expect(Object.keys(bin)).toEqual(['haulgate-send']);
  expect(statSync(bin['haulgate-send'] as string).mode & 0o111).toBe(0o111);
});

test('the sender loads what it shares with the server: how sheets are read, a function for texts, the table of fields, sentences; and three small libraries', () => {
  const names = [...loaded(resolve('src/send/haulgate-send.ts'))];
  const ours = names
    .filter((name) => name.startsWith('/'))
    .filter((name) => !name.includes('/src/send/') && !name.includes('/src/ingest/csv/'))
    .map((name) => name.slice(resolve('.').length + 1))
    .sort();
  const libraries = names.filter((name) => !name.startsWith('/') && !name.startsWith('node:')).sort();
  expect({ ours, libraries }).toEqual({
    ours: ['src/dispatch/fields/work-fields.ts', 'src/ingest/code-sentences.ts', 'src/platform/normalize.ts'],
    libraries: ['cli-progress', 'csv-parse/sync', 'jsonc-parser'],
  });
});

test('the console loads nothing of the server but the sentences of codes', () => {
  const ours = [...loaded(resolve('src/console/main.tsx'))].filter((name) => name.startsWith('/') && !name.includes('/src/console/'));
  expect(ours.map((name) => name.slice(resolve('.').length + 1))).toEqual(['src/ingest/code-sentences.ts']);
});

test('each code of a warning in the guide has a sentence', () => {
  const [, warnings] = /## Warnings\n(.*?)\n## Errors/s.exec(readFileSync('docs/importer.md', 'utf8')) ?? [];
  const codes = [...warnings!.matchAll(/^\| (`[^|]+`) (?:of a site )?\|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, code]) => code!),
  );
  expect(codes.length).toBeGreaterThan(60);
  expect(codes.filter((code) => sentenceOf(code) === undefined)).toEqual([]);
});
