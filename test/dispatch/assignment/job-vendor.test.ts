import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import {
  acceptedOrder,
  drive,
  makeStaffedTenant,
  makeVendor,
  ONE_LOAD,
  plannedOrder,
  type StaffedTenant,
} from '../../helpers/staffed-tenant.ts';
import { type Person } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
let vendor: StaffedTenant;
let account: Account;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  [tenant, vendor] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  account = await makeVendor(tenant, { name: 'Hired Hauling', connectedCompany: ref(vendor.company) });
  await vendor.save(Account, {
    company: ref(vendor.company),
    name: 'Our Customer',
    accountTypes: ['customer'],
    connectedCompany: ref(tenant.company),
  });
});
afterAll(() => app.close());

const passed = async (more: object = {}): Promise<Json> => {
  const { jobs } = await acceptedOrder(tenant, more);
  return tenant.dispatcher.must('PUT', `/v1/jobs/${jobs[0].id}/assign_vendor`, { vendor_id: account.id });
};

test("a vendor's people find, accept and drive a job that was passed on", async () => {
  const { jobs } = await acceptedOrder(tenant);
  const { id } = jobs[0];
  const at = vendor.path(`/jobs/${id}`);
  expect((await vendor.dispatcher.http('GET', `/v1/jobs/${id}`)).status).toBe(404);

  const assigned = await tenant.dispatcher.must('PUT', `/v1/jobs/${id}/assign_vendor`, { vendor_id: account.id });
  expect(assigned).toMatchObject({ state: 'assigned', driver: null, customer_job_assignment: null });
  expect(assigned.vendor_job_assignment).toMatchObject({ vendor_account: { id: account.id, name: 'Hired Hauling' } });
  expect((await tenant.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {})).state).toBe('sent');

  const seen = await vendor.dispatcher.must('GET', at);
  expect(seen).toMatchObject({
    state: 'sent',
    vendor_job_assignment: null,
    customer_job_assignment: { customer_account: { name: 'Our Customer' } },
  });
  const listed = await vendor.dispatcher.must('GET', vendor.path('/jobs?filter[states][]=sent'));
  expect(listed.map((job: Json) => job.id)).toContain(id);

  expect((await vendor.dispatcher.must('PUT', `${at}/accept`, {})).state).toBe('accepted');
  const mine = await vendor.dispatcher.must('PATCH', at, { driver_id: vendor.driver.id });
  expect(mine).toMatchObject({ state: 'assigned', driver: { id: vendor.driver.id } });
  await vendor.dispatcher.must('PUT', `${at}/request`, {});
  await drive(vendor.driver, id, 'accept', ...ONE_LOAD, 'complete');

  expect(await tenant.dispatcher.must('GET', `/v1/jobs/${id}`)).toMatchObject({
    state: 'completed',
    driver: { id: vendor.driver.id },
  });
  for (const path of [`${at}/job_events`, `${at}/loads`]) {
    const children = await vendor.dispatcher.must('GET', path);
    expect([path, children.length > 0]).toEqual([path, true]);
  }
  const own = await vendor.dispatcher.must('GET', `/v1/jobs/${id}/job_events?page[limit]=3`);
  expect(own).toHaveLength(3);
});

test("a vendor's summary of an order counts what was passed on to it, the owner's counts everything", async () => {
  const { id, jobs } = await acceptedOrder(tenant, { truck_count: 3, loads_per_truck: 2 });
  await tenant.dispatcher.must('PUT', `/v1/jobs/${jobs[1].id}/assign_vendor`, { vendor_id: account.id });
  const counts = async (by: Person) => {
    const { order_summary: reported } = await by.must('GET', `/v1/orders/${id}`);
    return [reported.jobs_count, reported.loads_count, reported.assigned_jobs_count, reported.actionable_jobs_count];
  };
  expect(await counts(vendor.dispatcher)).toEqual([1, 2, 1, 0]);
  expect(await counts(tenant.dispatcher)).toEqual([3, 6, 1, 2]);
});

test("a vendor reads the requested equipment type, but not its name in the owner's books", async () => {
  const job = await passed();
  const asked = { requested_equipment_type_name: 'Tandem', requested_equipment_type_accounting_id: 'A-77' };
  await tenant.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, asked);
  expect(await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}`)).toMatchObject(asked);
  expect(await vendor.dispatcher.must('GET', `/v1/jobs/${job.id}`)).toMatchObject({
    requested_equipment_type_name: 'Tandem',
    requested_equipment_type_accounting_id: null,
  });
});

test("a vendor cannot assign the owner's driver, nor the owner the vendor's", async () => {
  const job = await passed();
  expect((await vendor.dispatcher.http('PATCH', `/v1/jobs/${job.id}`, { driver_id: tenant.driver.id })).status).toBe(422);
  expect((await tenant.dispatcher.http('PATCH', `/v1/jobs/${job.id}`, { driver_id: vendor.driver.id })).status).toBe(422);
});

test('a vendor that passes a job on adds a link, and can end only its own links', async () => {
  const third = await makeStaffedTenant(app);
  const next = await makeVendor(vendor, { name: 'Third', connectedCompany: ref(third.company) });
  const job = await passed();
  await tenant.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
  await vendor.dispatcher.must('PUT', `/v1/jobs/${job.id}/accept`, {});
  const subcontracted = await vendor.dispatcher.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: next.id });
  expect(subcontracted).toMatchObject({
    customer_job_assignment: { customer_account: { name: 'Our Customer' } },
    vendor_job_assignment: { vendor_account: { name: 'Third' } },
  });
  expect((await third.dispatcher.http('GET', `/v1/jobs/${job.id}`)).status).toBe(200);
  // Rates of another link are nobody's business.
  expect((await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}`)).vendor_job_assignment.vendor_account.name).toBe('Hired Hauling');

  await vendor.dispatcher.must('PUT', `/v1/jobs/${job.id}/unassign`, {});
  expect((await third.dispatcher.http('GET', `/v1/jobs/${job.id}`)).status).toBe(404);
  expect((await vendor.dispatcher.http('GET', `/v1/jobs/${job.id}`)).status).toBe(200);
  expect(await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}`)).toMatchObject({
    state: 'accepted',
    vendor_job_assignment: { vendor_account: { name: 'Hired Hauling' } },
  });
  await vendor.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: vendor.driver.id });
  await tenant.dispatcher.must('PUT', `/v1/jobs/${job.id}/unassign`, {});
  expect((await vendor.dispatcher.http('GET', `/v1/jobs/${job.id}`)).status).toBe(404);
});

test('a vendor does the hauling, not the customer’s office work', async () => {
  const job = await passed();
  const path = `/v1/jobs/${job.id}`;
  expect((await vendor.dispatcher.http('DELETE', path)).status).toBe(403);
  expect((await vendor.dispatcher.http('PUT', `${path}/cancel`, {})).status).toBe(403);
  expect((await vendor.dispatcher.http('PATCH', path, { customer_rate_value: 900 })).status).toBe(403);
});

test('assigning refuses more trucks than the vendor has, and accounts that are no vendors', async () => {
  const one = await makeVendor(tenant, { name: 'One truck', truckCount: 1 });
  const { jobs } = await acceptedOrder(tenant, { truck_count: 2 });
  const assign = (job: Json, vendor_id: string) => tenant.dispatcher.http('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id });
  expect((await assign(jobs[0], one.id)).status).toBe(200);
  expect((await assign(jobs[1], one.id)).body.error.errors).toMatchObject([{ field: 'vendor_id' }]);
  expect((await assign(jobs[1], tenant.account.id)).status).toBe(422);
  expect((await assign(jobs[1], vendor.account.id)).status).toBe(422);
  expect((await tenant.driver.http('PUT', `/v1/jobs/${jobs[1].id}/assign_vendor`, { vendor_id: one.id })).status).toBe(403);
});

test('a vendor that accepts automatically has the job at once; while the order waits, the job is only assigned', async () => {
  const hired = await makeStaffedTenant(app);
  const auto = await makeVendor(tenant, { connectedCompany: ref(hired.company), autoAcceptOrders: true });
  const ready = await acceptedOrder(tenant);
  const waiting = await plannedOrder(tenant);
  const assign = (id: string) => tenant.dispatcher.must('PUT', `/v1/jobs/${id}/assign_vendor`, { vendor_id: auto.id });
  expect((await assign(ready.jobs[0].id)).state).toBe('accepted');
  expect((await assign(waiting.jobs[0].id)).state).toBe('assigned');
});

test('everybody sees the rates of their own side only', async () => {
  const admin = await tenant.person({ roles: ['company_admin'] });
  const theirs = await vendor.person({ roles: ['company_admin'] });
  const job = await passed();
  const rates = {
    customer_rate_value: 900,
    customer_rate_type: 'RatePerLoad',
    material_rate_assignment: { sell_price: 12.5, buy_price: 7, site_id: tenant.pickup.id },
  };
  const patched = await admin.must('PATCH', `/v1/jobs/${job.id}`, rates);
  expect(patched).toMatchObject({ customer_rate_value: '900', material_rate_assignment: { sell_price: '12.5', buy_price: '7' } });
  // Where the price is from is a place like any other, and like the price nothing for the vendor.
  const priced = `query ($id: ID!) { job(id: $id) { materialRateAssignment { sellPrice site { id state createdAt company { id } stop: fullAddress } } } }`;
  const { id: pickup, company } = tenant.pickup;
  const reported = await admin.gql(priced, { id: job.id });
  expect(reported.data.job.materialRateAssignment).toMatchObject({
    sellPrice: '12.5',
    site: { id: pickup, state: 'active', company: { id: company.id } },
  });
  expect(patched.material_rate_assignment.site).toMatchObject({ id: pickup, name: tenant.pickup.name });
  expect((await theirs.gql(priced, { id: job.id })).data.job).toEqual({ materialRateAssignment: null });
  expect(await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}`)).toMatchObject({
    material_rate_assignment: { sell_price: null, buy_price: null, site: { id: pickup } },
  });
  for (const viewer of [theirs, vendor.dispatcher]) {
    expect(await viewer.must('GET', `/v1/jobs/${job.id}`)).toMatchObject({
      customer_rate_value: null,
      material_rate_assignment: null,
    });
  }
  const answer = await theirs.gql(
    `query ($id: ID!) { job(id: $id) { customerRateValue order { customerRateValue } jobAssignments { link } } }`,
    { id: job.id },
  );
  expect(answer.data.job).toEqual({ customerRateValue: null, order: { customerRateValue: null }, jobAssignments: [{ link: 0 }] });
});

test('a vendor that unassigns its driver keeps the job, and assigns another driver', async () => {
  const job = await passed();
  const path = `/v1/jobs/${job.id}`;
  await vendor.dispatcher.must('PATCH', path, { driver_id: vendor.driver.id });
  const off = await vendor.dispatcher.must('PATCH', path, { driver_id: null });
  expect(off).toMatchObject({ state: 'accepted', driver: null, customer_job_assignment: { customer_account: { name: 'Our Customer' } } });
  const on = await vendor.dispatcher.must('PATCH', path, { driver_id: vendor.driver.id });
  expect(on.driver.id).toBe(vendor.driver.id);
});

test('a job whose driver the vendor unassigned can be refused by the vendor or taken away by the owner', async () => {
  const [refused, taken] = [await passed(), await passed()];
  for (const { id } of [refused, taken]) {
    await tenant.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
    const nothing = await vendor.dispatcher.http('PUT', `/v1/jobs/${id}/unassign`, {});
    expect([nothing.status, nothing.body.error.errors]).toMatchObject([409, [{ field: 'state', state: 'sent', event: 'unassign' }]]);
    await vendor.dispatcher.must('PUT', `/v1/jobs/${id}/accept`, {});
    await vendor.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: vendor.driver.id });
    const off = await vendor.dispatcher.must('PUT', `/v1/jobs/${id}/unassign`, {});
    expect(off).toMatchObject({ state: 'accepted', driver: null });
    expect((await vendor.dispatcher.http('PUT', `/v1/jobs/${id}/unassign`, {})).status).toBe(409);
  }
  expect((await vendor.dispatcher.must('PUT', `/v1/jobs/${refused.id}/reject`, {})).state).toBe('rejected');
  expect(await tenant.dispatcher.must('PUT', `/v1/jobs/${taken.id}/unassign`, {})).toMatchObject({
    state: 'created',
    vendor_job_assignment: null,
  });
});

test('a driver of the company replaces the vendor', async () => {
  const job = await passed();
  const own = await tenant.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, {
    driver_id: tenant.driver.id,
    compliance_override: true,
  });
  expect(own).toMatchObject({ state: 'assigned', driver: { id: tenant.driver.id }, vendor_job_assignment: null });
  expect((await vendor.dispatcher.http('GET', `/v1/jobs/${job.id}`)).status).toBe(404);
  const events = await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=3`);
  const override = events.find((event: Json) => event.event_name === 'ComplianceOverride');
  expect(override.payload.overridden_by).toBe(tenant.dispatcher.id);
});

test('a parent of both sides assigns the hired company’s driver without ending the hire', async () => {
  const parent = await makeStaffedTenant(app);
  const [owner, hired] = [
    await makeStaffedTenant(app, { parentCompany: ref(parent.company) }),
    await makeStaffedTenant(app, { parentCompany: ref(parent.company) }),
  ];
  const hire = await makeVendor(owner, { connectedCompany: ref(hired.company) });
  const { jobs } = await acceptedOrder(owner);
  await owner.dispatcher.must('PUT', `/v1/jobs/${jobs[0].id}/assign_vendor`, { vendor_id: hire.id });
  const above = parent.dispatcher;
  await above.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: hired.driver.id });
  expect((await owner.dispatcher.must('GET', `/v1/jobs/${jobs[0].id}`)).vendor_job_assignment.vendor_account.id).toBe(hire.id);
  await above.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: owner.driver.id });
  expect((await owner.dispatcher.must('GET', `/v1/jobs/${jobs[0].id}`)).vendor_job_assignment).toBeNull();
});

test("a vendor sees whose work it is, but not the customer's notes on its accounts and itself", async () => {
  const { jobs } = await acceptedOrder(tenant, { charge_to_account: 'C-9' });
  await tenant.dispatcher.must('PUT', `/v1/jobs/${jobs[0].id}/assign_vendor`, { vendor_id: account.id });
  const em = app.orm.em.fork();
  const run = (sql: string, params: unknown[]) => em.getConnection().execute(sql, params);
  await run(`update account set notes = 'pays late', accounting_id = 'A-77', external_id = 'E-77' where company_id = ?`, [
    tenant.company.id,
  ]);
  await run(`update company set idp_organization_id = 'org-1', fuel_surcharge_percentage = 7.5 where id = ?`, [tenant.company.id]);
  const ask = async (by: Person) => {
    const body = {
      query: `{ job(id: "${jobs[0].id}") { order { chargeToAccount account { id name notes accountingId externalId } } company { legalName idpOrganizationId fuelSurchargePercentage } } }`,
    };
    const { data } = await by.gql(body.query);
    return [
      data.job.order.account.notes,
      data.job.order.account.accountingId,
      data.job.order.account.externalId,
      data.job.order.chargeToAccount,
      data.job.company.idpOrganizationId,
      data.job.company.fuelSurchargePercentage,
    ];
  };
  expect(await ask(vendor.dispatcher)).toEqual([null, null, null, null, null, null]);
  expect(await ask(tenant.dispatcher)).toEqual(['pays late', 'A-77', 'E-77', 'C-9', 'org-1', '7.5']);
});
