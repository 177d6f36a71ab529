import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** Comparisons that may stay: what is compared is the same for all rows, or the row was found by another column. */
const FINE = ['src/dispatch/checks/unit-mismatches.ts', 'src/telematics/distances/travelled-distance.access.ts'];

// Below row-level security PostgreSQL uses an index only for what is leakproof. Neither `coalesce` nor a subselect of the outer row is: the
// whole table is read for each row (src/platform/database/first-known.ts). `in (select ...)` is a row to join with.
test('a record is found by an id that PostgreSQL looks up in an index below row-level security', () => {
  const found = globSync('src/**/*.ts').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\w\}?\.id = (?:coalesce\(|\(select\b)/g)].map(() => path),
  );
  expect(found.filter((path) => !FINE.includes(path))).toEqual([]);
  expect(FINE.filter((path) => !found.includes(path))).toEqual([]);
});
