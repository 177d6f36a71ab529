import { expect, test } from '@jest/globals';
import { approveLoads, event, invoiceOf, makeBooks, ticketed } from '../../billing/books.ts';
import { act, connect, jobOf, makeStaffedTenant, makeVendor, ONE_LOAD } from '../../helpers/staffed-tenant.ts';

const books = makeBooks();

test('the office reports what a vendor hauls that does not use the platform, and owes it that', async () => {
  const { tenant, biller } = books;
  const vendor = await makeVendor(tenant);
  const order = { vendor_rate_value: 5, vendor_rate_type: 'RatePerTon', loads_per_truck: 1 };
  const { id } = await jobOf(tenant, order);
  const read = () => tenant.must('GET', `/v1/jobs/${id}`);
  await act(tenant, id, 'assign_vendor', { vendor_id: vendor.id });
  for (const name of ['request', 'accept']) await act(tenant, id, name);
  expect((await read()).state_events).toContain('enroute');
  for (const name of ONE_LOAD) await act(tenant, id, name);
  const loads = await tenant.must('GET', `/v1/jobs/${id}/loads`);
  expect(loads.map(({ state }: { state: string }) => state)).toEqual(['completed']);
  await ticketed(tenant, loads[0], '20');
  await act(tenant, id, 'complete');
  await approveLoads(biller, { loads });
  const owed = await invoiceOf(books, id, 'payable');
  expect([owed.vendor_account.id, owed.total_amount]).toEqual([vendor.id, '100']);
  expect((await event(biller, owed.id, 'approve')).status).toBe(200);
  expect((await read()).driver).toBeNull();
});

test('a vendor of the platform names its driver before a truck leaves', async () => {
  const { app, tenant } = books;
  const hauler = await makeStaffedTenant(app);
  const { id } = await jobOf(tenant);
  await act(tenant, id, 'assign_vendor', { vendor_id: (await connect(tenant, hauler)).id });
  for (const name of ['request', 'accept']) await act(tenant, id, name);
  expect((await tenant.must('GET', `/v1/jobs/${id}`)).state_events).not.toContain('enroute');
  expect((await tenant.dispatcher.http('PUT', `/v1/jobs/${id}/enroute`, {})).status).toBe(409);
  await hauler.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: hauler.driver.id });
  expect((await tenant.must('GET', `/v1/jobs/${id}`)).state_events).toContain('enroute');
});
