import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { DriverStateEvent } from '../../../src/dispatch/model/driver-state.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { idOfDay } from '../../../src/dispatch/shifts/driver-days.ts';
import { merged, undo } from '../../merging/merging.ts';
import { event, invoiceOf, linesOf, messages } from '../books.ts';
import { settle } from '../settled.ts';
import { approveDay, books, byDay, m1, payableOf } from './day-pay.ts';
import { on, touch, worked } from './worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

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
