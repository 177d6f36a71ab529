import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { Job } from '../../src/dispatch/model/job.entity.ts';
import { Load } from '../../src/dispatch/model/load.entity.ts';
import { Order } from '../../src/dispatch/model/order.entity.ts';
import { newId } from '../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { makeTicket } from './make-ticket.ts';

let app: TestApp;
let tenant: Tenant;
/** An order with its job and load, and one of each that nobody has. */
const there: Record<string, unknown> = {};
const nowhere = {
  load: ref(Load, newId()),
  job: ref(Job, newId()),
  order: ref(Order, newId()),
  company: ref(Company, newId()),
};
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  const order = await makeOrder(tenant);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const [load] = await tenant.must('GET', tenant.path(`/orders/${order.id}/loads`));
  Object.assign(there, { order: ref(Order, order.id), job: ref(Job, job.id), load: ref(Load, load.id) });
});
afterAll(() => app.close());

test.each([
  ['company', [], 'ticket_loose_company_id_fkey'],
  ['order', [], 'ticket_loose_order_id_fkey'],
  ['job', ['order'], 'ticket_loose_job_id_fkey'],
  ['load', ['order', 'job'], 'ticket_load_id_fkey'],
] as const)('a ticket cannot refer to a %s that does not exist', async (lacking, present, constraint) => {
  const fields = Object.fromEntries(present.map((name) => [name, there[name]]));
  await expect(makeTicket(tenant, { ...fields, [lacking]: nowhere[lacking] })).rejects.toThrow(constraint);
});

test('a ticket on a load names its job, and one of a job its order, as their keys require', async () => {
  await expect(makeTicket(tenant, { load: there.load, order: there.order })).rejects.toThrow('ticket_load_of_job');
  await expect(makeTicket(tenant, { job: there.job })).rejects.toThrow('ticket_job_of_order');
});
