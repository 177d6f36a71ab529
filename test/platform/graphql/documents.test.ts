import { expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { DocumentStore } from '../../../src/platform/graphql/documents.ts';

/** The text of a document that selects a fragment of 60 fields under each of some aliases. @param condition of each */
function panels(count: number, condition: string): string {
  const fields = Array.from({ length: 60 }, (_, i) => `f${i}: id`).join(' ');
  const spreads = Array.from({ length: count }, (_, i) => `p${i}: orders { ...Panel ${condition} }`).join(' ');
  return `query ($a: Boolean = false) { ${spreads} } fragment Panel on OrderConnection { ${fields} }`;
}

/** Whether a document is kept. */
async function isKept(text: string): Promise<boolean> {
  const store = new DocumentStore();
  await store.set('key', parse(text));
  return store.find(text) !== undefined;
}

test('a document of many panels is kept, of which no request may ask for all', async () => {
  expect(await isKept(panels(100, '@include(if: $a)'))).toBe(true);
  expect(await isKept(panels(100, ''))).toBe(true);
  // All of its fields would be asked for, which is refused.
  expect(await isKept(panels(150, ''))).toBe(false);
});

test('a document with conditions takes the place of what is compiled for each of its selections', async () => {
  const texts = Array.from({ length: 40 }, (_, i) => panels(12, '@include(if: $a)').replaceAll('$a', `$a${i}`));
  const kept = async (all: string[]) => {
    const store = new DocumentStore();
    for (const [at, text] of all.entries()) await store.set(String(at), parse(text));
    return all.filter((text) => store.find(text)).length;
  };
  const [conditional, plain] = [await kept(texts), await kept(texts.map((text) => text.replaceAll(/@include\(if: \$a\d+\)/g, '')))];
  expect(plain).toBeGreaterThan(3 * conditional);
  expect(conditional).toBeGreaterThan(1);
});
