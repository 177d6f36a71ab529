// Rows of PROOF A11 and A12 that concern driver days and their approval.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Part, sendForm } from '../../files/form.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { acceptedOrder, act, connect, makeStaffedTenant, type StaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { fieldsOf } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { png } from '../../ingest/files/sample-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let customer: StaffedTenant;
let vendor: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  customer = await makeStaffedTenant(app, { timeZone: zoneAt(12), legalName: 'Contractor' });
  vendor = await makeStaffedTenant(app, { timeZone: zoneAt(12), legalName: 'Hauler' });
});
afterAll(() => app.close());

test('A12: a foreman of the customer approves 14 hired trucks, the vendor sees who it was, and approves for itself', async () => {
  const hired = await connect(customer, vendor);
  const foreman = await customer.person({ roles: ['foreman'], firstName: 'Jo', lastName: 'Foreman' });
  const biller = await vendor.person({ roles: ['biller'] });
  const { jobs } = await acceptedOrder(customer, { truck_count: 14, foreman_ids: [foreman.id] });
  expect(jobs).toHaveLength(14);
  const days: string[] = [];
  for (const { id } of jobs) {
    const driver = await vendor.person({ roles: ['driver'] });
    await act(customer, id, 'assign_vendor', { vendor_id: hired.id });
    await vendor.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: driver.id });
    await vendor.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
    for (const event of ['accept', ...shortHaul()]) await driver.must('PUT', `/v1/jobs/${id}/${event}`, {});
    days.push((await driver.must('PUT', '/v1/users/me/driver_day/off_duty', {})).id);
  }
  const listed = await foreman.must('GET', `/v1/driver_days?page[limit]=100`);
  expect(listed.map((one: Json) => one.id).sort()).toEqual(days.toSorted());
  for (const id of days) {
    const field = await foreman.must('PUT', `/v1/driver_days/${id}/approve`, {});
    expect([field.field_approved_at, field.approval_status.foreman_approved]).toEqual([expect.any(String), true]);
  }
  for (const id of days) {
    const own = await vendor.must('GET', `/v1/driver_days/${id}`);
    expect([own.approved, own.field_approved_at]).toEqual([false, null]);
    const [seen] = await vendor.must('GET', `/v1/driver_days/${id}/approvals`);
    expect(seen).toMatchObject({ approval_category: 'field', approver_type: 'User', approval_type: 'foreman' });
    const { data } = await vendor.gql(
      'query($id: ID!) { driverDayApprovals(driverDayId: $id) { nodes { approverName company { legalName } } } }',
      { id },
    );
    expect(data.driverDayApprovals.nodes).toEqual([{ approverName: 'Jo Foreman', company: { legalName: 'Contractor' } }]);
    expect((await biller.must('PUT', `/v1/driver_days/${id}/approve`, {})).approved).toBe(true);
  }
  for (const job of jobs) {
    const { approval_status: status } = await customer.must('GET', `/v1/jobs/${job.id}`);
    expect([status.foreman_approved, status.biller_approved]).toEqual([true, false]);
  }
});

test('the customer of a link lists the usage logs of a day that it sees, reads none of the vendor, and whether it was signed', async () => {
  const [customer, vendor] = [
    await makeStaffedTenant(app, { timeZone: zoneAt(12) }),
    await makeStaffedTenant(app, { timeZone: zoneAt(12) }),
  ];
  const hired = await connect(customer, vendor);
  const driver = await vendor.person({ roles: ['driver'] });
  const {
    jobs: [job],
  } = await acceptedOrder(customer);
  await act(customer, job.id, 'assign_vendor', { vendor_id: hired.id });
  await vendor.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: driver.id });
  await vendor.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
  await driver.must('PUT', `/v1/jobs/${job.id}/accept`, {});
  await driver.must('PUT', `/v1/jobs/${job.id}/enroute`, {});
  const { id, driver_day_date } = await driver.must('GET', '/v1/users/me/driver_day');
  const path = `/v1/driver_days/${id}/resource_usage_logs`;
  await vendor.must('POST', path, { usage_minutes: 5, date_of_use: driver_day_date, driver_id: driver.id });
  expect([await vendor.must('GET', path), await customer.must('GET', path)]).toEqual([[expect.anything()], []]);
  // It approves the hours, and reads whether whoever received the material has signed for them.
  const signed = [
    ['image', png(), 'sign.png'],
    ['name', 'Pat Gate'],
  ] as Part[];
  const signatures = `/driver_days/${id}/signatures`;
  expect((await sendForm(app, 'PUT', vendor.path(`${signatures}/dropoff`), signed, vendor.token)).status).toBe(201);
  for (const one of [vendor, customer]) expect((await one.must('GET', `/v1/driver_days/${id}`)).has_dropoff_signature).toBe(true);
  expect((await customer.http('GET', customer.path(signatures))).status).toBe(404);
  // To divide the time is the affair of the driver's company.
  expect((await customer.http('POST', path, { usage_minutes: 5, date_of_use: driver_day_date, driver_id: driver.id })).status).toBe(404);
  expect(await vendor.must('GET', path)).toHaveLength(1);
});

test('A11: a list of driver days names what cannot be read in its query', async () => {
  const days = (query: string) => customer.http('GET', customer.path(`/driver_days?${query}`));
  const refused = async (query: string) => {
    const answer = await days(query);
    return [answer.status, fieldsOf(answer)];
  };
  expect(await refused('sort[driver_day_date]=up')).toEqual([422, ['sort[driver_day_date]']]);
  expect(await refused('sort[driver][first_name]=up')).toEqual([422, ['sort[driver][first_name]']]);
  expect(await refused('filter[start_date]=2026-11-21&filter[end_date]=2026-11-20')).toEqual([422, ['filter[end_date]']]);
  expect(await refused('filter[start_date]=2026-02-30')).toEqual([422, ['filter[start_date]']]);
  expect(await refused('filter[driver_ids][]=none&filter[vendor_account_ids][]=1')).toEqual([
    422,
    ['filter[driver_ids]', 'filter[vendor_account_ids]'],
  ]);
  expect((await days('filter[driver_ids][]=')).status).toBe(200);
});

test('A11: an approval is refused as a driver by an office user who is no administrator, under too long a name, and with a list as its body', async () => {
  const driver = await customer.person({ roles: ['driver'] });
  const biller = await customer.person({ roles: ['biller'] });
  await driver.must('PUT', '/v1/users/me/driver_day/on_duty', {});
  const { id } = await driver.must('PUT', '/v1/users/me/driver_day/off_duty', {});
  const refused = async (body: unknown) => {
    const answer = await biller.http('PUT', `/v1/driver_days/${id}/approve`, body);
    return [answer.status, fieldsOf(answer)];
  };
  expect(await refused({ approval_type: 'driver' })).toEqual([422, ['approval_type']]);
  expect(await refused({ external_approver_name: 'x'.repeat(201) })).toEqual([422, ['external_approver_name']]);
  expect((await refused([]))[0]).toBe(400);
  expect((await biller.must('GET', `/v1/driver_days/${id}`)).approved).toBe(false);
});
