import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('fragments on a union or an interface select as fragments on its types do', async () => {
  const person = { __typename: 'User', id: tenant.driver.id, firstName: 'Dora' };
  const queries = [
    '{ caller { ...Who } } fragment Who on Caller { __typename ... on User { id firstName } ... on M2MClient { id name } }',
    '{ caller { ...Outer } } fragment Outer on Caller { ...Who } fragment Who on Caller { __typename ...Person ... on M2MClient { id name } } fragment Person on User { id firstName }',
    '{ caller { ... { __typename ... on User { id firstName } ... on M2MClient { id name } } } }',
    '{ caller { __typename ... on Node { id } ... on User { ... @include(if: true) { firstName } } ... on M2MClient { name } } }',
    'query ($no: Boolean!) { caller { __typename ...Who ...Never @include(if: $no) } } fragment Who on Caller { ... on Node { id } ... on User { firstName } ... on M2MClient { name } } fragment Never on Caller { ... on User { email } }',
  ];
  for (const query of queries) {
    const variables = { no: false };
    expect(await tenant.driver.gql(query, variables)).toEqual({ data: { caller: person } });
    const { data, errors } = await tenant.gql(query, variables);
    expect(errors).toBeUndefined();
    expect(data.caller).toEqual({ __typename: 'M2MClient', id: expect.any(String), name: 'Office system' });
  }
});

test('a fragment on any record shows each record of a list with what its type has', async () => {
  const { id } = await makeOrder(tenant);
  const query = `query ($id: ID!) {
    order(id: $id) { ...Card jobs(first: 1) { nodes { ...Card } edges { node { ... on Node { id } } } } }
    node(id: $id) { ...Card }
  }
  fragment Card on Node { __typename id ... on Order { orderId page: jobs(last: 1) { nodes { ... on Node { id } } } } ... on Job { jobId loads(first: 2) { nodes { loadId } } } ... on Caller { ... on User { firstName } } }`;
  const { data, errors } = await tenant.gql(query, { id });
  expect(errors).toBeUndefined();
  const card = { __typename: 'Order', id, orderId: expect.any(String), page: { nodes: [{ id: expect.any(String) }] } };
  const { jobs, ...order } = data.order;
  expect([order, data.node]).toEqual([card, card]);
  const [job] = jobs.nodes;
  expect(jobs).toEqual({
    nodes: [{ __typename: 'Job', id: job.id, jobId: expect.any(String), loads: { nodes: [{ loadId: expect.any(String) }] } }],
    edges: [{ node: { id: job.id } }],
  });
});

test('a fragment under a condition in one place is whole in the others, and what is left out is not read', async () => {
  const { id } = await makeOrder(tenant);
  const query = `query Panels($id: ID!, $detail: Boolean!, $more: Boolean = false) {
    orders(first: 1) { nodes { id ...Detail @include(if: $detail) } }
    order(id: $id) { ...Detail jobs(first: 1) { nodes { ...Work ... @skip(if: $detail) { loads { count { value } } } } count @include(if: $detail) { value } } }
    ...More @include(if: $more)
  }
  fragment More on Query { orders(first: 1) { nodes { ...Detail jobs(first: 1) { nodes { ...Work } } } } }
  fragment Detail on Order { orderId state }
  fragment Work on Job { jobId driver @include(if: $more) { id } }`;
  const ask = async (variables: object) => {
    const { value, statements } = await app.countStatements(() => tenant.gql(query, { id, ...variables }));
    expect(value.errors).toBeUndefined();
    return { ...value.data, statements: statements.length };
  };
  const text = expect.any(String);
  const detail = { orderId: text, state: 'created' };
  const loads = { loads: { count: { value: expect.any(Number) } } };
  for (let round = 0; round < 2; round++) {
    const plain = await ask({ detail: false });
    expect(plain).toMatchObject({ orders: { nodes: [{ id: text }] }, order: { ...detail, jobs: { nodes: [{ jobId: text, ...loads }] } } });
    expect([Object.keys(plain.orders.nodes[0]), Object.keys(plain.order.jobs), Object.keys(plain.order.jobs.nodes[0])]).toEqual([
      ['id'],
      ['nodes'],
      ['jobId', 'loads'],
    ]);
    const whole = await ask({ detail: true, more: true });
    const job = { jobId: text, driver: null };
    expect(whole).toEqual({
      orders: { nodes: [{ id: text, ...detail, jobs: { nodes: [job] } }] },
      order: { ...detail, jobs: { nodes: [job], count: { value: 1 } } },
      statements: plain.statements,
    });
    expect(await ask({ detail: false, more: true })).toMatchObject({
      orders: whole.orders,
      order: { ...detail, jobs: { nodes: [{ ...job, ...loads }] } },
    });
  }
});
