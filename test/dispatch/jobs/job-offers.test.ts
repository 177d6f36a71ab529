import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Answer, JobTown, ONE_LOAD, type Tenant } from './job-town.ts';

let town: JobTown;
let tenant: Tenant;
beforeAll(async () => {
  town = await JobTown.open();
  tenant = await town.tenant();
});
afterAll(() => town.close());

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
async function refused(job: Answer): Promise<string[]> {
  const no: string[] = [];
  for (const event of [...EVENTS, ...OFFICE].filter((name) => !job.state_events.includes(name))) {
    const answer = await town.call(tenant.dispatcher.token, 'PUT', `/jobs/${job.id}/${event}`, {});
    if (answer.status === 409) no.push(event);
  }
  return no.sort();
}

test('events that are not offered are refused, and offered ones succeed, in every state', async () => {
  const { jobs } = await town.order(tenant);
  let job = jobs[0];
  const steps: (() => Promise<Answer>)[] = [
    () => town.must(tenant.dispatcher.token, 'PATCH', `/jobs/${job.id}`, { driver_id: tenant.driver.id }),
    ...['request', 'accept', ...ONE_LOAD, 'complete', 'review', 'flag', 'remove_flag'].map((event) => async () => {
      expect(job.state_events).toContain(event);
      return town.must(tenant.dispatcher.token, 'PUT', `/jobs/${job.id}/${event}`, {});
    }),
  ];
  for (const step of steps) {
    const all = [...EVENTS, ...OFFICE].filter((name) => !job.state_events.includes(name));
    expect([job.state, await refused(job)]).toEqual([job.state, all.sort()]);
    job = await step();
  }
});

test('an order on hold keeps its trucks from being sent or leaving', async () => {
  const job = await town.readyJob(tenant);
  await town.must(tenant.dispatcher.token, 'PUT', `/orders/${job.order.id}/hold`, {});
  const held = await town.must(tenant.dispatcher.token, 'GET', `/jobs/${job.id}`);
  expect(held.state_events).toEqual(expect.not.arrayContaining(['enroute', 'request']));
  expect((await town.call(tenant.driver.token, 'PUT', `/jobs/${job.id}/enroute`, {})).status).toBe(409);
});

test('every refusal has a text in all three languages', async () => {
  const { jobs } = await town.order(tenant);
  const url = `/jobs/${jobs[0].id}/resume`;
  const words = new Set<string>();
  for (const language of ['en', 'es-us', 'fr-ca']) {
    const answer = await town.call(tenant.dispatcher.token, 'PUT', url, undefined, { 'Accept-Language': language });
    words.add(answer.body.error.errors[0].message);
  }
  expect(words.size).toBe(3);
});
