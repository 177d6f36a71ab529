import { expect, test } from '@jest/globals';
import { makeStaffedTenant, readyJob, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { addOn, approveLoads, type Biller, billerOf, chargesOfM20, event, hauled, invoiceOf, makeBooks, messages } from '../books.ts';
import { settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const ofCustomer = (value: number, type = 'RatePerTon') => ({ customer_rate_value: value, customer_rate_type: type });
const company = async (): Promise<{ own: StaffedTenant; by: Biller }> => {
  const own = await makeStaffedTenant(books.app);
  return { own, by: await billerOf(own) };
};
const draftOf = (job: Json, by: Biller): Promise<Json> => invoiceOf(books, job.id, 'receivable', by);
const CHANGE = 'mutation($id: ID!, $input: UpdateAddOnInput!) { updateAddOn(id: $id, input: $input) { percentageBase } }';
const ADD = 'mutation($input: CreateAddOnInput!) { createAddOn(input: $input) { id } }';

test('B5: a draft follows the times of a load that are corrected, by which waiting is charged; once it is approved they are refused', async () => {
  const { own, by } = await company();
  const admin = await own.administrator();
  const waiting = { name: 'Waiting', addOnTypes: ['invoicing'], revenueRateValue: '90', waitCountedIn: 'hour', waitFreeMinutes: 30 };
  const { data } = await own.gql(ADD, { input: { ...waiting, waitIncrementMinutes: 15 } }, admin);
  const assigned = { add_on_id: data.createAddOn.id, account_type: 'customer' };
  await own.must('POST', `/v1/accounts/${own.account.id}/auto_add_on_assignments`, assigned);
  const job = await hauled(books, ['10'], { at: own, order: ofCustomer(2) });
  expect((await draftOf(job, by)).total_amount).toBe('20');
  const [load] = job.loads;
  const loaded = Date.parse(load.load_summary.loaded_at);
  const arrived = (minutes: number) => ({ arrived_pickup_at: new Date(loaded - minutes * 60_000).toISOString() });
  const correct = (minutes: number) => own.http('PATCH', `/v1/loads/${load.id}/summary`, arrived(minutes), admin);
  // M, wait: 47 minutes, 30 free, by quarters of an hour, at 90.
  expect((await correct(47)).status).toBe(200);
  expect(await draftOf(job, by)).toMatchObject({ add_on_charges_total_amount: '45', total_amount: '65' });
  expect((await correct(30)).status).toBe(200);
  expect(await draftOf(job, by)).toMatchObject({ add_on_charges_count: 0, total_amount: '20' });
  await approveLoads(by, job);
  const { id, invoice_id } = await draftOf(job, by);
  expect((await event(by, id, 'approve')).status).toBe(200);
  const refused = await correct(47);
  expect([refused.status, messages(refused)]).toEqual([422, [`is on ${invoice_id}, which is approved; take that approval back first`]]);
});

test('a draft follows the material of a ticket, by whose density it was converted', async () => {
  const { own, by } = await company();
  const admin = await own.administrator();
  const DENSITY = 'mutation($id: ID!, $density: Decimal) { updateMaterial(id: $id, input: { density: $density }) { density } }';
  const sand = await own.must('POST', '/v1/materials', { name: 'Wet sand' }, admin);
  for (const [id, density] of [
    [own.material.id, '1.6'],
    [sand.id, '2'],
  ])
    expect((await own.gql(DENSITY, { id, density }, admin)).errors).toBeUndefined();
  const order = { ...ofCustomer(2, 'RatePerTonne'), material_id: own.material.id, unit_of_measure: 'Tonne' };
  const job = await hauled(books, [null], { at: own, order });
  const weighed = { load_id: job.loads[0].id, ticket_number: 'T-M3', quantity: 10, unit_of_measure: 'CubicMeter' };
  const ticket = await own.must('POST', '/v1/tickets', weighed);
  expect((await draftOf(job, by)).total_amount).toBe('32');
  await own.must('PATCH', `/v1/tickets/${ticket.id}`, { material_id: sand.id }, admin);
  expect((await draftOf(job, by)).total_amount).toBe('40');
  await approveLoads(by, job);
  const { id, invoice_id } = await draftOf(job, by);
  expect((await event(by, id, 'approve')).status).toBe(200);
  // What the invoice was priced by is refused, what it was not priced by, or what is sent back as it was read, is not (BILLING B5).
  const change = (body: object) => own.http('PATCH', `/v1/tickets/${ticket.id}`, body, admin);
  const held = `is on ${invoice_id}, which is approved; take that approval back first`;
  for (const body of [{ material_id: own.material.id }, { material_id: null }, { material_id: own.material.id, supplement: true }]) {
    const refused = await change(body);
    expect([refused.status, messages(refused)]).toEqual([422, [held]]);
  }
  expect((await change({ material_id: sand.id.toUpperCase(), flagged: true })).status).toBe(200);
  await settle({ biller: by }, [{ id }]);
  expect((await change({ material_id: own.material.id, supplement: true })).status).toBe(200);
  await books.app.settled();
  const listed: Json[] = await by.must('GET', by.path(`/orders/${job.order.id}/invoices?filter[invoice_category]=receivables`));
  expect(listed.map(({ total_amount }) => total_amount).sort()).toEqual(['-8', '40']);
});

test('B5: the material of a ticket that nothing was converted by is changed on an approved invoice, too', async () => {
  const { own, by } = await company();
  const admin = await own.administrator();
  const gravel = await own.must('POST', '/v1/materials', { name: 'Gravel' }, admin);
  const job = await hauled(books, ['10'], { at: own, order: ofCustomer(2) });
  await approveLoads(by, job);
  const { id } = await draftOf(job, by);
  expect((await event(by, id, 'approve')).status).toBe(200);
  const tickets: Json[] = await own.must('GET', `/v1/jobs/${job.id}/tickets`);
  expect((await own.http('PATCH', `/v1/tickets/${tickets[0].id}`, { material_id: gravel.id }, admin)).status).toBe(200);
  await books.app.settled();
  const { data } = await by.gql('query($id: ID!) { invoice(id: $id) { stale } }', { id });
  expect(data.invoice.stale).toBe(false);
});

test('B6: a draft is charged for fuel by the day of its order, also when that is corrected after the work', async () => {
  const { own, by } = await company();
  const { index, fuel, order } = await chargesOfM20({ ...books, tenant: own });
  await own.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date: '2026-11-23', price: 4.289 });
  const [schedule] = await own.must('GET', own.path('/fuel_surcharge_schedules'));
  const rows = `/v1/fuel_surcharge_schedules/${schedule.id}/fuel_surcharge_schedule_prices`;
  await own.must('POST', rows, { price: 4.25, bill_surcharge: 6 });
  const { customer_rate_id } = order as Json;
  const job = await hauled(books, ['30'], { at: own, order: { customer_rate_id, load_at: '2026-11-22T18:00:00.000Z' } });
  await own.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: fuel.id });
  expect((await draftOf(job, by)).add_on_charges_total_amount).toBe('5.1');
  await own.must('PATCH', `/v1/orders/${job.order.id}`, { load_at: '2026-11-23T18:00:00.000Z' }, await own.administrator());
  expect((await draftOf(job, by)).add_on_charges_total_amount).toBe('7.65');
});

test('B10, B15: the invoice of work that is moved to another day counts on that day, before anything of it is done', async () => {
  const { own, by } = await company();
  const job = await readyJob(own, { ...ofCustomer(2), load_at: '2026-12-03T18:00:00.000Z' });
  const { id } = await draftOf(job, by);
  const dayOf = async (): Promise<string> => {
    await books.app.settled();
    return (await by.gql('query($id: ID!) { invoice(id: $id) { serviceDate } }', { id })).data.invoice.serviceDate;
  };
  const move = (change: object) => own.must('PATCH', `/v1/orders/${job.order.id}`, change);
  expect(await dayOf()).toBe('2026-12-03');
  await move({ load_at: '2026-12-07T18:00:00.000Z' });
  expect(await dayOf()).toBe('2026-12-07');
  await move({ job_start_at: '2026-12-06T18:00:00.000Z' });
  expect(await dayOf()).toBe('2026-12-06');
});

test('B4: a draft follows of what an automatic percentage is taken', async () => {
  const { own, by } = await company();
  const { fuel, order } = await chargesOfM20({ ...books, tenant: own });
  const share = await addOn({ ...books, tenant: own }, 'Fee', { revenue_cost_rate_type: 'RatePercentOfTotal', percentage: 10 });
  for (const { id } of [fuel, share])
    await own.must('POST', `/v1/accounts/${own.account.id}/auto_add_on_assignments`, { add_on_id: id, account_type: 'customer' });
  const { customer_rate_id } = order as Json;
  const job = await hauled(books, ['30'], { at: own, order: { customer_rate_id, load_at: '2026-11-22T18:00:00.000Z' } });
  // 127.50, fuel 5.10, and 10 % of the lines.
  expect((await draftOf(job, by)).add_on_charges_total_amount).toBe('17.85');
  const changed = await own.gql(CHANGE, { id: share.id, input: { percentageBase: 'lines_and_fuel' } }, await own.administrator());
  expect(changed.data).toEqual({ updateAddOn: { percentageBase: 'lines_and_fuel' } });
  expect((await draftOf(job, by)).add_on_charges_total_amount).toBe('18.36');
});

test('B4: a request is on a draft as soon as its add-on is for it', async () => {
  const { own, by } = await company();
  const washing = { name: 'Wash', add_on_types: ['job'], revenue_rate_value: 25 };
  const wash = await own.must('POST', '/v1/add_ons', washing);
  const job = await hauled(books, ['10'], { at: own, order: ofCustomer(2) });
  await own.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: wash.id });
  expect((await draftOf(job, by)).total_amount).toBe('20');
  const types = async (addOnTypes: string[]) =>
    expect((await own.gql(CHANGE, { id: wash.id, input: { addOnTypes } }, await own.administrator())).errors).toBeUndefined();
  await types(['job', 'invoicing']);
  expect((await draftOf(job, by)).total_amount).toBe('45');
  await types(['job']);
  expect((await draftOf(job, by)).total_amount).toBe('20');
});
