import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import type { User } from '../../../src/directory/people/user.entity.ts';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { DriverStateEvent } from '../../../src/dispatch/model/driver-state.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { idOfDay } from '../../../src/dispatch/shifts/driver-days.ts';
import { pastShift } from '../../dispatch/drivers/shifts.ts';
import { jobOfChain, makeChain, makeStaffedTenant, type StaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { merged, undo } from '../../merging/merging.ts';
import { type Biller, billerOf, event, invoiceOf, linesOf, makeBooks, messages, rateCard } from '../books.ts';
import { settle } from '../settled.ts';
import { choose, on, touch, worked, ZONE } from './worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

/** A company that pays its drivers by the day. */
async function byDay(settings: object = {}): Promise<{ own: StaffedTenant; by: Biller }> {
  const own = await makeStaffedTenant(books.app, { timeZone: ZONE });
  await choose(own, { driverPayBy: 'driver_day', ...settings });
  return { own, by: await billerOf(own) };
}
/** The shift of M1, of which 555 minutes are paid. */
const m1 = (own: StaffedTenant, driver: User = own.driver.user) =>
  pastShift(
    own,
    driver,
    [
      ['on_duty', on('05:40'), on('10:00')],
      ['break', on('10:00'), on('10:30')],
      ['on_duty', on('10:30'), on('15:55')],
    ],
    { shiftAdjustmentMinutes: -30, shiftAdjustmentType: 'lunch' },
  );

const payableOf = async (by: Biller, dayId: string): Promise<Json> => {
  await books.app.settled();
  return by.http('GET', `/v1/driver_days/${dayId}/payable`);
};
const approveDay = async (own: StaffedTenant, dayId: string) =>
  own.must('PUT', `/v1/driver_days/${dayId}/approve`, {}, await own.administrator());

test('a day is paid once, by the paid minutes of its shift, and its jobs are not', async () => {
  const { own, by } = await byDay();
  const driver_rate_id = (
    await rateCard(own, 'driver', { type: 'RatePerHour', time_rate: 32, time_minimum_minutes: 0, time_increment_minutes: 0 })
  ).id;
  const day = await m1(own);
  const job = await worked(own, day.id, { driver_rate_id, customer_rate_value: 650, customer_rate_type: 'RateFlatRate' }, 300);
  await touch(own, job);
  const { status, body } = await payableOf(by, day.id);
  expect([status, body.data?.total_amount]).toEqual([200, '296']);
  const payable = body.data;
  expect(payable).toMatchObject({
    invoiceable: { id: day.id, type: 'DriverDay' },
    job_job_ids: [job.job_id],
    state: 'pending',
    rate_value: '32',
  });
  expect(await linesOf(by, payable.id)).toEqual([['9.25', '32', '296']]);
  expect((await by.http('GET', `/v1/jobs/${job.id}/payable`)).status).toBe(404);
  expect((await invoiceOf(books, job.id, 'receivable', by)).total_amount).toBe('656.5');
  const listed = await by.must('GET', by.path(`/driver_days/${day.id}/invoices/payables`));
  expect(listed.map(({ id }: Json) => id)).toEqual([payable.id]);
  expect(await by.must('GET', by.path(`/driver_days/${day.id}/invoices/receivables`))).toEqual([]);
  const filtered = await by.must('GET', by.path('/invoices?filter[invoiceable_type]=DriverDay'));
  expect(filtered.map(({ id }: Json) => id)).toContain(payable.id);
  expect(filtered.every(({ invoiceable }: Json) => invoiceable.type === 'DriverDay')).toBe(true);
  // The driver reads what they are paid.
  expect((await own.driver.must('GET', `/v1/driver_days/${day.id}/payable`)).total_amount).toBe('296');
  expect((await own.dispatcher.http('GET', `/v1/driver_days/${day.id}/payable`)).status).toBe(404);
  // The amount names where its minutes come from.
  const { data } = await by.gql('query($id: ID!) { invoice(id: $id) { explain blockers } }', { id: payable.id });
  expect(JSON.stringify(data.invoice.explain)).toContain(`"source":{"id":"${day.id}","type":"DriverDay","version":1}`);
  expect(data.invoice.blockers).toEqual(['driver_day_not_approved']);
});

test('the pay for a day follows its times and charges, until the approved day is approved for pay', async () => {
  const { own, by } = await byDay();
  const day = await m1(own);
  await worked(own, day.id, { driver_rate_value: 32, driver_rate_type: 'RatePerHour' }, 300);
  const lunch = await own.must('POST', '/v1/add_ons', { name: 'Meal', add_on_types: ['driver_day'], revenue_rate_value: 12 });
  await own.must('POST', `/v1/driver_days/${day.id}/add_on_charges`, { add_on_id: lunch.id, quantity: 1 });
  expect((await payableOf(by, day.id)).body.data).toMatchObject({ total_amount: '308', add_on_charges_total_amount: '12' });
  const { id: invoice_id } = (await payableOf(by, day.id)).body.data;
  const bonus = { name: 'Bonus', quantity: 1, revenue_rate_value: 5, invoice_id };
  const made = await own.must('POST', `/v1/driver_days/${day.id}/add_on_charges`, bonus, await own.administrator());
  expect([made.invoice, (await payableOf(by, day.id)).body.data.total_amount]).toEqual([{ id: invoice_id }, '313']);
  await own.http('DELETE', `/v1/add_on_charges/${made.id}`, undefined, await own.administrator());
  await own.must('PATCH', `/v1/driver_days/${day.id}`, { shift_adjustment_minutes: -45 }, await own.administrator());
  const payable = (await payableOf(by, day.id)).body.data;
  expect(payable.total_amount).toBe('300');
  expect(messages(await event(by, payable.id, 'approve'))).toEqual([
    'cannot be approved: the day of the driver has not been approved for billing',
  ]);
  await approveDay(own, day.id);
  expect((await event(by, payable.id, 'approve')).body.data).toMatchObject({ state: 'approved', total_amount: '300' });
  const refused = await own.http('PUT', `/v1/driver_days/${day.id}/unapprove`, {}, await own.administrator());
  expect([refused.status, messages(refused)]).toEqual([
    422,
    [`is on ${payable.invoice_id}, which is approved; take that approval back first`],
  ]);
  // PROOF A2, BILLING B5: what a settlement holds, the settlement has to let go first; of the day and of what was approved with it.
  const settlement = await settle({ biller: by }, [payable]);
  for (const state of ['pending', 'approved']) {
    if (state === 'approved') await by.must('PUT', by.path(`/settlements/${settlement.id}/approve`), {});
    const held = await own.http('PUT', `/v1/driver_days/${day.id}/unapprove`, {}, await own.administrator());
    expect([held.status, messages(held)]).toEqual([422, [`is in settlement ${settlement.settlement_id}; void that first`]]);
  }
  await by.must('PUT', by.path(`/settlements/${settlement.id}/void`), { void_reason: 'the shift was longer' });
  expect((await event(by, payable.id, 'unapprove')).status).toBe(200);
  await own.must('PUT', `/v1/driver_days/${day.id}/unapprove`, {}, await own.administrator());
  expect((await event(by, payable.id, 'approve')).status).toBe(409);
});

test('what is requested for a day is paid with the first of its jobs that is not approved if its driver is paid by the job', async () => {
  const own = await makeStaffedTenant(books.app, { timeZone: ZONE });
  const by = await billerOf(own);
  const day = await m1(own);
  const rates = { driver_rate_value: 50, driver_rate_type: 'RateFlatRate' };
  const [first, second] = [await worked(own, day.id, rates, 200), await worked(own, day.id, rates, 100)];
  const meal = await own.must('POST', '/v1/add_ons', { name: 'Meal', add_on_types: ['driver_day'], revenue_rate_value: 12 });
  const request = () => own.must('POST', `/v1/driver_days/${day.id}/add_on_charges`, { add_on_id: meal.id, quantity: 1 });
  const paid = async () => {
    const payables = [await invoiceOf(books, first.id, 'payable', by), await invoiceOf(books, second.id, 'payable', by)];
    return payables.map((payable) => payable.total_amount);
  };
  const wish = await request();
  await touch(own, first);
  await touch(own, second);
  expect(await paid()).toEqual(['62', '50']);
  expect((await payableOf(by, day.id)).status).toBe(404);
  // An approved one keeps its own charges, and later requests are paid with the next.
  await own.must('PUT', own.path(`/jobs/${first.id}/approve`), {}, await own.administrator());
  const approved = await invoiceOf(books, first.id, 'payable', by);
  expect((await event(by, approved.id, 'approve')).status).toBe(200);
  await request();
  expect(await paid()).toEqual(['62', '62']);
  expect((await event(by, approved.id, 'unapprove')).status).toBe(200);
  expect(await paid()).toEqual(['74', '50']);
  await own.http('DELETE', `/v1/add_on_charges/${wish.id}`, undefined, await own.administrator());
  expect(await paid()).toEqual(['62', '50']);
  // Paid by the day from now on, it is paid with the day.
  await choose(own, { driverPayBy: 'driver_day' });
  const by32 = await worked(own, day.id, { driver_rate_value: 32, driver_rate_type: 'RatePerHour' }, 300);
  await touch(own, by32);
  expect((await payableOf(by, day.id)).body.data.total_amount).toBe('308');
  expect(await paid()).toEqual(['50', '50']);
});

test('jobs of two rates share the shift by their worked minutes, and one by the ton is paid by itself', async () => {
  const { own, by } = await byDay();
  const day = await m1(own);
  const hourly = (value: number) => ({ driver_rate_value: value, driver_rate_type: 'RatePerHour' });
  const timed = await worked(own, day.id, hourly(30), 200);
  await worked(own, day.id, hourly(40), 100);
  const flat = await worked(own, day.id, { driver_rate_value: 55, driver_rate_type: 'RatePerLoad' }, 60);
  await touch(own, flat);
  const payable = (await payableOf(by, day.id)).body.data;
  expect(await linesOf(by, payable.id)).toEqual([
    ['6.1667', '30', '185'],
    ['3.0833', '40', '123.33'],
  ]);
  expect((await invoiceOf(books, flat.id, 'payable', by)).total_amount).toBe('55');
  // Somebody sets one rate for the day.
  const byHand = await by.must('PATCH', by.path(`/invoices/${payable.id}`), { rate_value: 20, rate_type: 'RatePerHour' });
  expect(byHand.total_amount).toBe('185');
  const generated = await by.http('POST', by.path(`/invoices/${payable.id}/invoice_line_items/generate`), {
    rate_value: 10,
    rate_type: 'RatePerHour',
  });
  expect([generated.status, generated.body.data.map((line: Json) => line.total_amount)]).toEqual([200, ['92.5']]);
  // The payable of the day pays the jobs that have none of their own.
  await approveDay(own, day.id);
  const admin = await own.administrator();
  for (const { id } of [timed, flat]) await own.must('PUT', own.path(`/jobs/${id}/sign_off`), {}, admin);
  expect((await event(by, payable.id, 'approve')).status).toBe(200);
  const eventsOf = async ({ id }: Json) => (await own.must('GET', `/v1/jobs/${id}`)).state_events.includes('pay');
  expect([await eventsOf(timed), await eventsOf(flat)]).toEqual([true, false]);
  expect((await event(by, payable.id, 'pay')).body.data.state).toBe('paid');
  const stateOf = async ({ id }: Json) => (await own.must('GET', `/v1/jobs/${id}`)).state;
  expect([await stateOf(timed), await stateOf(flat)]).toEqual(['paid', 'signed_off']);
});

test('a driver is paid otherwise than the company says, and what nobody approved follows the choice', async () => {
  const { own, by } = await byDay();
  const day = await m1(own);
  const job = await worked(own, day.id, { driver_rate_value: 32, driver_rate_type: 'RatePerHour' }, 300);
  await touch(own, job);
  expect((await payableOf(by, day.id)).status).toBe(200);
  const change = 'mutation($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { payBy } }';
  const chosen = await own.gql(change, { id: own.driver.id, input: { payBy: 'job' } }, await own.administrator());
  expect(chosen.data).toEqual({ updateUser: { payBy: 'job' } });
  expect((await payableOf(by, day.id)).status).toBe(404);
  expect((await invoiceOf(books, job.id, 'payable', by)).total_amount).toBe('160');
  await own.gql(change, { id: own.driver.id, input: { payBy: null } }, await own.administrator());
  expect((await payableOf(by, day.id)).body.data?.total_amount).toBe('296');
  expect((await by.http('GET', `/v1/jobs/${job.id}/payable`)).status).toBe(404);
});

test('a shift that lasts is not paid yet, and a day that nobody has chosen to pay by is paid by its jobs', async () => {
  const { own, by } = await byDay();
  const lasting = await pastShift(own, own.driver.user, [['on_duty', on('05:40'), null]]);
  const job = await worked(own, lasting.id, { driver_rate_value: 32, driver_rate_type: 'RatePerHour' }, 300);
  await touch(own, job);
  const { body } = await payableOf(by, lasting.id);
  expect(body.data).toMatchObject({ state: 'in_progress', total_amount: '0' });
  const other = await makeStaffedTenant(books.app, { timeZone: ZONE });
  const theirs = await m1(other);
  const paid = await worked(other, theirs.id, { driver_rate_value: 32, driver_rate_type: 'RatePerHour' }, 300);
  await touch(other, paid);
  const biller = await billerOf(other);
  expect((await payableOf(biller, theirs.id)).status).toBe(404);
  expect((await invoiceOf(books, paid.id, 'payable', biller)).total_amount).toBe('160');
  expect((await by.http('GET', `/v1/driver_days/${theirs.id}/payable`)).status).toBe(404);
});

test('overtime of a day is a line of its own, at one and a half times the rate', async () => {
  const { own, by } = await byDay({ overtimePaid: true });
  const day = await m1(own);
  await worked(own, day.id, { driver_rate_value: 32, driver_rate_type: 'RatePerHour' }, 300);
  await approveDay(own, day.id);
  const payable = (await payableOf(by, day.id)).body.data;
  expect(payable.total_amount).toBe('316');
  expect(await linesOf(by, payable.id)).toEqual([
    ['8', '32', '256'],
    ['1.25', '48', '60'],
  ]);
  await choose(own, { overtimeAfterMinutes: 600 });
  expect((await payableOf(by, day.id)).body.data.total_amount).toBe('296');
  // A billed day is corrected by the choices of then: a quarter of an hour of overtime, and no breaks.
  await choose(own, { overtimeAfterMinutes: 480 });
  await books.app.settled();
  expect((await event(by, payable.id, 'approve')).body.data).toMatchObject({ total_amount: '316' });
  await by.must('POST', by.path('/billing/periods'), { ends_on: '2026-11-18', force: true, reason: 'what customers owe comes later' });
  await choose(own, { overtimePaid: false, breaksPaid: true });
  const corrected = { shift_adjustment_minutes: -45, supplement: true };
  expect((await own.http('PATCH', `/v1/driver_days/${day.id}`, corrected, await own.administrator())).status).toBe(200);
  await books.app.settled();
  const asked = 'query { invoices(filter: { invoiceCategory: payables }) { nodes { id part totalAmount stale driverDay { id } } } }';
  // The job was driven today, before it was noted on that day.
  const ofDay = (await by.gql(asked)).data.invoices.nodes.filter(({ driverDay }: Json) => driverDay?.id === day.id);
  expect(ofDay.toSorted((a: Json, b: Json) => a.part - b.part)).toMatchObject([
    { id: payable.id, totalAmount: '316', stale: false },
    { part: 2, totalAmount: '-12' },
  ]);
  const shown = await own.gql(
    'query ($id: ID!) { driverDay(id: $id) { payableMinutes exceptions } }',
    { id: day.id },
    await own.administrator(),
  );
  expect(shown.data.driverDay).toMatchObject({ payableMinutes: 540, exceptions: expect.not.arrayContaining(['stale_after_approval']) });
});

test('a vendor pays its drivers by the day for work that was passed on to it, and changes its mind', async () => {
  const chain = await makeChain(books.app, { timeZone: ZONE });
  const by = await billerOf(chain.last);
  await choose(chain.last, { driverPayBy: 'driver_day' });
  const job = await jobOfChain(chain);
  for (const step of shortHaul()) await job.go(step);
  const [day] = await chain.last.must('GET', '/v1/driver_days');
  const payable = (await payableOf(by, day.id)).body.data;
  expect([payable.state, payable.job_job_ids.length, payable.rate_value]).toEqual(['in_progress', 1, null]);
  const { data } = await by.gql('query($id: ID!) { invoice(id: $id) { blockers job { id } driverDay { id } } }', { id: payable.id });
  expect(data.invoice).toEqual({
    blockers: ['shift_not_ended', 'no_rate', 'driver_day_not_approved'],
    job: null,
    driverDay: { id: day.id },
  });
  // The owner of the job reads nothing of it.
  const owner = await billerOf(chain.owner);
  expect((await owner.http('GET', `/v1/driver_days/${day.id}/payable`)).status).toBe(404);
  await choose(chain.last, { driverPayBy: 'job' });
  expect((await payableOf(by, day.id)).status).toBe(404);
  expect((await invoiceOf(books, job.id, 'payable', by)).state).toBe('pending');
  await choose(chain.last, { driverPayBy: 'driver_day' });
  expect((await payableOf(by, day.id)).body.data?.invoiceable).toEqual({ id: day.id, type: 'DriverDay' });
  expect((await by.http('GET', `/v1/jobs/${job.id}/payable`)).status).toBe(404);
});

test('B2.4: what is paid for a day of a closed period is corrected by a supplement, which counts later and names the period', async () => {
  const { own, by } = await byDay();
  const admin = await own.administrator();
  const day = await m1(own);
  await worked(own, day.id, { driver_rate_value: 32, driver_rate_type: 'RatePerHour' }, 300);
  await approveDay(own, day.id);
  const payable = (await payableOf(by, day.id)).body.data;
  expect((await event(by, payable.id, 'approve')).body.data).toMatchObject({ state: 'approved', total_amount: '296' });
  const corrected = (more: object) => own.http('PATCH', `/v1/driver_days/${day.id}`, { shift_adjustment_minutes: -45, ...more }, admin);
  // As long as the approval can be taken back, it is.
  expect((await corrected({ supplement: true })).status).toBe(422);
  const periods = by.path('/billing/periods');
  const period = await by.must('POST', periods, { ends_on: '2026-11-18', force: true, reason: 'what customers owe comes later' });
  expect(period.driver_payables_total_amount).toBe('296');
  expect((await corrected({})).status).toBe(422);
  const times = await corrected({ supplement: true });
  expect([times.status, times.body.error]).toEqual([200, undefined]);
  const asked = `query ($company: ID!) { invoices(companyId: $company, filter: { invoiceCategory: payables }, first: 100) { nodes {
    id part reason state stale totalAmount postingDate forPeriod { id } parentInvoice { id } driverDay { id } driver { id } } } }`;
  const parts = async (): Promise<Json[]> => {
    await books.app.settled();
    const { data, errors } = await by.gql(asked, { company: own.company.id });
    expect(errors).toBeUndefined();
    return data.invoices.nodes.filter((one: Json) => one.driverDay?.id === day.id).toSorted((a: Json, b: Json) => a.part - b.part);
  };
  const [first, second, ...more] = await parts();
  expect(more).toEqual([]);
  expect(first).toMatchObject({ id: payable.id, state: 'approved', stale: false, totalAmount: '296', forPeriod: null });
  expect(second).toMatchObject({ part: 2, reason: 'correction', state: 'pending', totalAmount: '-8', parentInvoice: { id: payable.id } });
  expect(await linesOf(by, second.id)).toEqual([['-0.25', '32', '-8']]);
  // A driver owes something: that is for an administrator.
  expect(messages(await event(by, second.id, 'approve'))).toHaveLength(1);
  const approved = await own.http('PUT', own.path(`/invoices/${second.id}/approve`), undefined, admin);
  expect([approved.status, approved.body.error]).toEqual([200, undefined]);
  expect((await parts())[1]).toMatchObject({ state: 'approved', postingDate: '2026-11-19', forPeriod: { id: period.id } });
  expect(messages(await event(by, payable.id, 'unapprove'))[0]).toContain('has the supplement');
  // A rate that was wrong, and what was requested since, are one more: nine hours at 40 and a meal, less 288 that were paid.
  const path = by.path(`/invoices/${payable.id}/supplements`);
  const none = await by.http('POST', path, {});
  expect([none.status, messages(none)]).toEqual([409, ['is billed as its work is: nothing differs']]);
  const meal = await own.must('POST', '/v1/add_ons', { name: 'Meal', add_on_types: ['driver_day'], revenue_rate_value: 12 });
  await own.must('POST', `/v1/driver_days/${day.id}/add_on_charges`, { add_on_id: meal.id, quantity: 1 });
  expect((await parts())[0]).toMatchObject({ stale: true });
  const charged = await by.http('POST', path, {});
  expect([charged.status, charged.body.data]).toMatchObject([201, { part: 3, total_amount: '12', add_on_charges_total_amount: '12' }]);
  const rated = await by.http('POST', path, { rate_value: 40, rate_type: 'RatePerHour' });
  expect(rated.body.data).toMatchObject({ id: charged.body.data.id, total_amount: '84' });
  expect((await event(by, rated.body.data.id, 'approve')).status).toBe(200);
  const all = await parts();
  expect(all.map(({ stale, totalAmount }) => [stale, totalAmount])).toEqual([
    [false, '296'],
    [false, '-8'],
    [false, '84'],
  ]);
  // It is settled in the open period, and its driver reads it; what it is for was delivered once.
  const settled = await settle({ biller: by }, all.slice(1));
  expect(settled).toMatchObject({ total_amount: '76', data: { quantities_per_uom: [] } });
  expect(await by.must('GET', by.path(`/settlements/${settled.id}/loads`))).toEqual([]);
  const read = await own.gql('query ($id: ID!) { invoice(id: $id) { totalAmount } }', { id: rated.body.data.id }, own.driver.token);
  expect(read.data?.invoice).toEqual({ totalAmount: '84' });
  const { updated_at: _, ...now } = await by.must('GET', `${periods}/${period.id}`);
  expect(period).toMatchObject(now);
  // A new payable of its own is not made next to them.
  expect((await by.http('GET', `/v1/driver_days/${day.id}/payable`)).body.data.id).toBe(payable.id);
});

test('what a driver did on a day since a merge is theirs when it is undone, and each is paid for their own', async () => {
  const { own, by } = await byDay();
  const hourly = { driver_rate_value: 32, driver_rate_type: 'RatePerHour' };
  const kept = await own.person({ roles: ['driver'] });
  const em = own.app.orm.em.fork();
  const jobIs = ({ id }: Json, fields: object) => em.nativeUpdate(Job, { id }, fields as never, { filters: { tenant: false } });
  const day = await m1(own);
  const job = await worked(own, day.id, hourly, 300);
  const later = await worked(own, null, hourly, 100);
  await jobIs(later, { driver: kept.id });
  expect((await payableOf(by, day.id)).body.data.total_amount).toBe('296');
  const merge = await merged(own, 'users', kept.id, [own.driver.id]);
  expect((await payableOf(by, day.id)).body.data).toMatchObject({ total_amount: '296', driver: { id: kept.id } });
  // Two hours more, of the driver who stayed.
  const span = { company: ref(own.company), userId: kept.id, driverDayId: day.id };
  await own.save(DriverStateEvent, { ...span, state: 'on_duty', startedAt: on('16:00'), endedAt: on('18:00') });
  await jobIs(later, { driverDayId: day.id });
  await em.nativeUpdate(DriverDay, { id: day.id }, { endedShiftAt: on('18:00') }, { filters: { tenant: false } });
  expect((await undo(own, merge.id)).status).toBe(200);
  expect((await payableOf(by, day.id)).body.data).toMatchObject({
    total_amount: '296',
    driver: { id: own.driver.id },
    job_job_ids: [job.job_id],
  });
  const ownDay = idOfDay(kept.id, day.driverDayDate);
  expect((await payableOf(by, ownDay)).body.data).toMatchObject({ total_amount: '64', job_job_ids: [later.job_id] });
  // A job that is on the day of somebody else is paid by itself.
  await jobIs(later, { driverDayId: day.id });
  await touch(own, later);
  expect((await invoiceOf(books, later.id, 'payable', by)).total_amount).toBe('53.33');
});

test('a merge is not undone any more when a day on which both have worked was corrected since', async () => {
  const { own } = await byDay();
  const kept = await own.person({ roles: ['driver'] });
  const day = await m1(own);
  const merge = await merged(own, 'users', kept.id, [own.driver.id]);
  const span = { company: ref(own.company), userId: kept.id, driverDayId: day.id };
  await own.save(DriverStateEvent, { ...span, state: 'on_duty', startedAt: on('16:00'), endedAt: on('18:00') });
  await own.must('PATCH', `/v1/driver_days/${day.id}`, { shift_adjustment_minutes: -45 }, await own.administrator());
  const refused = await undo(own, merge.id);
  expect([refused.status, messages(refused)]).toEqual([
    409,
    ['cannot be undone any more: a day on which both drivers have worked was corrected or approved since'],
  ]);
});
