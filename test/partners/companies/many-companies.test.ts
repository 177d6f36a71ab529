import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeYard, orderInput, type Yard } from '../../helpers/yard.ts';

let app: TestApp;
let yard: Yard;
let admin: string;
beforeAll(async () => {
  app = await startTestApp();
  yard = await makeYard(app);
  // A second one: a single company is compared otherwise.
  await makeYard(app);
  admin = (await yard.person({ roles: ['platform_admin'] })).token;
});
afterAll(() => app.close());

/** Reads and changes of records whose company no path names, so that every company is asked. */
async function work(): Promise<string[]> {
  const order = await makeOrder(yard);
  const path = `/v1/orders/${order.id}`;
  const [job] = await yard.must('GET', `${path}/jobs`);
  forgetViewers(app.application);
  const { statements } = await app.countStatements(async () => {
    await yard.must('GET', path, undefined, admin);
    await yard.must('PATCH', path, { notes: 'Gate 2', material_id: yard.material.id, foreman_ids: [] }, admin);
    await yard.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: yard.driver.id }, admin);
    await yard.must('PUT', `/v1/jobs/${job.id}/unassign`, {}, admin);
    await yard.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: yard.vendor.id }, admin);
    await yard.must('GET', `/v1/users/${yard.driver.id}`, undefined, admin);
    await yard.must('PATCH', `/v1/users/${yard.driver.id}`, { external_id: null }, admin);
    await yard.must('POST', yard.path('/orders'), orderInput(yard), admin);
    await yard.must('GET', '/v1/orders?search[datagrid]=gate', undefined, admin);
    await yard.must('GET', `/v1/jobs/${job.id}/timeline`, undefined, admin);
    await yard.must('PATCH', `/v1/sites/${yard.pickup.id}`, { name: 'Quarry' }, admin);
  });
  return statements;
}

test('the statements of somebody who sees every company do not grow with the number of companies', async () => {
  // MikroORM writes values into the text: a list of companies must be one of them.
  const shape = (statements: string[]) => statements.map((sql) => sql.replace(/'[^']*'/g, "'?'").replace(/, \d+/g, ', 0'));
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
