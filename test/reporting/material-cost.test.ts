import { expect, test } from '@jest/globals';
import { billerOf, hauled, invoiceOf, M10, rateCard } from '../billing/books.ts';
import { machineToken, makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { CHICAGO, loginOf, rowsOf } from './bi-logins.ts';
import { books, signedIn } from './hauled-company.ts';

test('what material cost is read with invoices alone, which say it: in metrics and in the view', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const card = await rateCard(at, 'customer', { type: 'RatePerTon', unit_rate: 4.25, unit_minimum: 22, unit_increment: 0 });
  const material = { material_id: at.material.id, material_rate_sell_price: 12.5, material_rate_buy_price: 9.8 };
  const order = { customer_rate_id: card.id, ...material, material_rate_unit_of_measure: 'Ton', load_at: '2026-11-02T13:00:00Z' };
  const job = await hauled(books, M10, { at, order });
  await invoiceOf(books, job.id, 'receivable', await billerOf(at));
  const path = at.path('/metrics?measures[]=loads&measures[]=material_cost');
  const prices = await machineToken(at, ['view_vendor_rates']);
  const { status, body } = await at.http('GET', path, undefined, prices);
  expect([status, body.error.errors]).toEqual([
    403,
    [{ model: 'Metric', field: 'measures[1]', message: 'material_cost takes the permission view_settlements' }],
  ]);
  const both = await machineToken(at, ['view_settlements', 'view_vendor_rates']);
  const [group] = await at.must('GET', path, undefined, both);
  expect(group.values).toContainEqual({ measure: 'material_cost', unit: 'USD', value: '672.97' });
  const sum = 'select count(*)::int as rows, sum(material_cost)::float as cost from metric_material_costs';
  const summed = async (permissions: string[]) => signedIn(await loginOf(at, permissions), (db) => rowsOf(db, sum));
  expect(await summed(['view_vendor_rates'])).toEqual([{ rows: 0, cost: null }]);
  // Who wonders why there are none reads it in the tool.
  const about = await signedIn(await loginOf(at, []), (db) =>
    rowsOf(db, `select obj_description('metric_material_costs'::regclass) as said`),
  );
  expect(about[0].said).toContain('None without view_settlements.');
  expect(await summed(['view_settlements'])).toEqual([{ rows: 3, cost: null }]);
  expect(await summed(['view_settlements', 'view_vendor_rates'])).toEqual([{ rows: 3, cost: 672.97 }]);
});
