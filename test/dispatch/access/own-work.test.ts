import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { Load } from '../../../src/dispatch/model/load.entity.ts';
import { Order } from '../../../src/dispatch/model/order.entity.ts';
import { Project } from '../../../src/dispatch/model/project.entity.ts';
import { Ticket } from '../../../src/proof/ticket.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
type Person = Awaited<ReturnType<Tenant['person']>>;

let app: TestApp;
let tenant: Tenant;
/** Two trucks: Dora drives the first, Otto the second; Fay leads the order. */
let order: Json;
let jobs: Json[];
/** Nobody's of these. */
let foreign: Json;
let dora: Person;
let otto: Person;
let fay: Person;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
  dora = await tenant.person({ firstName: 'Dora', lastName: 'Wheel', roles: ['driver'] });
  otto = await tenant.person({ firstName: 'Otto', lastName: 'Axle', roles: ['driver'] });
  fay = await tenant.person({ firstName: 'Fay', lastName: 'Foreman', roles: ['foreman'] });
  order = await makeOrder(tenant, { truck_count: 2, foreman_ids: [fay.user.id] });
  foreign = await makeOrder(tenant);
  jobs = await tenant.must('GET', `/v1/orders/${order.id}/jobs?sort[priority]=asc`);
  for (const [at, { user }] of [dora, otto].entries())
    await tenant.must('PATCH', tenant.path(`/jobs/${jobs[at].id}`), { driver_id: user.id });
  await change(Job, jobs[0].id, { foremanIds: [] });
  await change(Job, jobs[1].id, { foremanIds: [] });
});

const change = (entity: typeof Job | typeof Order, id: string, fields: object) =>
  app.orm.em.fork().nativeUpdate(entity as typeof Job, { id }, fields, { filters: { tenant: false } });
const ids = async (path: string, { token }: { token: string }): Promise<string[]> =>
  (await tenant.must('GET', path, undefined, token)).map(({ id }: { id: string }) => id).sort();
const status = async (path: string, { token }: { token: string }) => (await tenant.http('GET', path, undefined, token)).status;
const both = () => jobs.map(({ id }) => id).sort();
const project = (fields: object = {}) =>
  tenant.save(Project, {
    company: ref(tenant.company),
    account: ref(tenant.account),
    number: Math.floor(Math.random() * 1e8),
    projectId: `P-${Math.random()}`,
    name: 'Bridge',
    ...fields,
  });
const ticketOf = (orderId: string, jobId?: string) =>
  tenant.save(Ticket, {
    company: ref(tenant.company),
    order: ref(Order, orderId),
    job: jobId ? ref(Job, jobId) : null,
    ticketNumber: `T-${Math.random()}`,
    externalTruckId: jobId ?? 'none',
  });

test('a driver reads the jobs they drive with all records of these jobs, and nothing of other jobs', async () => {
  const tickets = [await ticketOf(order.id, jobs[0].id), await ticketOf(order.id, jobs[1].id), await ticketOf(order.id)];
  const [load, other] = await Promise.all(jobs.map(async ({ id }) => (await tenant.must('GET', tenant.path(`/jobs/${id}/loads`)))[0]));
  const [bridge, dam] = [await project(), await project()];
  await change(Order, order.id, { project: bridge.id });

  expect(await ids('/v1/orders', dora)).toEqual([order.id]);
  expect(await ids(tenant.path('/orders'), dora)).toEqual([order.id]);
  expect(await ids('/v1/jobs', dora)).toEqual([jobs[0].id]);
  expect(await ids(`/v1/orders/${order.id}/jobs`, dora)).toEqual([jobs[0].id]);
  expect(await ids(tenant.path(`/orders/${order.id}/loads`), dora)).toEqual([load.id]);
  expect(await ids('/v1/tickets', dora)).toEqual([tickets[0]!.id]);
  expect(await ids('/v1/projects', dora)).toEqual([bridge.id]);
  expect(await ids('/v1/projects/typeahead?search[query]=Bridge', dora)).toEqual([bridge.id]);
  for (const path of [`/v1/orders/${order.id}`, `/v1/jobs/${jobs[0].id}`, `/v1/loads/${load.id}`, `/v1/tickets/${tickets[0]!.id}`])
    expect([path, await status(path, dora)]).toEqual([path, 200]);
  for (const path of [
    `/v1/orders/${foreign.id}`,
    tenant.path(`/orders/${foreign.id}`),
    `/v1/orders/${foreign.id}/jobs`,
    `/v1/jobs/${jobs[1].id}`,
    tenant.path(`/jobs/${jobs[1].id}/loads`),
    `/v1/loads/${other.id}`,
    `/v1/tickets/${tickets[1]!.id}`,
    `/v1/tickets/${tickets[2]!.id}`,
    tenant.path(`/projects/${dam.id}`),
  ])
    expect([path, await status(path, dora)]).toEqual([path, 404]);
});

test('over GraphQL, counts, nested lists, filters, searches, sums and facets do not reveal other work either', async () => {
  await ticketOf(order.id, jobs[0].id);
  await ticketOf(order.id, jobs[1].id);
  const ask = (query: string, { token }: { token: string }) => tenant.gql(query, {}, token).then(({ data, errors }) => errors ?? data);
  const counts =
    '{ orders { count { value } nodes { jobs { count { value } nodes { id } } } } jobs { count { value } } tickets { count { value } } }';
  expect(await ask(counts, dora)).toEqual({
    orders: { count: { value: 1 }, nodes: [{ jobs: { count: { value: 1 }, nodes: [{ id: jobs[0].id }] } }] },
    jobs: { count: { value: 1 } },
    tickets: { count: { value: 1 } },
  });
  const found = (filter: string) => ask(`{ orders(${filter}) { count { value } } }`, dora);
  for (const [mine, theirs] of [
    [`filter: { job: { driverIds: ["${dora.user.id}"] } }`, `filter: { job: { driverIds: ["${otto.user.id}"] } }`],
    ['search: { job: { datagrid: "Wheel" } }', 'search: { job: { datagrid: "Axle" } }'],
  ])
    expect([await found(mine!), await found(theirs!)]).toEqual([{ orders: { count: { value: 1 } } }, { orders: { count: { value: 0 } } }]);
  const facet = { driverFacets: { nodes: [{ id: dora.user.id }] } };
  expect(await ask('{ driverFacets { nodes { id } } }', dora)).toEqual(facet);
  expect(await ask('{ foremanFacets { nodes { id } } }', dora)).toEqual({ foremanFacets: { nodes: [] } });
  const rollup = `{ ticketRollup(orderId: "${order.id}") { externalTruckId } }`;
  expect(await ask(rollup, dora)).toEqual({ ticketRollup: [{ externalTruckId: jobs[0].id }] });
  expect(((await ask(rollup, fay)) as Json).ticketRollup).toHaveLength(2);
  const [{ extensions }] = (await ask(`{ jobEvents(jobId: "${jobs[1].id}") { nodes { id } } }`, dora)) as Json;
  expect(extensions.code).toBe('object_not_found');
});

test('a person who leads an order reads all of it; one who leads a job reads that job and the order', async () => {
  const [stray] = [await ticketOf(order.id)];
  expect(await ids('/v1/orders', fay)).toEqual([order.id]);
  expect(await ids('/v1/jobs', fay)).toEqual(both());
  expect(await ids('/v1/tickets', fay)).toEqual([stray!.id]);
  for (const column of ['collaboratorIds', 'salespersonIds'] as const) {
    const one = await tenant.person({ roles: ['foreman'] });
    expect(await ids('/v1/orders', one)).toEqual([]);
    await change(Job, jobs[1].id, { [column]: [one.user.id] });
    expect([await ids('/v1/orders', one), await ids('/v1/jobs', one)]).toEqual([[order.id], [jobs[1].id]]);
    await change(Order, order.id, { [column]: [one.user.id] });
    expect(await ids('/v1/jobs', one)).toEqual(both());
  }
  const led = await project({ foremanIds: [fay.user.id] });
  await project();
  expect(await ids('/v1/projects', fay)).toEqual([led.id]);
});

test('a foreman reads the order they requested, and writes can name only ids that they may read', async () => {
  const asked = await makeOrder({ ...tenant, must: (m, p, b) => tenant.must(m, p, b, fay.token) } as Tenant);
  expect(await ids('/v1/orders', fay)).toEqual([order.id, asked.id].sort());
  const dam = await project();
  const { status, body } = await tenant.http('PATCH', `/v1/orders/${asked.id}`, { project_id: dam.id }, fay.token);
  expect([status, body.error.errors[0].field]).toEqual([422, 'project_id']);
  const copy = { date: '2026-11-24', truck_count: 1 };
  expect((await tenant.http('POST', tenant.path(`/orders/${foreign.id}/copy`), copy, fay.token)).status).toBe(404);
  expect((await tenant.http('POST', tenant.path(`/orders/${asked.id}/copy`), copy, fay.token)).status).toBe(201);
});

test('a foreman who hands an order over reads the answer, and loses access afterwards', async () => {
  const answer = await tenant.http('PATCH', `/v1/orders/${order.id}`, { foreman_ids: [] }, fay.token);
  expect(answer).toMatchObject({ status: 200, body: { data: { foremen: [] } } });
  expect(await status(`/v1/orders/${order.id}`, fay)).toBe(404);
  // The answer of a command shows no more around its record than a read.
  await tenant.must('PUT', tenant.path(`/orders/${order.id}/accept`));
  await tenant.must('PUT', `/v1/jobs/${jobs[0].id}/request`);
  const accept = `mutation { acceptJob(id: "${jobs[0].id}") { order { jobs { nodes { id } } } } }`;
  expect((await tenant.gql(accept, {}, dora.token)).data.acceptJob.order.jobs.nodes).toEqual([{ id: jobs[0].id }]);
});

test('a driver finds an order among those to invoice once a job of their own is finished, and not by the job of another', async () => {
  const toInvoice = (by: Person) => ids(tenant.path('/orders/invoicing'), by);
  await change(Job, jobs[0].id, { state: 'completed' });
  expect([await toInvoice(dora), await toInvoice(otto)]).toEqual([[order.id], []]);
  await change(Job, jobs[1].id, { state: 'completed' });
  expect(await toInvoice(otto)).toEqual([order.id]);
});

test('another role lifts the limit: a built-in one, or one of the company that is not for own records', async () => {
  const role = async (name: string, permissions: string[]) => (await tenant.must('POST', '/v1/iam_roles', { name, permissions })).id;
  const hired = async (more: object) => (await tenant.person({ roles: ['driver'], ...more })).token;
  const all = [order.id, foreign.id].sort();
  expect(await ids('/v1/orders', { token: await hired({ roles: ['driver', 'dispatcher'] }) })).toEqual(all);
  expect(await ids('/v1/orders', { token: await hired({ customRoleIds: [await role('Clerk', ['create_ticket'])] }) })).toEqual(all);
  expect(await ids('/v1/orders', { token: await hired({ customRoleIds: [await role('Auditor', [])] }) })).toEqual(all);
  expect(await ids('/v1/orders', { token: await hired({ customRoleIds: [await role('Loader', ['edit_load:own'])] }) })).toEqual([]);
  expect(await ids('/v1/orders', { token: tenant.token })).toEqual(all);
});

test('a driver who finishes does not complete an order that others still haul', async () => {
  await tenant.must('PATCH', `/v1/companies/${tenant.company.id}`, { auto_complete_order: true });
  await tenant.must('PUT', tenant.path(`/orders/${order.id}/accept`));
  const drive = (event: string, { token }: Person, job: Json) => tenant.must('PUT', `/v1/jobs/${job.id}/${event}`, undefined, token);
  for (const { id } of jobs) await tenant.must('PUT', `/v1/jobs/${id}/request`);
  for (const [at, one] of [dora, otto].entries()) await drive('accept', one, jobs[at]);
  for (const event of ['enroute', 'complete']) await drive(event, dora, jobs[0]);
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).state).toBe('in_progress');
  for (const event of ['enroute', 'complete']) await drive(event, otto, jobs[1]);
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).state).toBe('completed');
});

test('reads of people with own records only take the same number of statements', async () => {
  for (const path of ['/v1/orders', '/v1/jobs', '/v1/tickets', `/v1/orders/${order.id}/jobs`]) {
    await tenant.must('GET', path, undefined, dora.token);
    const { statements: own } = await app.countStatements(() => tenant.must('GET', path, undefined, dora.token));
    const { statements: all } = await app.countStatements(() => tenant.must('GET', path));
    expect([path, own.length]).toEqual([path, all.length]);
  }
});

test('site statistics count only the work that the reader may see', async () => {
  const now = new Date();
  for (const { id } of jobs) {
    await change(Job, id, { jobStartAt: now });
    await app.orm.em.fork().nativeUpdate(Load, { job: id }, { state: 'to_pickup' }, { filters: { tenant: false } });
  }
  const trucks = async (token?: string) =>
    (await tenant.must('GET', tenant.path(`/sites/${tenant.pickup.id}/stats`), undefined, token)).en_route_equipment_count;
  const stranger = await tenant.person({ roles: ['driver'] });
  expect(await Promise.all([trucks(), trucks(fay.token), trucks(dora.token), trucks(stranger.token)])).toEqual([2, 2, 1, 0]);
});
