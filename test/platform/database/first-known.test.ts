import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ALL_WORK, deliveries } from '../../../src/dispatch/model/delivered.ts';
import { asCompanies } from '../../../src/platform/database/scope.ts';
import { queryIn } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** The plan of a statement of the product, where an index is used if PostgreSQL may use one. */
const planOf = (sql: string): Promise<string> =>
  asCompanies([tenant.company.id], () =>
    app.productOrm.em.fork().transactional(async (em) => {
      // Whatever other tests have left in the tables.
      for (const way of ['seqscan', 'hashjoin', 'mergejoin', 'material']) await queryIn(em, `set local enable_${way} = off`);
      const rows = await queryIn<{ 'QUERY PLAN': string }>(em, `explain ${sql}`);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    }),
  );

test('what a load delivered is looked up by its key, and not among all materials', async () => {
  // Of one load: of all loads, reading a short table of materials whole is the better plan.
  const ofOneLoad = deliveries({ ...ALL_WORK, loads: `(select * from load where id = '${crypto.randomUUID()}')` });
  expect(await planOf(ofOneLoad)).toMatch(/Index Scan using material_pkey[^\n]*\n\s+Index Cond: \(id = CASE/);
});

test('no statement looks up a row by a coalesce, by which PostgreSQL finds no row below row-level security', async () => {
  const asked = await planOf('select m.name from load l join material m on m.id = coalesce(l.material_id, l.route_id)');
  expect(asked).toContain('COALESCE');
  expect(asked).not.toContain('Index Cond: (id = COALESCE');
  const found = globSync('src/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bjoin "?\w+"? (\w+) on \1\.id = coalesce\([^)]*\)/g)].map(([text]) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});
