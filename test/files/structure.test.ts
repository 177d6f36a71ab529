import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { recognise } from '../../src/files/file-content.ts';
import { runs } from '../helpers/properties.ts';
import { jpeg } from '../ingest/files/sample-files.ts';
import { ONE_PAGE, pdfOf } from './sample-pdf.ts';

const folder = mkdtempSync(join(tmpdir(), 'haulgate-structure-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function look(bytes: Uint8Array): Promise<string> {
  const path = join(folder, 'file');
  writeFileSync(path, bytes);
  const found = await recognise(path, bytes.length);
  return typeof found === 'string' ? found : found.mimeType;
}
const CATALOG = ONE_PAGE[0]!;
const PAGE = ONE_PAGE[2]!;
const text = (bytes: Buffer) => bytes.toString('latin1');
const changed = (bytes: Buffer, from: string, to: string) => Buffer.from(text(bytes).replace(from, to), 'latin1');

test.each([
  ['with a table', pdfOf()],
  ['packed in streams', pdfOf({ packed: true })],
  ['whose kids are a list of its own', pdfOf({ objects: [CATALOG, '<</Type/Pages/Kids 4 0 R/Count 1>>', PAGE, '[ 3 0 R ]'] })],
  ['of two levels', pdfOf({ objects: [CATALOG, '<</Type /Pages /Kids [ 4 0 R ] >>', PAGE, '<</Kids[3 0 R]/Type/Pages>>'] })],
  ['whose catalog is the last', pdfOf({ objects: [PAGE, '<</Type/Pages/Kids[1 0 R]>>', CATALOG], root: 3 })],
  ['whose free entry is counted as the first', changed(pdfOf(), 'xref\n0 4', 'xref\n1 4')],
  ['that is encrypted and packed', pdfOf({ packed: true, trailer: '/Encrypt 9 0 R' })],
])('a PDF %s is valid', async (_what, bytes) => {
  expect(await look(bytes)).toBe('application/pdf');
});

test('a PDF that was changed in place is valid, by its newest and earlier references', async () => {
  const first = text(pdfOf());
  const table = /startxref\n(\d+)/.exec(first)![1];
  const at = first.length;
  const added = `${first}2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1/Rotate 90>>\nendobj\n`;
  const end = `xref\n2 1\n${String(at).padStart(10, '0')} 00000 n \ntrailer\n<</Size 4/Root 1 0 R/Prev ${table}>>\nstartxref\n${added.length}\n%%EOF\n`;
  expect(await look(Buffer.from(added + end, 'latin1'))).toBe('application/pdf');
  // Without its earlier references it is repaired.
  expect(await look(Buffer.from(added + end.replace(`/Prev ${table}`, ''), 'latin1'))).toBe('application/pdf');
});

test.each([
  ['with something before it', Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n'), pdfOf()])],
  ['with something behind it', Buffer.concat([pdfOf(), Buffer.from('<!-- sent by a gateway -->')])],
  ['whose table is elsewhere', changed(pdfOf(), 'startxref\n', 'startxref\n9')],
  ['whose references point elsewhere', changed(pdfOf(), '0000000015', '0000000017')],
  ['with a broken table', changed(pdfOf(), '65535 f', '65535 x')],
  ['with a table of billions', changed(pdfOf(), 'xref\n0 4', 'xref\n0 4000000000')],
  ['packed, whose references do not inflate', changed(pdfOf({ packed: true }), '/Columns 4', '/Columns 7')],
])('a PDF %s is repaired by PDFium, and valid', async (_what, bytes) => {
  expect(await look(bytes)).toBe('application/pdf');
});

test.each([
  ['without objects', pdfOf({ objects: [] })],
  ['whose catalog is not there', pdfOf({ root: 9 })],
  ['whose catalog is something else', pdfOf({ root: 3 })],
  ['without a catalog', changed(pdfOf(), '/Root 1 0 R', '')],
  ['without a tree of pages', pdfOf({ objects: ['<</Type/Catalog>>', ...ONE_PAGE.slice(1)] })],
  ['without pages', pdfOf({ objects: [CATALOG, '<</Type/Pages/Kids[]/Count 0>>'] })],
  ['whose page is not there', pdfOf({ objects: ONE_PAGE.slice(0, 2) })],
  ['whose second page is not there', pdfOf({ objects: [CATALOG, '<</Type/Pages/Kids[9 0 R 3 0 R]/Count 2>>', PAGE] })],
  ['whose tree has no end', pdfOf({ objects: [CATALOG, '<</Type/Pages/Kids[2 0 R]/Count 1>>'] })],
  ['packed, without objects', pdfOf({ packed: true, objects: [] })],
])('a PDF %s is invalid', async (_what, bytes) => {
  expect(await look(bytes)).toBe('pdf_unreadable');
});

test.each([
  ['in the middle', pdfOf().subarray(0, 150)],
  ['in the mark of its end', pdfOf().subarray(0, -3)],
  ['behind its first change', Buffer.concat([pdfOf(), Buffer.alloc(2_000, '2 0 obj ')])],
])('a PDF that is cut off %s is invalid, although PDFium would open it', async (_what, bytes) => {
  expect(await look(bytes)).toBe('pdf_cut_off');
});

/** The sample, one of its segments replaced or left out: by its marker, and its place among those. */
function withSegment(marker: number, replace: (body: Buffer) => Buffer | undefined, nth = 0): Buffer {
  const whole = jpeg();
  const parts: Buffer[] = [whole.subarray(0, 2)];
  let met = 0;
  for (let at = 2; at < whole.length; ) {
    const kind = whole[at + 1]!;
    const length = kind === 0xd9 ? 0 : whole.readUInt16BE(at + 2);
    const end = kind === 0xda ? at + 2 + length : at + 2 + length;
    const body = Buffer.from(whole.subarray(at + 4, end));
    const put = kind === marker && met++ === nth ? replace(body) : body;
    if (put) parts.push(Buffer.from([0xff, kind, (put.length + 2) >> 8, (put.length + 2) & 255]), put);
    at = end;
    if (kind === 0xda) {
      parts.push(whole.subarray(at));
      break;
    }
  }
  return Buffer.concat(parts);
}
const set = (at: number, value: number) => (body: Buffer) => {
  body[at] = value;
  return body;
};
const gone = () => undefined;

test('the sample is rebuilt from its parts', () => {
  expect(withSegment(0xda, (body) => body)).toEqual(jpeg());
});

test.each([
  ['without a frame', withSegment(0xc0, gone)],
  ['without a scan', withSegment(0xda, gone)],
  ['without quantization tables', withSegment(0xdb, gone)],
  ['without Huffman tables', withSegment(0xc4, gone)],
  ['without tables for what is not first', withSegment(0xc4, gone, 1)],
  ['with more codes than there can be', withSegment(0xc4, set(1, 3))],
  ['with a table that ends early', withSegment(0xc4, (body) => body.subarray(0, -1))],
  ['with a table number that cannot be', withSegment(0xdb, set(0, 9))],
  ['of no component', withSegment(0xc0, set(5, 0))],
  ['with fewer components than it says', withSegment(0xc0, set(5, 3))],
  ['with a sampling of nothing', withSegment(0xc0, set(7, 0x01))],
  ['whose scan is of an unknown component', withSegment(0xda, set(1, 7))],
  ['whose scan names no table', withSegment(0xda, set(2, 0x11))],
  ['whose scan is of no coefficients', withSegment(0xda, set(3, 64))],
  ['with more blocks than its data could hold', withSegment(0xc0, set(3, 0x40))],
  ['without data', Buffer.concat([jpeg().subarray(0, -6), Buffer.from([0xff, 0xd9])])],
  ['of two frames', Buffer.concat([jpeg().subarray(0, -2), jpeg().subarray(2)])],
])('a JPEG %s is invalid', async (_what, bytes) => {
  expect(await look(bytes)).toBe('file_damaged');
});

// A broken PDF is opened in a process of its own, so that there are fewer of them.
test.each([
  ['PDF', [pdfOf(), pdfOf({ packed: true })], 20],
  ['JPEG', [jpeg()], 500],
])('no %s, however broken, causes more than a verdict', async (_type, wholes, times) => {
  const verdicts = ['application/pdf', 'image/jpeg', 'file_type_unknown', 'file_damaged', 'pdf_cut_off', 'pdf_unreadable'];
  const change = fc.record({ at: fc.nat(), to: fc.oneof(fc.uint8Array({ maxLength: 4 }), fc.constantFrom('9', '0 R', '[', '<<', 'stream\n').map((one) => Buffer.from(one))) }); // biome-ignore format: one idea
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...wholes), fc.array(change, { minLength: 1, maxLength: 5 }), async (whole, changes) => {
      const bytes = Buffer.from(whole);
      for (const { at, to } of changes) bytes.set(to.subarray(0, bytes.length - (at % bytes.length)), at % bytes.length);
      expect(verdicts).toContain(await look(bytes));
    }),
    { numRuns: runs(times) },
  );
});

test('the worst ten megabytes of a PDF are checked in a moment', async () => {
  const size = 10 * 1024 * 1024;
  const zeros = deflateSync(Buffer.alloc(size * 20)).toString('latin1');
  const bomb = `1 0 obj\n<</Type/XRef/Size 9/W[1 2 1]/Root 1 0 R/Filter/FlateDecode/Length ${zeros.length}>>\nstream\n${zeros}\nendstream\nendobj\n`;
  const row = '0000000009 00000 n \n';
  const table = `xref\n0 ${Math.floor(size / row.length) - 100}\n${row.repeat(Math.floor(size / row.length) - 100)}`;
  // Sections that name each other, and a table that is read anew from each of its beginnings.
  const sections = Array.from({ length: 60_000 }, (_, i) => `xref\n0 0\ntrailer\n<</Root 1 0 R/Prev ${9 + 50 * (i + 1)}>>\n`.padEnd(50));
  const worst = {
    bomb: `%PDF-1.5\n${bomb}startxref\n9\n%%EOF\n`,
    table: `%PDF-1.5\n${table}trailer\n<</Root 1 0 R/Prev 10>>\nstartxref\n9\n%%EOF\n`,
    sections: `%PDF-1.5\n${sections.join('')}startxref\n9\n%%EOF\n`,
    blanks: `%PDF-1.5\nxref${' '.repeat(size)}startxref\n9\n%%EOF\n`,
    brackets: `%PDF-1.5\n1 0 obj\n<</Type/XRef${'/W ['.repeat(size / 4)}startxref\n9\n%%EOF\n`,
  };
  for (const [name, body] of Object.entries(worst)) {
    const from = process.cpuUsage();
    expect([name, await look(Buffer.from(body, 'latin1'))]).toEqual([name, 'pdf_unreadable']);
    expect([name, process.cpuUsage(from).user < 3_000_000]).toEqual([name, true]);
  }
});
