import { expect, test } from '@jest/globals';
import type { StaffedTenant } from '../helpers/staffed-tenant.ts';
import { openScene, order, send, tenant } from '../ingest/sending.ts';
import { payload as ticket } from '../ingest/tickets/haul.ts';
import { accountOf, type Json, materialOf, siteOf, truckOf } from './merging.ts';

openScene();

/** Merges as the machine client, which may do everything. */
const merged = (path: string, kept: string, other: string): Promise<Json> =>
  tenant.must('PUT', tenant.path(`/${path}/${kept}/merge`), { other_ids: [other] });
const of = () => tenant as unknown as StaffedTenant;
const orderOf = async (external: string): Promise<Json> =>
  (await tenant.must('GET', tenant.path('/orders?page[limit]=100'))).find(({ external_id }: Json) => external_id === external);

test('imports find the record that stays by every key of a merged one, and make none', async () => {
  const account = await accountOf(of(), { name: 'Hill Country', externalId: 'C-0' });
  const material = await materialOf(of(), { name: 'Flex base', externalId: 'FB' });
  const site = await siteOf(of(), { name: 'North Pit', externalId: 'P-0', lat: '31', lon: '-97' });
  const others = {
    accounts: await accountOf(of(), { name: 'Hill Country Paving', externalId: 'C-1' }),
    materials: await materialOf(of(), { name: 'Flexbase', externalId: 'FB-2' }),
    sites: await siteOf(of(), { name: 'Pit North', externalId: 'P-1', lat: '31.5', lon: '-97.5' }),
  };
  await merged('accounts', account.id, others.accounts.id);
  await merged('materials', material.id, others.materials.id);
  await merged('sites', site.id, others.sites.id);
  const pit = (site: object) => ({ sites: [{ waypoint: 'pickup', ...site }] });
  const records = [
    // By name and external id, by each alone; a site by name where the merged one was.
    order({ external_id: 'O-1', material: { name: 'flexbase' }, ...pit({ name: 'Pit North', external_id: 'P-1' }) }),
    order({
      external_id: 'O-2',
      customer: { name: 'HCP', external_id: 'C-1' },
      material: { name: 'FB', external_id: 'FB-2' },
      ...pit({ external_id: 'P-1' }),
    }),
    order({
      external_id: 'O-3',
      customer: { name: 'HILL COUNTRY PAVING', external_id: 'C-9' },
      ...pit({ name: 'pit north', lat: 31.5, lon: -97.5 }),
    }),
  ];
  for (const { state, last_error } of await send('orders', records)) expect([state, last_error]).toEqual(['processed', null]);
  for (const external of ['O-1', 'O-2', 'O-3']) {
    const found = await orderOf(external);
    expect([external, found.account.id, found.waypoints[0].site.id]).toEqual([external, account.id, site.id]);
  }
  expect((await orderOf('O-2')).material.id).toBe(material.id);
  const names = async (path: string): Promise<string[]> =>
    (await tenant.must('GET', tenant.path(`/${path}?page[limit]=100`))).map(({ name }: Json) => name);
  expect((await names('accounts')).filter((name) => /hill/i.test(name))).toEqual(['Hill Country']);
  expect((await names('materials')).filter((name) => /flex/i.test(name))).toEqual(['Flex base']);
  expect((await names('sites')).filter((name) => /pit/i.test(name))).toEqual(['North Pit']);
});

test('a record that has the key itself goes before one that answers for it', async () => {
  const [kept, former] = [await accountOf(of(), { name: 'Kept' }), await accountOf(of(), { name: 'Twin' })];
  await merged('accounts', kept.id, former.id);
  await send('orders', [order({ external_id: 'T-1', customer: { name: 'Twin', external_id: 'TW' } })]);
  expect((await orderOf('T-1')).account.id).toBe(kept.id);
  const twin = await accountOf(of(), { name: 'Twin' });
  await send('orders', [order({ external_id: 'T-2', customer: { name: 'Twin', external_id: 'TW' } })]);
  expect((await orderOf('T-2')).account.id).toBe(twin.id);
});

test('a ticket names the truck that stays by the number of a merged one', async () => {
  const [kept, former] = [await truckOf(of(), { name: '101' }), await truckOf(of(), { name: '101 old', externalId: 'TRK-101' })];
  await merged('equipment', kept.id, former.id);
  await send('tickets', [ticket({ truck_id: 'TRK-101' })]);
  const [found] = await tenant.must('GET', tenant.path('/tickets?page[limit]=10'));
  expect(found.equipment_name).toBe(kept.name);
});

test('a truck that has the number itself goes before an older one that answers for it', async () => {
  const [kept, former] = [await truckOf(of(), { name: '201' }), await truckOf(of(), { name: '201 old', externalId: 'TRK-201' })];
  await merged('equipment', kept.id, former.id);
  // As it may have been given before the number of a merged truck was taken.
  const itself = await truckOf(of(), { name: '202', externalId: 'TRK-201' });
  await send('tickets', [ticket({ truck_id: 'TRK-201' })]);
  const [found] = await tenant.must('GET', tenant.path('/tickets?page[limit]=10'));
  expect(found.equipment_name).toBe(itself.name);
});
