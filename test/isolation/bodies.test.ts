import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { askBodies, UUIDS } from '../helpers/walk/bodies.ts';
import { KINDS } from '../helpers/walk/kinds.ts';
import { type Ids, makeIds } from '../helpers/walk.ts';

let app: TestApp;
let tenant: Tenant;
let foreign: Ids;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  foreign = await makeIds(await makeTenant(app));
});
afterAll(() => app.close());

test("another company's id in any field of any input is treated like an unknown one, and is stored nowhere", async () => {
  const asked = await askBodies(app, tenant, foreign);
  expect(asked.filter((one) => one.foreign !== one.nothing)).toEqual([]);
  // Most are looked up and not found; the others are dry runs that report problems, jobs of bulk actions, and filters.
  expect([asked.length > 150, asked.filter(({ refused }) => refused).length > 100]).toEqual([true, true]);
  const theirs = new Set(KINDS.map(([, kind]) => foreign[kind]));
  const tables = await app.orm.em.execute<{ name: string }[]>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`,
  );
  const kept: string[] = [];
  for (const { name } of tables) {
    // The request of a bulk action is stored until a worker has processed it.
    if (name === 'bulk_action_item') continue;
    const rows = await app.orm.em.execute<{ row: string }[]>(`select to_jsonb(t)::text as row from "${name}" t where company_id = ?`, [
      tenant.company.id,
    ]);
    for (const { row } of rows) if ((row.match(UUIDS) ?? []).some((id) => theirs.has(id))) kept.push(`${name}: ${row}`);
  }
  expect(kept).toEqual([]);
}, 300_000);
