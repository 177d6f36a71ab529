import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { User } from '../../src/directory/people/user.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeStaffedTenant, plannedOrder, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { until } from '../helpers/until.ts';
import { accountOf, type Json, materialOf, merge, merged, siteOf, truckOf, undo } from './merging.ts';

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

const sql = (text: string, values: unknown[] = []): Promise<Json[]> => app.orm.em.fork().getConnection().execute(text, values);
const driverOf = (lastName: string): Promise<User> =>
  tenant.save(User, { company: ref(tenant.company), firstName: 'Dan', lastName, roles: ['driver'] });

/** Holds a row in a transaction until it is let go, so that what needs the row meets at it. */
async function holding<T>(table: string, id: string, meet: () => Promise<T>): Promise<T> {
  const em = app.orm.em.fork();
  await em.begin();
  await em.getConnection().execute(`select 1 from "${table}" where id = ? for update`, [id], 'all', em.getTransactionContext());
  try {
    return await meet();
  } finally {
    await em.rollback();
  }
}
/** Waits until so many statements wait for a lock. */
const waiting = (count: number): Promise<void> =>
  until(async () => {
    const [row] = await sql(
      `select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return row!.waiting >= count;
  });

test('of merges in a ring all but one are done, and all ids answer with the same record', async () => {
  const ids = (await Promise.all(['A', 'B', 'C'].map((name) => materialOf(tenant, { name })))).map(({ id }) => id);
  const answers = await Promise.all(ids.map((id, i) => merge(tenant, 'materials', id, [ids[(i + 1) % 3]!])));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 200, 422]);
  const found = await Promise.all(ids.map((id) => tenant.admin.must('GET', `/v1/materials/${id}`)));
  expect(new Set(found.map(({ id }) => id)).size).toBe(1);
});

test('a job that is dispatched to a driver while the driver is merged has the driver who stays', async () => {
  const [kept, former] = [await driverOf('Kept'), await driverOf('Former')];
  const { jobs } = await plannedOrder(tenant, {});
  const id = jobs[0].id as string;
  // The dispatcher's transaction has found the driver, and waits for its order.
  const [order] = await sql('select order_id from job where id = ?', [id]);
  let dispatched: Promise<Json> | undefined;
  let done: Promise<Json> | undefined;
  await holding('orders', order!.order_id, async () => {
    dispatched = tenant.dispatcher.http('PATCH', `/v1/jobs/${id}`, { driver_id: former.id });
    await waiting(1);
    done = merged(tenant, 'users', kept.id, [former.id]);
    await done;
  });
  expect((await dispatched!).status).toBe(200);
  expect((await tenant.dispatcher.must('GET', `/v1/jobs/${id}`)).driver.id).toBe(kept.id);
  expect((await done!).state).toBe('merged');
});

test('a trailer that is given to jobs while it is merged is the one that stays', async () => {
  const [kept, former] = [await truckOf(tenant, { name: 'Trailer' }), await truckOf(tenant, { name: 'Trailer old' })];
  const orders = await Promise.all(Array.from({ length: 4 }, () => plannedOrder(tenant, {})));
  const ids = orders.map(({ jobs }) => jobs[0].id as string);
  const give = (id: string) => tenant.dispatcher.http('PATCH', `/v1/jobs/${id}`, { additional_equipment_ids: [former.id] });
  const [done, ...given] = await Promise.all([merge(tenant, 'equipment', kept.id, [former.id]), ...ids.map(give)]);
  expect([done.status, ...given.map(({ status }) => status)]).toEqual([200, 200, 200, 200, 200]);
  const rows = await sql('select distinct additional_equipment_ids as ids from job where id = any(?::uuid[])', [`{${ids.join()}}`]);
  expect(rows).toEqual([{ ids: [kept.id] }]);
});

test('a merge waits for what refers to its record, and moves it', async () => {
  const [kept, former] = [await siteOf(tenant, { name: 'Gate A' }), await siteOf(tenant, { name: 'Gate B' })];
  const em = app.orm.em.fork();
  await em.begin();
  const price = `insert into material_rate (id, company_id, material_id, site_id, unit_of_measure) values (gen_random_uuid(), ?, ?, ?, 'Ton') returning id`;
  const [rate] = (await em
    .getConnection()
    .execute(price, [tenant.company.id, tenant.material.id, former.id], 'all', em.getTransactionContext())) as Json[];
  const done = merged(tenant, 'sites', kept.id, [former.id]);
  await waiting(1);
  await em.commit();
  expect((await done).moved).toEqual([{ records: 'material_rate', moved: 1, put_aside: 0 }]);
  expect(await sql('select site_id from material_rate where id = ?', [rate!.id])).toEqual([{ site_id: kept.id }]);
});

test('an import that makes records and a merge of its customer wait for each other, and the customer who stays has its order', async () => {
  const [kept, former] = [
    await accountOf(tenant, { name: 'Stays Inc' }),
    await accountOf(tenant, { name: 'Goes Inc', externalId: 'GO-1' }),
  ];
  const em = app.orm.em.fork();
  await em.begin();
  const lock = `select pg_advisory_xact_lock(hashtextextended('haulgate:master:' || ?, 0))`;
  await em.getConnection().execute(lock, [tenant.company.id], 'all', em.getTransactionContext());
  // The import makes a site, for which it waits after it has found the customer.
  const element = {
    external_id: 'RACE-1',
    load_at: '2026-12-01T07:00',
    customer: { external_id: 'GO-1', name: 'Goes Inc' },
    sites: [{ waypoint: 'pickup', name: 'A new pit of the race', lat: 31, lon: -97 }],
  };
  let done: Promise<Json> | undefined;
  try {
    expect((await tenant.http('POST', '/ingest/orders', { orders: [element] })).status).toBe(202);
    await waiting(1);
    done = merged(tenant, 'accounts', kept.id, [former.id]);
    await waiting(2);
  } finally {
    await em.commit();
  }
  await done;
  await app.settled();
  expect(await sql(`select account_id from orders where company_id = ? and external_id = 'RACE-1'`, [tenant.company.id])).toEqual([
    { account_id: kept.id },
  ]);
});

test('a record that is changed while it is merged is changed, whichever comes first, and the change of the record that stays is not of another one', async () => {
  const pairs = {
    sites: ['site', await siteOf(tenant, { name: 'Kept' }), await siteOf(tenant, { name: 'Former' })],
    equipment: ['equipment', await truckOf(tenant, { name: 'Kept' }), await truckOf(tenant, { name: 'Former' })],
    accounts: ['account', await accountOf(tenant, { name: 'Kept' }), await accountOf(tenant, { name: 'Former' })],
    materials: ['material', await materialOf(tenant, { name: 'Kept' }), await materialOf(tenant, { name: 'Former' })],
    users: ['app_user', await driverOf('Kept'), await driverOf('Former')],
  } as const;
  for (const [path, [table, kept, former]] of Object.entries(pairs)) {
    const field = path === 'users' ? 'last_name' : 'name';
    const change = (): Promise<Json> => tenant.admin.http('PATCH', `/v1/${path}/${former.id}`, { [field]: 'Changed' });
    const join = (): Promise<Json> => merge(tenant, path as keyof typeof pairs, kept.id, [former.id]);
    // Whoever comes first waits first, and goes first.
    for (const isChangedFirst of [true, false]) {
      const answers: Promise<Json>[] = [];
      await holding(table, former.id, async () => {
        for (const [at, act] of (isChangedFirst ? [change, join] : [join, change]).entries()) {
          answers.push(act());
          await waiting(at + 1);
        }
      });
      const [first, second] = await Promise.all(answers);
      const [changed, done] = isChangedFirst ? [first, second] : [second, first];
      expect([path, changed.status, done.status]).toEqual([path, 200, 200]);
      const nameOf = async (id: string) => (await tenant.admin.must('GET', `/v1/${path}/${id}`))[field];
      // Who was merged first is not there any more, so that the change is one of the record that answers for it.
      expect([path, await nameOf(kept.id)]).toEqual([path, isChangedFirst ? 'Kept' : 'Changed']);
      expect((await undo(tenant, done.body.data.id)).status).toBe(200);
      expect([path, await nameOf(former.id)]).toEqual([path, 'Changed']);
      await tenant.admin.must('PATCH', `/v1/${path}/${kept.id}`, { [field]: 'Kept' });
    }
  }
});

test('a truck that is deleted while one of its drivers is merged leaves that driver, too, should the merge be undone', async () => {
  const trailer = await truckOf(tenant, { name: 'Trailer that goes' });
  const withIt = {
    company: ref(tenant.company),
    firstName: 'Dan',
    roles: ['driver'],
    defaultAdditionalEquipmentIds: [trailer.id],
  } as const;
  const [other, former, kept] = [
    await tenant.save(User, { ...withIt, lastName: 'Other' } as object),
    await tenant.save(User, { ...withIt, lastName: 'Former' } as object),
    await driverOf('Kept'),
  ];
  let deleted: Promise<Json> | undefined;
  let done: Json;
  // The deletion has found both drivers, and waits for the first of them.
  await holding('app_user', other.id, async () => {
    deleted = tenant.admin.http('DELETE', `/v1/equipment/${trailer.id}`);
    await waiting(1);
    done = await merged(tenant, 'users', kept.id, [former.id]);
  });
  expect((await deleted!).status).toBe(204);
  expect((await undo(tenant, done.id)).status).toBe(200);
  const rows = await sql('select distinct default_additional_equipment_ids as ids from app_user where id = any(?::uuid[])', [
    `{${[other.id, former.id].join()}}`,
  ]);
  expect(rows).toEqual([{ ids: [] }]);
});
