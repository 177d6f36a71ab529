import { expect, test } from '@jest/globals';
import { pastShift } from '../../dispatch/drivers/shifts.ts';
import { jobOfChain, makeChain, makeStaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { billerOf, event, invoiceOf, linesOf, messages, rateCard } from '../books.ts';
import { settle } from '../settled.ts';
import { approveDay, books, byDay, m1, payableOf } from './day-pay.ts';
import { choose, on, touch, worked, ZONE } from './worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

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
  await own.must('DELETE', `/v1/add_on_charges/${made.id}`, undefined, await own.administrator());
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
  await own.must('DELETE', `/v1/add_on_charges/${wish.id}`, undefined, await own.administrator());
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
