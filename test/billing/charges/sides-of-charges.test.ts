import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { GraphQLInputObjectType } from 'graphql';
import { schemaOfRooms } from '../../../src/app/serve.ts';
import type { Permission } from '../../../src/identity/access/permissions.ts';
import { runs } from '../../helpers/properties.ts';
import { machineToken, makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { approveLoads, billerOf, event, hauled, invoiceOf, makeBooks } from '../books.ts';
import { settle } from '../settled.ts';

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
  // The cost is paid; the rate of the customer is not kept there.
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
type Side = (typeof SIDES)[number];

/** A request that somebody may make, and the sides whose money makes its answer differ. */
interface Door {
  method: string;
  path: string;
  shows: readonly Side[];
  body?: object;
  accept?: string;
}

test('B-I11: no list of invoices or settlements is sorted by money, and no webhook has it', () => {
  const schema = schemaOfRooms();
  const sorts = ['InvoiceSort', 'SettlementSort'].flatMap((name) =>
    Object.keys((schema.getType(name) as GraphQLInputObjectType).getFields()),
  );
  expect([...new Set(sorts)].sort()).toEqual(['createdAt', 'serviceDate', 'updatedAt']);
  const { components } = JSON.parse(readFileSync('schema/asyncapi.json', 'utf8'));
  const topics = new Set(Object.keys(components.messages).map((name) => name.split('.')[0]!));
  expect([...topics].sort()).toEqual(['ImportedOrder', 'ImportedProject', 'ImportedTicket', 'Job', 'Load', 'Order', 'Ticket', 'Webhook']);
});

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

  const columns = ['number', 'description', 'amount'].map((field) => ({ heading: field, field }));
  const template = await own.must('POST', own.path('/accounting_templates'), { name: 'Ours', columns }, admin);
  for (const { id } of settled) await by.must('PUT', by.path(`/settlements/${id}/approve`), {});

  const GRAPHQL = `{ invoices(first: 50) { count { value } nodes { id totalAmount rateValue explain warnings } }
    settlements(first: 50) { count { value } nodes { id totalAmount explain } }
    loadMatches(first: 50) { count { value } nodes { id amountAtStake variances } }
    approvableInvoices(first: 50) { count { value } nodes { id totalAmount } }
    invoicePreviews { nodes { jobId invoices { totalAmount lineItems { rate totalAmount } } totals { totalAmount } } } }`;
  const ids = [...pending, ...settled].map(({ id }) => id);
  const [bill, pay] = [['view_customer_rates'], ['view_driver_rates']] as const;
  const lists: readonly [string, readonly Side[]][] = [
    ['invoices', SIDES],
    ['invoices?filter[rate_types][]=RatePerTon', SIDES],
    ['settlements/receivables', bill],
    ['settlements/payables', pay],
    ['billing/load_matches', SIDES],
    ['billing/blockers', SIDES],
    [`orders/${job.order.id}/invoices`, SIDES],
  ];
  const get = (path: string, shows: readonly Side[], accept?: string): Door => ({ method: 'GET', path, shows, accept });
  const doors: Door[] = [
    ...lists.map(([list, shows]) => get(own.path(`/${list}`), shows)),
    ...lists.slice(1, 4).flatMap(([list, shows]) => ['text/csv', 'application/x-ndjson'].map((as) => get(own.path(`/${list}`), shows, as))),
    get(own.path(`/billing/previews?job_ids[]=${job.id}`), SIDES),
    get(`/v1/jobs/${job.id}/receivable`, bill),
    get(`/v1/jobs/${job.id}/payable`, pay),
    ...pending.flatMap(({ id }, i): Door[] => {
      const shows = [SIDES[i]!];
      const line = { id, quantity: 1 };
      return [
        ...['invoice_line_items', 'add_on_charges', 'explain'].map((part) =>
          get(own.path(`/invoices/${id}/${part}`), part === 'add_on_charges' ? [] : shows),
        ),
        // A refusal shows no amount either; a rate below zero is refused to everybody, and lines to those who may not see them.
        { method: 'PATCH', path: own.path(`/invoices/${id}`), shows: [], body: { rate_value: -1, rate_type: 'RatePerTon' } },
        {
          method: 'PATCH',
          path: own.path(`/invoices/${id}/invoice_line_items`),
          shows,
          body: { rate_type: 'RatePerTon', invoice_line_items: [line] },
        },
        { method: 'PUT', path: own.path(`/invoices/${id}/approve`), shows: [] },
        {
          ...{ method: 'POST', path: own.path(`/invoices/${id}/invoice_line_items/generate`), shows },
          body: { rate_value: 5, rate_type: 'RatePerTon' },
        },
      ];
    }),
    ...settled.flatMap(({ id }, i): Door[] => {
      const shows = [SIDES[i]!];
      const file = (format: string, more = '') => get(own.path(`/accounting_file?format=${format}&settlement_ids[]=${id}${more}`), shows);
      return [
        ...['', '/explain', '/pdf', '/add_on_charges', '/settlement_line_items', '/invoices'].map((part) =>
          get(own.path(`/settlements/${id}${part}`), shows),
        ),
        ...['quickbooks_desktop', 'quickbooks_online', 'xero'].map((format) => file(format)),
        file('template', `&template_id=${template.id}`),
      ];
    }),
    { method: 'POST', path: '/graphql', shows: SIDES, body: { query: GRAPHQL } },
    { method: 'POST', path: own.path('/settlements'), shows: [], body: { invoice_ids: ids } },
  ];
  // When something was changed is said.
  const plain = (text: string, accept: string): string =>
    text
      .replaceAll(/"(updated_at|updatedAt|version|request_id|requestId|billing_approved_at)":("[^"]*"|\d+)/g, '"$1":0')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
      // The last column of a list is the version.
      .replaceAll(accept === 'text/csv' ? /,\d+$/gm : /$^/g, ',0');
  const answers = async (token: string): Promise<string[]> => {
    await books.app.settled();
    const ask = async ({ method, path, body, accept = 'application/json' }: Door): Promise<string> => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: accept, 'X-Request-Id': 'same' };
      const answer = await fetch(books.app.url + path, { method, headers, body: body && JSON.stringify(body) });
      return plain(`${answer.status} ${await answer.text()}`, accept);
    };
    const found: string[] = [];
    // A few at a time: they change nothing.
    for (let at = 0; at < doors.length; at += 4) found.push(...(await Promise.all(doors.slice(at, at + 4).map(ask))));
    return found;
  };
  const nameOf = (_: unknown, i: number): string => `${doors[i]!.method} ${doors[i]!.path} ${doors[i]!.accept ?? ''}`;
  /** Has what is pending and what is settled of a side come to something else. */
  const change = async (side: Side, rate: string) => {
    const at = SIDES.indexOf(side);
    const input = { rate_value: rate, rate_type: 'RatePerTon' };
    await own.must('PATCH', own.path(`/invoices/${pending[at]!.id}`), input, admin);
    const charged = { add_on_charges: [{ id: charges[at].id, revenue_rate_value: rate }] };
    await own.must('PUT', own.path(`/settlements/${settled[at].id}/unapprove`), {}, admin);
    await own.must('PATCH', own.path(`/settlements/${settled[at].id}/add_on_charges`), charged, admin);
    await own.must('PUT', own.path(`/settlements/${settled[at].id}/approve`), {}, admin);
  };
  const usual: Permission[] = ['view_settlements', 'edit_invoice', 'approve_invoice', 'create_settlement', 'manage_accounting_integration'];
  const seeing = (...sides: Side[]) => machineToken(own, [...usual, ...sides]);
  /** The doors at which two answers differ. */
  const differing = (some: readonly string[], others: readonly string[]): string[] =>
    doors.map(nameOf).filter((_, i) => some[i] !== others[i]);
  for (const side of SIDES) await change(side, '4');
  const nothing = await seeing();
  const hiddenFrom = await answers(nothing);
  for (const side of SIDES) {
    // A door that says the same to everybody proves nothing: who sees a side is answered otherwise at each that is about it, and at no other one.
    const token = await seeing(side);
    const shown = await answers(token);
    expect(differing(shown, hiddenFrom)).toEqual(doors.map(nameOf).filter((_, i) => doors[i]!.shows.includes(side)));
    await change(side, '7');
    // Most of them say what it comes to now.
    expect(differing(await answers(token), shown).length).toBeGreaterThan(12);
  }
  const rate = fc.integer({ min: 1, max: 900_000 }).map((n) => String(n / 10_000));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...SIDES), fc.boolean(), rate, async (hidden, seesTheOther, value) => {
      const token = seesTheOther ? await seeing(...SIDES.filter((side) => side !== hidden)) : nothing;
      const before = seesTheOther ? await answers(token) : hiddenFrom;
      await change(hidden, value);
      expect(differing(await answers(token), before)).toEqual([]);
    }),
    { numRuns: runs(3) },
  );
});
