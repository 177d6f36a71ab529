import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { CALLERS, cellsOf, restCells } from '../helpers/matrix.ts';
import { Matrix } from '../helpers/matrix-world.ts';

const schema = schemaOfRooms();
const operations = compileDocuments(schema, 'schema/rest', true);
const makers = restCells(operations);

let matrix: Matrix;
beforeAll(async () => {
  matrix = await Matrix.open();
});
afterAll(() => matrix.close());

test.each(CALLERS)('REST, asked by: %s', async (caller) => expect(await matrix.ask(caller, makers)).toEqual([]), 300_000);

test('REST: every cell was asked, and none leaks', () => {
  expect([matrix.asked, matrix.leaks]).toEqual([cellsOf(schema, operations).rest, 0]);
});
