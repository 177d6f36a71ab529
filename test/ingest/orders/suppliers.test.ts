import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { expectPreviewed } from '../dry-runs.ts';
import { payload } from './ordering.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

/** Sends an order after a dry run that must say the same. @returns who sells its material to its jobs at which price, and what was warned of */
async function imported(more: object): Promise<{ record: Json; supplier: string | null; prices: (string | null)[] }> {
  const [[record]] = (await expectPreviewed(app, tenant, 'orders', [[payload(more)]])) as [[Json]];
  expect(record.state).toBe('processed');
  const order = await tenant.must('GET', `/v1/orders/${record.result_id}`);
  const [job] = await tenant.must('GET', `/v1/orders/${record.result_id}/jobs`);
  const { sell_price = null, buy_price = null } = job.material_rate_assignment ?? {};
  const { name: supplier = null } = order.material_rate_supplier_account ?? {};
  if (supplier) expect(job.material_rate_assignment.supplier_account.name).toBe(supplier);
  return { record, supplier, prices: [sell_price, buy_price] };
}
const account = (name: string, type = 'vendor', more: object = {}): Promise<Json> =>
  tenant.must('POST', '/v1/accounts', { name, account_types: [type], auto_accept_orders: false, ...more });

test('an order names who sells its material: found, made, kept, replaced and emptied', async () => {
  const pit = await account('Pit', 'vendor', { external_id: 'P-1' });
  const sand = await tenant.must('POST', '/v1/materials', { name: 'Sand' });
  const rates = { material_id: sand.id, unit_of_measure: 'Ton' };
  await tenant.must('POST', '/v1/material_rates', { ...rates, sell_price: 12.5, buy_price: 9.8, supplier_account_id: pit.id });
  const of = { material: { name: 'Sand' } };
  const found = await imported({ ...of, supplier: { external_id: 'P-1' } });
  expect([found.supplier, found.prices, found.record.warnings]).toEqual(['Pit', ['12.5', '9.8'], []]);
  // A field that is left out stays. A new supplier is made as a vendor, and sells at no price that anybody knows.
  expect(await imported({ ...of, notes: 'at the gate' })).toMatchObject({ supplier: 'Pit', prices: ['12.5', '9.8'] });
  const made = await imported({ ...of, supplier: 'Quarry' });
  expect([made.supplier, made.prices, made.record.warnings]).toEqual(['Quarry', ['12.5', null], []]);
  const accounts: Json[] = await tenant.must('GET', '/v1/accounts');
  expect(accounts.find(({ name }) => name === 'Quarry').account_types).toEqual(['vendor']);
  expect(await imported({ ...of, supplier: { name: 'quarry' }, material_rate_sell_price: 14, material_rate_buy_price: 8 })).toMatchObject({
    ...{ supplier: 'Quarry', prices: ['14', '8'] },
  });
  expect(await imported({ ...of, supplier: null, material_rate_sell_price: null, material_rate_buy_price: null })).toMatchObject({
    supplier: null,
  });
  // A value that a person has set stays.
  const { record } = await imported({ ...of, supplier: 'Pit' });
  const quarry = accounts.find(({ name }) => name === 'Quarry');
  const { token } = await tenant.person({ roles: ['company_admin'] });
  await tenant.must('PATCH', `/v1/orders/${record.result_id}`, { material_rate_supplier_account_id: quarry.id }, token);
  const kept = await imported({ ...of, supplier: 'Pit', notes: 'again' });
  expect([kept.supplier, kept.record.warnings]).toEqual([
    'Quarry',
    [{ code: 'user_edit_kept', pointer: '/supplier', given: 'Pit', used: { name: 'Quarry' } }],
  ]);
});

test('who cannot sell is left out with a warning, and the order keeps whom it has', async () => {
  await account('Buyer', 'customer');
  const gone = await account('Gone');
  expect((await imported({ supplier: 'Gone' })).supplier).toBe('Gone');
  const buyer = await imported({ supplier: 'Buyer' });
  expect([buyer.supplier, buyer.record.warnings]).toEqual([
    'Gone',
    [{ code: 'supplier_not_a_vendor', pointer: '/supplier', given: 'Buyer', used: null }],
  ]);
  expect((await tenant.http('DELETE', `/v1/accounts/${gone.id}`)).status).toBe(204);
  // It has sold to this order, and sells to no new one.
  expect((await imported({ supplier: 'Gone', notes: 'more' })).record.warnings).toEqual([]);
  const other = await imported({ external_id: 'A-2', supplier: 'Gone' });
  expect([other.supplier, other.record.warnings]).toEqual([
    null,
    [{ code: 'supplier_discarded', pointer: '/supplier', given: 'Gone', used: null }],
  ]);
});
