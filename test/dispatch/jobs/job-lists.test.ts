import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { type Answer, JobTown, type Tenant } from './job-town.ts';

let town: JobTown;
let tenant: Tenant;
beforeAll(async () => {
  town = await JobTown.open();
  tenant = await town.tenant();
});
afterAll(() => town.close());

const list = (query: string, at = tenant): Promise<Answer[]> =>
  town.must(at.dispatcher.token, 'GET', `/companies/${at.company.id}/jobs?${query}`);
const ids = (jobs: Answer[]): string[] => jobs.map((job) => job.id).sort();

test('jobs are found by their relations', async () => {
  const { id: order, jobs } = await town.order(tenant, {
    truck_count: 2,
    dispatch_number: { name: 'DN-77' },
    foreman_ids: [tenant.dispatcher.id],
  });
  const other = await town.order(tenant, { material_id: null });
  const [one, two] = jobs;
  await town.must(tenant.dispatcher.token, 'PATCH', `/jobs/${one.id}`, { driver_id: tenant.driver.id });
  const vendor = await town.account(tenant.company, { accountTypes: ['vendor'] });
  await town.must(tenant.dispatcher.token, 'PUT', `/jobs/${two.id}/assign_vendor`, { vendor_id: vendor.id });

  const both = ids([one, two]);
  expect(ids(await list('filter[states][]=assigned'))).toEqual(both);
  expect(ids(await list(`filter[driver_ids][]=${tenant.driver.id}`))).toEqual([one.id]);
  expect(ids(await list(`filter[vendor_account_ids][]=${vendor.id}`))).toEqual([two.id]);
  expect(ids(await list(`filter[customer_account_ids]=${tenant.account.id}`))).toEqual(ids([one, two, other.jobs[0]]));
  expect(ids(await list(`filter[material_ids]=${tenant.material.id}`))).toEqual(both);
  expect(ids(await list(`filter[pickup_site_ids]=${tenant.pickup.id}&filter[states]=assigned`))).toEqual(both);
  expect(ids(await list(`filter[pickup_site_ids]=${tenant.dropoff.id}`))).toEqual([]);
  expect(ids(await list(`filter[dropoff_site_ids]=${tenant.dropoff.id}`))).toHaveLength(3);
  expect(ids(await list(`filter[service_ids]=${tenant.service.id}`))).toHaveLength(3);
  expect(ids(await list(`filter[foreman_ids]=${tenant.dispatcher.id}`))).toEqual(both);
  expect(ids(await list(`ids[]=${two.id}`))).toEqual([two.id]);
  const { dispatch_number } = one.order;
  expect(ids(await list(`filter[order][dispatch_number_ids]=${dispatch_number.id}`))).toEqual(both);
  expect(
    ids(
      await town.must(
        tenant.dispatcher.token,
        'GET',
        `/orders/${order}/jobs?filter[states]=assigned&filter[driver_ids]=${tenant.driver.id}`,
      ),
    ),
  ).toEqual([one.id]);
  expect((await town.call(tenant.dispatcher.token, 'GET', '/jobs?filter[states]=nonsense')).status).toBe(422);
  expect((await town.call(tenant.dispatcher.token, 'GET', '/jobs?filter[driver_ids]=nonsense')).status).toBe(422);

  expect(ids(await list('search[datagrid]=dora wheel'))).toEqual([one.id]);
  expect(ids(await list('search[datagrid]=dn-77'))).toEqual(both);
  expect(ids(await list(`search[datagrid]=${encodeURIComponent('dn-77 wheel')}`))).toEqual([one.id]);
  expect(ids(await list('search[datagrid]=%25'))).toEqual([]);
});

test('jobs and their orders are found by name, e-mail and telephone of each of their contacts', async () => {
  const at = await town.tenant();
  const kinds = ['sales_contact', 'foreman_contact', 'supervisor_contact', 'collaborator_contact'];
  await town.order(at, {});
  for (const [n, kind] of kinds.entries()) {
    const contact = { name: `Kim ${kind}`, email: `kim${n}@example.com`, phone: `+1416555012${n}` };
    const { id, jobs } = await town.order(at, { truck_count: 1, [kind]: contact });
    for (const word of [kind, `kim${n}@`, `555012${n}`]) {
      expect(ids(await list(`search[datagrid]=${word}`, at))).toEqual(ids(jobs));
      const orders = await town.must(
        at.dispatcher.token,
        'GET',
        `/companies/${at.company.id}/orders/dispatch?search[job][datagrid]=${word}`,
      );
      expect(ids(orders)).toEqual([id]);
    }
  }
  expect(await list('search[datagrid]=kim', at)).toHaveLength(kinds.length);
});

test('the days of a filter are those of the company', async () => {
  const pacific = await town.tenant({ timeZone: 'America/Vancouver' });
  // 07:30 in London is the evening before in Vancouver.
  const late = await town.order(pacific, { load_at: '2026-07-02T06:30:00Z' });
  const next = await town.order(pacific, { load_at: '2026-07-02T07:00:00Z' });
  const day = (date: string) => list(`filter[start_date]=${date}&filter[end_date]=${date}`, pacific);
  expect(ids(await day('2026-07-01'))).toEqual([late.jobs[0].id]);
  expect(ids(await day('2026-07-02'))).toEqual([next.jobs[0].id]);
  expect((await town.call(pacific.dispatcher.token, 'GET', '/jobs?filter[start_date]=2026-13-01')).status).toBe(422);
});

test('pages follow the Link header through all jobs, each once', async () => {
  const own = await town.tenant();
  await town.order(own, { truck_count: 7 });
  const seen: string[] = [];
  let path: string | undefined = `/companies/${own.company.id}/jobs?page[limit]=3`;
  while (path) {
    const answer = await town.call(own.dispatcher.token, 'GET', path);
    seen.push(...answer.body.data.map((job: Answer) => job.id));
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    path = next?.slice(next.indexOf('/v1') + 3);
  }
  expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
});

test('typeaheads return id and friendly number', async () => {
  const { jobs } = await town.order(tenant);
  const { id, job_id } = jobs[0];
  const at = `/companies/${tenant.company.id}`;
  expect(await town.must(tenant.dispatcher.token, 'GET', `${at}/jobs/typeahead?search[query]=${job_id}`)).toEqual([{ id, job_id }]);
  const loads = await town.must(tenant.dispatcher.token, 'GET', `${at}/loads/typeahead?search[query]=${job_id}-`);
  expect(loads).toEqual([{ id: expect.any(String), load_id: `${job_id}-1` }]);
  const old = await town.call(tenant.dispatcher.token, 'GET', `/jobs/typeahead?search[query]=${job_id}`);
  expect([old.status, old.headers.get('deprecation') !== null]).toEqual([200, true]);
});

test('the timeline shows who changed what, and rates only to those who may see them', async () => {
  const admin = await town.user(tenant.company, 'company_admin', { firstName: 'Bo', lastName: 'Boss' });
  const { jobs } = await town.order(tenant);
  const path = `/jobs/${jobs[0].id}`;
  await town.must(tenant.dispatcher.token, 'PATCH', path, { notes: 'Gate 4' });
  await town.must(admin.token, 'PATCH', path, { customer_rate_value: 80, priority: 2 });
  await town.must(admin.token, 'PATCH', path, { vendor_rate_value: 70 });
  const all = await town.must(admin.token, 'GET', `${path}/timeline`);
  expect(all.slice(0, 3)).toEqual([
    {
      created_at: expect.any(String),
      created_by: { type: 'User', id: admin.id, name: 'Bo Boss' },
      object_changes: { vendor_rate_value: [null, expect.anything()] },
    },
    expect.objectContaining({ object_changes: { customer_rate_value: [null, expect.anything()], priority: [0, 2] } }),
    expect.objectContaining({ object_changes: { notes: [null, 'Gate 4'] } }),
  ]);
  const less = await town.must(tenant.dispatcher.token, 'GET', `${path}/timeline`);
  expect(less.map((entry: Answer) => entry.object_changes)).toEqual([{ priority: [0, 2] }, { notes: [null, 'Gate 4'] }]);

  const vendor = await town.tenant();
  const account = await town.account(tenant.company, { accountTypes: ['vendor'], connectedCompany: ref(vendor.company) });
  await town.must(tenant.dispatcher.token, 'PUT', `${path}/assign_vendor`, { vendor_id: account.id });
  expect((await town.call(vendor.dispatcher.token, 'GET', path)).status).toBe(200);
  expect((await town.call(vendor.dispatcher.token, 'GET', `${path}/timeline`)).status).toBe(404);
});

test('GraphQL lists jobs with their loads and events, filtered', async () => {
  const own = await town.tenant();
  const job = await town.readyJob(own, { loads_per_truck: 2 });
  await town.drive(own.driver.token, job.id, 'enroute');
  const answer = await town.graphql(
    own.dispatcher.token,
    `query { jobs(filter: { states: [to_pickup] }, sort: { jobStartAt: asc }) { totalCount nodes { id
      loads(filter: { states: [created] }) { totalCount nodes { state loadId } }
      jobEvents(first: 1) { nodes { eventName loadId } pageInfo { hasNextPage } } } } }`,
  );
  expect(answer.errors).toBeUndefined();
  expect(answer.data.jobs).toEqual({
    totalCount: 1,
    nodes: [
      {
        id: job.id,
        loads: { totalCount: 1, nodes: [{ state: 'created', loadId: `${job.job_id}-2` }] },
        jobEvents: { nodes: [{ eventName: 'ToPickup', loadId: expect.any(String) }], pageInfo: { hasNextPage: true } },
      },
    ],
  });
});
