import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import fc from 'fast-check';
import { createOrm } from '../../src/platform/database/orm.ts';
import { insertRows, queryIn } from '../../src/platform/database/sql.ts';
import { Decimal } from '../../src/platform/decimal.ts';
import { freshDatabase } from '../helpers/database.ts';
import { runs } from '../helpers/properties.ts';
import { SandCompany } from './sandbox.ts';

let orm: MikroORM;
beforeAll(async () => {
  orm = await createOrm({ url: await freshDatabase(), entities: [SandCompany] });
  await orm.em.execute(`create table anything (
    place integer, word text, list text[], ids uuid[], document jsonb, raw json, amount numeric(18,4), at timestamptz(6), flag boolean)`);
});
afterAll(() => orm.close(true));

/** Inserts the rows and reads them as they came. */
const roundTrip = (rows: readonly object[]): Promise<Record<string, unknown>[]> =>
  orm.em.fork().transactional(async (em) => {
    await queryIn(em, 'truncate anything');
    await insertRows(em, 'anything', rows);
    return queryIn(em, 'select *, amount::text as amount, (extract(epoch from at) * 1000)::float8 as at from anything order by place');
  });

/** Everything PostgreSQL's text can hold: no NUL, no half of a surrogate pair. */
const text = fc.string({ unit: 'binary', maxLength: 8 }).filter((one) => !one.includes('\0') && one.isWellFormed());
const special = fc.constantFrom('', 'NULL', 'null', '"', '\\', '{}', '{"a",b}', '$1', "it's", '\\"', 'é\n\t');
const word = fc.oneof(text, special);
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 3 });
const row = fc.record({
  word: maybe(word),
  list: maybe(fc.array(maybe(word), { maxLength: 3 })),
  ids: maybe(fc.array(fc.uuid(), { maxLength: 2 })),
  document: maybe(fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word), fc.record({ 'a "b"': word, deep: fc.array(maybe(word)) }))),
  raw: maybe(fc.oneof(word, fc.record({ c: word }), fc.array(fc.integer()))),
  amount: maybe(fc.integer({ min: -99_999_999, max: 99_999_999 }).map((n) => new Decimal(n).div(10_000))),
  at: maybe(fc.date({ min: new Date(0), max: new Date('2099-01-01'), noInvalidDate: true })),
  flag: maybe(fc.boolean()),
});

test('rows arrive as they were given, whatever is in them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), async (given) => {
      const rows = given.map((one, place) => ({ place, ...one }));
      const expected = rows.map((one) => ({ ...one, amount: one.amount?.toFixed(4) ?? null, at: one.at?.getTime() ?? null }));
      expect(await roundTrip(rows)).toEqual(expected);
    }),
    { numRuns: runs(150) },
  );
});

test('a value that all rows have arrives in each of them', async () => {
  const alike = { word: 'the "same" \\ one', list: ['a', null, '}'], document: { of: 'all' }, raw: null, flag: true };
  const rows = [0, 1, 2].map((place) => ({ place, ...alike }));
  expect(await roundTrip(rows)).toEqual(rows.map((one) => ({ ...one, ids: null, amount: null, at: null })));
});

test('no rows are nothing to do', async () => {
  expect(await roundTrip([])).toEqual([]);
});
