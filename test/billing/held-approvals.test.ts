import { expect, test } from '@jest/globals';
import { act, jobOfChain, makeChain, makeStaffedTenant, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';
import { untilWaiting } from '../helpers/until.ts';
import { type Biller, billerOf, event, hauled, invoiceOf, makeBooks, ticketed } from './books.ts';
import { choose, rateCardOf } from './days/worked-days.ts';
import { settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks({ worker: true });

/** A finished job with its load, and the day of its driver, which is over. */
async function workOf(own: StaffedTenant, order: object = { customer_rate_value: 500, customer_rate_type: 'RateFlatRate' }) {
  const job = await hauled(books, ['10'], { at: own, order });
  const { id: dayId } = await own.driver.must('PUT', '/v1/users/me/driver_day/off_duty', {});
  const works: Record<string, string> = { jobs: job.id, loads: job.loads[0].id, driver_days: dayId };
  return { job, dayId, works };
}

/** Returns the value of a field of each work. */
const said = async (own: StaffedTenant, works: Record<string, string>, field: string, token = own.token): Promise<Json> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(works).map(async ([path, id]) => [path, (await own.must('GET', `/v1/${path}/${id}`, undefined, token))[field]]),
    ),
  );

test('unapprovable and editable say what the routes answer while an invoice is approved, and afterwards', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = await billerOf(own);
  const { job, dayId, works } = await workOf(own);
  const taken = async (path: string) => (await own.admin.http('PUT', `/v1/${path}/${works[path]}/unapprove`, {})).status;
  await own.admin.must('PUT', `/v1/driver_days/${dayId}/approve`, {});
  expect(await said(own, works, 'unapprovable')).toEqual({ jobs: true, loads: true, driver_days: true });
  expect(await said(own, works, 'editable')).toMatchObject({ jobs: true, driver_days: false });
  const { id } = await invoiceOf({ ...books, biller: by }, job.id);
  expect((await event(by, id, 'approve')).status).toBe(200);
  expect(await said(own, works, 'unapprovable')).toEqual({ jobs: false, loads: false, driver_days: false });
  expect(await said(own, works, 'editable')).toMatchObject({ jobs: false, driver_days: false });
  // Lists say the same.
  const lists = `{ jobs(first: 5) { nodes { unapprovable editable loads { nodes { unapprovable } } } } driverDays(first: 5) { nodes { unapprovable } } }`;
  const { data } = await own.gql(lists);
  expect(data).toEqual({
    jobs: { nodes: [{ unapprovable: false, editable: false, loads: { nodes: [{ unapprovable: false }] } }] },
    driverDays: { nodes: [{ unapprovable: false }] },
  });
  for (const path of Object.keys(works)) expect([path, await taken(path)]).toEqual([path, 422]);
  expect((await event(by, id, 'unapprove')).status).toBe(200);
  expect(await said(own, works, 'unapprovable')).toEqual({ jobs: true, loads: true, driver_days: true });
  expect(await taken('driver_days')).toBe(200);
  expect(await said(own, works, 'unapprovable')).toEqual({ jobs: false, loads: false, driver_days: false });
  expect(await said(own, works, 'editable')).toMatchObject({ jobs: true, driver_days: true });
});

test('what an approved invoice rests on is not changed at its job, by any interface; notes and people are, and all of it once the approval is taken back', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = await billerOf(own);
  const { job, dayId } = await workOf(own);
  await own.admin.must('PUT', `/v1/driver_days/${dayId}/approve`, {});
  const { id, invoice_id: number } = await invoiceOf({ ...books, biller: by }, job.id);
  expect((await event(by, id, 'approve')).status).toBe(200);
  const path = `/v1/jobs/${job.id}`;
  const patch = (body: object) => own.admin.http('PATCH', path, body);
  const before = await own.must('GET', path);
  expect(before.editable).toBe(false);
  const message = `is on ${number}, which is approved; take that approval back first`;
  // Nothing of it is done, also of what could be changed alone.
  const priced = { customer_rate_value: 7, notes: 'Paid' };
  const earlier = new Date(Date.parse(before.job_start_at) - 3_600_000).toISOString();
  for (const body of [priced, { quantity: 3 }, { billable_hours: 4 }, { material_id: null }, { job_start_at: earlier }]) {
    const { status, body: answer } = await patch(body);
    expect([status, answer.error.errors]).toEqual([409, [{ model: 'Job', field: 'state', message, state: before.state, event: 'update' }]]);
  }
  // The contract has no 409 on routes of a part of it.
  for (const [method, part, body] of [
    ['POST', 'equipment', { equipment_id: null }],
    ['POST', 'additional_equipment', { additional_equipment_ids: [] }],
    ['PATCH', 'phase', { phase_id: null }],
  ] as const) {
    const { status, body: answer } = await own.admin.http(method, `${path}/${part}`, body);
    expect([part, status, answer.error?.errors]).toEqual([part, 422, [{ model: 'Job', field: '', message }]]);
  }
  const graphql = 'mutation($id: ID!, $input: UpdateJobInput!) { updateJob(id: $id, input: $input) { id } }';
  const { errors } = await own.gql(graphql, { id: job.id, input: { customerRateValue: '7' } }, own.admin.token);
  expect([errors[0].extensions.code, errors[0].extensions.errors[0].message]).toEqual(['conflict', message]);
  const many = await own.admin.http('PATCH', '/v1/jobs/bulk_update', { job_ids: [job.id], data: { quantity: 3 } });
  expect(many.status).toBe(202);
  await books.app.settled();
  const outcomes = await own.admin.must('GET', `${new URL(many.headers.get('location')!, books.app.url).pathname}/items`);
  expect(outcomes.map((one: Json) => one.errors?.[0]?.code)).toEqual(['invoice_approved']);
  expect(await own.must('GET', path)).toEqual(before);
  // What is sent back as it was read is no change.
  const { status, body } = await patch({ notes: 'By the river', foreman_ids: [own.dispatcher.id], job_start_at: before.job_start_at });
  expect([status, body.data?.notes, body.data?.foremen.length]).toEqual([200, 'By the river', 1]);
  // A settlement has to be voided before.
  const settlement = await by.must('POST', by.path('/settlements'), { invoice_ids: [id] });
  expect((await patch({ quantity: 3 })).body.error.errors[0].message).toBe(`is in settlement ${settlement.settlement_id}; void that first`);
  await by.must('PUT', by.path(`/settlements/${settlement.id}/void`), {});
  expect((await event(by, id, 'unapprove')).status).toBe(200);
  expect((await own.must('GET', path)).editable).toBe(true);
  expect((await patch({ quantity: 3 })).body.data).toMatchObject({ quantity: '3', editable: true });
});

test('a job that is signed off keeps its approval and those of its loads, and the fields say so', async () => {
  const own = await makeStaffedTenant(books.app);
  const { job, works } = await workOf(own);
  await own.admin.must('PUT', `/v1/jobs/${job.id}/approve`, {});
  await act(own, job.id, 'sign_off', {}, own.admin);
  const { driver_days: _, ...kept } = works;
  expect(await said(own, kept, 'unapprovable')).toEqual({ jobs: false, loads: false });
  for (const [path, id] of Object.entries(kept)) expect((await own.admin.http('PUT', `/v1/${path}/${id}/unapprove`, {})).status).toBe(422);
});

test('the times of a day that nobody approved are held by a settlement, and not by an approved invoice alone', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = await billerOf(own);
  await choose(own, { approvalBeforeInvoice: false });
  const { job, dayId } = await workOf(own);
  const { id } = await invoiceOf({ ...books, biller: by }, job.id);
  expect((await event(by, id, 'approve')).status).toBe(200);
  const editable = async () => (await own.must('GET', `/v1/driver_days/${dayId}`)).editable;
  const correct = async (minutes: number) =>
    (await own.admin.http('PATCH', `/v1/driver_days/${dayId}`, { shift_adjustment_minutes: minutes, shift_adjustment_type: 'wait_time' }))
      .status;
  expect([await editable(), await correct(5)]).toEqual([true, 200]);
  const settlement = await settle({ biller: by }, [{ id }]);
  expect([await editable(), await correct(10)]).toEqual([false, 422]);
  expect((await own.must('GET', `/v1/driver_days/${dayId}`)).shift_adjustment_minutes).toBe(5);
  // What the customer owes goes by no hours, so that their correction bills nothing; it has to be said that it is meant.
  const corrected = { shift_adjustment_minutes: 10, shift_adjustment_type: 'wait_time', supplement: true };
  expect((await own.admin.http('PATCH', `/v1/driver_days/${dayId}`, corrected)).body.data).toMatchObject({ shift_adjustment_minutes: 10 });
  await books.app.settled();
  const listed = await by.must('GET', by.path(`/orders/${job.order.id}/invoices?filter[invoice_category]=receivables`));
  expect(listed.map((one: Json) => [one.id, one.state])).toEqual([[id, 'approved']]);
  await by.must('PUT', by.path(`/settlements/${settlement.id}/void`), {});
  expect([await editable(), await correct(15)]).toEqual([true, 200]);
});

test('B5: the shift by which settled work is paid is corrected with a supplement, also where its driver is paid by the job', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = await billerOf(own);
  await choose(own, { approvalBeforeInvoice: false });
  const rates = await rateCardOf(own, { type: 'RatePerHour', timeRate: '60', timeBasis: 'shift' });
  const { job, dayId } = await workOf(own, rates);
  const bill = await invoiceOf({ ...books, biller: by }, job.id);
  expect((await event(by, bill.id, 'approve')).status).toBe(200);
  await settle({ biller: by }, [bill]);
  const correct = (more: object) =>
    own.admin.http('PATCH', `/v1/driver_days/${dayId}`, { shift_adjustment_minutes: 30, shift_adjustment_type: 'wait_time', ...more });
  expect((await correct({})).status).toBe(422);
  let corrected: ReturnType<typeof correct> | undefined;
  await books.app.orm.em.fork().transactional(async (em) => {
    await em.execute('select 1 from orders where id = ? for update', [job.order.id]);
    corrected = correct({ supplement: true });
    await untilWaiting(books.app);
    // It waits for the order before it has the job, as every command: whoever has the order gets the job, too.
    expect(await em.execute('select id from job where id = ? for update nowait', [job.id])).toEqual([{ id: job.id }]);
  });
  expect((await corrected!).status).toBe(200);
  await books.app.settled();
  const listed: Json[] = await by.must('GET', by.path(`/orders/${job.order.id}/invoices?filter[invoice_category]=receivables`));
  const supplement = listed.find(({ id }) => id !== bill.id);
  expect(supplement).toMatchObject({ state: 'pending', invoice_line_items_total_amount: '30' });
});

test('B5: hours are corrected with no supplement for the sake of a customer by the ton, while the pay that goes by them can be taken back', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = await billerOf(own);
  await choose(own, { approvalBeforeInvoice: false });
  const order = { customer_rate_value: 4, customer_rate_type: 'RatePerTon', driver_rate_value: 30, driver_rate_type: 'RatePerHour' };
  const { job, dayId } = await workOf(own, order);
  const scene = { ...books, biller: by };
  const [bill, pay] = [await invoiceOf(scene, job.id), await invoiceOf(scene, job.id, 'payable')];
  for (const { id } of [bill, pay]) expect((await event(by, id, 'approve')).status).toBe(200);
  await settle({ biller: by }, [bill]);
  const wish = { shift_adjustment_minutes: 30, shift_adjustment_type: 'wait_time', supplement: true };
  const correct = () => own.admin.http('PATCH', `/v1/driver_days/${dayId}`, wish);
  const refused = await correct();
  const message = `is on ${pay.invoice_id}, which is approved; take that approval back first`;
  expect([refused.status, refused.body.error?.errors]).toEqual([422, [{ model: 'DriverDay', field: '', message }]]);
  expect((await own.must('GET', `/v1/driver_days/${dayId}`)).shift_adjustment_minutes).toBe(0);
  expect((await event(by, pay.id, 'unapprove')).status).toBe(200);
  expect((await correct()).body.data).toMatchObject({ shift_adjustment_minutes: 30 });
});

test('each company along a chain is held by the invoices in its own books', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle } = chain;
  const { id, go } = await jobOfChain(chain);
  await owner.must('PATCH', `/v1/jobs/${id}`, { vendor_rate_value: 3.5, vendor_rate_type: 'RatePerTon' });
  for (const one of shortHaul()) await go(one);
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(owner, load, '10');
  for (const firm of [owner, middle]) await firm.admin.must('PUT', `/v1/jobs/${id}/approve`, {});
  const works = { jobs: id, loads: load.id as string };
  expect([await said(owner, works, 'unapprovable'), await said(middle, works, 'unapprovable')]).toEqual([
    { jobs: true, loads: true },
    { jobs: true, loads: true },
  ]);
  const ofMiddle: Biller = await billerOf(middle);
  const { id: invoice } = await invoiceOf({ ...books, biller: ofMiddle }, id);
  expect((await event(ofMiddle, invoice, 'approve')).status).toBe(200);
  expect([await said(owner, works, 'unapprovable'), await said(middle, works, 'unapprovable')]).toEqual([
    { jobs: true, loads: true },
    { jobs: false, loads: false },
  ]);
  expect((await middle.admin.http('PUT', `/v1/jobs/${id}/unapprove`, {})).status).toBe(422);
  // Its owner has approved no invoice of it.
  expect((await owner.admin.http('PATCH', `/v1/jobs/${id}`, { quantity: 11 })).status).toBe(200);
  expect((await owner.admin.http('PUT', `/v1/jobs/${id}/unapprove`, {})).status).toBe(200);
});
