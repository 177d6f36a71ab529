import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app, { company: { timeZone: 'America/Chicago' } });
});
afterAll(() => app.close());

const DAY = '2027-03-14';
const statsOf = (of: Tenant, day = DAY, token?: string) =>
  of.http('GET', `/v1/companies/${of.company.id}/company_day_job_stats/${day}`, undefined, token);

test('the jobs of a day are counted by state, with what the company could send', async () => {
  const before = (await statsOf(tenant)).body.data;
  expect(before).toMatchObject({ day: DAY, total_count: 0, orders_total_count: 0, pending_count: 0 });
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Tri-axle' });
  const truck = await tenant.save(Equipment, { company: ref(tenant.company), name: 'T-1', equipmentType: ref(type) });
  await tenant.save(Equipment, { company: ref(tenant.company), name: 'T-2', equipmentType: ref(type), state: 'inactive' });
  await tenant.save(Account, { company: ref(tenant.company), name: 'Hired', accountTypes: ['vendor'], truckCount: 3 });
  // The first moment of the day and the last: it has 23 hours. Each order comes with a job.
  const order = await makeOrder(tenant, { load_at: '2027-03-14T06:00:00Z' });
  const late = await makeOrder(tenant, { load_at: '2027-03-15T04:59:59Z' });
  await makeOrder(tenant, { load_at: '2027-03-15T05:00:00Z' });
  for (const step of ['request', 'accept']) await tenant.must('PUT', `/v1/orders/${order.id}/${step}`, {});
  const jobs = [];
  for (const { id } of [order, order, late, late])
    jobs.push(await tenant.must('POST', `/v1/orders/${id}/jobs`, { job_start_at: '2027-03-14T12:00:00Z' }));
  const [sent, accepted, canceled] = jobs;
  for (const job of [sent, accepted])
    await tenant.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: tenant.driver.id, equipment_id: truck.id });
  await tenant.must('PUT', `/v1/jobs/${sent.id}/request`, {});
  await tenant.must('PUT', `/v1/jobs/${accepted.id}/request`, {});
  await tenant.must('PUT', `/v1/jobs/${accepted.id}/accept`, {});
  await tenant.must('PUT', `/v1/jobs/${canceled.id}/cancel`, {});
  const answer = await statsOf(tenant);
  expect(answer.status).toBe(200);
  const { capacity_total_count, capacity_available_count, ...stats } = answer.body.data;
  expect(stats).toEqual({
    ...{ day: DAY, total_count: 6, unassigned_count: 3, assigned_count: 0, sent_count: 1, accepted_count: 1, rejected_count: 0 },
    ...{ enroute_count: 0, loaded_count: 0, unloaded_count: 0, completed_count: 0, canceled_count: 1 },
    ...{ has_been_accepted_count: 1, pending_count: 2, orders_total_count: 2, orders_pending_request_count: 0 },
  });
  expect(capacity_total_count - before.capacity_total_count).toBe(4);
  expect(capacity_total_count - capacity_available_count).toBe(2);
});

test('A11 company_day_job_stats/2026-02-30: a date must be one; other companies do not see them, and a driver counts own work', async () => {
  const other = await makeTenant(app);
  expect((await statsOf(tenant, DAY, other.token)).status).toBe(404);
  const driver = await tenant.person({ roles: ['driver'] });
  expect((await statsOf(tenant, DAY, driver.token)).body.data).toMatchObject({
    total_count: 0,
    orders_total_count: 0,
    capacity_total_count: 0,
  });
  const answer = await statsOf(tenant, '2026-02-30');
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body)).toContain('date');
});

test('GraphQL counts the same in one statement', async () => {
  const { value, statements } = await app.countStatements(() =>
    tenant.gql('query ($day: Date!) { companyDayJobStats(date: $day) { day totalCount ordersTotalCount capacityTotalCount } }', {
      day: DAY,
    }),
  );
  const { data } = (await statsOf(tenant)).body;
  expect(value.data.companyDayJobStats).toEqual({
    ...{ day: DAY, totalCount: data.total_count, ordersTotalCount: data.orders_total_count, capacityTotalCount: data.capacity_total_count },
  });
  expect(statements.filter((one) => one.includes('from job j'))).toHaveLength(1);
});
