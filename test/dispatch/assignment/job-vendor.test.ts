import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import type { Account } from '../../../src/directory/accounts/account.entity.ts';
import { type Answer, JobTown, ONE_LOAD, type Tenant } from '../jobs/job-town.ts';

let town: JobTown;
let tenant: Tenant;
let vendor: Tenant;
let account: Account;
beforeAll(async () => {
  town = await JobTown.open();
  [tenant, vendor] = [await town.tenant(), await town.tenant()];
  account = await town.account(tenant.company, { name: 'Hired Hauling', accountTypes: ['vendor'], connectedCompany: ref(vendor.company) });
  await town.account(vendor.company, { name: 'Our Customer', connectedCompany: ref(tenant.company) });
});
afterAll(() => town.close());

const passed = async (more: object = {}): Promise<Answer> => {
  const { jobs } = await town.order(tenant, more);
  return town.must(tenant.dispatcher.token, 'PUT', `/jobs/${jobs[0].id}/assign_vendor`, { vendor_id: account.id });
};

test("a vendor's people find, accept and drive a job that was passed on", async () => {
  const { jobs } = await town.order(tenant);
  const { id } = jobs[0];
  const at = `/companies/${vendor.company.id}/jobs/${id}`;
  expect((await town.call(vendor.dispatcher.token, 'GET', `/jobs/${id}`)).status).toBe(404);

  const assigned = await town.must(tenant.dispatcher.token, 'PUT', `/jobs/${id}/assign_vendor`, { vendor_id: account.id });
  expect(assigned).toMatchObject({ state: 'assigned', driver: null, customer_job_assignment: null });
  expect(assigned.vendor_job_assignment).toMatchObject({ vendor_account: { id: account.id, name: 'Hired Hauling' } });
  expect((await town.must(tenant.dispatcher.token, 'PUT', `/jobs/${id}/request`, {})).state).toBe('sent');

  const seen = await town.must(vendor.dispatcher.token, 'GET', at);
  expect(seen).toMatchObject({
    state: 'sent',
    vendor_job_assignment: null,
    customer_job_assignment: { customer_account: { name: 'Our Customer' } },
  });
  const listed = await town.must(vendor.dispatcher.token, 'GET', `/companies/${vendor.company.id}/jobs?filter[states][]=sent`);
  expect(listed.map((job: Answer) => job.id)).toContain(id);

  expect((await town.must(vendor.dispatcher.token, 'PUT', `${at}/accept`, {})).state).toBe('accepted');
  const mine = await town.must(vendor.dispatcher.token, 'PATCH', at, { driver_id: vendor.driver.id });
  expect(mine).toMatchObject({ state: 'assigned', driver: { id: vendor.driver.id } });
  await town.must(vendor.dispatcher.token, 'PUT', `${at}/request`, {});
  await town.drive(vendor.driver.token, id, 'accept', ...ONE_LOAD, 'complete');

  expect(await town.must(tenant.dispatcher.token, 'GET', `/jobs/${id}`)).toMatchObject({
    state: 'completed',
    driver: { id: vendor.driver.id },
  });
  for (const path of [`${at}/job_events`, `${at}/loads`]) {
    const children = await town.must(vendor.dispatcher.token, 'GET', path);
    expect([path, children.length > 0]).toEqual([path, true]);
  }
  const own = await town.must(vendor.dispatcher.token, 'GET', `/jobs/${id}/job_events?page[limit]=3`);
  expect(own).toHaveLength(3);
});

test("a vendor's summary of an order counts what was passed on to it, the owner's counts everything", async () => {
  const { id, jobs } = await town.order(tenant, { truck_count: 3, loads_per_truck: 2 });
  await town.must(tenant.dispatcher.token, 'PUT', `/jobs/${jobs[1].id}/assign_vendor`, { vendor_id: account.id });
  const counts = async (token: string) => {
    const { order_summary: reported } = await town.must(token, 'GET', `/orders/${id}`);
    return [reported.jobs_count, reported.loads_count, reported.assigned_jobs_count, reported.actionable_jobs_count];
  };
  expect(await counts(vendor.dispatcher.token)).toEqual([1, 2, 1, 0]);
  expect(await counts(tenant.dispatcher.token)).toEqual([3, 6, 1, 2]);
});

test("a vendor reads the requested equipment type, but not its name in the owner's books", async () => {
  const job = await passed();
  const asked = { requested_equipment_type_name: 'Tandem', requested_equipment_type_accounting_id: 'A-77' };
  await town.must(tenant.dispatcher.token, 'PATCH', `/jobs/${job.id}`, asked);
  expect(await town.must(tenant.dispatcher.token, 'GET', `/jobs/${job.id}`)).toMatchObject(asked);
  expect(await town.must(vendor.dispatcher.token, 'GET', `/jobs/${job.id}`)).toMatchObject({
    requested_equipment_type_name: 'Tandem',
    requested_equipment_type_accounting_id: null,
  });
});

test("a vendor cannot assign the owner's driver, nor the owner the vendor's", async () => {
  const job = await passed();
  expect((await town.call(vendor.dispatcher.token, 'PATCH', `/jobs/${job.id}`, { driver_id: tenant.driver.id })).status).toBe(422);
  expect((await town.call(tenant.dispatcher.token, 'PATCH', `/jobs/${job.id}`, { driver_id: vendor.driver.id })).status).toBe(422);
});

test('a vendor that passes a job on adds a link, and can end only its own links', async () => {
  const third = await town.tenant();
  const next = await town.account(vendor.company, { name: 'Third', accountTypes: ['vendor'], connectedCompany: ref(third.company) });
  const job = await passed();
  await town.must(tenant.dispatcher.token, 'PUT', `/jobs/${job.id}/request`, {});
  await town.must(vendor.dispatcher.token, 'PUT', `/jobs/${job.id}/accept`, {});
  const passedOn = await town.must(vendor.dispatcher.token, 'PUT', `/jobs/${job.id}/assign_vendor`, { vendor_id: next.id });
  expect(passedOn).toMatchObject({
    customer_job_assignment: { customer_account: { name: 'Our Customer' } },
    vendor_job_assignment: { vendor_account: { name: 'Third' } },
  });
  expect((await town.call(third.dispatcher.token, 'GET', `/jobs/${job.id}`)).status).toBe(200);
  // Rates of another link are nobody's business.
  expect((await town.must(tenant.dispatcher.token, 'GET', `/jobs/${job.id}`)).vendor_job_assignment.vendor_account.name).toBe(
    'Hired Hauling',
  );

  await town.must(vendor.dispatcher.token, 'PUT', `/jobs/${job.id}/unassign`, {});
  expect((await town.call(third.dispatcher.token, 'GET', `/jobs/${job.id}`)).status).toBe(404);
  expect((await town.call(vendor.dispatcher.token, 'GET', `/jobs/${job.id}`)).status).toBe(200);
  expect(await town.must(tenant.dispatcher.token, 'GET', `/jobs/${job.id}`)).toMatchObject({
    state: 'accepted',
    vendor_job_assignment: { vendor_account: { name: 'Hired Hauling' } },
  });
  await town.must(vendor.dispatcher.token, 'PATCH', `/jobs/${job.id}`, { driver_id: vendor.driver.id });
  await town.must(tenant.dispatcher.token, 'PUT', `/jobs/${job.id}/unassign`, {});
  expect((await town.call(vendor.dispatcher.token, 'GET', `/jobs/${job.id}`)).status).toBe(404);
});

test('a vendor does the hauling, not the customer’s office work', async () => {
  const job = await passed();
  const path = `/jobs/${job.id}`;
  expect((await town.call(vendor.dispatcher.token, 'DELETE', path)).status).toBe(403);
  expect((await town.call(vendor.dispatcher.token, 'PUT', `${path}/cancel`, {})).status).toBe(403);
  expect((await town.call(vendor.dispatcher.token, 'PATCH', path, { customer_rate_value: 900 })).status).toBe(403);
});

test('assigning refuses more trucks than the vendor has, and accounts that are no vendors', async () => {
  const one = await town.account(tenant.company, { name: 'One truck', accountTypes: ['vendor'], truckCount: 1 });
  const { jobs } = await town.order(tenant, { truck_count: 2 });
  const assign = (job: Answer, vendor_id: string) =>
    town.call(tenant.dispatcher.token, 'PUT', `/jobs/${job.id}/assign_vendor`, { vendor_id });
  expect((await assign(jobs[0], one.id)).status).toBe(200);
  expect((await assign(jobs[1], one.id)).body.error.errors).toMatchObject([{ field: 'vendor_id' }]);
  expect((await assign(jobs[1], tenant.account.id)).status).toBe(422);
  expect((await assign(jobs[1], vendor.account.id)).status).toBe(422);
  expect((await town.call(tenant.driver.token, 'PUT', `/jobs/${jobs[1].id}/assign_vendor`, { vendor_id: one.id })).status).toBe(403);
});

test('a vendor that accepts automatically has the job at once; while the order waits, the job is only assigned', async () => {
  const hired = await town.tenant();
  const auto = await town.account(tenant.company, {
    accountTypes: ['vendor'],
    connectedCompany: ref(hired.company),
    autoAcceptOrders: true,
  });
  const ready = await town.order(tenant);
  const waiting = await town.order(tenant, {}, false);
  const assign = (id: string) => town.must(tenant.dispatcher.token, 'PUT', `/jobs/${id}/assign_vendor`, { vendor_id: auto.id });
  expect((await assign(ready.jobs[0].id)).state).toBe('accepted');
  expect((await assign(waiting.jobs[0].id)).state).toBe('assigned');
});

test('everybody sees the rates of their own side only', async () => {
  const admin = await town.user(tenant.company, 'company_admin');
  const theirs = await town.user(vendor.company, 'company_admin');
  const job = await passed();
  const rates = {
    customer_rate_value: 900,
    customer_rate_type: 'RatePerLoad',
    material_rate_assignment: { sell_price: 12.5, buy_price: 7, site_id: tenant.pickup.id },
  };
  const patched = await town.must(admin.token, 'PATCH', `/jobs/${job.id}`, rates);
  expect(patched).toMatchObject({ customer_rate_value: '900', material_rate_assignment: { sell_price: '12.5', buy_price: '7' } });
  // Where the price is from is a place like any other, and like the price nothing for the vendor.
  const priced = `query ($id: ID!) { job(id: $id) { materialRateAssignment { sellPrice site { id state createdAt company { id } stop: fullAddress } } } }`;
  const { id: pickup, company } = tenant.pickup;
  const reported = await town.graphql(admin.token, priced, { id: job.id });
  expect(reported.data.job.materialRateAssignment).toMatchObject({
    sellPrice: '12.5',
    site: { id: pickup, state: 'active', company: { id: company.id } },
  });
  expect(patched.material_rate_assignment.site).toMatchObject({ id: pickup, name: tenant.pickup.name });
  expect((await town.graphql(theirs.token, priced, { id: job.id })).data.job).toEqual({ materialRateAssignment: null });
  expect(await town.must(tenant.dispatcher.token, 'GET', `/jobs/${job.id}`)).toMatchObject({
    material_rate_assignment: { sell_price: null, buy_price: null, site: { id: pickup } },
  });
  for (const viewer of [theirs, vendor.dispatcher]) {
    expect(await town.must(viewer.token, 'GET', `/jobs/${job.id}`)).toMatchObject({
      customer_rate_value: null,
      material_rate_assignment: null,
    });
  }
  const answer = await town.graphql(
    theirs.token,
    `query ($id: ID!) { job(id: $id) { customerRateValue order { customerRateValue } jobAssignments { link } } }`,
    { id: job.id },
  );
  expect(answer.data.job).toEqual({ customerRateValue: null, order: { customerRateValue: null }, jobAssignments: [{ link: 0 }] });
});

test('a vendor that unassigns its driver keeps the job, and assigns another driver', async () => {
  const job = await passed();
  const path = `/jobs/${job.id}`;
  await town.must(vendor.dispatcher.token, 'PATCH', path, { driver_id: vendor.driver.id });
  const off = await town.must(vendor.dispatcher.token, 'PATCH', path, { driver_id: null });
  expect(off).toMatchObject({ state: 'accepted', driver: null, customer_job_assignment: { customer_account: { name: 'Our Customer' } } });
  const on = await town.must(vendor.dispatcher.token, 'PATCH', path, { driver_id: vendor.driver.id });
  expect(on.driver.id).toBe(vendor.driver.id);
});

test('a job whose driver the vendor unassigned can be refused by the vendor or taken away by the owner', async () => {
  const [refused, taken] = [await passed(), await passed()];
  for (const { id } of [refused, taken]) {
    await town.must(tenant.dispatcher.token, 'PUT', `/jobs/${id}/request`, {});
    const nothing = await town.call(vendor.dispatcher.token, 'PUT', `/jobs/${id}/unassign`, {});
    expect([nothing.status, nothing.body.error.errors]).toMatchObject([409, [{ field: 'state', state: 'sent', event: 'unassign' }]]);
    await town.must(vendor.dispatcher.token, 'PUT', `/jobs/${id}/accept`, {});
    await town.must(vendor.dispatcher.token, 'PATCH', `/jobs/${id}`, { driver_id: vendor.driver.id });
    const off = await town.must(vendor.dispatcher.token, 'PUT', `/jobs/${id}/unassign`, {});
    expect(off).toMatchObject({ state: 'accepted', driver: null });
    expect((await town.call(vendor.dispatcher.token, 'PUT', `/jobs/${id}/unassign`, {})).status).toBe(409);
  }
  expect((await town.must(vendor.dispatcher.token, 'PUT', `/jobs/${refused.id}/reject`, {})).state).toBe('rejected');
  expect(await town.must(tenant.dispatcher.token, 'PUT', `/jobs/${taken.id}/unassign`, {})).toMatchObject({
    state: 'created',
    vendor_job_assignment: null,
  });
});

test('a driver of the company replaces the vendor', async () => {
  const job = await passed();
  const own = await town.must(tenant.dispatcher.token, 'PATCH', `/jobs/${job.id}`, {
    driver_id: tenant.driver.id,
    compliance_override: true,
  });
  expect(own).toMatchObject({ state: 'assigned', driver: { id: tenant.driver.id }, vendor_job_assignment: null });
  expect((await town.call(vendor.dispatcher.token, 'GET', `/jobs/${job.id}`)).status).toBe(404);
  const events = await town.must(tenant.dispatcher.token, 'GET', `/jobs/${job.id}/job_events?page[limit]=3`);
  const override = events.find((event: Answer) => event.event_name === 'ComplianceOverride');
  expect(override.payload.overridden_by).toBe(tenant.dispatcher.id);
});

test('a parent of both sides assigns the hired company’s driver without ending the hire', async () => {
  const parent = await town.company();
  const [owner, hired] = [await town.tenant({ parentCompany: ref(parent) }), await town.tenant({ parentCompany: ref(parent) })];
  const hire = await town.account(owner.company, { accountTypes: ['vendor'], connectedCompany: ref(hired.company) });
  const { jobs } = await town.order(owner);
  await town.must(owner.dispatcher.token, 'PUT', `/jobs/${jobs[0].id}/assign_vendor`, { vendor_id: hire.id });
  const above = await town.user(parent, 'dispatcher');
  await town.must(above.token, 'PATCH', `/jobs/${jobs[0].id}`, { driver_id: hired.driver.id });
  expect((await town.must(owner.dispatcher.token, 'GET', `/jobs/${jobs[0].id}`)).vendor_job_assignment.vendor_account.id).toBe(hire.id);
  await town.must(above.token, 'PATCH', `/jobs/${jobs[0].id}`, { driver_id: owner.driver.id });
  expect((await town.must(owner.dispatcher.token, 'GET', `/jobs/${jobs[0].id}`)).vendor_job_assignment).toBeNull();
});

test("a vendor sees whose work it is, but not the customer's notes on its accounts and itself", async () => {
  const { jobs } = await town.order(tenant, { charge_to_account: 'C-9' });
  await town.must(tenant.dispatcher.token, 'PUT', `/jobs/${jobs[0].id}/assign_vendor`, { vendor_id: account.id });
  const em = town.orm.em.fork();
  const run = (sql: string, params: unknown[]) => em.getConnection().execute(sql, params);
  await run(`update account set notes = 'pays late', accounting_id = 'A-77', external_id = 'E-77' where company_id = ?`, [
    tenant.company.id,
  ]);
  await run(`update company set idp_organization_id = 'org-1', fuel_surcharge_percentage = 7.5 where id = ?`, [tenant.company.id]);
  const ask = async (token: string) => {
    const body = {
      query: `{ job(id: "${jobs[0].id}") { order { chargeToAccount account { id name notes accountingId externalId } } company { legalName idpOrganizationId fuelSurchargePercentage } } }`,
    };
    const { data } = await town.graphql(token, body.query);
    return [
      data.job.order.account.notes,
      data.job.order.account.accountingId,
      data.job.order.account.externalId,
      data.job.order.chargeToAccount,
      data.job.company.idpOrganizationId,
      data.job.company.fuelSurchargePercentage,
    ];
  };
  expect(await ask(vendor.dispatcher.token)).toEqual([null, null, null, null, null, null]);
  expect(await ask(tenant.dispatcher.token)).toEqual(['pays late', 'A-77', 'E-77', 'C-9', 'org-1', '7.5']);
});
