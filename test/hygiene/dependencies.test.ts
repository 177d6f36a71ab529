import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/**
 * Packages with holes that were found here once, and the first version without: `npm run vulnerabilities` knows all of them, and asks a
 * registry that not every machine reaches. No version: nobody mends it.
 */
const HOLES: [name: string, mended: string | undefined, advisory: string][] = [
  ['dicer', undefined, 'CVE-2022-24434'],
  ['fast-xml-parser', '4.1.2', 'CVE-2023-26920'],
];

test('no dependency was removed earlier for its vulnerabilities, not even below others', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { version?: string }> };
  const found = Object.entries(lock.packages).flatMap(([path, { version = '0' }]) =>
    HOLES.filter(([name, mended]) => path.endsWith(`node_modules/${name}`) && (!mended || isBefore(version, mended))).map(
      ([, , advisory]) => `${path} ${version} (${advisory})`,
    ),
  );
  expect(found).toEqual([]);
});

function isBefore(version: string, mended: string): boolean {
  const [a, b] = [version, mended].map((one) => one.split('.').map(Number));
  const at = b!.findIndex((part, i) => part !== a![i]);
  return at >= 0 && (a![at] ?? 0) < b![at]!;
}

test('it is decided for every dependency whether its install script runs, so that npm neither asks nor runs what nobody needs', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { hasInstallScript?: boolean }> };
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { allowScripts: Record<string, boolean> };
  const withScript = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [path.split('node_modules/').at(-1)!] : [],
  );
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScript)].sort());
});

test('every dependency is imported, or has a reason in the decisions', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
  const sources = ['src', 'scripts', 'bin', 'migrations'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|tsx|mjs|js)$/.test(name))
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8')),
  );
  const imported = new Set(
    sources.flatMap((source) =>
      [...source.matchAll(/(?:from|import|require)\s*\(?\s*['"]((?:@[^/'"]+\/)?[^/'"]+)/g)].map(([, name]) => name!),
    ),
  );
  const explained = /id="d-tests-\d+"><\/a>\S+ \*\*Dependencies that no file of ours imports\*\*.*/.exec(
    readFileSync('docs/decisions/tests.md', 'utf8'),
  )![0];
  expect(Object.keys(dependencies).filter((name) => !imported.has(name) && !explained.includes(`\`${name}\``))).toEqual([]);
});
