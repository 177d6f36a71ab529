import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { User } from '../../src/directory/people/user.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { connect, makeStaffedTenant, type StaffedTenant, share } from '../helpers/staffed-tenant.ts';
import { accountOf, errorsOf, type Json, merge, merged, rowsOf, siteOf, truckOf, undo } from './merging.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const sql = (text: string, values: unknown[] = []): Promise<Json[]> => app.orm.em.fork().getConnection().execute(text, values);

/** A driver with a truck and a trailer that are parked at a site, and a duplicate of each that has none of it. */
async function parked(of: StaffedTenant) {
  const [yard, otherYard] = [await siteOf(of, { name: 'Yard' }), await siteOf(of, { name: 'The yard' })];
  const truck = await truckOf(of, { name: 'T 1', homeBase: ref(otherYard) });
  const trailer = await truckOf(of, { name: 'L 1', homeBase: ref(otherYard) });
  const [truckKept, trailerKept] = [await truckOf(of, { name: 'T-1' }), await truckOf(of, { name: 'L-1' })];
  const person = { company: ref(of.company), firstName: 'Dan', roles: ['driver'] };
  const has = {
    equipment: ref(truck),
    defaultEquipment: ref(truck),
    additionalEquipmentIds: [trailer.id],
    defaultAdditionalEquipmentIds: [trailer.id, truck.id],
  };
  const driver = await of.save(User, { ...person, lastName: 'Former', ...has });
  const driverKept = await of.save(User, { ...person, lastName: 'Kept' });
  return {
    sites: () => merged(of, 'sites', yard.id, [otherYard.id]),
    trucks: () => merged(of, 'equipment', truckKept.id, [truck.id]),
    trailers: () => merged(of, 'equipment', trailerKept.id, [trailer.id]),
    drivers: () => merged(of, 'users', driverKept.id, [driver.id]),
  };
}
type Kind = keyof Awaited<ReturnType<typeof parked>>;

// What a merge has moved in the row of a record that is merged itself is found again in whatever order both are undone.
test.each<[Kind[], Kind[]]>([
  [
    ['drivers', 'trucks', 'trailers', 'sites'],
    ['drivers', 'trucks', 'trailers', 'sites'],
  ],
  [
    ['trucks', 'trailers', 'sites', 'drivers'],
    ['sites', 'trailers', 'trucks', 'drivers'],
  ],
  [
    ['sites', 'trucks', 'drivers', 'trailers'],
    ['sites', 'drivers', 'trailers', 'trucks'],
  ],
  [
    ['trailers', 'drivers', 'trucks', 'sites'],
    ['trucks', 'sites', 'trailers', 'drivers'],
  ],
])('a driver, the truck, the trailer and the yard are merged (%p) and undone (%p): all is as before', async (order, undone) => {
  const of = await makeStaffedTenant(app);
  const does = await parked(of);
  const before = await rowsOf(of);
  const done = {} as Record<Kind, string>;
  for (const kind of order) done[kind] = (await does[kind]()).id;
  for (const kind of undone) expect([kind, (await undo(of, done[kind])).status]).toEqual([kind, 200]);
  expect(await rowsOf(of)).toEqual(before);
});

test('what a merge put aside for what another one had brought is used when that one is undone, and types stay that it needs', async () => {
  const of = await makeStaffedTenant(app);
  const partner = await makeStaffedTenant(app);
  await connect(of, partner);
  const kept = await accountOf(of, { name: 'ACME', accountTypes: ['customer'] });
  const others = [
    await accountOf(of, { name: 'Acme Inc', accountTypes: ['customer', 'vendor'] }),
    await accountOf(of, { name: 'Acme Ltd', accountTypes: ['customer', 'vendor'] }),
  ] as const;
  const [truck, ...trucks] = [
    await truckOf(of, { name: 'T-1' }),
    await truckOf(of, { name: 'T 1' }),
    await truckOf(of, { name: 'T1' }),
  ] as const;
  const prices: string[] = [];
  for (const [i, { id }] of others.entries())
    prices.push(
      (
        await of.admin.must('POST', of.path('/material_rates'), {
          ...{ material_id: of.material.id, customer_account_id: id, unit_of_measure: 'Ton', sell_price: `${i + 1}` },
        })
      ).id,
    );
  for (const { id } of trucks) await share(of, partner, 'Equipment', id, { dispatchable: true });
  const before = await rowsOf(of);
  const done = {
    accounts: [await merged(of, 'accounts', kept.id, [others[0].id]), await merged(of, 'accounts', kept.id, [others[1].id])],
    equipment: [await merged(of, 'equipment', truck.id, [trucks[0]!.id]), await merged(of, 'equipment', truck.id, [trucks[1]!.id])],
  };
  const seen = async () => {
    const rates: Json[] = await of.admin.must('GET', of.path('/material_rates?page[limit]=100'));
    const { account_types: types } = await of.admin.must('GET', `/v1/accounts/${kept.id}`);
    const { status } = await partner.dispatcher.http('GET', `/v1/equipment/${truck.id}`);
    return { prices: prices.map((id) => rates.find((rate) => rate.id === id)?.customer_account.id === kept.id), types, status };
  };
  expect(await seen()).toEqual({ prices: [true, false], types: ['customer', 'vendor'], status: 200 });
  for (const [first] of Object.values(done)) expect((await undo(of, first.id)).status).toBe(200);
  expect(await seen()).toEqual({ prices: [false, true], types: ['customer', 'vendor'], status: 200 });
  for (const [, second] of Object.values(done)) expect((await undo(of, second.id)).status).toBe(200);
  expect(await seen()).toEqual({ prices: [false, false], types: ['customer'], status: 404 });
  expect(await rowsOf(of)).toEqual(before);
});

test('the feed names nobody by an id that no answer has, whatever is merged of what merged records had', async () => {
  const of = await makeStaffedTenant(app);
  const does = await parked(of);
  const feed = async (after: string): Promise<Json> =>
    (await of.admin.http('GET', of.path(`/changes?after=${after}&types=User,Equipment,Site&limit=100`))).body;
  const start = (await feed('0')).meta.position;
  const done: string[] = [];
  for (const kind of ['drivers', 'trucks', 'trailers', 'sites'] as const) done.push((await does[kind]()).id);
  for (const id of done) expect((await undo(of, id)).status).toBe(200);
  const { data } = await feed(start);
  const ids = [...new Set<string>(data.map(({ id }: Json) => id))];
  const known = await sql(
    `select id from app_user where company_id = $1 union select id from equipment where company_id = $1 union select id from site where company_id = $1`.replaceAll(
      '$1',
      '?',
    ),
    [of.company.id, of.company.id, of.company.id],
  );
  expect(ids.filter((id) => !known.some((one) => one.id === id))).toEqual([]);
  expect(data.length).toBeGreaterThan(0);
});

test('a company keeps what it uses: a share that has ended takes the place of none that lasts', async () => {
  const [of, partner] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  await connect(of, partner);
  const [kept, former] = [await truckOf(of, { name: 'T-1' }), await truckOf(of, { name: 'T 1' })];
  const ended = await share(of, partner, 'Equipment', kept.id, { dispatchable: true });
  await share(of, partner, 'Equipment', former.id, { dispatchable: true });
  await sql(`update company_share set expires_at = now() - interval '1 day' where id = ?`, [ended.id]);
  const before = await rowsOf(of);
  for (const dryRun of [true, false])
    expect(errorsOf(await merge(of, 'equipment', kept.id, [former.id], { dry_run: dryRun }))).toEqual([
      '422',
      'other_ids.0: is shared with a company whose share of the record that stays has ended: extend or delete that share first',
    ]);
  expect(await rowsOf(of)).toEqual(before);
  expect((await of.admin.http('DELETE', `/v1/company_shares/${ended.id}`)).status).toBe(204);
  await merged(of, 'equipment', kept.id, [former.id]);
  expect(await partner.dispatcher.must('GET', `/v1/equipment/${former.id}`)).toMatchObject({ id: kept.id });
  // The other way round the share of the truck that stays lasts, and the ended one is put aside.
  const [staying, going] = [await truckOf(of, { name: 'T-2' }), await truckOf(of, { name: 'T 2' })];
  await share(of, partner, 'Equipment', staying.id, { dispatchable: true });
  const over = await share(of, partner, 'Equipment', going.id, { dispatchable: true });
  await sql(`update company_share set expires_at = now() - interval '1 day' where id = ?`, [over.id]);
  const { moved } = await merged(of, 'equipment', staying.id, [going.id]);
  expect(moved.find(({ records }: Json) => records === 'company_share')).toEqual({ records: 'company_share', moved: 0, put_aside: 1 });
});

test('the external id of a merged truck is taken, but for the one that stays', async () => {
  const of = await makeStaffedTenant(app);
  const [kept, former] = [await truckOf(of, { name: 'T-1' }), await truckOf(of, { name: 'T 1', externalId: 'TRK-1' })];
  const third = await truckOf(of, { name: 'T-3', externalId: 'TRK-3' });
  const { id } = await merged(of, 'equipment', kept.id, [former.id]);
  const give = (to: string, external_id: string) => of.admin.http('PATCH', `/v1/equipment/${to}`, { external_id });
  expect(errorsOf(await give(third.id, 'TRK-1'))).toEqual(['422', 'external_id: has already been taken']);
  expect((await give(third.id, 'TRK-4')).status).toBe(200);
  expect((await give(kept.id, 'TRK-1')).status).toBe(200);
  // Now the merge cannot be undone: two trucks would have it.
  expect(errorsOf(await undo(of, id))).toEqual(['422', 'external_id: has already been taken']);
  expect((await give(kept.id, 'TRK-9')).status).toBe(200);
  expect((await undo(of, id)).status).toBe(200);
  expect(await of.admin.must('GET', `/v1/equipment/${former.id}`)).toMatchObject({ id: former.id, external_id: 'TRK-1' });
});
