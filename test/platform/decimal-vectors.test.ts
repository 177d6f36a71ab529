import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/platform/decimal.ts';
import { connectedTo } from '../helpers/database.ts';

/** A line of decimal-vectors.txt, such as `quax093 quantize 1.2345 1e-2 -> 1.23`. */
interface Vector {
  name: string;
  operation: string;
  a: string;
  /** Of `quantize`, a number with as many decimals as there are to be. */
  b: string;
  result: string;
}

const vectors = readFileSync(join(import.meta.dirname, 'decimal-vectors.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('--'))
  .map((line): Vector => {
    const [name, operation, a, b, , result] = line.split(' ') as [string, string, string, string, string, string];
    return { name, operation, a, b, result };
  });

/** Decimals of a number as it is written: two of `0.10` and of `1e-2`. */
function decimalsOf(text: string): number {
  const [, decimals = '', exponent = '0'] = /^[^.e]*(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text)!;
  return decimals.length - Number(exponent);
}

/** As each amount of a bill is computed and rounded (billing/pricing/figure.ts). */
function computed({ operation, a, b }: Vector): Decimal {
  const [first, second] = [new Decimal(a), new Decimal(b)];
  switch (operation) {
    case 'quantize':
      return first.toDecimalPlaces(decimalsOf(b), Decimal.ROUND_HALF_UP);
    case 'multiply':
      return first.mul(second);
    case 'add':
      return first.plus(second);
    case 'subtract':
      return first.minus(second);
    default:
      throw new Error(`unknown operation ${operation}`);
  }
}

const COMPUTED = `select case v.operation when 'quantize' then round(v.a, v.places) when 'multiply' then v.a * v.b when 'add' then v.a + v.b
    when 'subtract' then v.a - v.b end::text as result
  from unnest($1::text[], $2::numeric[], $3::numeric[], $4::int[]) with ordinality v(operation, a, b, places, at) order by v.at`;

test('decimal.js and numeric of PostgreSQL come to what the General Decimal Arithmetic Testcases say, and round alike', async () => {
  const columns: ((one: Vector) => string | number)[] = [
    ({ operation }) => operation,
    ({ a }) => a,
    ({ b }) => b,
    ({ b }) => decimalsOf(b),
  ];
  const values = columns.map((of) => vectors.map(of));
  const rows = await connectedTo(
    process.env.HAULGATE_TEST_SERVER!,
    async (db) => (await db.query<{ result: string }>(COMPUTED, values)).rows,
  );
  const textOf = (value: Decimal) => (value.isZero() ? '0' : value.toFixed());
  const said = vectors.map(({ name, result }) => `${name} ${textOf(new Decimal(result))}`);
  expect(vectors.map((one) => `${one.name} ${textOf(computed(one))}`)).toEqual(said);
  expect(vectors.map(({ name }, at) => `${name} ${textOf(new Decimal(rows[at]!.result))}`)).toEqual(said);
  // Halves are among them, on both sides of zero.
  expect(vectors.filter(({ operation }) => operation === 'quantize').length).toBeGreaterThan(250);
  expect(said).toEqual(expect.arrayContaining(['quax094 1.24', 'quax038 -1']));
});
