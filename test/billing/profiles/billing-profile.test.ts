import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { localDate } from '../../../src/platform/time.ts';
import { jobOfChain, machineToken, makeChain, shortHaul } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { approveLoads, type Books, billerOf, chargesOfM20, event, hauled, invoiceOf, M10, makeBooks, messages } from '../books.ts';
import { choose as chooseSettings, on, worked } from '../days/worked-days.ts';
import { openBooks } from '../periods/closed.ts';
import { approvedInvoice, settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const shared = makeBooks({ worker: true });
const PER_TON = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 1, driver_rate_type: 'RatePerTon' };
const pathOf = ({ biller, tenant }: Books, id = tenant.account.id): string => biller.path(`/accounts/${id}/billing_profile`);
const choose = (books: Books, body: object): Promise<Json> => books.biller.must('PATCH', pathOf(books), body);

test('a profile says nothing until somebody says something, and its mistakes are named', async () => {
  const books = await openBooks(shared);
  const usual = {
    ...{ id: books.tenant.account.id, po_required: false, po_pattern: null, cadence: null, one_job_per_settlement: false, emails: [] },
    ...{ terms_days: null, tax_exempt_number: null, fuel_lag_weeks: null, version: 0 },
    ...{ ticket_number_per_line: false, attachments: false, breaks_paid: null },
  };
  expect(await books.biller.must('GET', pathOf(books))).toEqual(usual);
  const wrong = await books.biller.http('PATCH', pathOf(books), { emails: ['ap@customer.example', 'nobody'] });
  expect([wrong.status, wrong.body.error.errors[0].field]).toEqual([422, 'emails.1']);
  for (const body of [{ terms_days: 366 }, { fuel_lag_weeks: -1 }, { cadence: 'daily' }, { po_pattern: '#'.repeat(51) }])
    expect((await books.biller.http('PATCH', pathOf(books), body)).status).toBe(422);
  expect(await books.biller.must('GET', pathOf(books))).toEqual(usual);
  // It is as old as the account, whenever it is read.
  const query = 'query ($id: ID!) { billingProfile(accountId: $id) { createdAt updatedAt } account(id: $id) { createdAt } }';
  const { data } = await books.biller.gql(query, { id: books.tenant.account.id });
  const { createdAt } = data.account;
  expect(data.billingProfile).toEqual({ createdAt, updatedAt: createdAt });
  const said = { po_required: true, po_pattern: 'PO-####', cadence: 'monthly', emails: ['ap@customer.example'], terms_days: 45 };
  expect(await choose(books, said)).toMatchObject({ ...usual, ...said, version: expect.any(Number) });
  expect(await choose(books, { cadence: null, emails: null, po_required: null })).toMatchObject({
    ...{ cadence: null, emails: [], po_required: false, po_pattern: 'PO-####', terms_days: 45 },
  });
  // The people who may.
  const dispatcher = await books.tenant.person({ roles: ['dispatcher'] });
  expect((await dispatcher.http('GET', pathOf(books))).status).toBe(404);
  const reader = await machineToken(books.tenant, ['view_settlements']);
  expect((await books.tenant.http('PATCH', pathOf(books), { terms_days: 1 }, reader)).status).toBe(403);
  const other = await billerOf((await makeChain(shared.app)).owner);
  expect((await other.http('GET', pathOf(books))).status).toBe(404);
  expect((await other.http('PATCH', other.path(`/accounts/${books.tenant.account.id}/billing_profile`), {})).status).toBe(404);
});

test('If-Match of a profile means the profile, and not its account, which has its id', async () => {
  const books = await openBooks(shared);
  const { token } = books.biller;
  const tagOf = async () => (await shared.app.http('GET', pathOf(books), { token })).headers.get('etag')!;
  const change = async (tag: string, terms: number) =>
    (await shared.app.http('PATCH', pathOf(books), { token, body: { terms_days: terms }, headers: { 'If-Match': tag } })).status;
  const blank = await tagOf();
  expect([await change(blank, 10), await change(blank, 11)]).toEqual([200, 412]);
  // Of first changes at once, too, which have all read a profile that does not exist yet.
  for (let round = 1; round <= 3; round++) {
    const { id } = await books.tenant.save(Account, { company: ref(books.tenant.company), name: `Nobody's ${round}` });
    const { headers, body } = await shared.app.http('GET', pathOf(books, id), { token });
    expect(body.data.version).toBe(0);
    const first = (terms_days: number): Promise<Json> =>
      shared.app.http('PATCH', pathOf(books, id), { token, body: { terms_days }, headers: { 'If-Match': headers.get('etag')! } });
    const answers = await Promise.all([1, 2, 3, 4].map(first));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    const won = answers.find(({ status }) => status === 200).body.data;
    expect(won.version).toBe(1);
    expect(await books.biller.must('GET', pathOf(books, id))).toEqual(won);
  }
  for (const round of [1, 2]) {
    const tag = await tagOf();
    const statuses = await Promise.all([1, 2, 3, 4].map((one) => change(tag, 10 * round + one)));
    expect(statuses.sort()).toEqual([200, 412, 412, 412]);
  }
});

test('B15, PO arrives later: an invoice waits for the number of the purchase order, and follows it', async () => {
  const books = await openBooks(shared);
  const job = await hauled(books, ['10'], { order: PER_TON });
  await approveLoads(books.biller, job);
  await choose(books, { po_required: true, po_pattern: 'PO-####' });
  const draft = await invoiceOf(books, job.id);
  const refused = await event(books.biller, draft.id, 'approve');
  expect([refused.status, messages(refused)]).toEqual([
    409,
    ['cannot be approved: the customer wants the number of a purchase order, and its order has none or another kind of number'],
  ]);
  const blocked: Json[] = await books.biller.must('GET', books.biller.path('/billing/blockers'));
  expect(blocked.map(({ id, blockers }) => [id, blockers])).toEqual([[draft.id, ['po_missing']]]);
  const { order } = await books.tenant.must('GET', `/v1/jobs/${job.id}`);
  for (const [po, status] of [
    ['4711', 409],
    ['PO-47110', 409],
    ['PO-4711', 200],
  ] as const) {
    await books.tenant.must('PATCH', `/v1/orders/${order.id}`, { po_job_number: po });
    await books.app.settled();
    expect((await event(books.biller, draft.id, 'approve')).status).toBe(status);
  }
});

test('B7: a customer who is exempt pays no tax, as soon as the profile says so', async () => {
  const books = await openBooks(shared);
  const { order } = await chargesOfM20(books);
  const job = await hauled(books, M10, { order });
  await approveLoads(books.biller, job);
  // 1,152.78 and 8.25 % of it.
  expect(await invoiceOf(books, job.id)).toMatchObject({
    tax_total_amount: '95.1',
    total_amount: '1247.88',
    tax_description: 'Freight, Material',
  });
  await choose(books, { tax_exempt_number: 'TX-99' });
  const exempt = await invoiceOf(books, job.id);
  expect(exempt).toMatchObject({ tax_total_amount: '0', total_amount: '1152.78', tax_description: 'Exempt', tax_rate: '0' });
  await choose(books, { tax_exempt_number: null });
  expect(await invoiceOf(books, job.id)).toMatchObject({
    tax_total_amount: '95.1',
    tax_description: 'Freight, Material',
    tax_rate: '8.25',
  });
  // A rate of 0 is no tax (DOMAIN 3.8), also of a customer who is exempt.
  await books.tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 0 });
  const none = { tax_total_amount: null, tax_pretax_amount: null, tax_rate: null, tax_description: null };
  expect(await invoiceOf(books, job.id)).toMatchObject({ ...none, total_amount: '1152.78' });
  await choose(books, { tax_exempt_number: 'TX-99' });
  expect(await invoiceOf(books, job.id)).toMatchObject({ ...none, total_amount: '1152.78' });
  await choose(books, { tax_exempt_number: null });
  await books.tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 10, tax_material: false });
  expect(await invoiceOf(books, job.id)).toMatchObject({ tax_total_amount: '29.44', tax_description: 'Freight' });
});

test('B6: the weeks of fuel of a customer go before those of the schedule, for that customer alone', async () => {
  const books = await openBooks(shared);
  const { index, fuel, order } = await chargesOfM20(books);
  await books.tenant.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date: '2026-11-09', price: 3.6 });
  const job = await hauled(books, M10, { order });
  await books.tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: fuel.id, quantity: 1 });
  const surcharge = async (): Promise<string> => {
    const { id } = await invoiceOf(books, job.id);
    return (await books.biller.must('GET', books.biller.path(`/invoices/${id}/add_on_charges`)))[0].total_amount;
  };
  // Monday the 23rd goes by 4.132 of the 16th; two weeks before, fuel cost 3.60, for which nothing is charged.
  expect(await surcharge()).toBe('11.78');
  await choose(books, { fuel_lag_weeks: 2 });
  expect(await surcharge()).toBe('0');
  await choose(books, { fuel_lag_weeks: null });
  expect(await surcharge()).toBe('11.78');
  // The company may go by the start of the job, before which nothing newer than 3.60 was known.
  await books.app.orm.em
    .fork()
    .nativeUpdate(Job, { id: job.id }, { jobStartAt: new Date('2026-11-14T17:00Z') }, { filters: { tenant: false } });
  await chooseSettings(books.tenant, { fuelDate: 'job_start' });
  expect(await surcharge()).toBe('0');
  await chooseSettings(books.tenant, { fuelDate: 'order' });
  expect(await surcharge()).toBe('11.78');
  // A charge at an old price, or below all rows, says so to those who see the prices of fuel.
  const prices = `/v1/fuel_price_indices/${index.id}/fuel_prices`;
  const idOf = async (day: string) => (await books.tenant.must('GET', prices)).find(({ date }: Json) => date === day).id;
  const warnings = async () => {
    const { id } = await invoiceOf(books, job.id);
    return (await books.biller.gql('query($id: ID!) { invoice(id: $id) { warnings } }', { id })).data.invoice.warnings;
  };
  expect(await warnings()).toEqual([]);
  await books.tenant.must('DELETE', `/v1/fuel_prices/${await idOf('2026-11-16')}`);
  expect([await surcharge(), await warnings()]).toEqual(['0', ['fuel_price_stale']]);
  await books.tenant.must('PATCH', `/v1/fuel_prices/${await idOf('2026-11-09')}`, { price: 3 });
  expect(await warnings()).toEqual(['fuel_price_stale', 'below_schedule']);
});

test('B6: the weeks of fuel of a vendor are those of what it gets', async () => {
  const chain = await makeChain(shared.app);
  const books = { app: shared.app, tenant: chain.owner, biller: await billerOf(chain.owner) };
  const { index, fuel } = await chargesOfM20(books);
  const path = `/v1/fuel_price_indices/${index.id}/fuel_prices`;
  await books.tenant.must('POST', path, { date: '2026-11-09', price: 3.6 });
  const pay = await books.tenant.must('POST', '/v1/add_ons', {
    ...{ name: 'Fuel of vendors', add_on_types: ['driver_pay'], revenue_cost_rate_type: 'FuelSurcharge' },
    fuel_surcharge_schedule_id: fuel.fuel_surcharge_schedule.id,
  });
  const job = await jobOfChain(chain);
  for (const step of shortHaul()) await job.go(step);
  const { id, vendor_account } = await invoiceOf(books, job.id, 'payable');
  await books.biller.must('PATCH', books.biller.path(`/invoices/${id}`), { rate_value: 1000, rate_type: 'RateFlatRate' });
  await books.tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: pay.id, quantity: 1 });
  const paid = async () => (await invoiceOf(books, job.id, 'payable')).add_on_charges_total_amount;
  expect(await paid()).toBe('40');
  await books.biller.must('PATCH', pathOf(books, vendor_account.id), { fuel_lag_weeks: 2 });
  expect(await paid()).toBe('0');
});

test('B9: jobs and purchase orders are settled apart where the profile says so', async () => {
  const books = await openBooks(shared);
  const order = (po: string) => ({ ...PER_TON, po_job_number: po });
  const invoices: Json[] = [];
  for (const po of ['A', 'A', 'B']) invoices.push(await approvedInvoice(books, ['10'], { order: order(po) }));
  const create = (body: object = {}) =>
    books.biller.http('POST', books.biller.path('/settlements'), { invoice_ids: invoices.map(({ id }) => id), ...body });
  await choose(books, { po_required: true });
  const mixed = await create();
  expect([mixed.status, mixed.body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['invoice_ids.2']]);
  expect(messages(mixed)).toEqual(['is for another purchase order, and the account gets a settlement for each']);
  await choose(books, { po_required: false, one_job_per_settlement: true, cadence: 'monthly' });
  const jobs = await create();
  expect([jobs.status, jobs.body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['invoice_ids.1', 'invoice_ids.2']]);
  const bulk = async (more: object): Promise<string[]> => {
    const days = { start_date: '2026-11-23T12:00:00Z', end_date: '2026-11-23T12:00:00Z', bulk_create_for: ['customers'] };
    const answer = await books.biller.http('POST', books.biller.path('/settlements/bulk_create'), { ...days, ...more });
    expect([answer.status, answer.body?.error]).toEqual([202, undefined]);
    await books.app.settled();
    const list: Json[] = await books.biller.must('GET', books.biller.path('/settlements/receivables'));
    return list
      .filter(({ state }) => state === 'pending')
      .map(({ total_amount }) => total_amount)
      .toSorted();
  };
  const voidAll = async () => {
    for (const { id, state } of await books.biller.must('GET', books.biller.path('/settlements/receivables')))
      if (state === 'pending') await books.biller.must('PUT', books.biller.path(`/settlements/${id}/void`), {});
  };
  expect(await bulk({ cadences: ['weekly'] })).toEqual([]);
  expect(await bulk({ cadences: ['weekly', 'monthly'] })).toEqual(['42.5', '42.5', '42.5']);
  await voidAll();
  await choose(books, { po_required: true, one_job_per_settlement: false });
  expect(await bulk({})).toEqual(['42.5', '85']);
  await voidAll();
  await choose(books, { po_required: false });
  expect(await bulk({})).toEqual(['127.5']);
});

test('B11: terms and addresses of the profile are those of its settlements', async () => {
  const books = await openBooks(shared, { dateFormat: 'MM/DD/YYYY', timeZone: zoneAt(12) });
  const settlement = await settle(books, [await approvedInvoice(books, ['10'], { order: PER_TON })]);
  await choose(books, { terms_days: 45 });
  await books.biller.must('PUT', books.biller.path(`/settlements/${settlement.id}/approve`), {});
  const approved = localDate(new Date(), books.tenant.company.timeZone);
  const email = (body: object = {}) => books.biller.http('PUT', books.biller.path(`/settlements/${settlement.id}/email_settlement`), body);
  const none = await email();
  expect([none.status, none.body.error.errors[0].field]).toEqual([422, 'email']);
  // The contents of the approved settlement stay; its recipients are those of the moment when it is sent.
  await choose(books, { terms_days: 30, emails: ['ap@customer.example', 'copy@customer.example'] });
  expect((await email()).status).toBe(204);
  const sent: Json[] = await books.biller.must('GET', books.biller.path(`/settlements/${settlement.id}/settlement_email_deliveries`));
  expect(sent.map((one) => one.email).toSorted()).toEqual(['ap@customer.example', 'copy@customer.example']);
  const file = books.biller.path(`/accounting_file?format=quickbooks_online&settlement_ids[]=${settlement.id}`);
  const headers = { Authorization: `Bearer ${await books.tenant.administrator()}` };
  const text = await (await fetch(books.app.url + file, { headers })).text();
  const [, due] = (text.split('\n')[1]!.match(/\d\d\/\d\d\/\d{4}/g) ?? []).map((day) => Date.parse(day));
  expect((due! - Date.parse(approved)) / 86_400_000).toBeCloseTo(45, 0);
});

test('B1, B3: a customer pays for breaks if its profile says so, and what was billed stays', async () => {
  const books = await openBooks(shared);
  // M12: 06:00 to 14:15 with half an hour of lunch, at 110 an hour.
  const job = await worked(books.tenant, null, { customer_rate_value: 110, customer_rate_type: 'RatePerHour' }, 495);
  const breaks = `{[${on('10:00').toISOString()},${on('10:30').toISOString()})}`;
  await books.app.orm.em.fork().nativeUpdate(Job, { id: job.id }, { breaks } as never, { filters: { tenant: false } });
  await choose(books, { breaks_paid: false });
  expect((await invoiceOf(books, job.id)).total_amount).toBe('852.5');
  await choose(books, { breaks_paid: true });
  const draft = await invoiceOf(books, job.id);
  expect(draft.total_amount).toBe('907.5');
  const { explain } = await books.biller.must('GET', books.biller.path(`/invoices/${draft.id}/explain`));
  expect(JSON.stringify(explain)).toContain('"label":"breaks that are paid","amount":"30"');
  // Half an hour more by hand is more than all of it.
  const path = books.biller.path(`/invoices/${draft.id}/invoice_line_items`);
  const [line] = await books.biller.must('GET', path);
  const edit = (billing_adjustment_minutes: number | null) =>
    books.biller.must('PATCH', path, { rate_type: 'RatePerHour', invoice_line_items: [{ id: line.id, billing_adjustment_minutes }] });
  await edit(30);
  expect((await invoiceOf(books, job.id)).total_amount).toBe('962.5');
  await edit(null);
  await books.biller.must('PUT', books.biller.path(`/jobs/${job.id}/approve`), {});
  expect((await event(books.biller, draft.id, 'approve')).body.data.total_amount).toBe('907.5');
  await settle(books, [draft]);
  await choose(books, { breaks_paid: null });
  const later = await books.biller.http('POST', books.biller.path(`/invoices/${draft.id}/supplements`), {});
  expect([later.status, (await invoiceOf(books, job.id)).total_amount]).toEqual([409, '907.5']);
});
