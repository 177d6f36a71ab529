import { expect, test } from '@jest/globals';
import { jobOfChain, makeChain, makeStaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { approveLoads, type Biller, billerOf, event, hauled, invoiceOf, makeBooks, messages } from '../books.ts';
import { choose } from '../days/worked-days.ts';
import { settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const heldBy = (number: string): string => `is on ${number}, which is approved; take that approval back first`;

/** The supplements of a job's receivable. */
async function supplementsOf(job: Json, by: Biller): Promise<Json[]> {
  await books.app.settled();
  const listed: Json[] = await by.must('GET', by.path(`/orders/${job.order.id}/invoices?filter[invoice_category]=receivables`));
  const live = listed.filter(({ state }) => state !== 'voided').map(async ({ id }) => by.must('GET', by.path(`/invoices/${id}`)));
  return (await Promise.all(live)).filter(({ part }) => part > 1);
}

test('B5, load stamps: once it is settled, the times of a load are corrected with a supplement, which bills the waiting that differs', async () => {
  const own = await makeStaffedTenant(books.app);
  const [by, admin] = [await billerOf(own), await own.administrator()];
  const waiting = { name: 'Waiting', addOnTypes: ['invoicing'], revenueRateValue: '90', waitCountedIn: 'hour', waitFreeMinutes: 30 };
  const ADD = 'mutation($input: CreateAddOnInput!) { createAddOn(input: $input) { id } }';
  const { data } = await own.gql(ADD, { input: { ...waiting, waitIncrementMinutes: 15 } }, admin);
  const assigned = { add_on_id: data.createAddOn.id, account_type: 'customer' };
  await own.must('POST', `/v1/accounts/${own.account.id}/auto_add_on_assignments`, assigned);
  const job = await hauled(books, ['10'], { at: own, order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const [load] = job.loads;
  const loaded = Date.parse(load.load_summary.loaded_at);
  const correct = (minutes: number, more: object = {}, token = admin) =>
    own.http(
      'PATCH',
      `/v1/loads/${load.id}/summary`,
      { arrived_pickup_at: new Date(loaded - minutes * 60_000).toISOString(), ...more },
      token,
    );
  expect((await correct(47)).status).toBe(200);
  await approveLoads(by, job);
  const bill = await invoiceOf(books, job.id, 'receivable', by);
  expect((await event(by, bill.id, 'approve')).body.data).toMatchObject({ total_amount: '65' });
  // While the approval can be taken back, that comes first.
  for (const more of [{}, { supplement: true }]) {
    const refused = await correct(62, more);
    expect([refused.status, messages(refused)]).toEqual([422, [heldBy(bill.invoice_id)]]);
  }
  const settlement = await settle({ biller: by }, [bill]);
  const held = await correct(62);
  expect([held.status, messages(held)]).toEqual([422, [`is in settlement ${settlement.settlement_id}; void that first`]]);
  // Who drives may correct the times of the own load, and bills nobody.
  expect((await correct(62, { supplement: true }, own.driver.token)).status).toBe(403);
  expect((await supplementsOf(job, by)).length).toBe(0);
  expect((await correct(62, { supplement: true })).body.data).toMatchObject({ pickup_time_minutes: 62 });
  // 32 minutes beyond the free ones are three quarters of an hour, at 90.
  expect(await supplementsOf(job, by)).toMatchObject([{ part: 2, reason: 'correction', state: 'pending', total_amount: '22.5' }]);
  expect(await by.must('GET', by.path(`/invoices/${bill.id}`))).toMatchObject({ state: 'approved', total_amount: '65' });
  expect((await own.must('GET', `/v1/loads/${load.id}`)).approved).toBe(true);
});

test('B5, B10: once they are settled, the hours of a job are corrected with a supplement over both interfaces', async () => {
  const own = await makeStaffedTenant(books.app);
  const [by, admin] = [await billerOf(own), await own.administrator()];
  await choose(own, { approvalBeforeInvoice: false });
  const job = await hauled(books, ['10'], { at: own, order: { customer_rate_value: 60, customer_rate_type: 'RatePerHour' } });
  const correct = (minutes: number, more: object = {}) =>
    own.http('PATCH', `/v1/jobs/${job.id}/summary`, { approved_work_time_minutes: minutes, ...more }, admin);
  expect((await correct(120)).status).toBe(200);
  const bill = await invoiceOf(books, job.id, 'receivable', by);
  expect((await event(by, bill.id, 'approve')).body.data).toMatchObject({ total_amount: '120' });
  const refused = await correct(150, { supplement: true });
  expect([refused.status, messages(refused)]).toEqual([422, [heldBy(bill.invoice_id)]]);
  await settle({ biller: by }, [bill]);
  expect((await correct(150)).status).toBe(422);
  expect((await correct(150, { supplement: true })).body.data).toMatchObject({ approved_work_time_minutes: 150 });
  expect(await supplementsOf(job, by)).toMatchObject([{ part: 2, state: 'pending', total_amount: '30' }]);
  const CORRECT = `mutation($id: ID!, $input: UpdateJobSummaryInput!) { updateJobSummary(id: $id, input: $input) { approvedWorkTimeMinutes } }`;
  const input = { approvedWorkTimeMinutes: 90, supplement: true };
  const { data, errors } = await own.gql(CORRECT, { id: job.id, input }, admin);
  expect([errors, data]).toEqual([undefined, { updateJobSummary: { approvedWorkTimeMinutes: 90 } }]);
  expect(await supplementsOf(job, by)).toMatchObject([{ part: 2, state: 'pending', total_amount: '-30' }]);
  // As it was billed, nothing is left to bill.
  expect((await correct(120, { supplement: true })).status).toBe(200);
  expect(await supplementsOf(job, by)).toEqual([]);
});

test('B5: hours that somebody set on a job are corrected with a supplement, too, also once it is paid, and nothing else is changed so', async () => {
  const own = await makeStaffedTenant(books.app);
  const [by, admin] = [await billerOf(own), await own.administrator()];
  const order = { customer_rate_value: 60, customer_rate_type: 'RatePerHour', driver_rate_value: 30, driver_rate_type: 'RatePerHour' };
  const job = await hauled(books, ['10'], { at: own, order });
  const path = `/v1/jobs/${job.id}`;
  const set = (billable_hours: number | null, more: object = {}, token = admin) =>
    own.http('PATCH', path, { billable_hours, ...more }, token);
  expect((await set(2)).status).toBe(200);
  for (const what of ['approve', 'sign_off']) await own.must('PUT', own.path(`/jobs/${job.id}/${what}`), {}, admin);
  const [bill, pay] = [await invoiceOf(books, job.id, 'receivable', by), await invoiceOf(books, job.id, 'payable', by)];
  for (const [{ id }, total_amount] of [
    [bill, '120'],
    [pay, '60'],
  ] as const)
    expect((await event(by, id, 'approve')).body.data).toMatchObject({ total_amount });
  // While the approvals can be taken back, that comes first.
  const held = await set(2.5, { supplement: true });
  expect([held.status, messages(held)]).toEqual([409, [heldBy(bill.invoice_id)]]);
  const settlement = await settle({ biller: by }, [pay]);
  for (const name of ['approve', 'pay']) await by.must('PUT', by.path(`/settlements/${settlement.id}/${name}`), {});
  expect((await own.must('GET', path)).state).toBe('paid');
  await settle({ biller: by }, [bill]);
  expect((await set(2.5)).status).toBe(409);
  for (const more of [{ quantity: 3 }, { customer_rate_value: 70 }, { driver_id: null }])
    expect([more, (await set(2.5, { supplement: true, ...more })).status]).toEqual([more, 409]);
  expect((await own.http('PATCH', path, { notes: 'Paid', supplement: true }, admin)).status).toBe(409);
  expect((await set(2.5, { supplement: true }, own.driver.token)).status).toBe(403);
  expect(await supplementsOf(job, by)).toEqual([]);
  expect((await set(2.5, { supplement: true })).body.data).toMatchObject({ state: 'paid', billable_hours: '2.5' });
  expect(await supplementsOf(job, by)).toMatchObject([{ part: 2, state: 'pending', total_amount: '30' }]);
  const SET = 'mutation($id: ID!, $input: UpdateJobInput!) { updateJob(id: $id, input: $input) { billableHours } }';
  const { data, errors } = await own.gql(SET, { id: job.id, input: { billableHours: '1', supplement: true } }, admin);
  expect([errors, data]).toEqual([undefined, { updateJob: { billableHours: '1' } }]);
  expect(await supplementsOf(job, by)).toMatchObject([{ part: 2, state: 'pending', total_amount: '-60' }]);
  // As it was billed, nothing is left to bill.
  expect((await set(2, { supplement: true })).status).toBe(200);
  expect(await supplementsOf(job, by)).toEqual([]);
});

test('a vendor that is paid already changes no times that the owner of the job has approved, with a supplement or without', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle } = chain;
  await choose(middle, { approvalBeforeInvoice: false });
  const { id, go } = await jobOfChain(chain);
  await owner.must('PATCH', `/v1/jobs/${id}`, { vendor_rate_value: 60, vendor_rate_type: 'RatePerHour' });
  for (const one of shortHaul()) await go(one);
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  const [by, admin] = [await billerOf(middle), await middle.administrator()];
  const bill = await invoiceOf({ ...books, biller: by }, id);
  expect((await event(by, bill.id, 'approve')).status).toBe(200);
  await settle({ biller: by }, [bill]);
  await owner.admin.must('PUT', `/v1/jobs/${id}/approve`, {});
  const arrived = new Date(Date.parse(load.load_summary.loaded_at) - 3_600_000).toISOString();
  const correct = (more: object) => [
    () => middle.http('PATCH', `/v1/jobs/${id}/summary`, { approved_work_time_minutes: 600, ...more }, admin),
    () => middle.http('PATCH', `/v1/loads/${load.id}/summary`, { arrived_pickup_at: arrived, ...more }, admin),
  ];
  const refused = async (more: object) => {
    const found: Json[] = [];
    for (const one of correct(more)) {
      const answer = await one();
      found.push([answer.status, ...messages(answer)]);
    }
    return found;
  };
  expect(await refused({ supplement: true })).toEqual([
    [422, 'the job is approved; its times cannot be changed'],
    [422, expect.stringContaining('approved')],
  ]);
  expect((await refused({})).map(([status]) => status)).toEqual([422, 422]);
  const { arrived_pickup_at, loaded_at } = load.load_summary;
  expect((await owner.must('GET', `/v1/jobs/${id}/loads`))[0].load_summary).toMatchObject({ arrived_pickup_at, loaded_at });
  // Once the owner takes its approval back, the times are theirs to agree on again.
  await owner.admin.must('PUT', `/v1/jobs/${id}/unapprove`, {});
  expect((await correct({ supplement: true })[0]!()).status).toBe(200);
});
