import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Job } from '../../src/dispatch/model/job.entity.ts';
import { Load } from '../../src/dispatch/model/load.entity.ts';
import { Order } from '../../src/dispatch/model/order.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { drive, jobOfChain, makeChain, makeStaffedTenant, readyJob, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import type { Person } from '../helpers/tenant.ts';
import { makeTicket } from './make-ticket.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

const HAND_OVER = `mutation($id: ID!, $driverId: ID!, $equipmentId: ID) {
  handOverJob(id: $id, driverId: $driverId, equipmentId: $equipmentId) {
    id state driver { id }
    loads { nodes { id ordinality state quantity continuesLoad { id loadId state } loadSummary { arrivedPickupAt loadedAt arrivedDropoffAt } } }
  }
}`;
const handOver = async (id: string, driverId: string, by: Pick<Person, 'gql'> = tenant.dispatcher): Promise<Json> =>
  by.gql(HAND_OVER, { id, driverId });
const handedOver = async (id: string, driverId: string): Promise<Json> => {
  const { data, errors } = await handOver(id, driverId);
  expect(errors).toBeUndefined();
  const { loads, ...job } = data.handOverJob;
  return { ...job, loads: loads.nodes.sort((a: Json, b: Json) => a.ordinality - b.ordinality) };
};
const refusal = ({ errors: [{ extensions }] }: Json) => [extensions.code, extensions.errors?.[0]?.field, extensions.errors?.[0]?.message];
const second = (): Promise<Person> => tenant.person({ firstName: 'Ben', roles: ['driver'] });
const loadsOf = async (job: string): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/jobs/${job}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);

test('A12: a load that is re-assigned after its ticket arrived keeps it: the second driver goes on with what is on board, and it is counted once', async () => {
  const job = await readyJob(tenant, { loads_per_truck: 2 });
  await drive(tenant.driver, job.id, 'enroute', 'arrive', 'load_material', 'enroute');
  const [load] = await loadsOf(job.id);
  await tenant.dispatcher.must('PATCH', `/v1/loads/${load.id}`, { quantity: '21.5', unit_of_measure: 'Ton' });
  const ticket = await makeTicket(tenant, {
    ...{ order: ref(Order, job.order.id), job: ref(Job, job.id), load: ref(Load, load.id) },
    ...{ ticketNumber: 'T-hand-over', state: 'pending' },
  });
  const { user, token, ...ben } = await second();
  const next = await handedOver(job.id, user.id);
  expect(next).toMatchObject({ state: 'to_dropoff', driver: { id: user.id } });
  expect(next.loads).toMatchObject([
    { state: 'to_dropoff', quantity: '21.5', continuesLoad: { id: load.id, loadId: load.load_id, state: 'canceled' } },
    { state: 'created', quantity: null, continuesLoad: null },
  ]);
  const { arrived_pickup_at, loaded_at } = load.load_summary;
  expect(next.loads[0].loadSummary).toEqual({ arrivedPickupAt: arrived_pickup_at, loadedAt: loaded_at, arrivedDropoffAt: null });

  expect((await ben.must('GET', '/v1/users/me/driver_day')).current_driver_state_event.state).toBe('on_duty');
  expect((await tenant.must('GET', `/v1/jobs/${job.id}`)).state).toBe('completed');
  expect((await loadsOf(job.id)).map(({ state, load_summary }) => [state, load_summary.loaded_at])).toEqual([
    ['canceled', null],
    ['canceled', null],
  ]);
  const events = await tenant.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=100`);
  const reasons = events.filter((event: Json) => event.event_name === 'LoadCanceled').map((event: Json) => event.payload?.reason ?? null);
  expect(reasons.sort()).toEqual(['handed_over', null]);
  expect(events.map((event: Json) => event.event_name)).toEqual(expect.arrayContaining(['JobDriverChanged', 'JobCompleted']));
  const moved = await tenant.gql('query($id: ID!) { ticket(id: $id) { load { id } job { id } } }', { id: ticket.id });
  expect(moved.data.ticket).toEqual({ load: { id: next.loads[0].id }, job: { id: next.id } });
  expect(await tenant.must('GET', `/v1/tickets/${ticket.id}/verify`)).toMatchObject({ unbroken: true });

  for (const event of ['arrive', 'unload_material', 'complete_load', 'complete']) await ben.must('PUT', `/v1/jobs/${next.id}/${event}`, {});
  // Hours and positions of the new job count from its departure.
  expect((await tenant.must('GET', `/v1/jobs/${next.id}/summary`)).logging_started_at).toEqual(expect.any(String));
  const driven = await tenant.must('GET', tenant.path(`/orders/${job.order.id}/loads`));
  expect(driven.map(({ state }: Json) => state).filter((state: string) => state !== 'canceled')).toEqual(['completed']);
});

test('where nothing is on board the second truck begins anew, also after a break, and all that is left goes with it', async () => {
  const job = await readyJob(tenant, { loads_per_truck: 3 });
  await drive(
    tenant.driver,
    job.id,
    'enroute',
    'arrive',
    'load_material',
    'enroute',
    'arrive',
    'unload_material',
    'complete_load',
    'enroute',
  );
  await tenant.driver.must('PUT', `/v1/jobs/${job.id}/pause`, {});
  const { user } = await second();
  const next = await handedOver(job.id, user.id);
  expect(next).toMatchObject({ state: 'assigned', driver: { id: user.id } });
  const [, under] = await loadsOf(job.id);
  expect(next.loads.map(({ state, continuesLoad }: Json) => [state, continuesLoad?.id ?? null])).toEqual([
    ['created', under.id],
    ['created', null],
  ]);
  expect((await loadsOf(job.id)).map(({ state }) => state)).toEqual(['completed', 'canceled', 'canceled']);
});

test('a job that is not under way, the same driver, nobody, and a job with nothing left are refused, and nothing changes', async () => {
  const { user } = await second();
  const ready = await readyJob(tenant);
  expect(refusal(await handOver(ready.id, user.id))).toMatchObject(['conflict', 'state', expect.stringContaining('not under way')]);
  await drive(tenant.driver, ready.id, 'enroute', 'arrive', 'load_material');
  expect(refusal(await handOver(ready.id, tenant.driver.id))).toMatchObject(['unprocessable_content', 'driverId', expect.anything()]);
  expect(refusal(await handOver(ready.id, tenant.dispatcher.id))).toMatchObject(['unprocessable_content', 'driverId', expect.anything()]);
  expect(refusal(await handOver(ready.id, ready.id))).toMatchObject(['unprocessable_content', 'driverId', expect.anything()]);
  await drive(tenant.driver, ready.id, 'enroute', 'arrive', 'unload_material');
  expect(refusal(await handOver(ready.id, user.id))).toMatchObject(['conflict', 'state', expect.stringContaining('left')]);
  expect((await handOver(ready.id, user.id, tenant.driver)).errors[0].extensions.code).toBe('forbidden');
  expect((await tenant.must('GET', `/v1/orders/${ready.order.id}/jobs`)).map(({ state }: Json) => state)).toEqual(['unloaded']);
});

test('two that hand a job over at once make one job', async () => {
  const job = await readyJob(tenant);
  await drive(tenant.driver, job.id, 'enroute', 'arrive', 'load_material');
  const drivers = await Promise.all([second(), second()]);
  const answers = await Promise.all(drivers.map(({ id }) => handOver(job.id, id)));
  expect(answers.map(({ errors }) => errors?.[0].extensions.code ?? 'done').sort()).toEqual(['conflict', 'done']);
  expect((await tenant.must('GET', `/v1/orders/${job.order.id}/jobs`)).map(({ state }: Json) => state).sort()).toEqual([
    'completed',
    'loaded',
  ]);
});

test('the owner takes over from a vendor with a driver of its own, and not with one of the vendor', async () => {
  const { owner, middle, hired } = await makeChain(app);
  const job = await readyJob(owner);
  await owner.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: null });
  await owner.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: hired.id });
  await middle.must('PATCH', middle.path(`/jobs/${job.id}`), { driver_id: middle.driver.id });
  await owner.must('PUT', `/v1/jobs/${job.id}/request`, {});
  await middle.driver.must('PUT', `/v1/jobs/${job.id}/accept`, {});
  await drive(middle.driver, job.id, 'enroute', 'arrive', 'load_material');
  const relief = await middle.person({ roles: ['driver'] });
  expect(refusal(await handOver(job.id, relief.id, owner.dispatcher))).toMatchObject(['unprocessable_content', 'driverId', 'must exist']);
  const { data, errors } = await handOver(job.id, owner.driver.id, owner.dispatcher);
  expect(errors).toBeUndefined();
  expect(data.handOverJob).toMatchObject({ state: 'loaded', driver: { id: owner.driver.id } });
  expect((await middle.http('GET', middle.path(`/jobs/${data.handOverJob.id}`))).status).toBe(404);
});

/** The names of the companies along the links of a job, and what each pays the next. */
const linksOfJob = async (id: string): Promise<Json[]> =>
  app.orm.em.execute(
    `select c.legal_name as customer, v.legal_name as vendor, a.link, a.rate_value::float as rate from job_assignment a
     join company c on c.id = a.customer_company_id join company v on v.id = a.vendor_company_id where a.job_id = ? order by a.link`,
    [id],
  );

test.each([
  ['the last vendor of a chain hands its job over to a driver of its own', 'last', 2],
  ['a vendor takes over from the one that it hired', 'middle', 1],
] as const)('%s, in the middle of a load, and the companies above pay as before', async (_, who, links) => {
  const chain = await makeChain(app);
  const { id, go } = await jobOfChain(chain);
  const { owner, middle, last } = chain;
  await app.orm.em.execute('update job_assignment set rate_value = 10 + link where job_id = ?', [id]);
  const before = await linksOfJob(id);
  expect(before).toHaveLength(2);
  for (const event of ['enroute', 'arrive', 'load_material']) await go(event);
  const vendor = chain[who];
  const relief = await vendor.person({ roles: ['driver'] });
  // A driver hands nothing over, and nobody of a company above is sent by a vendor.
  expect((await handOver(id, relief.id, relief)).errors[0].extensions.code).toBe('forbidden');
  expect(refusal(await handOver(id, owner.driver.id, vendor.dispatcher))).toMatchObject([
    'unprocessable_content',
    'driverId',
    'must exist',
  ]);
  const { data, errors } = await handOver(id, relief.id, vendor.dispatcher);
  expect(errors).toBeUndefined();
  expect(data.handOverJob).toMatchObject({ state: 'loaded', driver: { id: relief.id } });
  const next = data.handOverJob.id;
  expect(await linksOfJob(next)).toEqual(before.slice(0, links));
  expect((await owner.must('GET', `/v1/jobs/${id}`)).state).toBe('completed');
  expect((await middle.http('GET', middle.path(`/jobs/${next}`))).status).toBe(200);
  expect((await last.http('GET', last.path(`/jobs/${next}`))).status).toBe(who === 'last' ? 200 : 404);
  // The owner reads who hauls it as it did before, and counts the load once.
  const jobs: Json[] = await owner.must('GET', `/v1/orders/${(await owner.must('GET', `/v1/jobs/${id}`)).order.id}/jobs`);
  expect(jobs.map(({ id: one, state }) => [one === next, state]).sort()).toEqual([
    [false, 'completed'],
    [true, 'loaded'],
  ]);
  for (const event of ['enroute', 'arrive', 'unload_material', 'complete_load', 'complete'])
    await relief.must('PUT', `/v1/jobs/${next}/${event}`, {});
  expect((await owner.must('GET', `/v1/jobs/${next}`)).state).toBe('completed');
});
