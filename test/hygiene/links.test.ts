import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readConfig } from '../../src/app/config.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
].filter((name) => name.endsWith('.md'));

/** Brackets in code are no links, and signs of numbers in it no headings. */
const proseOf = (page: string) => readFileSync(page, 'utf8').replace(/```[\s\S]*?```/g, '');

test.each(pages)('every file that %s links to exists', (page) => {
  const prose = proseOf(page).replace(/`[^`\n]*`/g, '');
  const links = [...prose.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((match) => match[1]!);
  expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([]);
});

/** The places of a page that links may name: its headings, as GitHub calls them, and its own anchors. */
function anchorsOf(page: string): Set<string> {
  const prose = proseOf(page);
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
  return new Set([...headings, ...[...prose.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)]);
}

test.each(pages)('every place of a page that %s links to exists', (page) => {
  const prose = proseOf(page).replace(/`[^`\n]*`/g, '');
  const links = [...prose.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)].map(([, path, anchor]) => ({
    to: path ? join(dirname(page), path) : page,
    anchor: anchor!,
  }));
  expect(links.filter(({ to, anchor }) => to.endsWith('.md') && !anchorsOf(to).has(anchor))).toEqual([]);
});

/** Names of files that an example makes. */
const MADE = /rename-order|RenameOrder|forecasts|Forecast/;

test.each(pages.filter((page) => !page.includes('decisions/') && page !== 'CHANGELOG.md'))(
  'every file of the project that %s names exists',
  (page) => {
    const named = [...proseOf(page).matchAll(/`((?:src|test|scripts|schema|docs|migrations|bin)\/[\w./-]+)`/g)].map((match) => match[1]!);
    expect(named.filter((path) => !MADE.test(path) && !existsSync(path))).toEqual([]);
  },
);

test('the guide to the configuration has every setting, and no other one', () => {
  const rows = readFileSync('docs/configuration.md', 'utf8').match(/^\| `[A-Z].*$/gm)!;
  const documented = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name!));
  const declared = Object.keys(readConfig({}));
  expect(declared.length).toBeGreaterThan(100);
  expect(declared.filter((name) => !documented.includes(name))).toEqual([]);
  // Those of the sender, and those that the exporter of traces reads itself.
  const elsewhere =
    /^HAULGATE_(URL|CLIENT_ID|CLIENT_SECRET)$|^OTEL_(EXPORTER_OTLP_(HEADERS|TIMEOUT|COMPRESSION|CERTIFICATE)|SERVICE_NAME|RESOURCE_ATTRIBUTES)$/;
  expect(documented.filter((name) => !declared.includes(name) && !elsewhere.test(name))).toEqual([]);
});
