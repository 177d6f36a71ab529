import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { drive, jobOfChain, makeChain, makeStaffedTenant, ONE_LOAD, readyJob, type StaffedTenant } from '../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** Somebody with the paths of their company. */
type Person = Awaited<ReturnType<StaffedTenant['person']>> & { path: StaffedTenant['path'] };

let app: TestApp;
let tenant: StaffedTenant;
let biller: Person;
beforeAll(async () => {
  app = await startTestApp({ shared: true, invoices: true });
  tenant = await makeStaffedTenant(app);
  biller = { ...(await tenant.person({ roles: ['biller'] })), path: tenant.path };
});
afterAll(() => app.close());

const M10 = ['23.21', '21.4', '24.06'];

interface Work {
  at?: StaffedTenant;
  order?: object;
}

/** A job whose loads have tickets of these tons, or none. */
async function hauled(quantities: readonly (string | null)[], { at = tenant, order = {} }: Work = {}): Promise<Json> {
  const wanted = { loads_per_truck: quantities.length, ...order };
  const job = await readyJob(at, wanted);
  for (const _ of quantities) await drive(at.driver, job.id, ...ONE_LOAD);
  await drive(at.driver, job.id, 'complete');
  const loads: Json[] = await at.must('GET', `/v1/jobs/${job.id}/loads`);
  for (const [i, load] of loads.sort((a, b) => a.ordinality - b.ordinality).entries())
    if (quantities[i]) await ticketed(load, quantities[i], at);
  return { ...job, loads };
}
let tickets = 0;
const ticketed = (load: Json, quantity: string, at = tenant): Promise<Json> =>
  at.must('POST', '/v1/tickets', { load_id: load.id, ticket_number: `T-${++tickets}`, quantity, unit_of_measure: 'Ton' });

const card = (owner_type: string, more: object, at = tenant): Promise<Json> =>
  at.must('POST', '/v1/rates', { name: `Card ${owner_type} ${++tickets}`, owner_type, ...more });
/** A price of 4.25 for a ton, with 22 tons for a load at least. */
const withMinimum = async (at = tenant) => ({
  customer_rate_id: (await card('customer', { type: 'RatePerTon', unit_rate: 4.25, unit_minimum: 22, unit_increment: 0 }, at)).id,
});
const invoiceOf = async (jobId: string, side = 'receivable', by: Person = biller): Promise<Json> => {
  await app.settled();
  return by.must('GET', `/v1/jobs/${jobId}/${side}`);
};
const event = (id: string, name: string, by: Person = biller) => by.http('PUT', by.path(`/invoices/${id}/${name}`));
const linesOf = async (id: string, by: Person = biller): Promise<string[][]> =>
  (await by.must('GET', by.path(`/invoices/${id}/invoice_line_items`))).map((line: Json) => [line.quantity, line.rate, line.total_amount]);
const approveLoads = async ({ loads }: Json, by: Person = biller) => {
  for (const { id } of loads) await by.must('PUT', by.path(`/loads/${id}/approve`), {});
};
/** The records that a tree of figures comes from. */
const leavesOf = ({ source, parts = [] }: Json): Json[] => [...(source ? [source] : []), ...parts.flatMap(leavesOf)];
const messages = ({ body }: Json) => body.error.errors.map(({ message }: Json) => message);

test('M10: an invoice adds up from the tickets, waits until the loads are approved, and stays as it is from then on', async () => {
  const job = await hauled(M10, { order: await withMinimum() });
  const pending = await invoiceOf(job.id);
  expect(pending).toMatchObject({ state: 'pending', rate_value: '4.25', rate_type: 'RatePerTon', approvable: false, job: { id: job.id } });
  expect(pending).toMatchObject({ invoice_line_items_total_amount: '294.4', total_amount: '294.4', total_loads_count: 3 });
  expect(await linesOf(pending.id)).toEqual([
    ['23.21', '4.25', '98.64'],
    ['22', '4.25', '93.5'],
    ['24.06', '4.25', '102.26'],
  ]);
  const { data } = await biller.gql('query($id: ID!) { invoice(id: $id) { explain } }', { id: pending.id });
  expect(leavesOf(data.invoice.explain)).toContainEqual({ type: 'Ticket', id: expect.any(String), version: expect.any(Number) });
  expect(data.invoice.explain).toMatchObject({ label: 'total', amount: '294.4', operation: 'sum' });
  const refused = await event(pending.id, 'approve');
  expect([refused.status, messages(refused)]).toEqual([409, ['cannot be approved: a load has not been approved for billing']]);
  await approveLoads(job);
  const approved = await event(pending.id, 'approve');
  expect([approved.status, approved.body.data.state, approved.body.data.approved]).toEqual([200, 'approved', true]);
  // The card changes, and the invoice does not.
  await tenant.must('PATCH', `/v1/rates/${approved.body.data.rate.id}`, { unit_rate: 5, unit_minimum: 30 });
  expect((await invoiceOf(job.id)).total_amount).toBe('294.4');
  expect((await event(pending.id, 'approve')).status).toBe(409);
  expect((await event(pending.id, 'unapprove')).body.data).toMatchObject({
    state: 'pending',
    total_amount: '294.4',
    billing_approved_at: null,
  });
  expect((await event(pending.id, 'approve')).status).toBe(200);
  expect((await event(pending.id, 'pay')).body.data.state).toBe('paid');
  expect((await event(pending.id, 'unapprove')).status).toBe(409);
});

test('what an approved invoice was priced by is kept until its approval is taken back, and a job is paid with what is owed for it', async () => {
  const rates = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const job = await hauled(['10'], { order: rates });
  const admin = await tenant.administrator();
  const as = (method: string, path: string, body: object = {}) => tenant.http(method, path, body, admin);
  const [ticket] = await tenant.must('GET', `/v1/jobs/${job.id}/tickets`);
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/approve`), {}, admin);
  const [billed, pay] = [await invoiceOf(job.id), await invoiceOf(job.id, 'payable')];
  const counts = async () => (await biller.must('GET', `/v1/orders/${job.order.id}`)).order_summary;
  expect(await counts()).toMatchObject({ total_payables: 1, total_receivables: 1, approved_payables: 0, approved_receivables: 0 });
  expect((await event(billed.id, 'approve')).status).toBe(200);
  expect(await counts()).toMatchObject({ total_payables: 1, approved_payables: 0, approved_receivables: 1 });
  const refused = [
    await as('PUT', tenant.path(`/jobs/${job.id}/unapprove`)),
    await as('PUT', tenant.path(`/loads/${job.loads[0].id}/unapprove`)),
    await as('PUT', `/v1/tickets/${ticket.id}/void`),
  ];
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 409]);
  for (const answer of refused)
    expect(messages(answer)).toEqual([`is on ${billed.invoice_id}, which is approved; take that approval back first`]);
  // The owner pays the driver when the work is signed off.
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/sign_off`), {}, admin);
  expect((await as('PUT', tenant.path(`/jobs/${job.id}/pay`))).status).toBe(409);
  expect((await event(pay.id, 'approve')).status).toBe(200);
  expect((await tenant.must('GET', `/v1/jobs/${job.id}`)).state_events).toContain('pay');
  expect((await event(pay.id, 'pay')).body.data.state).toBe('paid');
  expect((await tenant.must('GET', `/v1/jobs/${job.id}`)).state).toBe('paid');
});

test('M20: material is charged by itself or within the freight, and taxed as the order says', async () => {
  const material = { material_id: tenant.material.id, material_rate_sell_price: 12.5, material_rate_unit_of_measure: 'Ton' };
  const tax = { tax_rate: 8.25, tax_freight: true, tax_material: true };
  const order = { ...(await withMinimum()), ...material, ...tax };
  const itemized = await invoiceOf((await hauled(M10, { order: { ...order, material_rate_itemized: true } })).id);
  expect(itemized).toMatchObject({ tax_pretax_amount: '1152.78', tax_total_amount: '95.1', total_amount: '1247.88' });
  expect((await linesOf(itemized.id)).map((line) => line[2])).toEqual(['98.64', '93.5', '102.26', '290.13', '267.5', '300.75']);
  const folded = await invoiceOf((await hauled(M10, { order })).id);
  expect(folded).toMatchObject({ tax_pretax_amount: '1152.78', tax_total_amount: '95.1', total_amount: '1247.88' });
  expect(await linesOf(folded.id)).toEqual([
    ['23.21', '16.75', '388.77'],
    ['22', '16.75', '361'],
    ['24.06', '16.75', '403.01'],
  ]);
});

test('M20 and M18: charges that were requested for the job are on its invoices, each on the side for which it is', async () => {
  const [low, high] = [
    { price: 3.5, bill_surcharge: 0 },
    { price: 4, bill_surcharge: 4 },
  ];
  const index = await tenant.must('POST', tenant.path('/fuel_price_indices'), { name: 'Diesel' });
  await tenant.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date: '2026-11-16', price: 4.132 });
  const follows = { name: 'Standard', fuel_price_index_id: index.id, surcharge_type: 'percentage' };
  const schedule = await tenant.must('POST', tenant.path('/fuel_surcharge_schedules'), follows);
  for (const row of [low, high])
    await tenant.must('POST', `/v1/fuel_surcharge_schedules/${schedule.id}/fuel_surcharge_schedule_prices`, row);
  const addOn = (name: string, more: object): Promise<Json> =>
    tenant.must('POST', '/v1/add_ons', { name, add_on_types: ['invoicing'], ...more });
  const fuel = await addOn('Fuel', { revenue_cost_rate_type: 'FuelSurcharge', fuel_surcharge_schedule_id: schedule.id });
  const wash = await addOn('Wash', { revenue_rate_value: 25 });
  const fee = await addOn('Fee', { revenue_cost_rate_type: 'RatePercentOfTotal', percentage: -8, add_on_types: ['driver_pay'] });
  const material = { material_id: tenant.material.id, material_rate_sell_price: 12.5, material_rate_unit_of_measure: 'Ton' };
  const tax = { tax_rate: 8.25, tax_freight: true, tax_material: true, material_rate_itemized: true };
  const driver_rate_id = (await card('driver', { type: 'RatePerTon', unit_rate: 3.6, unit_minimum: 0, unit_increment: 0 })).id;
  const job = await hauled(M10, { order: { ...(await withMinimum()), ...material, ...tax, driver_rate_id } });
  const charges = `/v1/jobs/${job.id}/add_on_charges`;
  for (const { id } of [fuel, fee]) await tenant.must('POST', charges, { add_on_id: id, quantity: 1 });
  const washed = await tenant.must('POST', charges, { add_on_id: wash.id, quantity: 1 });
  const billed = await invoiceOf(job.id);
  expect(billed).toMatchObject({ add_on_charges_count: 2, add_on_charges_total_amount: '36.78', tax_pretax_amount: '1189.56' });
  expect(billed).toMatchObject({ tax_total_amount: '96.08', total_amount: '1285.64' });
  const paid = await invoiceOf(job.id, 'payable');
  expect(paid).toMatchObject({ invoice_line_items_total_amount: '247.22', add_on_charges_total_amount: '-19.78', total_amount: '227.44' });
  const applied = async (id: string): Promise<Json> =>
    (await biller.must('GET', biller.path(`/invoices/${id}/add_on_charges`))).map((one: Json) => [one.name, one.total_amount]);
  expect((await applied(billed.id)).sort()).toEqual([
    ['Fuel', '11.78'],
    ['Wash', '25'],
  ]);
  expect(await applied(paid.id)).toEqual([['Fee', '-19.78']]);
  expect(await biller.must('GET', charges)).toHaveLength(3);
  // Withdrawn, and changed.
  expect((await tenant.http('DELETE', `/v1/add_on_charges/${washed.id}`)).status).toBe(204);
  expect((await invoiceOf(job.id)).total_amount).toBe('1260.64');
  expect(await applied(billed.id)).toEqual([['Fuel', '11.78']]);
  // A price of fuel that nobody knows keeps the invoice from being approved.
  await tenant.must('DELETE', `/v1/fuel_prices/${(await tenant.must('GET', `/v1/fuel_price_indices/${index.id}/fuel_prices`))[0].id}`);
  await approveLoads(job);
  expect(messages(await event(billed.id, 'approve'))).toEqual(['cannot be approved: the price of fuel of the day is not known']);
});

test('what is charged by itself is on the invoices of its side, and stops when it is taken away', async () => {
  const own = await makeStaffedTenant(app);
  const by = { ...(await own.person({ roles: ['biller'] })), path: own.path };
  const addOn = async (name: string, more: object): Promise<string> => (await own.must('POST', '/v1/add_ons', { name, ...more })).id;
  const fee = await addOn('Environmental fee', { add_on_types: ['invoicing'], revenue_rate_value: 5, quantity: 1 });
  const lease = await addOn('Lease', { add_on_types: ['driver_pay'], revenue_cost_rate_type: 'RatePercentOfTotal', percentage: -15 });
  const ofAccount = await own.must('POST', `/v1/accounts/${own.account.id}/auto_add_on_assignments`, {
    add_on_id: fee,
    account_type: 'customer',
  });
  await own.must('POST', `/v1/drivers/${own.driver.id}/auto_add_on_assignments`, { add_on_id: lease });
  const rates = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const job = await hauled(['10'], { at: own, order: rates });
  const totals = async () => [
    (await invoiceOf(job.id, 'receivable', by)).total_amount,
    (await invoiceOf(job.id, 'payable', by)).total_amount,
  ];
  expect(await totals()).toEqual(['25', '85']);
  const { id } = await invoiceOf(job.id, 'receivable', by);
  const listed = await by.must('GET', by.path(`/invoices/${id}/add_on_charges`));
  expect(listed).toEqual([expect.objectContaining({ name: 'Environmental fee', total_amount: '5', add_on: { id: fee } })]);
  expect((await own.http('PATCH', `/v1/add_on_charges/${listed[0].id}`, { quantity: 2 })).status).toBe(422);
  expect((await own.http('DELETE', `/v1/auto_add_on_assignments/${ofAccount.id}`)).status).toBe(204);
  // The next change of the work finds it gone.
  await own.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 10, tax_freight: true });
  expect(await totals()).toEqual(['22', '85']);
});

test('a draft follows the work: late tickets, corrections, reports without a ticket, voided tickets', async () => {
  const job = await hauled(['10', null], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const draft = await invoiceOf(job.id);
  expect([draft.total_amount, draft.state]).toEqual(['20', 'pending']);
  const { data } = await biller.gql('query($id: ID!) { invoice(id: $id) { blockers stale invoiceLineItems { totalAmount } } }', {
    id: draft.id,
  });
  expect(data.invoice.blockers.sort()).toEqual(['load_not_approved', 'missing_quantity']);
  const late = await ticketed(job.loads[1], '7.5');
  expect((await invoiceOf(job.id)).total_amount).toBe('35');
  await tenant.must('PATCH', `/v1/tickets/${late.id}`, { quantity: 8 });
  expect((await invoiceOf(job.id)).total_amount).toBe('36');
  await tenant.must('PUT', `/v1/tickets/${late.id}/void`, {});
  await tenant.must('PATCH', `/v1/loads/${job.loads[1].id}`, { quantity: 6, unit_of_measure: 'Yard' });
  expect((await biller.gql('query($id: ID!) { invoice(id: $id) { blockers } }', { id: draft.id })).data.invoice.blockers).toContain(
    'load_not_approved',
  );
  await app.settled();
  const blocked = await event(draft.id, 'approve');
  expect(messages(blocked)).toContain('cannot be approved: the unit of a load cannot be converted to that of the rate');
});

test('M12: hours are paid by what was approved, and drivers see what they are paid and nothing of the customer', async () => {
  const hourly = { type: 'RatePerHour', time_rate: 110, time_minimum_minutes: 240, time_increment_minutes: 15 };
  const rates = {
    customer_rate_id: (await card('customer', hourly)).id,
    driver_rate_id: (await card('driver', { type: 'RateCommission', commission_percentage: 30 })).id,
  };
  const job = await hauled(['1'], { order: rates });
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/approve`), { approved_work_time_minutes: 253 }, await tenant.administrator());
  const billed = await invoiceOf(job.id);
  expect(await linesOf(billed.id)).toEqual([['4.25', '110', '467.5']]);
  const pay = await invoiceOf(job.id, 'payable');
  expect(pay).toMatchObject({ total_amount: '140.25', commission_rate_value: '33', commission_rate_type: 'RatePerHour' });
  const own = await tenant.driver.must('GET', `/v1/jobs/${job.id}/payable`);
  expect([own.id, own.total_amount]).toEqual([pay.id, '140.25']);
  expect((await tenant.driver.http('GET', `/v1/jobs/${job.id}/receivable`)).status).toBe(404);
  expect((await tenant.driver.must('GET', tenant.path('/invoices'))).map(({ id }: Json) => id)).toContain(pay.id);
  const { data } = await tenant.driver.gql('{ invoices { nodes { side } } }');
  expect(new Set(data.invoices.nodes.map(({ side }: Json) => side))).toEqual(new Set(['payable']));
  expect((await tenant.dispatcher.http('GET', `/v1/jobs/${job.id}/payable`)).status).toBe(404);
});

test('a rate by hand prices an invoice anew, what is generated is not stored, and a voided invoice is replaced', async () => {
  const job = await hauled(['10', '20'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const draft = await invoiceOf(job.id);
  const path = tenant.path(`/invoices/${draft.id}`);
  const generated = await biller.http('POST', `${path}/invoice_line_items/generate`, { rate_value: 3, rate_type: 'RatePerTon' });
  expect([generated.status, generated.body.data.map(({ total_amount }: Json) => total_amount)]).toEqual([200, ['30', '60']]);
  expect((await biller.must('GET', `/v1/jobs/${job.id}/receivable`)).total_amount).toBe('60');
  const byHand = await biller.must('PATCH', path, { rate_value: 500, rate_type: 'RateFlatRate' });
  expect(byHand).toMatchObject({ total_amount: '500', rate_type: 'RateFlatRate' });
  // A ticket more does not bring the old rate back.
  await tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 10, tax_freight: true });
  expect((await invoiceOf(job.id)).total_amount).toBe('550');
  expect((await biller.http('PATCH', path, { rate_value: 3 })).status).toBe(422);
  expect(
    messages(
      await biller.http('PATCH', path, {
        rate_id: (await card('driver', { type: 'RatePerTon', unit_rate: 1, unit_minimum: 0, unit_increment: 0 })).id,
      }),
    ),
  ).toHaveLength(1);
  expect((await biller.must('PATCH', path, { rate_id: null, rate_value: null })).total_amount).toBe('66');
  expect((await event(draft.id, 'void')).body.data.state).toBe('voided');
  const next = await invoiceOf(job.id);
  expect([next.id === draft.id, next.total_amount, next.state]).toEqual([false, '66', 'pending']);
  expect((await biller.http('PATCH', path, { rate_value: 1, rate_type: 'RateFlatRate' })).status).toBe(422);
  expect((await event(draft.id, 'void')).status).toBe(409);
});

test('along a chain each company has its own books, and the terms of a link are the same on both of its sides', async () => {
  const chain = await makeChain(app);
  const { owner, middle, last } = chain;
  const people = await Promise.all([owner, middle, last].map((one) => one.person({ roles: ['biller'] })));
  const [ofOwner, ofMiddle, ofLast] = people.map((one, i) => ({ ...one, path: [owner, middle, last][i]!.path })) as [
    Person,
    Person,
    Person,
  ];
  const { id, go } = await jobOfChain(chain);
  await owner.must('PATCH', `/v1/jobs/${id}`, {
    customer_rate_value: 4.25,
    customer_rate_type: 'RatePerTon',
    vendor_rate_value: 3.6,
    vendor_rate_type: 'RatePerTon',
  });
  for (const one of [...ONE_LOAD, 'complete']) await go(one);
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(load, '23.21', owner);
  const totals = async (by: Person) => {
    await app.settled();
    return (await by.must('GET', by.path('/invoices')))
      .toReversed()
      .map(({ total_amount, state, rate_value }: Json) => [total_amount, state, rate_value]);
  };
  expect(await totals(ofOwner)).toEqual([
    ['98.64', 'pending', '4.25'],
    ['83.56', 'pending', '3.6'],
  ]);
  const [theirs, owed] = await totals(ofMiddle);
  expect([theirs, owed]).toEqual([
    ['83.56', 'pending', '3.6'],
    ['0', 'pending', null],
  ]);
  expect(await totals(ofLast)).toHaveLength(2);
  // Nobody reads or changes another one's books.
  const [, first] = await ofOwner.must('GET', ofOwner.path('/invoices'));
  for (const by of [ofMiddle, ofLast, biller]) {
    expect((await by.http('PUT', by.path(`/invoices/${first.id}/approve`))).status).toBe(404);
    expect((await by.gql('query($id: ID!) { invoice(id: $id) { id } }', { id: first.id })).errors[0].extensions.code).toBe(
      'object_not_found',
    );
  }
  const [, receivable] = await ofMiddle.must('GET', ofMiddle.path('/invoices'));
  expect(messages(await event(receivable.id, 'approve', ofMiddle))).toEqual([
    'cannot be approved: a load has not been approved for billing',
  ]);
  await approveLoads({ loads: [load] }, ofMiddle);
  expect((await event(receivable.id, 'approve', ofMiddle)).body.data).toMatchObject({ state: 'approved', total_amount: '83.56' });
});

test('an accepted job has drafts on both sides, which follow who does it and are deleted with it', async () => {
  const job = await readyJob(tenant, { customer_rate_value: 2, customer_rate_type: 'RatePerTon' });
  const [draft, pay] = [await invoiceOf(job.id), await invoiceOf(job.id, 'payable')];
  expect([draft, pay].map(({ state, total_amount, editable }) => [state, total_amount, editable])).toEqual(
    Array(2).fill(['created', '0', false]),
  );
  await drive(tenant.driver, job.id, 'enroute');
  expect((await invoiceOf(job.id)).state).toBe('in_progress');
  const other = await readyJob(tenant, { customer_rate_value: 2, customer_rate_type: 'RatePerTon' });
  const theirs = await invoiceOf(other.id, 'payable');
  await tenant.must('PUT', `/v1/jobs/${other.id}/unassign`, {});
  await app.settled();
  expect((await biller.http('GET', `/v1/jobs/${other.id}/payable`)).status).toBe(404);
  expect((await biller.gql('query($id: ID!) { invoice(id: $id) { state } }', { id: theirs.id })).data.invoice.state).toBe('voided');
  expect((await tenant.http('DELETE', `/v1/jobs/${other.id}`, undefined, await tenant.administrator())).status).toBe(204);
  expect((await biller.gql('query($id: ID!) { invoice(id: $id) { state } }', { id: theirs.id })).errors[0].extensions.code).toBe(
    'object_not_found',
  );
});

test('lists are filtered by side, state, day and parties', async () => {
  const own = await makeStaffedTenant(app);
  const by = { ...(await own.person({ roles: ['biller'] })), path: own.path };
  const job = await hauled(['10'], { at: own, order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  await app.settled();
  const list = async (query: string): Promise<string[]> =>
    (await by.must('GET', by.path(`/invoices?${query}`))).map(({ invoice_id }: Json) => invoice_id);
  const all = await list('');
  expect(all).toHaveLength(2);
  const [payable, receivable] = all;
  expect(await list('filter[invoice_category]=receivables')).toEqual([receivable]);
  expect(await list('filter[invoice_category]=internal_payables')).toEqual([payable]);
  expect(await list('filter[invoice_category]=vendor_payables')).toEqual([]);
  expect(await list('filter[invoice_category]=account_receivables&filter[states][]=pending&filter[rate_types][]=RatePerTon')).toEqual([
    receivable,
  ]);
  expect(await list(`filter[customer_account_ids][]=${own.account.id}&filter[driver_ids][]=${own.driver.id}`)).toEqual([receivable]);
  expect(await list(`filter[pickup_site_ids][]=${own.pickup.id}`)).toEqual(all);
  expect(await list('filter[start_date]=2026-11-23&filter[end_date]=2026-11-23')).toEqual(all);
  expect(await list('filter[start_date]=2026-11-24')).toEqual([]);
  expect(await list(`search[datagrid]=${receivable}`)).toEqual([receivable]);
  expect((await by.must('GET', by.path(`/orders/${job.order.id}/invoices`))).map(({ invoice_id }: Json) => invoice_id)).toEqual(all);
  expect((await by.http('GET', by.path('/invoices?filter[states][]=open'))).status).toBe(422);
});
