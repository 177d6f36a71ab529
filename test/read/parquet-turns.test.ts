import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { GraphQLString } from 'graphql';
import { parquetReadObjects } from 'hyparquet';
import { ParquetFile } from '../../src/platform/http/rest/exports/parquet.ts';

test('while a wide row group is written, everything else has its turns, and the file is whole', async () => {
  const names = Array.from({ length: 203 }, (_, n) => `column_${n}`);
  const records = Array.from({ length: 1_000 }, (_, row) =>
    Object.fromEntries(names.map((name, n) => [name, (row + n) % 7 === 0 ? null : `${name} ${row % 50}`])),
  );
  const file = new ParquetFile(names.map((name) => ({ path: [name], type: GraphQLString })));
  let written = false;
  let turns = 0;
  const others = (async () => {
    for (; !written; turns++) await turn();
  })();
  const parts = [file.begin(), await file.write(records.slice(0, 500).map((one) => [one]))];
  parts.push(await file.write(records.slice(500).map((one) => [one])));
  // A row group is written when it is full, so that the end has nothing but the directory.
  expect(parts.map((part) => part.length > 0)).toEqual([true, false, true]);
  parts.push(await file.end());
  written = true;
  await others;
  // Twice 203,000 values, 5,000 at a time.
  expect(turns).toBeGreaterThan(75);
  expect(await parquetReadObjects({ file: new Uint8Array(Buffer.concat(parts)).buffer })).toEqual(records);
});
