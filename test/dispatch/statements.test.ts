import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { Project } from '../../src/dispatch/model/project.entity.ts';
import { forgetViewers } from '../../src/identity/access/viewer.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../helpers/tenant.ts';
import { expectationOf, makeIds, restCalls } from '../helpers/walk.ts';

let app: TestApp;
let tenant: Tenant;
let orderId: string;
let jobId: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  // Before the first request: whom a caller acts for is remembered for a while.
  for (let i = 0; i < 50; i++) await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
  for (let i = 0; i < 50; i++) {
    const last = i === 49;
    const order = await makeOrder(tenant, {
      truck_count: last ? 50 : 1,
      loads_per_truck: last ? 25 : 1,
      driver_id: tenant.driver.id,
      material_id: tenant.material.id,
      foreman_ids: [tenant.driver.id],
      phases: [{ name: 'Base', primary: true }],
    });
    if (last) orderId = order.id;
    await tenant.save(Project, {
      company: ref(tenant.company),
      number: i,
      projectId: `P-${i}`,
      name: `Project ${i}`,
      account: ref(tenant.account),
    });
  }
  // The tests count companies, and the caller's are remembered for two seconds.
  forgetViewers(app.productOrm.em);
  await tenant.must('PUT', `/v1/orders/${orderId}/accept`, {});
  jobId = (await tenant.must('GET', `/v1/orders/${orderId}/jobs?page[limit]=1`))[0].id;
  await tenant.must('PUT', `/v1/jobs/${jobId}/enroute`, {});
  for (let i = 0; i < 25; i++) for (const event of ['pause', 'resume']) await tenant.must('PUT', `/v1/jobs/${jobId}/${event}`, {});
}, 120_000);
afterAll(() => app.close());

/** Statements of one page; the viewer is known from a call before. */
async function statementsOf(path: string, size: number): Promise<string[]> {
  await tenant.must('GET', '/v1/companies?page[limit]=1');
  const { value, statements } = await app.countStatements(() => tenant.http('GET', `${path}?page[limit]=${size}`));
  expect([path, value.status, value.body.data.length]).toEqual([path, 200, size]);
  return statements;
}

/** The list, and how many statements its page takes whatever its size. */
const LISTS: [path: () => string, count: number, size?: number][] = [
  // The page, and the summaries of all its orders.
  [() => '/v1/orders', 2],
  [() => tenant.path('/orders'), 2],
  [() => tenant.path('/orders/dispatch'), 2],
  [() => '/v1/jobs', 1],
  [() => tenant.path('/jobs'), 1],
  [() => '/v1/jobs/typeahead', 1],
  // A list below a record looks the record up first.
  [() => `/v1/orders/${orderId}/jobs`, 2],
  [() => tenant.path(`/orders/${orderId}/loads`), 2],
  [() => `/v1/jobs/${jobId}/loads`, 2, 25],
  // The client that caused the events, and its company.
  [() => `/v1/jobs/${jobId}/job_events`, 4],
  [() => '/v1/projects', 1],
  [() => tenant.path('/projects'), 1],
  [() => '/v1/projects/typeahead', 1],
  [() => '/v1/companies', 1],
  [() => tenant.path('/children'), 1],
];

test('pages of one and of fifty take the same few statements', async () => {
  const reported: string[] = [];
  for (const [path, count, size = 50] of LISTS) {
    const [one, many] = [await statementsOf(path(), 1), await statementsOf(path(), size)];
    if (one.length !== count || many.length !== count)
      reported.push(`${path()}: ${one.length} and ${many.length}, not ${count}\n${many.join('\n').slice(0, 2000)}`);
  }
  expect(reported).toEqual([]);
});

/** Statements of dataloaders, one for a whole page: summaries of orders, people and clients who did something, and their companies. */
const BATCHED: Record<string, number> = {
  orders: 1,
  ordersToInvoice: 1,
  // Whether the company is managed is asked before the person; where a moving site was, before its way.
  managedResourceScopes: 1,
  jobLocationHistories: 1,
  // Whether it is noted already who reads where somebody was.
  userLocationHistories: 1,
  driverDayLocationHistories: 1,
  // The permissions of the person are asked before the place where they work: their roles, and the further ones of their company.
  userSessions: 2,
  // How many trucks each vendor has that day, in the company's time zone, which is remembered for a while.
  accountCapacityTypeahead: 2,
  bulkActions: 2,
  jobEvents: 2,
  orderTimeline: 2,
  jobTimeline: 2,
  orderFileAttachments: 2,
  projectFileAttachments: 2,
  jobFileAttachments: 2,
  loadFileAttachments: 2,
  driverDayFileAttachments: 2,
  settlementFileAttachments: 2,
  driverDayJobFileAttachments: 2,
  driverDays: 1,
  // The facts of all jobs of the page, of which prices are made.
  invoicePreviews: 11,
  // A link is visible with its job.
  jobAssignmentAutoAddOnAssignments: 1,
};

test('a REST list takes one statement, one for the record above it, and its batched ones', async () => {
  const ids = await makeIds(tenant);
  const reported: string[] = [];
  const paged = compileDocuments(schemaOfRooms(), 'schema/rest', true).filter(
    (one) => one.paged && !expectationOf(one.rootField).driversOnly,
  );
  for (const operation of paged) {
    for (const { method, path } of restCalls(operation, expectationOf(operation.rootField), ids, tenant)) {
      const below = operation.path.replace('{company-id}', '').includes('{') ? 1 : 0;
      const most = 1 + below + (BATCHED[operation.rootField] ?? 0);
      const ask = () => app.countStatements(() => tenant.http(method, path));
      let { value, statements } = await ask();
      // A value that is remembered for seconds may have been looked up once more; a list that takes more statements takes them again.
      if (statements.length > most) ({ value, statements } = await ask());
      if (value.status !== 200 || statements.length > most)
        reported.push(`${path} -> ${value.status}, ${statements.length} statements\n${statements.join('\n').slice(0, 1000)}`);
    }
  }
  expect(reported).toEqual([]);
});

test('one record takes one statement, an order with its summary two', async () => {
  await tenant.must('GET', '/v1/companies?page[limit]=1');
  const count = async (path: string) => (await app.countStatements(() => tenant.must('GET', path))).statements.length;
  expect([await count(`/v1/jobs/${jobId}`), await count(`/v1/orders/${orderId}`)]).toEqual([1, 2]);
});

test('two GraphQL lists take a statement each, nested ones none', async () => {
  const query = `query($first: Int) {
    orders(first: $first) { nodes { id jobs(first: 10) { nodes { id driver { id } loads(first: 5) { nodes { id waypoints { site { name } } } } } } } }
    projects(first: $first) { nodes { id orders(first: 2) { nodes { id } } } }
  }`;
  await tenant.gql('{ orders(first: 1) { nodes { id } } }');
  for (const first of [1, 50]) {
    const { value, statements } = await app.countStatements(() => tenant.gql(query, { first }));
    expect(value.errors).toBeUndefined();
    expect([value.data.orders.nodes.length, statements.length]).toEqual([first, 2]);
  }
});

test('an order takes the same statements with two parts of each kind and with twenty', async () => {
  const stops = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ type: at === 0 ? 'pickup' : 'drop_off', ordinality: at, contact: { name: `Stop ${at}` } },
      site_id: at === 0 ? tenant.pickup.id : tenant.dropoff.id,
    }));
  const order = (count: number) =>
    orderInput(tenant, {
      waypoints: stops(count + 1),
      phases: Array.from({ length: count }, (_, at) => ({ name: `Phase ${at}` })),
      truck_count: count,
      loads_per_truck: count,
    });
  // A statement about few rows is planned once, and says so in its text.
  const statementsOf = async (body: object) =>
    (await app.countStatements(() => tenant.must('POST', tenant.path('/orders'), body))).statements.map((sql) =>
      sql.replace('\n-- about few rows', ''),
    );
  await statementsOf(order(2));
  const [two, many] = [await statementsOf(order(2)), await statementsOf(order(20))];
  expect(many).toEqual(two);
});
