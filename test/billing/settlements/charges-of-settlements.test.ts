import { expect, test } from '@jest/globals';
import type { StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { type Biller, makeBooks, messages, settledWork } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const at = (id: string) => books.biller.path(`/settlements/${id}/add_on_charges`);
const read = (id: string): Promise<Json> => books.biller.must('GET', books.biller.path(`/settlements/${id}`));
const act = (id: string, name: string): Promise<Json> => books.biller.must('PUT', books.biller.path(`/settlements/${id}/${name}`), {});
const amounts = (charges: Json[]) => charges.map(({ name, total_amount }) => [name, total_amount]).sort();
const problems = ({ status, body }: Json) => [status, body.error?.errors.map(({ field }: Json) => field)];

const addOn = (tenant: StaffedTenant, name: string, add_on_types: string[], more: object = {}): Promise<Json> =>
  tenant.must('POST', '/v1/add_ons', { name, add_on_types, quantity: 1, revenue_rate_value: 5, ...more });

test('charges are added to a pending settlement, changed and removed, and are in its total', async () => {
  const { biller, tenant } = books;
  const { id } = await settledWork(books);
  const made = await biller.http('POST', at(id), { name: 'Late fee', quantity: 2, revenue_rate_value: 7.5 });
  expect([made.status, made.body.data]).toMatchObject([201, { total_amount: '15', add_on_applicable_type: 'Settlement' }]);
  expect(await read(id)).toMatchObject({ add_on_charges_total_amount: '15', total_amount: '215', invoices_total_amount: '200' });
  const changed = await biller.must('PATCH', `/v1/settlements/${id}/add_on_charges`, {
    add_on_charges: [
      { id: made.body.data.id, quantity: 3 },
      { name: 'Prompt pay', add_on_rate_type: 'RatePercentOfTotal', percentage: -2 },
      { name: 'Permits', revenue_cost_rate_type: 'PerLoad', revenue_rate_value: 4 },
    ],
  });
  expect(amounts(changed)).toEqual([
    ['Late fee', '22.5'],
    ['Permits', '8'],
    // Of the invoices, never of other charges.
    ['Prompt pay', '-4'],
  ]);
  expect(await read(id)).toMatchObject({ add_on_charges_total_amount: '26.5', total_amount: '226.5' });
  // All or none, by place.
  const [, second] = changed;
  const refused = await biller.http('PATCH', at(id), {
    add_on_charges: [{ id: made.body.data.id, quantity: 9 }, { id: second.id, _destroy: 1 }, { id: tenant.driver.id }, { quantity: -1 }],
  });
  expect(problems(refused)).toEqual([422, ['add_on_charges.3.quantity']]);
  const wrong = [
    { id: made.body.data.id, quantity: 9 },
    { id: tenant.driver.id, _destroy: 1 },
    { name: 'x', rebill_percentage: 3 },
  ];
  expect(problems(await biller.http('PATCH', at(id), { add_on_charges: wrong }))).toEqual([
    422,
    ['add_on_charges.1.id', 'add_on_charges.2.rebill_percentage'],
  ]);
  expect(problems(await biller.http('PATCH', at(id), { add_on_charges: Array.from({ length: 101 }, () => ({ name: 'x' })) }))).toEqual([
    422,
    ['add_on_charges'],
  ]);
  expect(await read(id)).toMatchObject({ total_amount: '226.5' });
  // By its own path, too.
  const admin = await tenant.administrator();
  await tenant.must('PATCH', `/v1/add_on_charges/${made.body.data.id}`, { quantity: 1 }, admin);
  expect(await read(id)).toMatchObject({ total_amount: '211.5' });
  expect((await tenant.http('DELETE', `/v1/add_on_charges/${made.body.data.id}`, undefined, admin)).status).toBe(204);
  expect(await read(id)).toMatchObject({ total_amount: '204' });
  await act(id, 'approve');
  const late = await biller.http('POST', at(id), { name: 'Late', quantity: 1, revenue_rate_value: 1 });
  expect([late.status, messages(late)]).toEqual([422, ['cannot be changed while approved; only a pending settlement can']]);
});

test('an add-on of a settlement is for settlements or its side, and no fuel', async () => {
  const { biller, tenant } = books;
  const { id } = await settledWork(books, 'payable');
  const add = (body: object) => biller.http('POST', at(id), { name: 'x', ...body });
  const [forAny, forPay, forCustomers, forDays] = [
    await addOn(tenant, 'Any', ['settlement'], { cost_rate_value: 3 }),
    await addOn(tenant, 'Pay', ['driver_pay']),
    await addOn(tenant, 'Bill', ['invoicing']),
    await addOn(tenant, 'Day', ['driver_day']),
  ];
  // A payable goes by the cost.
  expect((await add({ add_on_id: forAny.id })).body.data).toMatchObject({ total_amount: '3' });
  expect((await add({ add_on_id: forPay.id })).status).toBe(201);
  for (const other of [forCustomers, forDays]) expect(problems(await add({ add_on_id: other.id }))).toEqual([422, ['add_on_id']]);
  const fuel = await addOn(tenant, 'Fuel', ['settlement'], { revenue_cost_rate_type: 'FuelSurcharge' });
  expect(problems(await add({ add_on_id: fuel.id }))).toEqual([422, ['add_on_id']]);
  expect(problems(await add({ revenue_cost_rate_type: 'FuelSurcharge' }))[0]).toBe(422);
  expect(problems(await add({ load_id: tenant.driver.id, quantity: 1 }))).toEqual([422, ['load_id']]);
  expect(await read(id)).toMatchObject({ total_amount: '208' });
  // The driver who is paid reads them, with what they come to, and not at which rates.
  const own = await tenant.driver.http('GET', `/v1/settlements/${id}/add_on_charges`);
  expect(amounts(own.body.data)).toEqual([
    ['x', '3'],
    ['x', '5'],
  ]);
  expect(own.body.data.map((one: Json) => [one.revenue_rate_value, one.rate])).toEqual([
    [null, null],
    [null, null],
  ]);
  const dispatcher: Biller = { ...biller, ...(await tenant.person({ roles: ['dispatcher'] })) };
  expect((await dispatcher.http('POST', at(id), { name: 'x' })).status).toBe(403);
});

test('an installment that is taken from a settlement is charged by the next one, and billed anew it has other terms', async () => {
  const { biller, tenant } = books;
  const path = `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`;
  const terms = { account_type: 'customer', add_on_types: ['settlement'], quantity: '1', total_installments: 5 };
  const lease = await tenant.must('POST', path, { ...terms, name: 'Lease', revenue_rate_value: '50' });
  const count = async () => (await tenant.must('GET', path)).find((one: Json) => one.id === lease.id).auto_add_on_installments_count;
  const { id } = await settledWork(books);
  const [charge] = await biller.must('GET', at(id));
  expect([charge.name, await count()]).toEqual(['Lease', 1]);
  // A smaller one is the office's affair.
  await biller.must('PATCH', at(id), { add_on_charges: [{ id: charge.id, revenue_rate_value: 20 }] });
  expect(await read(id)).toMatchObject({ total_amount: '220' });
  await biller.must('PATCH', at(id), { add_on_charges: [{ id: charge.id, _destroy: 1 }] });
  expect([await count(), (await read(id)).total_amount]).toEqual([0, '200']);
  await tenant.must('DELETE', `/v1/auto_add_on_assignments/${lease.id}`);

  const fee = (await biller.must('PATCH', at(id), { add_on_charges: [{ name: 'Fee', quantity: 1, revenue_rate_value: 10 }] }))[0];
  await act(id, 'void');
  const rebill = await biller.must('POST', biller.path(`/settlements/${id}/rebill`), undefined);
  expect(rebill).toMatchObject({ total_amount: '210', rebill_total_amount: '210' });
  const [copy] = await biller.must('GET', at(rebill.id));
  expect(copy.id).not.toBe(fee.id);
  const [anew] = await biller.must('PATCH', at(rebill.id), { add_on_charges: [{ id: copy.id, rebill_revenue_rate_value: 4 }] });
  expect(anew).toMatchObject({ total_amount: '10', rebill_total_amount: '4' });
  expect(await read(rebill.id)).toMatchObject({ total_amount: '210', rebill_add_on_charges_total_amount: '4', rebill_total_amount: '204' });
  await biller.must('PATCH', at(rebill.id), { add_on_charges: [{ id: copy.id, rebill_revenue_rate_value: null }] });
  expect(await read(rebill.id)).toMatchObject({ rebill_total_amount: '210' });
});
