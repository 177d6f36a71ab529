import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import fc from 'fast-check';
import { createOrm } from '../../../src/platform/database/orm.ts';
import { insertRows, queryIn } from '../../../src/platform/database/sql.ts';
import { Decimal } from '../../../src/platform/decimal.ts';
import { freshDatabase } from '../../helpers/database.ts';
import { runs } from '../../helpers/properties.ts';
import { SandCompany } from '../sandbox.ts';

let orm: MikroORM;
beforeAll(async () => {
  orm = await createOrm({ url: await freshDatabase(), entities: [SandCompany] });
  await orm.em.execute(`create table anything (
    place integer, id uuid, word text, list text[], ids uuid[], document jsonb, raw json, amount numeric(18,4), many bigint, at timestamptz(6), flag boolean)`);
});
afterAll(() => orm.close(true));

/** Inserts the rows and reads them as they came. */
const roundTrip = (rows: readonly object[]): Promise<Record<string, unknown>[]> =>
  orm.em.fork().transactional(async (em) => {
    await queryIn(em, 'truncate anything');
    await insertRows(em, 'anything', rows);
    return queryIn(
      em,
      'select *, amount::text as amount, many::float8 as many, (extract(epoch from at) * 1000)::float8 as at from anything order by place',
    );
  });

/** Everything PostgreSQL's text can hold: no NUL, no half of a surrogate pair. */
const text = fc.string({ unit: 'binary', maxLength: 8 }).filter((one) => !one.includes('\0') && one.isWellFormed());
const special = fc.constantFrom('', 'NULL', 'null', '"', '\\', '{}', '{"a",b}', '$1', "it's", '\\"', 'é\n\t');
const word = fc.oneof(text, special);
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 3 });
const wholeNumber = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const safeNumber = fc.maxSafeInteger();
const instant = fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
const row = fc.record({
  id: maybe(fc.uuid()),
  word: maybe(word),
  list: maybe(fc.array(maybe(word), { maxLength: 3 })),
  ids: maybe(fc.array(fc.uuid(), { maxLength: 2 })),
  document: maybe(fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word), fc.record({ 'a "b"': word, deep: fc.array(maybe(word)) }))),
  raw: maybe(fc.oneof(word, fc.record({ c: word }), fc.array(fc.integer()))),
  amount: maybe(fc.integer({ min: -99_999_999, max: 99_999_999 }).map((n) => new Decimal(n).div(10_000))),
  many: maybe(safeNumber),
  at: maybe(instant),
  flag: maybe(fc.boolean()),
});

test('rows are inserted unchanged, whatever they contain', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), async (given) => {
      const rows = given.map((one, place) => ({ place, ...one }));
      const expected = rows.map((one) => ({ ...one, amount: one.amount?.toFixed(4) ?? null, at: one.at?.getTime() ?? null }));
      expect(await roundTrip(rows)).toEqual(expected);
    }),
    { numRuns: runs(150) },
  );
});

test('a value that all rows have is inserted in each of them', async () => {
  const alike = { word: 'the "same" \\ one', list: ['a', null, '}'], document: { of: 'all' }, raw: null, flag: true };
  const rows = [0, 1, 2].map((place) => ({ place, ...alike }));
  expect(await roundTrip(rows)).toEqual(rows.map((one) => ({ ...one, id: null, ids: null, amount: null, many: null, at: null })));
});

const lists = fc.record({
  uuid: fc.array(maybe(fc.uuid())),
  int: fc.array(maybe(wholeNumber)),
  bigint: fc.array(maybe(safeNumber.map(String))),
  boolean: fc.array(maybe(fc.boolean())),
  text: fc.array(maybe(word)),
  json: fc.array(maybe(fc.json())),
  jsonb: fc.array(maybe(fc.json({ stringUnit: 'grapheme' }))),
  timestamptz: fc.array(maybe(instant.map((at) => at.toISOString()))),
  'numeric(9,2)': fc.array(maybe(wholeNumber.map((n) => new Decimal(n).div(1000).toFixed(2)))),
});

/** Lists of each type, element by element as PostgreSQL writes it. */
const reported = (types: readonly string[], elements: (type: string, at: number) => string): string =>
  `select ${types.map((type, at) => `(select json_agg(e::${type}::text order by n) from ${elements(type, at)} with ordinality r (e, n)) as "${type}"`).join(', ')}`;

test('lists with a declared type are inserted as if they were literals', async () => {
  await fc.assert(
    fc.asyncProperty(lists, async (given) => {
      const types = Object.keys(given);
      const ask = (sql: string, values: unknown[]) => orm.em.fork().transactional((em) => queryIn(em, sql, values));
      const packed = reported(types, (type, at) => `unnest($${at + 1}::${type}[])`);
      const written = reported(types, (type) => `json_array_elements_text($1::json -> '${type}')`);
      expect(await ask(packed, Object.values(given))).toEqual(await ask(written, [JSON.stringify(given)]));
    }),
    { numRuns: runs(100) },
  );
});

test.each([
  ['an id without hyphens', 'uuid', '0123456789ABCDEF0123456789abcdef', '01234567-89ab-cdef-0123-456789abcdef'],
  ['an id with hyphens elsewhere', 'uuid', '0123-4567-89ab-cdef-0123456789abcdef', '01234567-89ab-cdef-0123-456789abcdef'],
  ['an instant to the microsecond', 'timestamptz', '2026-11-22T07:00:00.123456Z', '2026-11-22 07:00:00.123456+00'],
  ['an instant of a zone', 'timestamptz', '2026-11-22T07:00:00-05:00', '2026-11-22 12:00:00+00'],
  ['the end of time', 'timestamptz', 'infinity', 'infinity'],
  ['a number beyond those of JavaScript', 'bigint', '9223372036854775807', '9223372036854775807'],
  ['a boolean in letters', 'boolean', 'yes', 'true'],
])('%s is read like in PostgreSQL', async (_what, type, given, reported) => {
  const read = orm.em.fork().transactional(async (em) => {
    await queryIn(em, "set local time zone 'UTC'");
    return queryIn(em, `select e::text as reported from unnest($1::${type}[]) e`, [[given]]);
  });
  expect(await read).toEqual([{ reported }]);
});

test.each([
  ['uuid', 'no id at all, and as long as one is ', '22P02'],
  ['uuid', '0123456789abcdef-0123-4567-89abcdefé', '22P02'],
  ['integer', 2 ** 31, '22003'],
  ['integer', 1.5, '22P02'],
  ['bigint', '9223372036854775808', '22003'],
  ['boolean', 'perhaps', '22P02'],
  ['timestamptz', '2026-02-30T00:00:00Z', '22008'],
  ['json', '{"a":', '22P02'],
  ['text', 'a\0b', '22021'],
])('a list of %s with %p in it is refused', async (type, wrong, code) => {
  const send = orm.em.fork().transactional((em) => queryIn(em, `select $1::${type}[]`, [[wrong]]));
  await expect(send).rejects.toMatchObject({ code });
});

test('an empty list of rows does nothing', async () => {
  expect(await roundTrip([])).toEqual([]);
});
