import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  columnOf,
  type FieldKind,
  ORDER_FIELDS,
  PROJECT_FIELDS,
  payloadColumnsOf,
  type WorkFields,
} from '../../src/dispatch/fields/work-fields.ts';
import { SHEET_FIELDS } from '../../src/ingest/csv/fields.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const TYPES: Record<FieldKind, string> = {
  text: 'text',
  unit: 'text',
  rateType: 'text',
  quantityType: 'text',
  decimal: 'numeric',
  whole: 'integer',
  flag: 'boolean',
  instant: 'timestamp with time zone',
};

const columnsOf = async (table: string) =>
  new Map(
    (
      await app.orm.em
        .getConnection()
        .execute<{ name: string; type: string }[]>(
          `select column_name as name, data_type as type from information_schema.columns where table_name = ? and table_schema = current_schema()`,
          [table],
        )
    ).map(({ name, type }) => [name, type]),
  );

test.each<[string, WorkFields]>([
  ['orders', ORDER_FIELDS],
  ['project', PROJECT_FIELDS],
])('every field of %s has a column of its kind, and is inherited by one of the same kind', async (table, fields) => {
  const columns = await columnsOf(table);
  const [projects, jobs] = [await columnsOf('project'), await columnsOf('job')];
  for (const [field, { kind, fromProject, job }] of Object.entries(fields)) {
    expect([field, columns.get(columnOf(field))]).toEqual([field, TYPES[kind]]);
    if (fromProject) expect([fromProject, projects.get(columnOf(fromProject))]).toEqual([fromProject, TYPES[kind]]);
    if (job) expect([job, jobs.get(columnOf(job))]).toEqual([job, TYPES[kind]]);
  }
});

test.each<['orders' | 'projects', WorkFields]>([
  ['orders', ORDER_FIELDS],
  ['projects', PROJECT_FIELDS],
])('a sheet of %s has a column for each field of a payload, once', (kind, fields) => {
  const paths = SHEET_FIELDS[kind].map(({ path }) => path);
  for (const [column, its] of payloadColumnsOf(fields)) {
    expect([column, paths.filter((path) => path === column).length]).toEqual([column, 1]);
    const cell = its === 'flag' ? 'flag' : its === 'decimal' || its === 'whole' ? 'number' : 'text';
    expect(SHEET_FIELDS[kind].find(({ path }) => path === column)).toMatchObject({ type: cell });
  }
});
