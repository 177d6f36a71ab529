import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { onDuty } from '../helpers/on-duty.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, newDatabase: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const sql = <R extends object>(text: string) => app.orm.em.fork().execute<R[]>(text);

/** As PostgreSQL ends one of two that wait for each other: the first `races` ends of tasks, and never a later one. */
async function loseRaces(races: number): Promise<void> {
  await sql(`create sequence ends_of_tasks;
    create table ended_task (asset_id uuid, attempts int);
    create function lose_races() returns trigger language plpgsql security definer set search_path = public as $$ begin
      if nextval('ends_of_tasks') <= ${races} then raise exception 'deadlock detected' using errcode = '40P01'; end if;
      insert into ended_task values (old.asset_id, old.attempts);
      return old;
    end $$;
    create trigger lose_races before delete on position_task for each row when (old.kind = 'fences') execute function lose_races()`);
}

test('the end of what follows from positions that lost a race is tried again, and the work is not done once more', async () => {
  await loseRaces(2);
  const { user, token } = await tenant.person({ roles: ['driver'] });
  await onDuty(tenant, user.id, { startedAt: new Date(Date.now() - 3_600_000) });
  const location = { occurred_at: new Date().toISOString(), lat: 30.25, lon: -97.75 };
  expect((await tenant.http('POST', '/v1/users/me/location', { device_id: 'phone', location }, token)).status).toBe(204);
  await until(async () => (await sql('select 1 from ended_task')).length > 0);
  // The first attempt is the only one.
  expect(await sql('select asset_id, attempts from ended_task')).toEqual([{ asset_id: user.id, attempts: 1 }]);
  expect(await sql('select last_value::int as ends from ends_of_tasks')).toEqual([{ ends: 3 }]);
});
