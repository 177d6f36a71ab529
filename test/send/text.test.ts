import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Fault } from '../../src/send/fault.ts';
import { type Item, openSource } from '../../src/send/source.ts';
import { decodeText } from '../../src/send/text.ts';
import { runs } from '../helpers/properties.ts';

const folder = mkdtempSync(join(tmpdir(), 'haulgate-text-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The elements of a file of orders, or what the sender says of it. */
async function read(name: string, bytes: Buffer): Promise<unknown[] | string> {
  const file = join(folder, name);
  writeFileSync(file, bytes);
  try {
    const source = await openSource({ file, kind: 'orders', mapping: {}, strict: false });
    const items: Item[] = [];
    for await (const item of source.items()) items.push(item);
    return items.map((item) => ('fault' in item ? item.fault : (item.element as { notes: unknown }).notes));
  } catch (error) {
    if (!(error instanceof Fault) || error.exit !== 2) throw error;
    return error.message.replace(`${folder}/`, '');
  }
}

const utf16 = (text: string, big = false): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return big ? bytes.swap16() : bytes;
};
const WRITTEN: [string, (notes: string) => string][] = [
  [
    'orders.json',
    (notes) =>
      JSON.stringify(
        {
          orders: [
            { external_id: 'A', notes: 'first' },
            { external_id: 'B', notes },
          ],
        },
        null,
        1,
      ),
  ],
  ['orders.ndjson', (notes) => `{"external_id":"A","notes":"first"}\n${JSON.stringify({ external_id: 'B', notes })}\n`],
  ['orders.csv', (notes) => `external_id,load_at,customer.external_id,notes\nA,2026-12-01,C,first\nB,2026-12-01,C,${notes}\n`],
];

test.each(WRITTEN)('%s is read in UTF-8 and UTF-16, with and without a mark', async (name, write) => {
  const notes = 'Québec, façade 日本 𝄞'.replace(name === 'orders.csv' ? ',' : '', '');
  const text = write(notes);
  for (const bytes of [
    Buffer.from(text),
    Buffer.from(`\ufeff${text}`),
    ...[utf16(text), utf16(text, true)].flatMap((one) => [one, one.subarray(2)]),
  ])
    expect(await read(name, bytes)).toEqual(['first', notes]);
});

test.each(WRITTEN)('%s in Latin-1 or Windows-1252 is not sent, and the place is reported', async (name, write) => {
  const text = write('Québec');
  const at = text.slice(0, text.indexOf('é'));
  const line = at.split('\n').length;
  const byte = at.length - at.lastIndexOf('\n');
  expect(await read(name, Buffer.from(text, 'latin1'))).toBe(
    `${name} is not UTF-8: see line ${line}, byte ${byte} (E9). Nothing was sent; save it as UTF-8.`,
  );
  expect(await read(name, Buffer.concat([Buffer.from(text), Buffer.from([0xc3])]))).toContain('is not UTF-8');
  expect(await read(name, utf16(text).subarray(0, -1))).toContain('begins as UTF-16LE and does not go on as it');
});

test('the place of the first wrong byte is found in any text, however long its lines are', () => {
  const long = 'é'.repeat(40_000);
  const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', long, `a${long}`, `ab\n${long}日`, `${long}\n${long}`));
  fc.assert(
    fc.property(texts, fc.constantFrom(0x80, 0xe9, 0xc0, 0xff), fc.string(), (before, wrong, after) => {
      const whole = Buffer.from(before.toWellFormed());
      // Two bytes that begin like a mark say that it is UTF-16.
      const bytes = Buffer.concat([Buffer.from('x'), whole, Buffer.from([wrong]), Buffer.from(`x${after.toWellFormed()}`)]);
      const line = whole.toString('latin1').split('\n').length;
      const byte = whole.length + 1 - (`x${whole.toString('latin1')}`.lastIndexOf('\n') + 1) + 1;
      const said = `see line ${line.toLocaleString('en-US')}, byte ${byte.toLocaleString('en-US')} (${wrong.toString(16).toUpperCase()})`;
      expect(() => decodeText('f', bytes)).toThrow(said);
    }),
    { numRuns: runs(100) },
  );
});

test('the elements of any JSON file are sent as they are written, each in its place', async () => {
  const file = join(folder, 'orders.json');
  const property = fc.asyncProperty(
    fc.array(fc.jsonValue({ stringUnit: 'binary' })),
    fc.string(),
    fc.boolean(),
    async (values, other, isRoot) => {
      const body = isRoot ? { [`${other}!`]: values, orders: values, metadata: { n: values.length } } : values;
      for (const text of [JSON.stringify(body), JSON.stringify(body, null, '\t')]) {
        writeFileSync(file, text);
        const { items, metadata } = await openSource({ file, kind: 'orders', mapping: {}, strict: false });
        const read: Item[] = [];
        for await (const item of items()) read.push(item);
        expect(read.map((item) => 'text' in item && text.includes(item.text!) && JSON.parse(item.text!))).toEqual(
          JSON.parse(JSON.stringify(values)),
        );
        expect(isRoot ? JSON.parse(metadata!) : metadata).toEqual(isRoot ? { n: values.length } : undefined);
      }
    },
  );
  await fc.assert(property, { numRuns: runs(50) });
});
