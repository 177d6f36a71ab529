import { setTimeout as sleep } from 'node:timers/promises';
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
  const exported = async (path: string): Promise<Json[]> => {
    const headers = { Accept: 'application/x-ndjson' };
    const { body } = await app.http('GET', of.path(`/${path}`), { token: of.admin.token, headers });
    return String(body)
      .split('\n')
      .flatMap((line) => (line ? JSON.parse(line) : []));
  };
  const seen = async () => ({
    prices: (await list(of, 'material_rates')).map(({ site }) => site.id),
    exportedPrices: (await exported('material_rates')).map(({ site }) => site.id),
    exportedCards: (await exported('rates')).map(({ account }) => account.id),
    cards: (await list(of, 'rates')).map(({ account }) => account.id),
    shares: (await list(of, 'company_shares')).map(({ company_shareable }) => company_shareable.id),
    received: (await list(partner, 'company_shares')).map(({ company_shareable }) => company_shareable.id),
    materials: (await of.admin.must('GET', `/v1/projects/${project.id}`)).project_material_totals.map(({ material }: Json) => material.id),
  });
  const [site, truck, account, material] = [pairs.sites, pairs.equipment, pairs.accounts, pairs.materials].map(([kept]) => kept!.id);
  expect(await seen()).toEqual({
    ...{ prices: [site], exportedPrices: [site], exportedCards: [account] },
    ...{ cards: [account], shares: [truck], received: [truck], materials: [material] },
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
      ['exportedPrices', 2],
      ['exportedCards', 2],
      ['cards', 2],
      ['shares', 2],
      ['received', 2],
      ['materials', 2],
    ],
  ]);
});

test('what a merge put aside is not changed by its id, and an answer never says less than was done', async () => {
  const [of, partner] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  await connect(of, partner);
  const { pairs } = await doubled(of, partner);
  const ids = async (from: StaffedTenant, path: string): Promise<string[]> =>
    (await from.admin.must('GET', from.path(`/${path}?page[limit]=100`))).map(({ id }: Json) => id);
  const lists = ['material_rates', 'rates', 'company_shares'];
  const asked = async (from: StaffedTenant, method: string, path: string, body?: object) =>
    (await from.admin.http(method, path, body)).status;
  const doors = (price: string, card: string, sharing: string): [StaffedTenant, string, object][] => [
    [of, `/v1/rates/${card}`, { name: 'Renamed' }],
    [of, `/v1/material_rates/${price}`, { sell_price: '9' }],
    [of, `/v1/company_shares/${sharing}`, { dispatchable: false }],
    [partner, `/v1/company_shares/${sharing}`, { ticket_match_id: 'T-9' }],
  ];
  const before = await Promise.all(lists.map((path) => ids(of, path)));
  const done: string[] = [];
  for (const path of ['sites', 'equipment', 'accounts'] as const)
    done.push((await merged(of, path, pairs[path][0]!.id, [pairs[path][1]!.id])).id);
  const after = await Promise.all(lists.map((path) => ids(of, path)));
  const [price, card, sharing] = before.map((all, i) => all.filter((id) => !after[i]!.includes(id)));
  expect([price, card, sharing].map((gone) => gone!.length)).toEqual([1, 1, 1]);
  const kept = await rowsOf(of);
  for (const [from, path, change] of doors(price![0]!, card![0]!, sharing![0]!)) {
    const statuses = [await asked(from, 'GET', path), await asked(from, 'PATCH', path, change), await asked(from, 'DELETE', path)];
    expect([path, statuses]).toEqual([path, [404, 404, 404]]);
  }
  expect(await rowsOf(of)).toEqual(kept);
  // They are there again, and can be changed, as soon as it is undone.
  for (const id of done.toReversed()) expect((await undo(of, id)).status).toBe(200);
  for (const [from, path, change] of doors(price![0]!, card![0]!, sharing![0]!))
    expect([path, await asked(from, 'GET', path), await asked(from, 'PATCH', path, change)]).toEqual([path, 200, 200]);
});

test('a list of the past has what a merge put aside since, and what it moved, of the record that stayed', async () => {
  const of = await makeStaffedTenant(app);
  const both = { accountTypes: ['customer', 'vendor'] };
  const [kept, former] = [await accountOf(of, { name: 'ACME', ...both }), await accountOf(of, { name: 'Acme Inc', ...both })];
  const cards: string[] = [];
  for (const [id, primary] of [[kept.id, true] as const, [former.id, true] as const, [former.id, false] as const]) {
    const card = { name: 'Card', owner_type: 'vendor', account_id: id, type: 'RateFlatRate', flat_amount: 90, primary };
    cards.push((await of.admin.must('POST', '/v1/rates', card)).id);
  }
  const moment = async () => {
    await sleep(5);
    const [row] = await app.orm.em.fork().execute<{ now: string }[]>('select clock_timestamp() as now');
    await sleep(5);
    return new Date(row!.now).toISOString();
  };
  const listed = async (at: string, filter = ''): Promise<string[][]> =>
    (await of.admin.must('GET', of.path(`/rates?page[limit]=100&as_of=${encodeURIComponent(at)}${filter}`)))
      .map(({ id, account }: Json) => [id, account.id])
      .sort();
  const whose = (...accounts: string[]) => accounts.map((account, i) => [cards[i]!, account]).sort();
  const before = await moment();
  expect(await listed(before)).toEqual(whose(kept.id, former.id, former.id));
  const { id } = await merged(of, 'accounts', kept.id, [former.id]);
  const since = await moment();
  // What a record names is as it is now.
  expect(await listed(before)).toEqual(whose(kept.id, kept.id, kept.id));
  expect(await listed(before, `&filter[account_id]=${former.id}`)).toEqual(whose(kept.id, kept.id, kept.id));
  const one = (at: string) => of.admin.http('GET', `/v1/rates/${cards[1]}?as_of=${encodeURIComponent(at)}`);
  expect((await one(before)).body.data).toMatchObject({ id: cards[1], account: { id: kept.id } });
  expect((await one(since)).status).toBe(404);
  expect(await listed(since)).toEqual(
    [
      [cards[0]!, kept.id],
      [cards[2]!, kept.id],
    ].sort(),
  );
  expect((await undo(of, id)).status).toBe(200);
  for (const at of [before, await moment()]) expect(await listed(at)).toEqual(whose(kept.id, former.id, former.id));
});

test('a quote has what its customer pays, and nothing that a merge put aside', async () => {
  const of = await makeStaffedTenant(app);
  const sites = [await siteOf(of, { name: 'Pit' }), await siteOf(of, { name: 'The pit' })];
  const materials = [await materialOf(of, { name: 'Flex base' }), await materialOf(of, { name: 'Flexbase' })];
  const project = await of.admin.must('POST', '/v1/projects', {
    ...{ name: 'Bridge', account_id: of.account.id, customer_rate_value: 12, customer_rate_type: 'RatePerTon' },
  });
  for (const [i, { id: site_id }] of sites.entries()) {
    const rate = { customer_rate_value: 20 + i, customer_rate_type: 'RatePerTon' };
    await of.admin.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, { site_id, ...rate });
    const price = { project_id: project.id, unit_of_measure: 'Ton', sell_price: 4 + i };
    await of.admin.must('POST', of.path('/material_rates'), { material_id: of.material.id, site_id, ...price });
  }
  for (const [i, { id: material_id }] of materials.entries()) {
    const price = { project_id: project.id, unit_of_measure: 'Ton', sell_price: 7 + i };
    await of.admin.must('POST', of.path('/material_rates'), { material_id, ...price });
  }
  const quote = async () => {
    const { rates, materials: priced } = await of.admin.must('GET', of.path(`/projects/${project.id}/quote`));
    return [rates.map(({ value }: Json) => value), priced.map(({ price }: Json) => price)];
  };
  const before = await quote();
  expect(before).toEqual([
    ['12', '20', '21'],
    ['7', '8', '4', '5'],
  ]);
  const done = [
    await merged(of, 'sites', sites[0]!.id, [sites[1]!.id]),
    await merged(of, 'materials', materials[0]!.id, [materials[1]!.id]),
  ];
  expect(await quote()).toEqual([
    ['12', '20'],
    ['7', '4'],
  ]);
  for (const { id } of done) expect((await undo(of, id)).status).toBe(200);
  expect(await quote()).toEqual(before);
});

test('of each table it is known whether clients read what a merge puts aside in it', () => {
  // Read with their record alone, or by workers.
  const others = [
    'billing_profile',
    'default_site',
    'geofence_trigger',
    'linked_customer',
    'linked_vendor',
    'location_history',
    'position_task',
  ];
  const more = ['driver_state_event', 'invoice', 'resource_scope', 'telematics_remote_vehicle', 'travelled_distance'];
  const tables = Object.values(REFERENCES).flatMap((all) => all.flatMap(({ table, taken, apart }) => (taken && !apart ? [table] : [])));
  expect([...new Set(tables)].sort()).toEqual([...Object.keys(PUT_ASIDE), ...others, ...more].sort());
});
