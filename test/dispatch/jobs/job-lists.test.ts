import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { acceptedOrder, drive, makeStaffedTenant, makeVendor, readyJob, type StaffedTenant } from '../../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

const list = (query: string, at = tenant): Promise<Json[]> => at.dispatcher.must('GET', at.path(`/jobs?${query}`));
const ids = (jobs: Json[]): string[] => jobs.map((job) => job.id).sort();

test('jobs are found by their relations', async () => {
  const { id: order, jobs } = await acceptedOrder(tenant, {
    truck_count: 2,
    dispatch_number: { name: 'DN-77' },
    foreman_ids: [tenant.dispatcher.id],
  });
  const other = await acceptedOrder(tenant, { material_id: null });
  const [one, two] = jobs;
  await tenant.dispatcher.must('PATCH', `/v1/jobs/${one.id}`, { driver_id: tenant.driver.id });
  const vendor = await makeVendor(tenant);
  await tenant.dispatcher.must('PUT', `/v1/jobs/${two.id}/assign_vendor`, { vendor_id: vendor.id });

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
    ids(await tenant.dispatcher.must('GET', `/v1/orders/${order}/jobs?filter[states]=assigned&filter[driver_ids]=${tenant.driver.id}`)),
  ).toEqual([one.id]);
  expect((await tenant.dispatcher.http('GET', '/v1/jobs?filter[states]=nonsense')).status).toBe(422);
  expect((await tenant.dispatcher.http('GET', '/v1/jobs?filter[driver_ids]=nonsense')).status).toBe(422);

  expect(ids(await list('search[datagrid]=dora wheel'))).toEqual([one.id]);
  expect(ids(await list('search[datagrid]=dn-77'))).toEqual(both);
  expect(ids(await list(`search[datagrid]=${encodeURIComponent('dn-77 wheel')}`))).toEqual([one.id]);
  expect(ids(await list('search[datagrid]=%25'))).toEqual([]);
});

test('jobs and their orders are found by name, e-mail and telephone of each of their contacts', async () => {
  const at = await makeStaffedTenant(app);
  const kinds = ['sales_contact', 'foreman_contact', 'supervisor_contact', 'collaborator_contact'];
  await acceptedOrder(at, {});
  for (const [n, kind] of kinds.entries()) {
    const contact = { name: `Kim ${kind}`, email: `kim${n}@example.com`, phone: `+1416555012${n}` };
    const { id, jobs } = await acceptedOrder(at, { truck_count: 1, [kind]: contact });
    for (const word of [kind, `kim${n}@`, `555012${n}`]) {
      expect(ids(await list(`search[datagrid]=${word}`, at))).toEqual(ids(jobs));
      const orders = await at.dispatcher.must('GET', at.path(`/orders/dispatch?search[job][datagrid]=${word}`));
      expect(ids(orders)).toEqual([id]);
    }
  }
  expect(await list('search[datagrid]=kim', at)).toHaveLength(kinds.length);
});

test('the days of a filter are those of the company', async () => {
  const pacific = await makeStaffedTenant(app, { timeZone: 'America/Vancouver' });
  // 07:30 in London is the evening before in Vancouver.
  const late = await acceptedOrder(pacific, { load_at: '2026-07-02T06:30:00Z' });
  const next = await acceptedOrder(pacific, { load_at: '2026-07-02T07:00:00Z' });
  const day = (date: string) => list(`filter[start_date]=${date}&filter[end_date]=${date}`, pacific);
  expect(ids(await day('2026-07-01'))).toEqual([late.jobs[0].id]);
  expect(ids(await day('2026-07-02'))).toEqual([next.jobs[0].id]);
  expect((await pacific.dispatcher.http('GET', '/v1/jobs?filter[start_date]=2026-13-01')).status).toBe(422);
});

test('pages follow the Link header through all jobs, each once', async () => {
  const own = await makeStaffedTenant(app);
  await acceptedOrder(own, { truck_count: 7 });
  const seen: string[] = [];
  let path: string | undefined = own.path('/jobs?page[limit]=3');
  while (path) {
    const answer = await own.dispatcher.http('GET', path);
    seen.push(...answer.body.data.map((job: Json) => job.id));
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    path = next?.slice(next.indexOf('/v1'));
  }
  expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
});

test('typeaheads return id and friendly number', async () => {
  const { jobs } = await acceptedOrder(tenant);
  const { id, job_id } = jobs[0];
  const at = `/v1/companies/${tenant.company.id}`;
  expect(await tenant.dispatcher.must('GET', `${at}/jobs/typeahead?search[query]=${job_id}`)).toEqual([{ id, job_id }]);
  const loads = await tenant.dispatcher.must('GET', `${at}/loads/typeahead?search[query]=${job_id}-`);
  expect(loads).toEqual([{ id: expect.any(String), load_id: `${job_id}-1` }]);
  const old = await tenant.dispatcher.http('GET', `/v1/jobs/typeahead?search[query]=${job_id}`);
  expect([old.status, old.headers.get('deprecation') !== null]).toEqual([200, true]);
});

test('the timeline shows who changed what, and rates only to those who may see them', async () => {
  const admin = await tenant.person({ roles: ['company_admin'], firstName: 'Bo', lastName: 'Boss' });
  const { jobs } = await acceptedOrder(tenant);
  const path = `/v1/jobs/${jobs[0].id}`;
  await tenant.dispatcher.must('PATCH', path, { notes: 'Gate 4' });
  await admin.must('PATCH', path, { customer_rate_value: 80, priority: 2 });
  await admin.must('PATCH', path, { vendor_rate_value: 70 });
  const all = await admin.must('GET', `${path}/timeline`);
  expect(all.slice(0, 3)).toEqual([
    {
      created_at: expect.any(String),
      created_by: expect.objectContaining({ type: 'User', id: admin.id, name: 'Bo Boss' }),
      object_changes: { vendor_rate_value: [null, expect.anything()] },
    },
    expect.objectContaining({ object_changes: { customer_rate_value: [null, expect.anything()], priority: [0, 2] } }),
    expect.objectContaining({ object_changes: { notes: [null, 'Gate 4'] } }),
  ]);
  const less = await tenant.dispatcher.must('GET', `${path}/timeline`);
  expect(less.map((entry: Json) => entry.object_changes)).toEqual([{ priority: [0, 2] }, { notes: [null, 'Gate 4'] }]);

  const vendor = await makeStaffedTenant(app);
  const account = await makeVendor(tenant, { connectedCompany: ref(vendor.company) });
  await tenant.dispatcher.must('PUT', `${path}/assign_vendor`, { vendor_id: account.id });
  expect((await vendor.dispatcher.http('GET', path)).status).toBe(200);
  expect((await vendor.dispatcher.http('GET', `${path}/timeline`)).status).toBe(404);
});

test('GraphQL lists jobs with their loads and events, filtered', async () => {
  const own = await makeStaffedTenant(app);
  const job = await readyJob(own, { loads_per_truck: 2 });
  await drive(own.driver, job.id, 'enroute');
  const answer =
    await own.dispatcher.gql(`query { jobs(filter: { states: [to_pickup] }, sort: { jobStartAt: asc }) { count { value } nodes { id
      loads(filter: { states: [created] }) { count { value } nodes { state loadId } }
      jobEvents(first: 1) { nodes { eventName loadId } pageInfo { hasNextPage } } } } }`);
  expect(answer.errors).toBeUndefined();
  expect(answer.data.jobs).toEqual({
    count: { value: 1 },
    nodes: [
      {
        id: job.id,
        loads: { count: { value: 1 }, nodes: [{ state: 'created', loadId: `${job.job_id}-2` }] },
        jobEvents: { nodes: [{ eventName: 'WaypointPending', loadId: expect.any(String) }], pageInfo: { hasNextPage: true } },
      },
    ],
  });
});
