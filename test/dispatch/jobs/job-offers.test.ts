import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { acceptedOrder, makeStaffedTenant, ONE_LOAD, readyJob, type StaffedTenant } from '../../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

const EVENTS = [
  'unassign',
  'request',
  'accept',
  'reject',
  'enroute',
  'arrive',
  'load_material',
  'unload_material',
  'complete_load',
  'complete',
];
const OFFICE = ['review', 'sign_off', 'flag', 'remove_flag', 'remove_signoff', 'pay', 'cancel'];

/** Events that are not offered and that the server refuses with 409 when tried; a refused event changes nothing. */
async function refused(job: Json): Promise<string[]> {
  const no: string[] = [];
  for (const event of [...EVENTS, ...OFFICE].filter((name) => !job.state_events.includes(name))) {
    const answer = await tenant.dispatcher.http('PUT', `/v1/jobs/${job.id}/${event}`, {});
    if (answer.status === 409) no.push(event);
  }
  return no.sort();
}

test('events that are not offered are refused, and offered ones succeed, in every state', async () => {
  const { jobs } = await acceptedOrder(tenant);
  let job = jobs[0];
  const steps: (() => Promise<Json>)[] = [
    () => tenant.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: tenant.driver.id }),
    ...['request', 'accept', ...ONE_LOAD, 'complete', 'review', 'flag', 'remove_flag'].map((event) => async () => {
      expect(job.state_events).toContain(event);
      return tenant.dispatcher.must('PUT', `/v1/jobs/${job.id}/${event}`, {});
    }),
  ];
  for (const step of steps) {
    const all = [...EVENTS, ...OFFICE].filter((name) => !job.state_events.includes(name));
    expect([job.state, await refused(job)]).toEqual([job.state, all.sort()]);
    job = await step();
  }
});

test('an order on hold keeps its trucks from being sent or leaving', async () => {
  const job = await readyJob(tenant);
  await tenant.dispatcher.must('PUT', `/v1/orders/${job.order.id}/hold`, {});
  const held = await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}`);
  expect(held.state_events).toEqual(expect.not.arrayContaining(['enroute', 'request']));
  expect((await tenant.driver.http('PUT', `/v1/jobs/${job.id}/enroute`, {})).status).toBe(409);
});

test('every refusal has a text in all three languages', async () => {
  const { jobs } = await acceptedOrder(tenant);
  const url = `/v1/jobs/${jobs[0].id}/resume`;
  const words = new Set<string>();
  for (const language of ['en', 'es-us', 'fr-ca']) {
    const answer = await tenant.dispatcher.http('PUT', url, undefined, { 'Accept-Language': language });
    words.add(answer.body.error.errors[0].message);
  }
  expect(words.size).toBe(3);
});
