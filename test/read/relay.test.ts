import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Label } from '../../src/directory/master-data/label.entity.ts';
import { Rate } from '../../src/directory/master-data/rate.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { act, jobOf, makeChain } from '../helpers/staffed-tenant.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { crowdedTenant, type Json } from './crowded-tenant.ts';

let app: TestApp;
let tenant: Tenant;
let neighbour: Tenant;
/** Orders and jobs in the order of their lists. */
let orders: Json[];
let jobs: Json[];
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await crowdedTenant(app);
  neighbour = await makeTenant(app);
  ({ orders, jobs } = await ask(tenant, '{ orders: orders(first: 100) { nodes { id } } jobs: jobs(first: 100) { nodes { id } } }').then(
    (data) => ({ orders: data.orders.nodes, jobs: data.jobs.nodes }),
  ));
});
afterAll(() => app.close());

async function ask(of: Tenant, query: string, variables: Record<string, unknown> = {}): Promise<Json> {
  const { data, errors } = await of.gql(query, variables);
  expect(errors).toBeUndefined();
  return data;
}

const PAGE = `edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
const page = async (args: string, of = tenant): Promise<Json> => (await ask(of, `{ orders(${args}) { ${PAGE} } }`)).orders;
const idsOf = ({ edges }: Json): string[] => edges.map(({ node }: Json) => node.id);
const ids = (from: number, to: number): string[] => orders.slice(from, to).map(({ id }) => id);

test('edges have the nodes in their order, with cursors from which pages go on in both directions', async () => {
  const middle = await page('first: 30');
  expect(idsOf(middle)).toEqual(ids(0, 30));
  expect(middle.nodes).toEqual(middle.edges.map(({ node }: Json) => node));
  const cursors = middle.edges.map(({ cursor }: Json) => cursor);
  expect(new Set(cursors).size).toBe(30);
  expect([middle.pageInfo.startCursor, middle.pageInfo.endCursor]).toEqual([cursors[0], cursors[29]]);
  for (const at of [0, 1, 15, 29]) {
    expect(idsOf(await page(`first: 3, after: "${cursors[at]}"`))).toEqual(ids(at + 1, at + 4));
    expect(idsOf(await page(`last: 3, before: "${cursors[at]}"`))).toEqual(ids(Math.max(at - 3, 0), at));
  }
});

test('a document that asks for a list under two names answers both, each time that it is sent', async () => {
  const query = `query Twice { one: orders(first: 4) { ${PAGE} } other: orders(first: 4) { nodes { jobs(first: 1) { nodes { id } } } } }`;
  const { one, other } = await ask(tenant, query);
  expect(idsOf(one)).toEqual(ids(0, 4));
  expect(other.nodes).toHaveLength(4);
  for (let time = 0; time < 3; time++) expect(await ask(tenant, query)).toEqual({ one, other });
});

test('last is the end of the list, in the order of the list', async () => {
  const end = await page('last: 4');
  expect(idsOf(end)).toEqual(ids(orders.length - 4, orders.length));
  expect(end.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  const all = await page('last: 100');
  expect([idsOf(all).length, all.pageInfo.hasPreviousPage, all.pageInfo.hasNextPage]).toEqual([orders.length, false, false]);
});

test('before alone is what is right before it', async () => {
  const { edges } = await page('first: 30');
  const before = await page(`before: "${edges[28].cursor}"`);
  expect(idsOf(before)).toEqual(ids(3, 28));
  expect(before.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
});

test('after and before bound a list from both ends', async () => {
  const { edges } = await page('first: 30');
  const between = `after: "${edges[4].cursor}", before: "${edges[10].cursor}"`;
  expect(idsOf(await page(`first: 3, ${between}`))).toEqual(ids(5, 8));
  expect(idsOf(await page(`last: 3, ${between}`))).toEqual(ids(7, 10));
  expect(idsOf(await page(`last: 30, ${between}`))).toEqual(ids(5, 10));
});

test('first: 0 is an empty page that says whether there is more', async () => {
  const none = { startCursor: null, endCursor: null };
  expect(await page('first: 0')).toEqual({ edges: [], nodes: [], pageInfo: { ...none, hasNextPage: true, hasPreviousPage: false } });
  expect(await page('last: 0')).toEqual({ edges: [], nodes: [], pageInfo: { ...none, hasNextPage: false, hasPreviousPage: true } });
  expect((await page('first: 0', neighbour)).pageInfo.hasNextPage).toBe(false);
  const nested = await ask(tenant, '{ orders(first: 2) { nodes { jobs(first: 0) { nodes { id } count { value } } } } }');
  for (const order of nested.orders.nodes) expect([order.jobs.nodes, order.jobs.count.value > 0]).toEqual([[], true]);
});

test('nested lists page backwards, too', async () => {
  const { order } = await ask(tenant, `query ($id: ID!) { order(id: $id) { all: jobs { ${PAGE} } end: jobs(last: 1) { ${PAGE} } } }`, {
    id: await orderWithJobs(),
  });
  expect(idsOf(order.end)).toEqual(idsOf(order.all).slice(-1));
  expect(order.end.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
});

async function orderWithJobs(): Promise<string> {
  const { orders: found } = await ask(tenant, '{ orders(first: 100) { nodes { id jobs { nodes { id } } } } }');
  return found.nodes.find((one: Json) => one.jobs.nodes.length > 1).id;
}

test('sizes that cannot be meant are refused by their name', async () => {
  const refused = async (args: string) => {
    const { data, errors } = await tenant.gql(`{ orders(${args}) { nodes { id } } }`);
    return [data.orders, errors[0].extensions.errors[0].field];
  };
  expect(await refused('first: -1')).toEqual([null, 'first']);
  expect(await refused('last: 101')).toEqual([null, 'last']);
  expect(await refused('first: 1, last: 1')).toEqual([null, 'last']);
  expect((await tenant.gql('{ orders(page: { limit: 1 }) { nodes { id } } }')).errors[0].message).toContain('Unknown argument "page"');
});

test('a count says whether it is exact, and counts all on request', async () => {
  const own = await makeTenant(app);
  const { id } = await makeOrder(own);
  const many = 10_007;
  await app.orm.em.getConnection().execute(
    `insert into load select (jsonb_populate_record(l, jsonb_build_object('id', gen_random_uuid(), 'ordinality', 1000 + n))).*
       from load l, generate_series(1, ${many}) n where l.order_id = ?`,
    [id],
  );
  const query = 'query ($exact: Boolean!) { loads(first: 1) { count(exact: $exact) { value precision } } }';
  expect((await ask(own, query, { exact: false })).loads.count).toEqual({ value: 10_000, precision: 'at_least' });
  expect((await ask(own, query, { exact: true })).loads.count).toEqual({ value: many + 1, precision: 'exact' });
  const below = await ask(
    own,
    '{ jobs { nodes { few: loads(first: 1) { count { value precision } } all: loads(first: 0) { count(exact: true) { value precision } } } } }',
  );
  expect(below.jobs.nodes).toEqual([
    { few: { count: { value: 10_000, precision: 'at_least' } }, all: { count: { value: many + 1, precision: 'exact' } } },
  ]);
  expect((await ask(own, '{ orders { count { value precision } } }')).orders.count).toEqual({ value: 1, precision: 'exact' });
});

test('a record is found by its id alone, with what its type has', async () => {
  const query = `query ($id: ID!, $jobs: Int!) { node(id: $id) { __typename id
    ... on Order { state account { name } jobs(first: $jobs) { nodes { id } } }
    ... on Job { jobId order { id } ...Loads }
    ... on Material { name } } }
  fragment Loads on Job { loads(first: 1) { nodes { id } } }`;
  const order = await ask(tenant, query, { id: orders[0].id, jobs: 1 });
  expect(order.node).toEqual({
    __typename: 'Order',
    id: orders[0].id,
    state: expect.any(String),
    account: { name: expect.any(String) },
    jobs: { nodes: [{ id: expect.any(String) }] },
  });
  const { job } = await ask(tenant, 'query ($id: ID!) { job(id: $id) { id jobId order { id } loads(first: 1) { nodes { id } } } }', {
    id: jobs[0].id,
  });
  expect((await ask(tenant, query, { id: jobs[0].id, jobs: 1 })).node).toEqual({ __typename: 'Job', ...job });
  expect((await ask(tenant, query, { id: tenant.material.id, jobs: 1 })).node).toMatchObject({ __typename: 'Material', name: 'Gravel' });
});

test('a field that fragments select is read with all of them, whichever operation or variables came before', async () => {
  const [{ id }] = orders;
  const shared = 'fragment Shared on Query { job(id: $id) { id } }';
  const both = `query Few($id: ID!) { ...Shared } query Many($id: ID!) { ...Shared job(id: $id) { jobId } } ${shared}`;
  const run = async (operationName: string) => {
    const body = { query: both, operationName, variables: { id: jobs[0].id } };
    return (await app.http('POST', '/graphql', { token: tenant.token, body })).body.data.job;
  };
  expect([await run('Few'), await run('Many'), await run('Few')]).toEqual([
    { id: jobs[0].id },
    { id: jobs[0].id, jobId: expect.any(String) },
    { id: jobs[0].id },
  ]);
  const query = `query ($id: ID!, $more: Boolean!) { ...Some ...More @include(if: $more) }
    fragment Some on Query { node(id: $id) { id } } fragment More on Query { node(id: $id) { ... on Order { orderId state } } }`;
  const asked = [];
  for (const more of [false, true, false]) asked.push((await ask(tenant, query, { id, more })).node);
  expect(asked).toEqual([{ id }, { id, orderId: expect.any(String), state: expect.any(String) }, { id }]);
});

test('nodes are answered in the order of their ids, and null where there is none to see', async () => {
  const foreign = await makeOrder(neighbour);
  const asked = [jobs[1].id, foreign.id, orders[1].id, 'nonsense', neighbour.company.id, tenant.company.id, orders[1].id];
  const { nodes } = await ask(tenant, 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids: asked });
  expect(nodes).toEqual([
    { __typename: 'Job', id: jobs[1].id },
    null,
    { __typename: 'Order', id: orders[1].id },
    null,
    null,
    { __typename: 'Company', id: tenant.company.id },
    { __typename: 'Order', id: orders[1].id },
  ]);
});

test('a record of another company and none at all are the same to node', async () => {
  const foreign = await makeOrder(neighbour);
  const answers = await Promise.all(
    [foreign.id, '00000000-0000-7000-8000-000000000000', 'nonsense'].map((id) => tenant.gql(`{ node(id: "${id}") { id } }`)),
  );
  for (const { data, errors } of answers) {
    expect(data).toEqual({ node: null });
    expect([errors.length, errors[0].extensions.code, errors[0].message]).toEqual([1, 'object_not_found', 'There is no such record.']);
  }
});

test("partners' records, which work names, are none to node, whatever permission the field of their type asks for", async () => {
  const { owner, middle, hired } = await makeChain(app);
  const job = await jobOf(owner);
  await act(owner, job.id, 'assign_vendor', { vendor_id: hired.id });
  const own = { company: ref(owner.company) };
  const label = await owner.save(Label, { ...own, name: 'Reliable', color: '#336699' });
  const rate = await owner.save(Rate, { ...own, name: 'Low', ownerType: 'vendor', type: 'RateFlatRate', flatAmount: '1' });
  const readers = [middle.driver.token, middle.dispatcher.token, middle.token];
  const codes = async (id: string) =>
    Promise.all(readers.map(async (token) => (await middle.gql(`{ node(id: "${id}") { id } }`, {}, token)).errors?.[0].extensions.code));
  for (const { id } of [label, rate]) expect(await codes(id)).toEqual(readers.map(() => 'object_not_found'));
  expect((await middle.gql(`{ node(id: "${job.id}") { __typename } }`)).data.node).toEqual({ __typename: 'Job' });
  // To its own company the field says what is missing.
  const { errors } = await owner.gql(`{ node(id: "${label.id}") { id } }`, {}, owner.driver.token);
  expect(errors[0].extensions.code).toBe('forbidden');
});

test('node asks for no more permission, and for no less, than the field of its type', async () => {
  const { token } = await tenant.person({ roles: ['driver'] });
  for (const { id } of [orders[0], jobs[0], tenant.material, tenant.account, tenant.driver]) {
    const { data, errors } = await tenant.gql(`{ node(id: "${id}") { __typename id } }`, {}, token);
    const type: string = (await tenant.gql(`{ node(id: "${id}") { __typename } }`)).data.node.__typename;
    const field = await tenant.gql(`{ ${type[0]!.toLowerCase()}${type.slice(1)}(id: "${id}") { __typename id } }`, {}, token);
    expect([Object.values(data), errors?.[0].extensions.code]).toEqual([Object.values(field.data), field.errors?.[0].extensions.code]);
  }
});

test('more records than a document may ask for are refused', async () => {
  const many = Array.from({ length: 26 }, () => orders[0].id);
  const { data, errors } = await tenant.gql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: many });
  expect([data.nodes, errors[0].extensions.errors[0].field]).toEqual([null, 'ids']);
  const thrice = 'query ($ids: [ID!]!) { a: nodes(ids: $ids) { id } b: nodes(ids: $ids) { id } c: nodes(ids: $ids) { id } }';
  expect((await tenant.gql(thrice, { ids: many.slice(0, 25) })).errors[0].extensions).toMatchObject({ measure: 'records', asked: 75 });
});
