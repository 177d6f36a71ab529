import { expect, test } from '@jest/globals';
import { act, jobOfChain, makeChain, makeStaffedTenant, ONE_LOAD, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { type Biller, billerOf, event, hauled, invoiceOf, makeBooks, ticketed } from './books.ts';
import { choose } from './days/worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

/** A finished job with its load, and the day of its driver, which is over. */
async function workOf(own: StaffedTenant) {
  const job = await hauled(books, ['10'], { at: own, order: { customer_rate_value: 500, customer_rate_type: 'RateFlatRate' } });
  const { id: dayId } = await own.driver.must('PUT', '/v1/users/me/driver_day/off_duty', {});
  const works: Record<string, string> = { jobs: job.id, loads: job.loads[0].id, driver_days: dayId };
  return { job, dayId, works };
}

/** What a field says of each work. */
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
  const settlement = await by.must('POST', by.path('/settlements'), { invoice_ids: [id] });
  expect([await editable(), await correct(10)]).toEqual([false, 422]);
  expect((await own.must('GET', `/v1/driver_days/${dayId}`)).shift_adjustment_minutes).toBe(5);
  await by.must('PUT', by.path(`/settlements/${settlement.id}/void`), {});
  expect([await editable(), await correct(15)]).toEqual([true, 200]);
});

test('each company along a chain is held by the invoices in its own books', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle } = chain;
  const { id, go } = await jobOfChain(chain);
  await owner.must('PATCH', `/v1/jobs/${id}`, { vendor_rate_value: 3.5, vendor_rate_type: 'RatePerTon' });
  for (const one of [...ONE_LOAD, 'complete']) await go(one);
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
  expect((await owner.admin.http('PUT', `/v1/jobs/${id}/unapprove`, {})).status).toBe(200);
});
