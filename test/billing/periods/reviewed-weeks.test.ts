import { expect, test } from '@jest/globals';
import { localDate } from '../../../src/platform/time.ts';
import { acceptedOrder, act, connect, makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { type Books, event, hauled, invoiceOf, makeBooks } from '../books.ts';
import { closed, openBooks, said } from './closed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const shared = makeBooks();
const order = { customer_rate_value: 4, customer_rate_type: 'RatePerTon', driver_rate_value: 1, driver_rate_type: 'RatePerTon' };
const DAY = 86_400_000;
const ZONE = 'America/Chicago';
const REFUSED = [422, [expect.stringMatching(/^belongs to a week that is not changed any more since 20/)]];

async function choose({ tenant }: Books, input: object): Promise<void> {
  const change = 'mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { periodsReviewed } }';
  expect((await tenant.gql(change, { input }, await tenant.administrator())).errors).toBeUndefined();
}
/** Work of some days ago. */
const workOf = (books: Books, days: number): Promise<Json> =>
  hauled(books, ['10'], { at: books.tenant, order: { ...order, load_at: new Date(Date.now() - days * DAY).toISOString() } });

test('B10: a week is changed by dispatchers up to one hour, by billers up to a later one, and by administrators until its books are closed', async () => {
  const books = await openBooks(shared, { timeZone: ZONE });
  const { tenant, biller } = books;
  const admin = await tenant.administrator();
  const [old, recent] = [await workOf(books, 20), await workOf(books, 0)];
  const [draft, pay] = [await invoiceOf(books, old.id), await invoiceOf(books, old.id, 'payable')];
  const { data } = await biller.gql('query($id: ID!) { invoice(id: $id) { serviceDate } }', { id: draft.id });
  const { serviceDate } = data.invoice;
  const [ticket] = await tenant.must('GET', `/v1/jobs/${old.id}/tickets`);
  const rate = (value: number) =>
    biller.http('PATCH', biller.path(`/invoices/${draft.id}`), { rate_value: value, rate_type: 'RatePerTon' });
  const weigh = (quantity: number, by: { http: typeof biller.http } = tenant.dispatcher) =>
    by.http('PATCH', `/v1/tickets/${ticket.id}`, { quantity });
  const ofAdmin: typeof biller.http = (method, path, body) => tenant.http(method, path, body, admin);
  const next = biller.path(`/billing/next_period?ends_on=${serviceDate}`);
  // Nobody chose it.
  expect([(await weigh(11)).status, await biller.must('GET', next)]).toMatchObject([200, { state: 'open', work_reviewed_from: null }]);

  // The review begins with the earlier of the two hours, whichever that is.
  await choose(books, { periodsReviewed: true, workReviewMinutes: 40_320, billingReviewMinutes: 1_440 });
  expect(await biller.must('GET', next)).toMatchObject({ state: 'review' });
  await choose(books, { workReviewMinutes: 2_520, billingReviewMinutes: 40_320 });
  // Monday at 18:00 after the week, which ends on Saturdays, and four weeks after it.
  const saturday = new Date(`${serviceDate}T00:00:00Z`);
  saturday.setUTCDate(saturday.getUTCDate() + 6 - saturday.getUTCDay());
  const { state, work_reviewed_from, billing_reviewed_from } = await biller.must('GET', next);
  expect(state).toBe('review');
  const local = (instant: string) => [
    localDate(new Date(instant), ZONE),
    new Date(instant).toLocaleTimeString('en-GB', { timeZone: ZONE, hour: '2-digit', minute: '2-digit' }),
  ];
  const after = (days: number) => new Date(saturday.getTime() + days * DAY).toISOString().slice(0, 10);
  expect(local(work_reviewed_from)).toEqual([after(2), '18:00']);
  expect(local(billing_reviewed_from)).toEqual([after(29), '00:00']);
  const [load] = old.loads;
  const manager = await tenant.person({ roles: ['manager'] });
  for (const answer of [
    await weigh(12),
    await tenant.dispatcher.http('PATCH', `/v1/loads/${load.id}`, { quantity: 12 }),
    await tenant.dispatcher.http('PATCH', `/v1/jobs/${old.id}`, { notes: 'later' }),
    await tenant.dispatcher.http('PATCH', `/v1/jobs/${old.id}/summary`, { approved_work_time_minutes: 60 }),
    await tenant.dispatcher.http('POST', `/v1/jobs/${old.id}/equipment`, { equipment_id: null }),
    await tenant.dispatcher.http('PATCH', `/v1/jobs/${old.id}/phase`, { phase_id: null }),
    await manager.http('POST', `/v1/jobs/${old.id}/auto_add_on_assignments`, { name: 'Fee', add_on_types: ['invoicing'], quantity: 1 }),
  ])
    expect(said(answer)).toEqual(REFUSED);
  expect((await tenant.must('GET', `/v1/tickets/${ticket.id}`)).quantity).toBe('11');
  // A load that is not a week old is changed as before.
  expect((await tenant.dispatcher.http('PATCH', `/v1/loads/${recent.loads[0].id}`, { notes: 'now' })).status).toBe(200);
  // A biller has more time, unless the company says less.
  expect(said(await rate(5))).toEqual([200, []]);
  await choose(books, { billingReviewMinutes: 3_960 });
  expect(said(await rate(6))).toEqual(REFUSED);
  const charge = { name: 'Tarping', quantity: 1, revenue_rate_value: 25 };
  expect(said(await biller.http('POST', biller.path(`/invoices/${draft.id}/add_on_charges`), charge))).toEqual(REFUSED);
  expect((await weigh(13, { http: ofAdmin })).status).toBe(200);
  // A correct invoice is approved in a review, and one that a closed week has left over is changed in the open one.
  expect((await event(biller, pay.id, 'approve')).status).toBe(409);
  await closed(books, { ends_on: serviceDate, force: true, reason: 'the customer is asked' });
  expect(said(await rate(7))).toEqual([200, []]);
});

test('B10: what a vendor is paid for its work of a reviewed week stays', async () => {
  const books = await openBooks(shared, { timeZone: ZONE });
  const { tenant } = books;
  const admin = await tenant.administrator();
  const hauler = await makeStaffedTenant(shared.app);
  const hired = await connect(tenant, hauler);
  const passed = async (days: number) => {
    const load_at = new Date(Date.now() - days * DAY).toISOString();
    const { jobs } = await acceptedOrder(tenant, {
      ...order,
      loads_per_truck: 1,
      vendor_rate_value: 3,
      vendor_rate_type: 'RatePerTon',
      load_at,
    });
    const [{ id }] = jobs;
    await act(tenant, id, 'assign_vendor', { vendor_id: hired.id });
    const { data } = await tenant.gql('query($id: ID!) { job(id: $id) { jobAssignments { id } } }', { id }, admin);
    return { id, link: data.job.jobAssignments[0].id };
  };
  const [old, recent] = [await passed(20), await passed(0)];
  await choose(books, { periodsReviewed: true, workReviewMinutes: 2_520, billingReviewMinutes: 2_520 });
  const manager = await tenant.person({ roles: ['manager'] });
  const fee = { name: 'Fee', add_on_types: ['driver_pay'], quantity: 1, revenue_rate_value: 5 };
  const doors = (link: string, by: Pick<typeof manager, 'http'>) => [
    () => by.http('PATCH', `/v1/job_assignments/${link}`, { rate_value: 4, rate_type: 'RatePerTon' }),
    () => by.http('POST', `/v1/job_assignments/${link}/auto_add_on_assignments`, fee),
  ];
  for (const door of doors(old.link, manager)) expect(said(await door())).toEqual(REFUSED);
  for (const door of doors(recent.link, manager)) expect([200, 201]).toContain((await door()).status);
  // An administrator has until the books are closed.
  const byAdmin = { http: ((method, path, body) => tenant.http(method, path, body, admin)) as typeof manager.http };
  const [made] = [await doors(old.link, byAdmin)[1]!(), await doors(old.link, byAdmin)[0]!()].map(({ status, body }) => ({
    status,
    ...body.data,
  }));
  expect(made!.status).toBe(201);
  const one = `/v1/auto_add_on_assignments/${made!.id}`;
  for (const answer of [await manager.http('PATCH', one, { quantity: 2 }), await manager.http('DELETE', one)])
    expect(said(answer)).toEqual(REFUSED);
});
