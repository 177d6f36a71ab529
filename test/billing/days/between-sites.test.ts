import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { newId } from '../../../src/platform/ids.ts';
import { GeofenceTrigger } from '../../../src/telematics/fences/geofence-trigger.entity.ts';
import { event, invoiceOf, makeBooks, messages } from '../books.ts';
import { company, on, rateCardOf, worked } from './worked-days.ts';

const books = makeBooks();

test('B3, time basis site: from the first entry at a pickup to the last exit of a drop-off is paid, less breaks, unless somebody approved other minutes', async () => {
  const { own, by } = await company(books);
  const rates = await rateCardOf(own, { type: 'RatePerHour', timeRate: '100', timeBasis: 'site' });
  const job = await worked(own, null, rates, 540);
  const breaks = `{["${on('10:00').toISOString()}","${on('10:30').toISOString()}")}`;
  await books.app.orm.em.fork().nativeUpdate(Job, { id: job.id }, { breaks } as never, { filters: { tenant: false } });
  let compared = 0;
  const paid = async () => {
    compared++;
    await own.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: compared, tax_freight: true });
    return invoiceOf(books, job.id, 'receivable', by);
  };
  const unknown = await paid();
  expect(unknown.invoice_line_items_total_amount).toBe('0');
  const admin = await own.administrator();
  await own.must('PUT', own.path(`/jobs/${job.id}/approve`), {}, admin);
  expect(messages(await event(by, unknown.id, 'approve'))).toEqual(['cannot be approved: nobody knows the time that its rate pays']);

  const place = { fenceId: newId(), lat: '30', lon: '-97', locationId: newId(), confidence: '0.95' };
  const crossed = (type: 'enter' | 'exit', at: 'pickup' | 'drop_off', time: string, more: object = {}) =>
    own.save(GeofenceTrigger, {
      ...{ companyId: own.company.id, assetType: 'driver', assetId: own.driver.user.id, job: ref(Job, job.id), ...place },
      ...{ geofenceTriggerType: type, waypointType: at, occurredAt: on(time), confirmedAt: on(time), state: 'applied', ...more },
    });
  await crossed('enter', 'pickup', '06:10');
  await crossed('enter', 'drop_off', '07:00');
  await crossed('exit', 'drop_off', '07:20');
  expect((await paid()).invoice_line_items_total_amount).toBe('116.67');
  await crossed('enter', 'pickup', '08:00');
  await crossed('exit', 'drop_off', '14:40');
  // Neither the pickup that it left afterwards, nor what was driven past or turned out wrong, is the end of the work.
  await crossed('exit', 'pickup', '15:10');
  await crossed('exit', 'drop_off', '15:20', { state: 'superseded' });
  await crossed('enter', 'pickup', '05:40', { state: 'skipped', skipReason: 'crossed' });
  // Nor is the visit of a driver who had the job before a part of it.
  const former = await own.person({ roles: ['driver'] });
  await crossed('enter', 'pickup', '05:30', { assetId: former.user.id });
  await crossed('exit', 'drop_off', '16:00', { assetId: former.user.id });
  expect((await paid()).invoice_line_items_total_amount).toBe('800');
  const profile = own.path(`/accounts/${own.account.id}/billing_profile`);
  await own.must('PATCH', profile, { breaks_paid: true }, admin);
  expect((await paid()).invoice_line_items_total_amount).toBe('850');
  await own.must('PUT', own.path(`/jobs/${job.id}/unapprove`), {}, admin);
  await own.must('PUT', own.path(`/jobs/${job.id}/approve`), { approved_work_time_minutes: 300 }, admin);
  expect((await paid()).invoice_line_items_total_amount).toBe('500');
});
