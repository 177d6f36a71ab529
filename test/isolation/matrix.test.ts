import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { CALLERS } from '../helpers/isolation/matrix.ts';
import { matrixOf } from '../helpers/isolation/matrix-cells.ts';
import { Matrix } from '../helpers/isolation/matrix-world.ts';

const schema = schemaOfRooms();
const cells = matrixOf(schema, compileDocuments(schema, 'schema/rest', true));

let matrix: Matrix;
beforeAll(async () => {
  matrix = await Matrix.open();
});
afterAll(() => matrix.close());

test.each(CALLERS)('REST and GraphQL, asked by: %s', async (caller) => expect(await matrix.ask(caller, cells)).toEqual([]), 600_000);

test('every chosen cell was asked, and none leaks', () => {
  expect([matrix.asked, matrix.leaks]).toEqual([cells.length, 0]);
});
