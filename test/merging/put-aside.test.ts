import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PUT_ASIDE } from '../../src/merging/put-aside.access.ts';
import { REFERENCES } from '../../src/merging/references.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { connect, makeStaffedTenant, type StaffedTenant, share } from '../helpers/staffed-tenant.ts';
import { accountOf, type Json, materialOf, merged, rowsOf, siteOf, truckOf, undo } from './merging.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

/** Two of each kind, and something of which there can be one for both. */
async function doubled(of: StaffedTenant, partner: StaffedTenant) {
  const both = ['customer', 'vendor'];
  const pairs = {
    sites: [await siteOf(of, { name: 'Pit' }), await siteOf(of, { name: 'The pit' })],
    equipment: [await truckOf(of, { name: 'T-1' }), await truckOf(of, { name: 'T 1' })],
    accounts: [await accountOf(of, { name: 'ACME', accountTypes: both }), await accountOf(of, { name: 'Acme Inc', accountTypes: both })],
    materials: [await materialOf(of, { name: 'Flex base' }), await materialOf(of, { name: 'Flexbase' })],
  };
  const price = { unit_of_measure: 'Ton', sell_price: '4' };
  for (const { id } of pairs.sites)
    await of.admin.must('POST', of.path('/material_rates'), { material_id: of.material.id, site_id: id, ...price });
  for (const { id } of pairs.equipment) await share(of, partner, 'Equipment', id, { dispatchable: true });
  for (const { id } of pairs.accounts) {
    const card = { name: 'Card', owner_type: 'vendor', account_id: id, type: 'RateFlatRate', flat_amount: 90, primary: true };
    await of.admin.must('POST', '/v1/rates', card);
  }
  const project = await of.admin.must('POST', '/v1/projects', {
    name: 'Bridge',
    account_id: of.account.id,
    project_material_totals: pairs.materials.map(({ id }, i) => ({
      material_id: id,
      total_quantity: `${100 * (i + 1)}`,
      unit_of_measure: 'Ton',
    })),
  });
  return { pairs, project };
}

test('what a merge put aside is in no list, and names nobody by an id that no answer has; an undo brings it back', async () => {
  const [of, partner] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  await connect(of, partner);
  const { pairs, project } = await doubled(of, partner);
  const before = await rowsOf(of);
  const done: string[] = [];
  for (const path of ['sites', 'equipment', 'accounts', 'materials'] as const) {
    const [kept, former] = pairs[path];
    const { id, moved } = await merged(of, path, kept!.id, [former!.id]);
    done.push(id);
    expect([path, moved.reduce((sum: number, one: Json) => sum + one.put_aside, 0)]).toEqual([path, 1]);
  }
  const list = (from: StaffedTenant, path: string): Promise<Json[]> => from.admin.must('GET', from.path(`/${path}?page[limit]=100`));
  const seen = async () => ({
    prices: (await list(of, 'material_rates')).map(({ site }) => site.id),
    cards: (await list(of, 'rates')).map(({ account }) => account.id),
    shares: (await list(of, 'company_shares')).map(({ company_shareable }) => company_shareable.id),
    received: (await list(partner, 'company_shares')).map(({ company_shareable }) => company_shareable.id),
    materials: (await of.admin.must('GET', `/v1/projects/${project.id}`)).project_material_totals.map(({ material }: Json) => material.id),
  });
  const [site, truck, account, material] = [pairs.sites, pairs.equipment, pairs.accounts, pairs.materials].map(([kept]) => kept!.id);
  expect(await seen()).toEqual({
    ...{ prices: [site], cards: [account], shares: [truck], received: [truck], materials: [material] },
  });
  // What a client read it can send back, and nothing that it did not see is lost by it.
  const { project_material_totals: totals } = await of.admin.must('GET', `/v1/projects/${project.id}`);
  await of.admin.must('PATCH', `/v1/projects/${project.id}`, {
    project_material_totals: totals.map(({ id, material: { id: material_id }, total_quantity, unit_of_measure }: Json) => ({
      ...{ id, material_id, total_quantity, unit_of_measure },
    })),
  });
  for (const id of done.toReversed()) expect((await undo(of, id)).status).toBe(200);
  expect(await rowsOf(of)).toEqual(before);
  expect(Object.entries(await seen()).map(([name, ids]) => [name, Array.isArray(ids) ? ids.length : ids])).toEqual([
    ...[
      ['prices', 2],
      ['cards', 2],
      ['shares', 2],
      ['received', 2],
      ['materials', 2],
    ],
  ]);
});

test('of each table it is known whether clients read what a merge puts aside in it', () => {
  // Read with their record alone, or by workers; and bills of vendors, which somebody has to void.
  const others = [
    'billing_profile',
    'default_site',
    'geofence_trigger',
    'linked_customer',
    'linked_vendor',
    'location_history',
    'position_task',
  ];
  const more = ['driver_state_event', 'invoice', 'resource_scope', 'telematics_remote_vehicle', 'travelled_distance', 'vendor_bill'];
  const tables = Object.values(REFERENCES).flatMap((all) => all.flatMap(({ table, taken, apart }) => (taken && !apart ? [table] : [])));
  expect([...new Set(tables)].sort()).toEqual([...Object.keys(PUT_ASIDE), ...others, ...more].sort());
});
