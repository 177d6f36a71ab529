import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
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

test('work of which an invoice by the time between the sites is approved gets no other driver, so that the crossings it counted stay those of its driver', async () => {
  const { own, by } = await company(books);
  const rates = await rateCardOf(own, { type: 'RatePerHour', timeRate: '100', timeBasis: 'site' });
  const job = await worked(own, null, rates, 540);
  const place = { fenceId: newId(), lat: '30', lon: '-97', locationId: newId(), confidence: '0.95', state: 'applied' };
  for (const [geofenceTriggerType, waypointType, time] of [
    ['enter', 'pickup', '06:00'],
    ['exit', 'drop_off', '09:00'],
  ] as const)
    await own.save(GeofenceTrigger, {
      ...{ companyId: own.company.id, assetType: 'driver', assetId: own.driver.user.id, job: ref(Job, job.id), ...place },
      ...{ geofenceTriggerType, waypointType, occurredAt: on(time), confirmedAt: on(time) },
    });
  await own.must('PUT', own.path(`/jobs/${job.id}/approve`), {}, await own.administrator());
  await own.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 0, tax_freight: true });
  const { id } = await invoiceOf(books, job.id, 'receivable', by);
  const next = (await own.person({ roles: ['driver'] })).user.id;
  const vendor = (await own.save(Account, { company: ref(own.company), name: 'Vendor', accountTypes: ['vendor'] })).id;
  const handOver = 'mutation($id: ID!, $driverId: ID!) { handOverJob(id: $id, driverId: $driverId) { id } }';
  const tried = async () => {
    const handed = await own.gql(handOver, { id: job.id, driverId: next }, await own.administrator());
    const answers = [
      await own.http('PATCH', `/v1/jobs/${job.id}`, { driver_id: next }),
      await own.http('PATCH', `/v1/jobs/${job.id}`, { driver_id: null }),
      await own.http('PUT', own.path(`/jobs/${job.id}/unassign`), {}),
      await own.http('PUT', own.path(`/jobs/${job.id}/assign_vendor`), { vendor_id: vendor }),
    ];
    return [handed.data?.handOverJob ?? null, ...answers.map(({ status }) => status)];
  };
  for (const state of ['pending', 'approved']) {
    if (state === 'approved') expect((await event(by, id, 'approve')).status).toBe(200);
    expect([state, await tried()]).toEqual([state, [null, 409, 409, 409, 409]]);
    expect((await own.must('GET', `/v1/jobs/${job.id}`)).driver.id).toBe(own.driver.user.id);
    const { data } = await by.gql('query ($id: ID!) { invoice(id: $id) { state stale totalAmount } }', { id });
    expect(data.invoice).toEqual({ state, stale: false, totalAmount: '300' });
  }
});
