import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DCLinter } from 'dclint';
import { billOfMaterials, runningPackages } from '../../scripts/release/bill-of-materials.ts';

/** The types of dclint do not resolve as those of an ES module. */
interface Message {
  rule: string;
  message: string;
}

/** Returns the objections of the schema of the Compose Specification to a file; the rules of the linter's own taste are not asked. */
function wrongIn(file: string): string[] {
  const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] });
  const found = linter.lintFiles([file], false);
  expect(found).toHaveLength(1);
  const messages: Message[] = found[0]!.messages;
  return messages.filter(({ rule }) => rule === 'invalid-schema' || rule === 'invalid-yaml').map(({ message }) => message);
}

test('docker-compose.yml is what the Compose Specification allows, and a mistake in it would be found', () => {
  expect(wrongIn('docker-compose.yml')).toEqual([]);
  const folder = mkdtempSync(join(tmpdir(), 'haulgate-compose-'));
  try {
    const file = join(folder, 'docker-compose.yml');
    writeFileSync(file, readFileSync('docker-compose.yml', 'utf8').replace('    healthcheck:\n', '    healthcheck:\n      every: 5s\n'));
    expect(wrongIn(file)).not.toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** The lines of a part of docker-compose.yml, such as `x-environment` or a service, which are indented below its name. */
function linesOf(name: string): string {
  const [, indent, text] =
    new RegExp(`^( *)${name}:.*\\n((?:\\1 +.*\\n|\\n)+)`, 'm').exec(readFileSync('docker-compose.yml', 'utf8')) ?? [];
  if (indent === undefined) throw new Error(`docker-compose.yml has no ${name}`);
  return text!;
}

test('web and worker of docker-compose.yml have the same files, send mail to the mailbox, and may end in order', () => {
  // Both work in /app, where `.data` is the folder of files by default.
  expect(readFileSync('Dockerfile', 'utf8')).toContain('WORKDIR /app\nRUN mkdir .data && chown node:node .data\n');
  for (const role of ['web', 'worker']) {
    const service = linesOf(role);
    expect(service).toContain('<<: *haulgate\n');
    expect(service).toContain('<<: *environment\n');
    expect(service).toContain(`HAULGATE_ROLE: ${role}\n`);
    expect(service).toContain('volumes: ["access:/app/.data"]\n');
  }
  const shared = linesOf('x-environment');
  expect(shared).toMatch(/HAULGATE_SMTP_URL: \$\{HAULGATE_SMTP_URL:-smtp:\/\/mail:1025\}\n/);
  expect(linesOf('mail')).toContain('image: axllent/mailpit');
  expect(readFileSync('docker-compose.yml', 'utf8')).not.toContain('HAULGATE_DATA');
  expect(linesOf('x-haulgate')).toContain('stop_grace_period: 90s\n');
});

test('the settings in Dockerfile and docker-compose.yml exist', () => {
  const known = readFileSync('docs/configuration.md', 'utf8');
  const named = ['Dockerfile', 'docker-compose.yml'].flatMap(
    (file) => readFileSync(file, 'utf8').match(/HAULGATE_[A-Z_]+|DATABASE_URL|REDIS_URL/g)!,
  );
  expect(named.length).toBeGreaterThan(6);
  expect([...new Set(named)].filter((name) => name !== 'HAULGATE_SHA' && !known.includes(name))).toEqual([]);
});

test('the bill of materials has every package that runs, with licence and hash, and is the same for the same commit', () => {
  const made = new Date('2026-11-28T12:00:00Z');
  const bill = billOfMaterials(made);
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', metadata: { component: { name: 'haulgate' } } });
  const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
  expect([...runningPackages()].filter((one) => !listed.has(one))).toEqual([]);
  for (const tool of ['jest', 'fast-check']) expect([...listed].filter((one) => one.startsWith(`${tool}@`))).toEqual([]);
  expect(listed.size).toBeGreaterThan(300);
  expect(bill.components.filter(({ hashes, licenses }) => !hashes?.length || !licenses?.length).map(({ name }) => name)).toEqual([]);
  expect(billOfMaterials(made)).toEqual(bill);
});

test('the changelog begins with the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(/^## \[?(\d+\.\d+\.\d+)/m.exec(readFileSync('CHANGELOG.md', 'utf8'))?.[1]).toBe(version);
});
