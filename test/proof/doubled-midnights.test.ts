import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Job } from '../../src/dispatch/model/job.entity.ts';
import { Order } from '../../src/dispatch/model/order.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeStaffedTenant, plannedOrder } from '../helpers/staffed-tenant.ts';
import { makeTicket } from './make-ticket.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

test.each([
  // At one o'clock, which is that of Greenwich, clocks of the Azores fall back to midnight.
  [
    'Atlantic/Azores',
    ['2026-10-24T23:59:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-26T00:59:00Z', '2026-10-26T01:00:00Z'],
  ],
  [
    'America/Havana',
    ['2026-11-01T03:59:00Z', '2026-11-01T04:00:00Z', '2026-11-01T05:00:00Z', '2026-11-02T04:59:00Z', '2026-11-02T05:00:00Z'],
  ],
])('in %s the day whose midnight is there twice has the tickets of both hours', async (timeZone, served) => {
  const of = await makeStaffedTenant(app, { timeZone });
  const project: Json = await of.must('POST', '/v1/projects', { name: 'Quay', account_id: of.account.id });
  const order = await plannedOrder(of, { project_id: project.id });
  for (const [i, at] of served.entries())
    await makeTicket(of, {
      ...{
        order: ref(Order, order.id),
        job: ref(Job, order.jobs[0].id),
        state: 'pending',
        unitOfMeasure: 'Ton',
        material: ref(of.material),
      },
      ...{ serviceDate: new Date(at), ticketNumber: `Q-${i}`, quantity: '10' },
    });
  const all: Json[] = await of.admin.must('GET', of.path(`/projects/${project.id}/agency_tickets`));
  expect(all.map(({ running_total: total }) => total?.loads_count)).toEqual([1, 1, 2, 3, 1]);
});
