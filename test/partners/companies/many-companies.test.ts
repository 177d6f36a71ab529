import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let admin: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  // A second one: a single company is compared otherwise.
  await makeTenant(app);
  admin = (await tenant.person({ roles: ['platform_admin'] })).token;
});
afterAll(() => app.close());

/** Reads and changes of records whose company no path names, so that every company is asked. */
async function work(): Promise<string[]> {
  const order = await makeOrder(tenant);
  const path = `/v1/orders/${order.id}`;
  const [job] = await tenant.must('GET', `${path}/jobs`);
  forgetViewers(app.application);
  const { statements } = await app.countStatements(async () => {
    await tenant.must('GET', path, undefined, admin);
    await tenant.must('PATCH', path, { notes: 'Gate 2', material_id: tenant.material.id, foreman_ids: [] }, admin);
    await tenant.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: tenant.driver.id }, admin);
    await tenant.must('PUT', `/v1/jobs/${job.id}/unassign`, {}, admin);
    await tenant.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: tenant.vendor.id }, admin);
    await tenant.must('GET', `/v1/users/${tenant.driver.id}`, undefined, admin);
    await tenant.must('PATCH', `/v1/users/${tenant.driver.id}`, { external_id: null }, admin);
    await tenant.must('POST', tenant.path('/orders'), orderInput(tenant), admin);
    await tenant.must('GET', '/v1/orders?search[datagrid]=gate', undefined, admin);
    await tenant.must('GET', `/v1/jobs/${job.id}/timeline`, undefined, admin);
    await tenant.must('PATCH', `/v1/sites/${tenant.pickup.id}`, { name: 'Quarry' }, admin);
  });
  return statements;
}

test('the statements of somebody who sees every company do not grow with the number of companies', async () => {
  // MikroORM writes values into the text: a list of companies must be one of them.
  const shape = (statements: string[]) => statements.map((sql) => sql.replace(/'[^']*'/g, "'?'").replace(/, \d+/g, ', 0'));
  // A value that is remembered for a while is looked up once, and a record is read in another way when eight were.
  for (let n = 0; n < 4; n++) await work();
  const few = await work();
  const em = app.orm.em.fork();
  for (let n = 0; n < 300; n++)
    em.persist(
      Object.assign(new Company(), {
        legalName: `One of many ${n}`,
        companyType: 'hauler',
        platformId: (0xe00000 + n).toString(16).toUpperCase(),
      }),
    );
  await em.flush();
  const many = await work();
  expect(shape(many)).toEqual(shape(few));
});
