import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { APP_ROLE } from '../../src/platform/database/roles.ts';
import { withPartnerVisibility } from '../../src/platform/database/scope.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { leaksIn, muteIn, WithoutConditions } from '../helpers/isolation/without-conditions.ts';

let world: WithoutConditions;
beforeAll(async () => {
  world = await WithoutConditions.open({ newDatabase: true });
});
afterAll(() => world.app.close());

test('without a scope the application reads no row of any company, in no table', async () => {
  const { app } = world;
  const tables = await app.orm.em.execute<{ name: string }[]>(
    `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and has_table_privilege(?, c.oid, 'select')
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped)`,
    [APP_ROLE],
  );
  const pool = await poolOf(app.productOrm.em);
  const filled: string[] = [];
  const read: string[] = [];
  for (const { name } of tables) {
    const sql = `select 1 from "${name}" where company_id is not null limit 1`;
    if ((await app.orm.em.execute<object[]>(sql)).length > 0) filled.push(name);
    for (const work of ['off', 'on'] as const)
      if ((await withPartnerVisibility(async () => (await pool.query(sql)).rows, work)).length > 0) read.push(name);
  }
  // Otherwise it would say nothing about them.
  expect(filled).toEqual(expect.arrayContaining(['orders', 'job', 'load', 'ticket', 'driver_day', 'invoice', 'settlement', 'app_user']));
  expect(filled.length).toBeGreaterThan(60);
  expect(read).toEqual([]);
});

let walled: Awaited<ReturnType<WithoutConditions['askAll']>>;
test("with the application's conditions on companies removed everywhere, no query of anybody returns a row of another company", async () => {
  expect(world.theirs.size).toBeGreaterThan(50);
  for (const [caller, token] of world.tokens) {
    walled = await world.askAll(token);
    expect([caller, leaksIn(walled)]).toEqual([caller, []]);
  }
  expect(world.removed.atPrimary).toBeGreaterThan(500);
}, 300_000);

test('it was row-level security that held: without it, the same queries return such rows', async () => {
  await world.disableRowLevelSecurity();
  const now = await world.askAll(world.tenant.token);
  const mute = muteIn(now, walled);
  expect([mute, mute.length < now.length / 10]).toEqual([mute, true]);
}, 120_000);
