import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Permission } from '../../src/identity/access/permissions.ts';
import { runs } from '../helpers/properties.ts';
import { machineToken, makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { approveLoads, billerOf, event, hauled, invoiceOf, makeBooks } from './books.ts';
import { settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('the money of charges is seen by those who see that of what they are on, and no filter reveals it', async () => {
  const { biller, tenant } = books;
  const rates = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const job = await hauled(books, ['10'], { order: rates });
  await approveLoads(biller, job);
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/approve`), {}, await tenant.administrator());
  const [bill, pay] = [await invoiceOf(books, job.id), await invoiceOf(books, job.id, 'payable')];
  const add = (id: string, more: object) =>
    biller.must('POST', biller.path(`/invoices/${id}/add_on_charges`), { name: 'Extra', quantity: 2, ...more });
  await add(bill.id, { revenue_rate_value: 7 });
  // What is paid is the cost; the rate of the customer is not kept there.
  await add(pay.id, { revenue_rate_value: 9, cost_rate_value: 5 });
  for (const { id } of [bill, pay]) expect((await event(biller, id, 'approve')).status).toBe(200);
  const settled = [await settle(books, [bill]), await settle(books, [pay])];
  for (const { id } of settled)
    await biller.must('POST', biller.path(`/settlements/${id}/add_on_charges`), { name: 'Fee', quantity: 1, revenue_rate_value: 3 });

  const seen = async (permissions: Permission[]): Promise<Json> => {
    const token = await machineToken(tenant, ['view_settlements', ...permissions]);
    const get = async (path: string): Promise<Json[]> => (await books.app.http('GET', tenant.path(path), { token })).body.data;
    const money = (list: Json[]) => list.map(({ rate, total_amount }) => [rate, total_amount]);
    const charges = [];
    for (const { id } of [bill, pay]) charges.push(...money(await get(`/invoices/${id}/add_on_charges`)));
    for (const { id } of settled) charges.push(...money(await get(`/settlements/${id}/add_on_charges`)));
    const of = async (list: string, type: string) => (await get(`/${list}?filter[rate_types][]=${type}`)).length;
    const found = [];
    for (const list of ['invoices', 'settlements/receivables', 'settlements/payables'])
      found.push(await of(list, 'RatePerTon'), await of(list, 'RateFlatRate'));
    return { charges, found };
  };
  const none = [null, null];
  const [billed, paid, ofBill, ofPay] = [
    ['7', '14'],
    ['5', '10'],
    ['3', '3'],
    ['3', '3'],
  ];
  expect(await seen(['view_customer_rates'])).toEqual({ charges: [billed, none, ofBill, none], found: [1, 0, 1, 0, 0, 0] });
  expect(await seen(['view_driver_rates'])).toEqual({ charges: [none, paid, none, ofPay], found: [0, 1, 0, 0, 0, 1] });
  expect(await seen(['view_vendor_rates'])).toEqual({ charges: [none, none, none, none], found: [0, 0, 0, 0, 0, 0] });
  // The driver reads what is paid for each, and the rate stays with the office.
  const own = await tenant.driver.must('GET', tenant.path(`/settlements/${settled[1]!.id}/add_on_charges`));
  expect(own.map(({ rate, total_amount }: Json) => [rate, total_amount])).toEqual([[null, '3']]);
  expect(await tenant.driver.must('GET', tenant.path('/settlements/payables?filter[rate_types][]=RateFlatRate'))).toHaveLength(1);
});

const SIDES = ['view_customer_rates', 'view_driver_rates'] as const;

test('B-I11: whatever amounts of a side come to, whoever may not see them gets the same answer at every door', async () => {
  const own = await makeStaffedTenant(books.app);
  const [by, admin] = [await billerOf(own), await own.administrator()];
  const scene = { ...books, tenant: own, biller: by };
  const order = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', driver_rate_value: 3, driver_rate_type: 'RatePerTon' };
  const invoicesOf = async (job: Json) => [await invoiceOf(scene, job.id), await invoiceOf(scene, job.id, 'payable')] as const;
  const job = await hauled(scene, ['10', '5', null], { order });
  const pending = await invoicesOf(job);
  const done = await hauled(scene, ['10'], { order });
  await approveLoads(by, done);
  const settled: Json[] = [];
  for (const { id } of await invoicesOf(done)) {
    expect((await event(by, id, 'approve')).status).toBe(200);
    settled.push(await settle(scene, [{ id }]));
  }
  const charges: Json[] = [];
  for (const { id } of settled)
    charges.push(await by.must('POST', by.path(`/settlements/${id}/add_on_charges`), { name: 'Fee', quantity: 1, revenue_rate_value: 1 }));

  const GRAPHQL = `{ invoices(first: 50) { totalCount nodes { id totalAmount rateValue explain warnings } }
    settlements(first: 50) { totalCount nodes { id totalAmount explain } }
    loadMatches(first: 50) { totalCount nodes { id amountAtStake variances } }
    invoicePreviews { nodes { jobId invoices { totalAmount lineItems { rate totalAmount } } totals { totalAmount } } } }`;
  const ids = [...pending, ...settled].map(({ id }) => id);
  const doors: [method: string, path: string, body?: object][] = [
    ...['invoices', 'settlements/receivables', 'settlements/payables', 'billing/load_matches', 'billing/blockers'].map(
      (list): [string, string] => [...(['GET', own.path(`/${list}`)] as const)],
    ),
    ['GET', own.path('/invoices?filter[rate_types][]=RatePerTon')],
    ['GET', own.path(`/billing/previews?job_ids[]=${job.id}`)],
    ['GET', own.path(`/orders/${job.order.id}/invoices`)],
    ['GET', `/v1/jobs/${job.id}/receivable`],
    ['GET', `/v1/jobs/${job.id}/payable`],
    ...pending.flatMap(({ id }): [string, string, object?][] => [
      ['GET', own.path(`/invoices/${id}/invoice_line_items`)],
      ['GET', own.path(`/invoices/${id}/explain`)],
      // What is refused says no amount either.
      ['PATCH', own.path(`/invoices/${id}`), { rate_value: -1, rate_type: 'RatePerTon' }],
      ['PATCH', own.path(`/invoices/${id}/invoice_line_items`), { rate_type: 'RatePerTon', invoice_line_items: [{ id, quantity: 1 }] }],
      ['PUT', own.path(`/invoices/${id}/approve`)],
      ['POST', own.path(`/invoices/${id}/invoice_line_items/generate`), { rate_value: 5, rate_type: 'RatePerTon' }],
    ]),
    ...settled.flatMap(({ id }): [string, string][] => [
      ['GET', own.path(`/settlements/${id}`)],
      ['GET', own.path(`/settlements/${id}/explain`)],
      ['GET', own.path(`/settlements/${id}/pdf`)],
      ['GET', own.path(`/settlements/${id}/add_on_charges`)],
      ['GET', own.path(`/settlements/${id}/settlement_line_items`)],
      ['GET', own.path(`/settlements/${id}/invoices`)],
      ['GET', own.path(`/accounting_file?format=iif&settlement_ids[]=${id}`)],
    ]),
    ['POST', '/graphql', { query: GRAPHQL }],
    ['POST', own.path('/settlements'), { invoice_ids: ids }],
  ];
  // When something was changed is said.
  const plain = (text: string): string =>
    text.replaceAll(/"(updated_at|updatedAt|version|request_id|id_of_request)":("[^"]*"|\d+)/g, '"$1":0');
  const answers = async (token: string): Promise<string[]> => {
    await books.app.settled();
    const found: string[] = [];
    for (const [method, path, body] of doors) {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Request-Id': 'same' };
      const answer = await fetch(books.app.url + path, { method, headers, body: body && JSON.stringify(body) });
      found.push(plain(`${method} ${path} ${answer.status} ${await answer.text()}`));
    }
    return found;
  };
  /** Has what is pending and what is settled of a side come to something else. */
  const change = async (side: (typeof SIDES)[number], rate: string) => {
    const at = SIDES.indexOf(side);
    const input = { rate_value: rate, rate_type: 'RatePerTon' };
    await own.must('PATCH', own.path(`/invoices/${pending[at]!.id}`), input, admin);
    const charged = { add_on_charges: [{ id: charges[at].id, revenue_rate_value: rate }] };
    await own.must('PATCH', own.path(`/settlements/${settled[at].id}/add_on_charges`), charged, admin);
  };
  for (const side of SIDES) await change(side, '4');
  const rate = fc.integer({ min: 1, max: 900_000 }).map((n) => String(n / 10_000));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...SIDES), fc.boolean(), rate, async (hidden, seesTheOther, value) => {
      const seen = seesTheOther ? SIDES.filter((side) => side !== hidden) : [];
      const usual: Permission[] = [
        'view_settlements',
        'edit_invoice',
        'approve_invoice',
        'create_settlement',
        'manage_accounting_integration',
      ];
      const token = await machineToken(own, [...usual, ...seen]);
      const [before, sees] = [await answers(token), await machineToken(own, [...usual, hidden])];
      const shown = await answers(sees);
      await change(hidden, value);
      expect(await answers(token)).toEqual(before);
      // Who sees them reads something else at most of the doors.
      const changed = (await answers(sees)).filter((answer, i) => answer !== shown[i]);
      expect(changed.length).toBeGreaterThan(8);
    }),
    { numRuns: runs(3) },
  );
});
