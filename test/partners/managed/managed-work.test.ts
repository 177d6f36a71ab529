import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { act, connect, jobOf, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { inviteInput } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** A company that `manager` invited and manages, with a driver and a truck. */
async function managedBy(manager: StaffedTenant) {
  const input = inviteInput({ equipment: { name: 'Old Blue', equipment_type_name: 'Tandem' } });
  const account = await manager.must('POST', '/v1/accounts/invite', input);
  const company: { id: string; platform_id: string } = account.connected_company;
  await manager.must('PUT', manager.path(`/managed_companies/${company.id}`), {});
  const named = { firstName: 'Mina', lastName: 'Wheel', email: `mina-${company.platform_id}@example.com` };
  const driver = await manager.save(User, { company: ref(Company, company.id), roles: ['driver'], ...named });
  const [truck] = await manager.must('GET', manager.path(`/equipment?filter[sender_company_ids][]=${company.id}`));
  return { company, driver: driver.id, truck: truck.id as string };
}

const JOBS = 'nodes { id jobs { nodes { id customerJobAssignment { rateValue } order { notes } } } }';

test('a manager reads nothing of the work that others pass on to the company', async () => {
  const [manager, customer, rival] = [await makeStaffedTenant(app), await makeStaffedTenant(app), await makeStaffedTenant(app)];
  const { company, driver, truck } = await managedBy(manager);
  const hired = await rival.must('POST', rival.path('/accounts/connected'), {
    platform_id: company.platform_id,
    account_types: ['vendor'],
  });
  const job = await jobOf(rival, { notes: 'For Rival alone' });
  const link = { vendor_account_id: hired.id, rate_type: 'RatePerLoad', rate_value: 777.25 };
  await rival.must('POST', rival.path(`/jobs/${job.id}/job_assignments`), link);
  // The driver and the truck are on it, as if the company had planned it.
  const crew = { driver, equipment: truck };
  await app.orm.em.fork().nativeUpdate(Job, { id: job.id }, crew as never, { filters: { tenant: false } });
  // The manager has work of others itself, so that its reads include such work.
  const ofCustomer = await jobOf(customer);
  await act(customer, ofCustomer.id, 'assign_vendor', { vendor_id: (await connect(customer, manager)).id });
  await act(customer, ofCustomer.id, 'request');
  const at = { c: manager.company.id, m: company.id };
  const below = async (list: string) =>
    (await manager.gql(`query($c: ID!, $m: ID!) { list: ${list}(companyId: $c, managedCompanyId: $m) { ${JOBS} } }`, at)).data.list.nodes;
  for (const [list, id] of [
    ['managedUsers', driver],
    ['managedDrivers', driver],
    ['managedEquipmentList', truck],
  ] as const)
    expect([list, (await below(list)).find((one: { id: string }) => one.id === id)]).toEqual([list, { id, jobs: { nodes: [] } }]);
  const one =
    'query($c: ID!, $m: ID!, $id: ID!) { managedDriver(companyId: $c, managedCompanyId: $m, id: $id) { jobs { count { value } } } }';
  expect((await manager.gql(one, { ...at, id: driver })).data.managedDriver.jobs.count.value).toBe(0);
  // Whoever passed it on reads it there.
  const { data } = await rival.gql(
    'query($id: ID!) { job(id: $id) { driver { id } equipment { id } vendorJobAssignment { rateValue } } }',
    {
      id: job.id,
    },
  );
  expect(data.job).toEqual({ driver: { id: driver }, equipment: { id: truck }, vendorJobAssignment: { rateValue: '777.25' } });
});
