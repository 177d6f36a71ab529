import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { recognise } from '../../src/files/file-content.ts';
import { contentDisposition, safeFileName } from '../../src/files/file-name.ts';
import { runs } from '../helpers/properties.ts';
import { processorTime } from '../helpers/until.ts';
import { gif, jpeg, pdf, png, webp } from '../ingest/files/sample-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'haulgate-content-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WHOLE = { 'image/jpeg': jpeg(), 'image/png': png(), 'image/gif': gif(), 'image/webp': webp(), 'application/pdf': pdf() };

async function look(bytes: Uint8Array): Promise<string> {
  const path = join(folder, 'file');
  writeFileSync(path, bytes);
  const found = await recognise(path, bytes.length);
  return typeof found === 'string' ? found : found.mimeType;
}

test('a file that is cut off anywhere is incomplete', async () => {
  for (const [type, bytes] of Object.entries(WHOLE)) {
    expect(await look(bytes)).toBe(type);
    for (let length = 1; length < bytes.length; length++) {
      // A PDF may lose the line break at its end.
      if (type === 'application/pdf' && length === bytes.length - 1) continue;
      const refused = type === 'application/pdf' ? 'pdf_cut_off' : 'file_damaged';
      expect([
        [type, length, refused],
        [type, length, 'file_type_unknown'],
      ]).toContainEqual([type, length, await look(bytes.subarray(0, length))]);
    }
  }
});

test('no bytes, however changed, cause more than a verdict', async () => {
  const change = fc.record({ at: fc.nat(), to: fc.uint8Array({ minLength: 1, maxLength: 8 }) });
  const { 'application/pdf': _, ...pictures } = WHOLE;
  const verdicts = [...Object.keys(pictures), 'file_type_unknown', 'file_damaged'];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(pictures)),
      fc.array(change, { maxLength: 6 }),
      fc.uint8Array(),
      async (whole, changes, tail) => {
        const bytes = Buffer.concat([whole, tail]);
        for (const { at, to } of changes) bytes.set(to.subarray(0, bytes.length - (at % bytes.length)), at % bytes.length);
        expect(verdicts).toContain(await look(bytes));
      },
    ),
    { numRuns: runs(500) },
  );
});

test('the worst ten megabytes are checked in a moment', async () => {
  const size = 10 * 1024 * 1024;
  const bytes = {
    // As many steps as a file can ask for: blocks of one byte, chunks of none, markers that are no end.
    gif: Buffer.concat([gif().subarray(0, -1), Buffer.from([0x21, 0xfe]), Buffer.alloc(size, 1)]),
    png: Buffer.concat([png().subarray(0, 33), ...Array(Math.floor(size / 12)).fill(Buffer.from('\0\0\0\0tEXt\0\0\0\0', 'latin1'))]),
    jpeg: Buffer.concat([jpeg().subarray(0, -2), Buffer.from([0xff]), Buffer.alloc(size, Buffer.from([0xff, 0]))]),
    webp: Buffer.concat([webp().subarray(0, 12), ...Array(Math.floor(size / 8)).fill(Buffer.from('ALPH\0\0\0\0', 'latin1'))]),
  };
  bytes.webp.writeUInt32LE(bytes.webp.length - 8, 4);
  for (const [type, worst] of Object.entries(bytes)) {
    const took = await processorTime(async () => expect([type, await look(worst)]).toEqual([type, 'file_damaged']));
    expect([type, took < 2_000]).toEqual([type, true]);
  }
});

test('a name can always be shown, saved and sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (given) => {
      const name = safeFileName(given, ['jpg', 'jpeg']);
      expect(name).toMatch(/^[^/\\<>:"|?*\p{Cc}\p{Cf}\p{Cs}. ][^/\\<>:"|?*\p{Cc}\p{Cf}\p{Cs}]*\.(jpg|jpeg)$/iu);
      expect(name.length).toBeLessThanOrEqual(120);
      expect(safeFileName(name, ['jpg', 'jpeg'])).toBe(name);
      expect(contentDisposition(name)).toMatch(/^attachment; filename="[ !#-~]+"; filename\*=UTF-8''[\w.!~%-]+$/);
    }),
    { numRuns: runs(2_000) },
  );
});
