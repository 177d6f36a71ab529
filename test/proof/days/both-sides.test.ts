// What a new user tries, by REST alone and by GraphQL alone: a foreman of the customer and a biller of the vendor approve the same day.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { shortHaul } from '../../helpers/staffed-tenant.ts';
import { makeTenant, orderInput, type Person, type Tenant } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

/** An approval as somebody reads it. */
interface Approval {
  category: string;
  as: string;
  by: string;
  byId: string;
  outside: string | null;
}
/** A day as somebody reads it. */
interface Day {
  approved: boolean;
  approvable: boolean;
  foreman: boolean;
  biller: boolean;
  jobs: number;
  externalId: string | null;
}

/** The acts by one interface. */
interface Client {
  hire(customer: Tenant, vendor: Tenant): Promise<string>;
  /** An accepted order of one job and one load. @returns the job */
  order(of: Tenant, more: { foremanIds?: string[]; driverId?: string }): Promise<string>;
  pass(customer: Tenant, job: string, account: string): Promise<unknown>;
  give(vendor: Tenant, job: string, driver: Person): Promise<unknown>;
  haul(driver: Person, job: string): Promise<unknown>;
  off(driver: Person): Promise<string>;
  name(vendor: Tenant, day: string, externalId: string): Promise<unknown>;
  days(by: Person): Promise<string[]>;
  day(by: Person, id: string): Promise<Day>;
  sees(by: Person, job: string): Promise<boolean>;
  /** @returns whether it was taken */
  approve(by: Person, day: string, input?: { approvalType?: string; externalApproverName?: string }): Promise<boolean>;
  approvals(by: Person, day: string): Promise<Approval[]>;
}

const REST: Client = {
  hire: async (customer, vendor) =>
    (
      await customer.must('POST', customer.path('/accounts/connected'), {
        platform_id: vendor.company.platformId,
        account_types: ['vendor'],
      })
    ).id,
  async order(of, { foremanIds, driverId }) {
    const more = { loads_per_truck: 1, material_id: of.material.id, foreman_ids: foremanIds, driver_id: driverId };
    const { id } = await of.must('POST', '/v1/orders', orderInput(of, more));
    await of.must('PUT', `/v1/orders/${id}/accept`, {});
    return (await of.must('GET', `/v1/orders/${id}/jobs`))[0].id;
  },
  pass: (customer, job, account) => customer.must('PUT', `/v1/jobs/${job}/assign_vendor`, { vendor_id: account }),
  async give(vendor, job, driver) {
    await vendor.must('PATCH', `/v1/jobs/${job}`, { driver_id: driver.id });
    await vendor.must('PUT', `/v1/jobs/${job}/request`, {});
  },
  async haul(driver, job) {
    for (const event of ['accept', ...shortHaul()]) await driver.must('PUT', `/v1/jobs/${job}/${event}`, {});
  },
  off: async (driver) => (await driver.must('PUT', '/v1/users/me/driver_day/off_duty', {})).id,
  name: (vendor, day, external_id) => vendor.must('PATCH', `/v1/driver_days/${day}`, { external_id }),
  days: async (by) => (await by.must('GET', '/v1/driver_days')).map(({ id }: Json) => id),
  async day(by, id) {
    const { approved, approvable, approval_status: status, jobs_count, external_id } = await by.must('GET', `/v1/driver_days/${id}`);
    const { foreman_approved: foreman, biller_approved: biller } = status;
    return { approved, approvable, foreman, biller, jobs: jobs_count, externalId: external_id };
  },
  sees: async (by, job) => (await by.http('GET', `/v1/jobs/${job}`)).status === 200,
  async approve(by, day, { approvalType: approval_type, externalApproverName: external_approver_name } = {}) {
    const { status } = await by.http('PUT', `/v1/driver_days/${day}/approve`, { approval_type, external_approver_name });
    expect([200, 403, 422]).toContain(status);
    return status === 200;
  },
  approvals: async (by, day) =>
    (await by.must('GET', `/v1/driver_days/${day}/approvals`)).map((one: Json) => ({
      ...{ category: one.approval_category, as: one.approval_type, by: one.approver_type, byId: one.approver_id },
      outside: one.external_approver_name,
    })),
};

async function run(by: Pick<Person, 'gql'>, query: string, variables: Record<string, unknown>): Promise<Json> {
  const { data, errors } = await by.gql(query, variables);
  expect(errors).toBeUndefined();
  return Object.values(data)[0];
}
const onJob = (by: Pick<Person, 'gql'>, mutation: string, id: string): Promise<Json> =>
  run(by, `mutation ($id: ID!) { ${mutation}(id: $id) { id } }`, { id });

const GRAPHQL: Client = {
  hire: async (customer, { company: { platformId } }) =>
    (
      await run(customer, 'mutation ($input: ConnectAccountInput!) { connectAccount(input: $input) { id } }', {
        input: { platformId, accountTypes: ['vendor'] },
      })
    ).id,
  async order(of, more) {
    const waypoints = [of.pickup, of.dropoff].map(({ id }, ordinality) => ({
      ...{ type: ordinality === 0 ? 'pickup' : 'drop_off', siteId: id, ordinality },
    }));
    const input = {
      ...{ loadAt: '2026-11-23T12:00:00.000Z', truckCount: 1, truckDelay: 0, loadsPerTruck: 1, waypoints, materialId: of.material.id },
      ...{ accountId: of.account.id, serviceId: of.service.id, ...more },
    };
    const query = 'mutation ($input: CreateOrderInput!) { createOrder(input: $input) { id jobs { nodes { id } } } }';
    const { id, jobs } = await run(of, query, { input });
    await onJob(of, 'acceptOrder', id);
    return jobs.nodes[0].id;
  },
  pass: (customer, id, vendorId) =>
    run(customer, 'mutation ($id: ID!, $input: AssignVendorInput!) { assignVendorToJob(id: $id, input: $input) { id } }', {
      ...{ id, input: { vendorId } },
    }),
  async give(vendor, id, driver) {
    await run(vendor, 'mutation ($id: ID!, $input: UpdateJobInput!) { updateJob(id: $id, input: $input) { id } }', {
      ...{ id, input: { driverId: driver.id } },
    });
    await onJob(vendor, 'sendJob', id);
  },
  async haul(driver, job) {
    for (const event of ['acceptJob', 'enrouteJob', 'loadJobMaterial', 'enrouteJob', 'unloadJobMaterial', 'completeJob'])
      await onJob(driver, event, job);
  },
  off: async (driver) => (await run(driver, 'mutation { setMyDriverDay(state: off_duty) { id } }', {})).id,
  name: (vendor, id, externalId) =>
    run(vendor, 'mutation ($id: ID!, $input: UpdateDriverDayInput!) { updateDriverDay(id: $id, input: $input) { id } }', {
      ...{ id, input: { externalId } },
    }),
  days: async (by) => (await run(by, '{ driverDays { nodes { id } } }', {})).nodes.map(({ id }: Json) => id),
  async day(by, id) {
    const query = `query ($id: ID!) { driverDay(id: $id) { approved approvable jobs: jobsCount externalId approvalStatus { foremanApproved billerApproved } } }`;
    const { approvalStatus, ...day } = await run(by, query, { id });
    return { ...day, foreman: approvalStatus.foremanApproved, biller: approvalStatus.billerApproved };
  },
  sees: async (by, id) => Boolean((await by.gql('query ($id: ID!) { job(id: $id) { id } }', { id })).data?.job),
  async approve(by, id, input) {
    const { errors } = await by.gql('mutation ($id: ID!, $input: ApprovalInput) { approveDriverDay(id: $id, input: $input) { id } }', {
      ...{ id, input },
    });
    return errors === undefined;
  },
  approvals: async (by, id) =>
    (
      await run(
        by,
        `query ($id: ID!) { driverDayApprovals(driverDayId: $id) { nodes {
           category: approvalCategory as: approvalType by: approverType byId: approverId outside: externalApproverName } } }`,
        { id },
      )
    ).nodes,
};

test.each([
  ['REST', REST],
  ['GraphQL', GRAPHQL],
])('by %s alone: a foreman of the customer and a biller of the vendor approve the same day, and see what they may', async (_, client) => {
  const company = { timeZone: zoneAt(12) };
  const [customer, vendor] = [await makeTenant(app, { company }), await makeTenant(app, { company })];
  const foreman = await customer.person({ roles: ['foreman'] });
  const biller = await vendor.person({ roles: ['biller'] });
  const { driver } = vendor;
  const hired = await client.order(customer, { foremanIds: [foreman.id] });
  await client.pass(customer, hired, await client.hire(customer, vendor));
  await client.give(vendor, hired, driver);
  await client.haul(driver, hired);
  // The vendor has work of its own on that day.
  const own = await client.order(vendor, { driverId: driver.id });
  await client.haul(driver, own);
  const day = await client.off(driver);
  await client.name(vendor, day, 'SHIFT-9');

  const open = { approved: false, approvable: true, foreman: false, biller: false };
  expect(await client.days(foreman)).toEqual([day]);
  expect(await client.day(foreman, day)).toEqual({ ...open, jobs: 1, externalId: null });
  expect(await client.day(biller, day)).toEqual({ ...open, jobs: 2, externalId: 'SHIFT-9' });
  expect([await client.sees(foreman, hired), await client.sees(foreman, own)]).toEqual([true, false]);

  // In the field, and in no other way.
  expect(await client.approve(foreman, day, { approvalType: 'biller' })).toBe(false);
  expect(await client.approve(foreman, day, { externalApproverName: 'Pat of the site' })).toBe(true);
  expect(await client.approve(foreman, day)).toBe(false);
  expect(await client.day(foreman, day)).toEqual({ ...open, foreman: true, jobs: 1, externalId: null });
  expect(await client.day(biller, day)).toEqual({ ...open, jobs: 2, externalId: 'SHIFT-9' });
  const inTheField = { category: 'field', as: 'foreman', by: 'User', byId: foreman.id, outside: 'Pat of the site' };
  expect(await client.approvals(biller, day)).toEqual([inTheField]);

  expect(await client.approve(biller, day)).toBe(true);
  expect(await client.day(biller, day)).toMatchObject({ approved: true, approvable: false, foreman: false, biller: true });
  expect(await client.day(foreman, day)).toMatchObject({ approved: false, foreman: true, biller: false });
  // The vendor's people know who it was; the customer knows that the company did.
  const category = 'billing';
  expect(await client.approvals(biller, day)).toContainEqual({ category, as: 'biller', by: 'User', byId: biller.id, outside: null });
  const [billed] = (await client.approvals(foreman, day)).filter((one) => one.category === category);
  expect(billed).toMatchObject({ as: 'biller', by: 'Company', outside: null });
  expect(billed!.byId).not.toBe(biller.id);
});
