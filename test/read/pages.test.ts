import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { sweepRuns } from '../helpers/properties.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { crowdedTenant, JOB_KEYS, type Json, ORDER_KEYS, orderBy, query, type Sort, sorts, sqlOf, walk } from './crowded-tenant.ts';

let app: TestApp;
let tenant: Tenant;
let child: Tenant;
let sql: ReturnType<typeof sqlOf>;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await crowdedTenant(app);
  child = await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
  sql = sqlOf(app);
  // The family is remembered for a while.
  await until(async () => (await tenant.http('GET', `/v1/companies/${child.company.id}/orders`)).status === 200);
});
afterAll(() => app.close());

const RUNS = { numRuns: sweepRuns(25) };

/** Filters of the order list, and what each is in plain SQL. */
const FILTERS: [pairs: [string, string][], condition: string][] = [
  [
    [
      ['filter[states][]', 'created'],
      ['filter[states][]', 'hold'],
    ],
    `o.state in ('created', 'hold')`,
  ],
  [[['filter[start_date]', '2026-11-21']], `o.load_at >= '2026-11-21T00:00-06:00'`],
  [[['filter[end_date]', '2026-11-20']], `o.load_at < '2026-11-21T00:00-06:00'`],
  [[['filter[department_ids][]', 'none']], 'o.department_id is null'],
  [[['filter[job][states][]', 'created']], `exists (select 1 from job j where j.order_id = o.id and j.state = 'created')`],
  [[['search[datagrid]', 'bridge']], `exists (select 1 from project p where p.id = o.project_id and p.name ilike '%bridge%')`],
  [[['filter[states][]', 'completed']], `o.state = 'completed'`],
];

const ordersBy = async (sort: Sort, conditions: string[]): Promise<string[]> =>
  (
    await sql(
      `select o.id from orders o join account a on a.id = o.account_id join company c on c.id = o.company_id left join dispatch_number d on d.id = o.dispatch_number_id
       where ${['o.company_id = ?', ...conditions].join(' and ')} order by ${orderBy(sort, ORDER_KEYS, 'o.id')}`,
      [tenant.company.id],
    )
  ).map(({ id }) => id);

const sortPairs = (sort: Sort) => sort.map(([name, direction]): [string, string] => [`sort[${name}]`, direction]);

test('pages forwards and backwards have every order once, in the order of a plain statement', async () => {
  await fc.assert(
    fc.asyncProperty(
      sorts(ORDER_KEYS),
      fc.subarray(FILTERS, { maxLength: 2 }),
      fc.integer({ min: 1, max: 40 }),
      async (sort, filters, size) => {
        const path = `/v1/orders?${query([['page[limit]', size], ...sortPairs(sort), ...filters.flatMap(([pairs]) => pairs)])}`;
        // Two conditions on the same key are one list of values.
        fc.pre(new Set(filters.map(([pairs]) => pairs[0]![0])).size === filters.length);
        const expected = await ordersBy(
          sort,
          filters.map(([, condition]) => condition),
        );
        const there = await walk(tenant, path, 'next');
        expect(there.pages.flat()).toEqual(expected);
        for (const page of there.pages.slice(0, -1)) expect(page).toHaveLength(size);
        const back = await walk(tenant, there.last, 'prev');
        expect(back.pages.reverse().flat()).toEqual(expected);
      },
    ),
    RUNS,
  );
}, 120_000);

test('jobs and loads with equal keys are paged alike', async () => {
  await fc.assert(
    fc.asyncProperty(sorts(JOB_KEYS), fc.integer({ min: 1, max: 30 }), async (sort, size) => {
      const rows = await sql(`select j.id from job j where j.company_id = ? order by ${orderBy(sort, JOB_KEYS, 'j.id')}`, [
        tenant.company.id,
      ]);
      const there = await walk(tenant, `/v1/jobs?${query([['page[limit]', size], ...sortPairs(sort)])}`, 'next');
      expect(there.pages.flat()).toEqual(rows.map(({ id }) => id));
      expect((await walk(tenant, there.last, 'prev')).pages.reverse().flat()).toEqual(rows.map(({ id }) => id));
    }),
    { numRuns: sweepRuns(10) },
  );
}, 120_000);

test('rows that are added and removed during paging move no others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 3 }), async (size, at) => {
      const path = `/v1/orders?${query([
        ['page[limit]', size],
        ['sort[load_at]', 'asc'],
      ])}`;
      const before = await ordersBy([['load_at', 'asc']], []);
      const pages: string[][] = [];
      let next: string | undefined = path;
      let moved = '';
      for (let page = 0; next; page++) {
        const answer: Json = await tenant.http('GET', next);
        pages.push(answer.body.data.map((row: Json) => row.id));
        next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
        if (page !== at || !next) continue;
        // The last row of a page, which its cursor names, goes to the far end.
        moved = pages.at(-1)!.at(-1)!;
        await sql(`update orders set load_at = '2026-12-24T00:00Z' where id = ?`, [moved]);
      }
      const seen = pages.flat();
      expect(seen.filter((id) => id !== moved)).toEqual(before.filter((id) => id !== moved));
      if (moved) await sql(`update orders set load_at = '2026-11-21T00:00Z' where id = ?`, [moved]);
    }),
    { numRuns: sweepRuns(8) },
  );
}, 120_000);

test('the first sort key precedes, in GraphQL too, as a literal or a variable', async () => {
  const keys: Sort[] = [
    [
      ['account][name', 'asc'],
      ['created_at', 'asc'],
    ],
    [
      ['created_at', 'asc'],
      ['account][name', 'asc'],
    ],
  ];
  for (const sort of keys) {
    const written = sort.map(([name]): [string, object | string] =>
      name === 'created_at' ? ['createdAt', 'asc'] : ['account', { name: 'asc' }],
    );
    const literal = written.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : '{ name: asc }'}`).join(', ');
    const { data } = await tenant.gql(
      `query($sort: OrderSort) { one: orders(first: 50, sort: $sort) { nodes { id } } two: orders(first: 50, sort: { ${literal} }) { nodes { id } } }`,
      { sort: Object.fromEntries(written) },
    );
    const expected = await ordersBy(sort, []);
    expect(data.one.nodes.map(({ id }: Json) => id)).toEqual(expected);
    expect(data.two.nodes.map(({ id }: Json) => id)).toEqual(expected);
  }
});

test('page[before] ends the page, on whichever page that is', async () => {
  const { data } = await tenant.gql('{ orders(first: 50, sort: { loadAt: asc }) { edges { cursor node { id } } } }');
  const edges: Json[] = data.orders.edges;
  await fc.assert(
    fc.asyncProperty(fc.nat(edges.length - 1), fc.nat(edges.length - 1), fc.integer({ min: 1, max: 12 }), async (from, to, size) => {
      const path = `/v1/orders?${query([
        ['sort[load_at]', 'asc'],
        ['page[limit]', size],
        ['page[before]', edges[to].cursor],
        ['page[after]', edges[from].cursor],
      ])}`;
      expect((await walk(tenant, path, 'next')).pages.flat()).toEqual(edges.slice(from + 1, to).map(({ node }) => node.id));
    }),
    { numRuns: sweepRuns(15) },
  );
});

const cursorsOf = (link: string | null) =>
  [...(link ?? '').matchAll(/page%5B(?:after)%5D=([^&>]+)|page\[after\]=([^&>]+)/g)].map((m) => decodeURIComponent((m[1] ?? m[2])!));

test('a cursor of another list, sort or company, or a changed one, is refused', async () => {
  const other = await makeTenant(app);
  const first = await tenant.http('GET', '/v1/orders?page[limit]=2');
  const [cursor = ''] = cursorsOf(first.headers.get('link'));
  expect(cursor).not.toBe('');
  const [order] = first.body.data;
  const refused = async (path: string, given: string, token?: string) => {
    const answer = await tenant.http('GET', `${path}${path.includes('?') ? '&' : '?'}${query([['page[after]', given]])}`, undefined, token);
    expect([path, given, answer.status, answer.body.error?.errors?.[0]?.field]).toEqual([path, given, 400, 'page[after]']);
  };
  expect((await tenant.http('GET', `/v1/orders?${query([['page[after]', cursor]])}`)).status).toBe(200);
  for (const path of [
    '/v1/orders?sort[load_at]=asc',
    '/v1/orders?sort[created_at]=asc',
    '/v1/jobs',
    '/v1/projects',
    `/v1/orders/${order.id}/jobs`,
  ])
    await refused(path, cursor);
  await refused('/v1/orders', cursor, other.token);
  await refused(`/v1/companies/${child.company.id}/orders`, cursor);
  const jobs = await tenant.http('GET', `/v1/orders/${order.id}/jobs?page[limit]=1`);
  const [ofJobs] = cursorsOf(jobs.headers.get('link'));
  if (ofJobs) await refused(`/v1/orders/${first.body.data[1].id}/jobs`, ofJobs);
  await fc.assert(
    fc.asyncProperty(fc.nat(cursor.length - 1), fc.constantFrom('A', 'b', '0', '_', '.', ' ', 'é'), async (at, letter) => {
      fc.pre(cursor[at] !== letter);
      await refused('/v1/orders', cursor.slice(0, at) + letter + cursor.slice(at + 1));
      await refused('/v1/orders', cursor.slice(0, at) || '.');
    }),
    { numRuns: sweepRuns(15) },
  );
});
