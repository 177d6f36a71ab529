import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { PERMISSIONS, type Permission } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runs } from '../helpers/properties.ts';
import type { Tenant } from '../helpers/tenant.ts';
import { crowdedTenant, type Json, sqlOf } from './crowded-tenant.ts';

let app: TestApp;
let tenant: Tenant;
let rows: { orders: Json[]; jobs: Json[]; loads: Json[] };
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await crowdedTenant(app, 14);
  const sql = sqlOf(app);
  const priced = `customer_rate_value = 101, vendor_rate_value = 102, driver_rate_value = 103, customer_rate_type = 'RatePerHour', vendor_rate_type = 'RatePerHour', driver_rate_type = 'RatePerHour'`;
  await sql(`update orders set ${priced}, material_rate_sell_price = 104, material_rate_buy_price = 105 where company_id = ?`, [
    tenant.company.id,
  ]);
  await sql(
    `update job set ${priced}, driver_commission_rate_value = 106, material_sell_price = 107, material_buy_price = 108, material_rate_unit_of_measure = 'Ton' where company_id = ?`,
    [tenant.company.id],
  );
  await sql('update load set material_sell_price = 109, material_buy_price = 110 where company_id = ?', [tenant.company.id]);
  await sql(`update load set state = 'completed' where company_id = ? and ordinality % 2 = 0`, [tenant.company.id]);
  const all = (table: string) => sql(`select * from ${table} where company_id = ? order by created_at desc, id desc`, [tenant.company.id]);
  rows = { orders: await all('orders'), jobs: await all('job'), loads: await all('load') };
});
afterAll(() => app.close());

/** A selection of records, and what it must show of them: written and judged by the same tree. */
interface Shape {
  text: string;
  of(record: Json): Json;
}

const alias = fc.constantFrom('', 'a', 'b', 'c');
const named = (name: string, as: string) => (as ? `${as}: ${name}` : name);

/** Fields of a shape under different response names. */
const fields = (
  kinds: fc.Arbitrary<{ name: string; arguments: string; below: string; read: (record: Json) => Json }>[],
): fc.Arbitrary<Shape> =>
  fc
    .uniqueArray(fc.tuple(alias, fc.oneof(...kinds)), { minLength: 1, maxLength: 4, selector: ([as, { name }]) => as || name })
    .chain((chosen) => fc.tuple(fc.constant(chosen), fc.constantFrom('plain', 'inline', 'twice')))
    .map(([chosen, style]) => {
      const body = chosen.map(([as, kind]) => `${named(kind.name, as)}${kind.arguments} ${kind.below}`).join(' ');
      return {
        text:
          style === 'plain' ? `{ ${body} }` : style === 'inline' ? `{ ... { ${body} } }` : `{ ${body} ... @include(if: true) { ${body} } }`,
        of: (record: Json) => Object.fromEntries(chosen.map(([as, kind]) => [as || kind.name, kind.read(record)])),
      };
    });

const leaf = (name: string, column: string) => fc.constant({ name, arguments: '', below: '', read: (record: Json) => record[column] });

/** A connection: its page of the rows, under `nodes` or `edges`, and how many there are. */
const paged = (name: string, row: fc.Arbitrary<Shape>, from: (record: Json) => Json[], states: string[]) =>
  fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(undefined, ...states), fc.constantFrom('asc', 'desc'), fc.boolean(), row, row)
    .map(([first, state, direction, total, one, other]) => ({
      name,
      arguments: `(first: ${first}${state ? `, filter: { states: [${state}] }` : ''}, sort: { createdAt: ${direction} })`,
      below: `{ nodes ${one.text} edges { node ${other.text} } ${total ? 'count { value precision }' : ''} pageInfo { hasNextPage } }`,
      read: (record: Json) => {
        const all = from(record).filter((child) => !state || child.state === state);
        if (direction === 'asc') all.reverse();
        const page = all.slice(0, first);
        return {
          nodes: page.map(one.of),
          edges: page.map((child) => ({ node: other.of(child) })),
          ...(total ? { count: { value: all.length, precision: 'exact' } } : {}),
          pageInfo: { hasNextPage: all.length > first },
        };
      },
    }));

const load = fields([leaf('id', 'id'), leaf('loadId', 'load_id'), leaf('state', 'state')]);
const job = fields([
  leaf('id', 'id'),
  leaf('jobId', 'job_id'),
  paged('loads', load, (record) => rows.loads.filter((one) => one.job_id === record.id), ['created', 'completed']),
]);
const order = (below: fc.Arbitrary<Shape>) =>
  fields([
    leaf('id', 'id'),
    leaf('orderId', 'order_id'),
    paged('jobs', below, (record) => rows.jobs.filter((one) => one.order_id === record.id), ['created']),
  ]);
const project = fields([
  leaf('name', 'name'),
  paged(
    'orders',
    order(fields([leaf('id', 'id'), leaf('jobId', 'job_id')])),
    (record) => rows.orders.filter((one) => one.project_id === record.id),
    ['accepted', 'created'],
  ),
]);

test('nested pages are those of the rows themselves, whatever else is selected with them', async () => {
  await fc.assert(
    fc.asyncProperty(order(job), fc.integer({ min: 1, max: 6 }), async (shape, first) => {
      const { data, errors } = await tenant.gql(`{ orders(first: ${first}) { nodes ${shape.text} } }`);
      expect(errors).toBeUndefined();
      expect(data.orders.nodes).toEqual(rows.orders.slice(0, first).map(shape.of));
    }),
    { numRuns: runs(40) },
  );
}, 120_000);

test('a record under two aliases shows each the pages it selected', async () => {
  await fc.assert(
    fc.asyncProperty(project, project, async (one, other) => {
      const { data, errors } = await tenant.gql(`{ orders(first: 6) { nodes { id x: project ${one.text} y: project ${other.text} } } }`);
      expect(errors).toBeUndefined();
      expect(data.orders.nodes).toEqual(
        rows.orders.slice(0, 6).map((record) => {
          const of = (shape: Shape) => (record.project_id ? shape.of({ id: record.project_id, name: 'Bridge' }) : null);
          return { id: record.id, x: of(one), y: of(other) };
        }),
      );
    }),
    { numRuns: runs(25) },
  );
}, 120_000);

/** Masked fields, the permission each needs, and its value: no two are the same. */
const RATES: Record<'order' | 'job' | 'load', [field: string, permission: string, value: string][]> = {
  order: [
    ['customerRateValue', 'view_customer_rates', '101'],
    ['vendorRateValue', 'view_vendor_rates', '102'],
    ['driverRateValue', 'view_driver_rates', '103'],
    ['materialRateSellPrice', 'view_customer_rates', '104'],
    ['materialRateBuyPrice', 'view_vendor_rates', '105'],
    ['customerRateType', 'view_customer_rates', 'RatePerHour'],
  ],
  job: [
    ['customerRateValue', 'view_customer_rates', '101'],
    ['vendorRateValue', 'view_vendor_rates', '102'],
    ['driverRateValue', 'view_driver_rates', '103'],
    ['driverCommissionRateValue', 'view_driver_rates', '106'],
    ['materialRateAssignment { sellPrice }', 'view_customer_rates', '107'],
    ['materialRateAssignment { buyPrice }', 'view_vendor_rates', '108'],
  ],
  load: [
    ['materialRateAssignment { sellPrice }', 'view_customer_rates', '109'],
    ['materialRateAssignment { buyPrice }', 'view_vendor_rates', '110'],
  ],
};

const asked = (kind: keyof typeof RATES) =>
  fc.uniqueArray(fc.tuple(fc.nat(RATES[kind].length - 1), fc.constantFrom('p', 'q', 'r', 's', 'account', 'state')), {
    minLength: 1,
    maxLength: 4,
    selector: ([, as]) => as,
  });

test('masks hold under every alias and in every fragment', async () => {
  const viewers = new Map<string, string>();
  const VIEWS = ['view_customer_rates', 'view_vendor_rates', 'view_driver_rates'];
  for (const held of subsetsOf(VIEWS)) {
    const permissions = PERMISSIONS.filter((one) => !VIEWS.includes(one) || held.includes(one));
    viewers.set(held.join(), await makeClient(tenant, permissions));
  }
  await fc.assert(
    fc.asyncProperty(asked('order'), asked('job'), asked('load'), fc.subarray(VIEWS), async (ofOrder, ofJob, ofLoad, held) => {
      const pick = (kind: keyof typeof RATES, chosen: [number, string][]) =>
        chosen.map(([at, as]) => ({
          as,
          field: RATES[kind][at]![0],
          seen: held.includes(RATES[kind][at]![1]),
          value: RATES[kind][at]![2],
        }));
      const [o, j, l] = [pick('order', ofOrder), pick('job', ofJob), pick('load', ofLoad)];
      const text = (all: typeof o) => all.map(({ as, field }) => `${as}: ${field}`).join(' ');
      const { data, errors } = await tenant.gql(
        `query { orders(first: 3) { nodes { ...O jobs(first: 2) { edges { node { ... on Job { ${text(j)} } again: loads(first: 1) { nodes { ...L } } loads(first: 2) { nodes { ...L } } } } } } } }
         fragment O on Order { ${text(o)} ... @include(if: true) { ${text(o)} } } fragment L on Load { ${text(l)} }`,
        {},
        viewers.get(held.join()),
      );
      expect([errors, data.orders.nodes.length]).toEqual([undefined, 3]);
      const check = (record: Json, all: typeof o) => {
        for (const { as, field, seen, value } of all) {
          const found = /\{ (\w+) \}/.exec(field)?.[1];
          expect([field, found ? (record[as]?.[found] ?? null) : record[as]]).toEqual([field, seen ? value : null]);
        }
      };
      for (const order of data.orders.nodes) {
        check(order, o);
        for (const { node } of order.jobs.edges) {
          check(node, j);
          for (const load of [...node.again.nodes, ...node.loads.nodes]) check(load, l);
        }
      }
    }),
    { numRuns: runs(40) },
  );
}, 120_000);

/** Every subset, the empty one too. */
const subsetsOf = (all: string[]): string[][] =>
  Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((_one, at) => bits & (1 << at)));

async function makeClient(of: Tenant, permissions: readonly Permission[]): Promise<string> {
  const em = of.app.orm.em.fork();
  const { client } = makeMachineClient(em, em.getReference(Company, of.company.id), { name: 'Viewer', permissions });
  await em.flush();
  return (await issueToken(em, 'machine', client.id)).token;
}

test('nested lists that variables leave out at first are read when the variables want them', async () => {
  const text = `query ($more: Boolean!) { orders(first: 2) { nodes { id
    jobs(first: 1) @include(if: $more) { nodes { id loads(first: 2) @include(if: $more) { nodes { id } } } } } } }`;
  const ask = async (more: boolean): Promise<Json> => {
    const { data, errors } = await tenant.gql(text, { more });
    expect(errors).toBeUndefined();
    return data.orders.nodes;
  };
  const orders = rows.orders.slice(0, 2);
  const bare = orders.map(({ id }) => ({ id }));
  const full = orders.map(({ id }) => ({
    id,
    jobs: {
      nodes: rows.jobs
        .filter((job) => job.order_id === id)
        .slice(0, 1)
        .map((job) => ({
          id: job.id,
          loads: {
            nodes: rows.loads
              .filter((load) => load.job_id === job.id)
              .slice(0, 2)
              .map((load) => ({ id: load.id })),
          },
        })),
    },
  }));
  for (const more of [false, false, true, true, false, true]) expect(await ask(more)).toEqual(more ? full : bare);
});

test('one list whose arguments are in another order is one list', async () => {
  const { data, errors } = await tenant.gql(
    `query ($first: Int) { orders(first: 2) { nodes { id
       jobs(first: $first, filter: { states: [created], updatedSince: "2020-01-01T00:00:00Z" }) { nodes { id } }
       jobs(filter: { updatedSince: "2020-01-01T00:00:00Z", states: [created] }, first: $first) { nodes { state } } } } }`,
    { first: 1 },
  );
  expect(errors).toBeUndefined();
  const nodes = data.orders.nodes.flatMap(({ jobs }: Json) => jobs.nodes);
  const stateOf = (id: string) => rows.jobs.find((job) => job.id === id).state;
  expect(nodes.length).toBeGreaterThan(0);
  for (const { id, state } of nodes) expect(state).toBe(stateOf(id));
});

test('what arguments of a nested list say is no code', async () => {
  const { data, errors } = await tenant.gql(
    '{ orders(first: 2) { nodes { jobs(search: "\\"]; throw 1; //\u2028\\\\") { nodes { id } } } } }',
  );
  expect([errors, data]).toEqual([undefined, { orders: { nodes: [{ jobs: { nodes: [] } }, { jobs: { nodes: [] } }] } }]);
});
