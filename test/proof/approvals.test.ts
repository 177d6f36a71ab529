import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { drive, makeStaffedTenant, readyJob, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';
import { type Person } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
const people: Record<string, Person> = {};
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
  for (const role of ['company_admin', 'biller', 'manager', 'dispatcher', 'foreman'] as const)
    people[role] = await tenant.person({ roles: [role] });
  people.driver = tenant.driver;
});
afterAll(() => app.close());

const ask = (as: string, method: string, rest: string, body?: object) => people[as]!.http(method, tenant.path(rest), body);

/** A completed job with one load, on an order that goes on. */
async function finished(more: object = {}): Promise<{ job: Json; load: Json }> {
  const job = await readyJob(tenant, { truck_count: 2, ...more });
  await drive(tenant.driver, job.id, ...shortHaul());
  const [load] = await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}/loads`);
  return { job, load };
}

test('a biller approves a job with its loads; the log says who, and in which role', async () => {
  const { job, load } = await finished();
  const early = await ask('biller', 'GET', '/jobs/approval');
  expect(early.body.data.map((one: Json) => one.id)).toContain(job.id);
  const answer = await ask('biller', 'PUT', `/jobs/${job.id}/approve`, { approved_work_time_minutes: 95 });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  expect(answer.body.data).toMatchObject({
    approved: true,
    approvable: false,
    unapprovable: true,
    approval_status: { biller_approved: true, company_admin_approved: false, field_approved_at: null },
    billing_approved_at: expect.any(String),
  });
  expect((await ask('biller', 'GET', `/jobs/${job.id}/approval_status`)).body.data.biller_approved).toBe(true);
  const [seen] = await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}/loads`);
  expect(seen).toMatchObject({ id: load.id, approved: true, approval_status: { biller_approved: true } });
  const log = await ask('biller', 'GET', `/jobs/${job.id}/approvals`);
  expect(log.body.data).toMatchObject([
    {
      approval_action: 'approve',
      approval_category: 'billing',
      approval_type: 'biller',
      approver_type: 'User',
      external_approver_name: null,
    },
  ]);
  expect((await ask('biller', 'GET', `/loads/${load.id}/approvals`)).body.data.length).toBe(1);
  expect((await ask('biller', 'GET', '/jobs/approval')).body.data.map((one: Json) => one.id)).not.toContain(job.id);
  expect((await ask('biller', 'PUT', `/jobs/${job.id}/approve`, {})).body.error.errors).toMatchObject([{ model: 'Job', field: '' }]);
});

test('a name is that of a foreman without a login: no other approval may have one', async () => {
  const { job, load } = await finished();
  for (const path of [`/jobs/${job.id}/approve`, `/loads/${load.id}/approve`]) {
    const refused = await ask('biller', 'PUT', path, { external_approver_name: 'Pat' });
    expect([refused.status, refused.body.error?.errors?.[0]?.field]).toEqual([422, 'external_approver_name']);
    const named = { external_approver_name: 'Pat', approval_type: 'foreman' };
    expect((await ask('company_admin', 'PUT', path, named)).status).toBe(path.startsWith('/jobs') ? 200 : 422);
  }
  const log = (await ask('biller', 'GET', `/jobs/${job.id}/approvals`)).body.data;
  expect(log).toMatchObject([{ approval_type: 'foreman', approval_category: 'field', external_approver_name: 'Pat' }]);
});

test('field and billing are two categories; only administrators choose the role', async () => {
  const foreman = await tenant.person({ roles: ['foreman'] });
  people.crew = foreman;
  const { job } = await finished({ foreman_ids: [foreman.id] });
  const field = await ask('crew', 'PUT', `/jobs/${job.id}/approve`, {});
  expect(field.body.data).toMatchObject({
    approved: false,
    approval_status: { foreman_approved: true },
    field_approved_at: expect.any(String),
  });
  expect((await ask('driver', 'PUT', `/jobs/${job.id}/approve`, {})).body.data.approval_status.driver_approved).toBe(true);
  // The contract has no type for the approval of a driver where it lists approvals.
  const log = `/jobs/${job.id}/approvals`;
  const typesOf = (all: Json[]) => all.map((one) => ['approval_type' in one, one.approval_type]);
  expect(typesOf((await ask('biller', 'GET', log)).body.data)).toEqual([
    [false, undefined],
    [true, 'foreman'],
  ]);
  const headers = { Prefer: 'approvals=all' };
  const all = await app.http('GET', tenant.path(log), { token: people.biller!.token, headers });
  expect(typesOf(all.body.data)).toEqual([
    [true, 'driver'],
    [true, 'foreman'],
  ]);
  const named = await tenant.gql('query($id: ID!) { jobApprovals(jobId: $id) { nodes { approvalType } } }', { id: job.id });
  expect(named.data.jobApprovals.nodes[0]).toEqual({ approvalType: 'driver' });
  const chosen = await ask('biller', 'PUT', `/jobs/${job.id}/approve`, { approval_type: 'company_admin' });
  expect([chosen.status, chosen.body.error.errors[0].field]).toEqual([422, 'approval_type']);
  const admin = await ask('company_admin', 'PUT', `/jobs/${job.id}/approve`, { approval_type: 'biller' });
  expect(admin.body.data.approval_status).toMatchObject({ biller_approved: true, company_admin_approved: false, foreman_approved: true });
});

test('unapproving withdraws the category, for single loads, too', async () => {
  const { job, load } = await finished();
  await ask('manager', 'PUT', `/jobs/${job.id}/approve`, {});
  const alone = await ask('biller', 'PUT', `/loads/${load.id}/unapprove`, {});
  expect([alone.status, alone.body.data?.approved]).toEqual([200, false]);
  expect((await ask('biller', 'GET', `/jobs/${job.id}`)).body.data.approved).toBe(true);
  expect((await ask('biller', 'PUT', `/loads/${load.id}/approve`, {})).body.data.approved).toBe(true);
  const back = await ask('company_admin', 'PUT', `/jobs/${job.id}/unapprove`, {});
  expect(back.body.data).toMatchObject({ approved: false, billing_approved_at: null, approval_status: { biller_approved: false } });
  expect((await ask('biller', 'GET', `/loads/approval`)).body.data.map((one: Json) => one.id)).toContain(load.id);
  expect((await ask('biller', 'PUT', `/jobs/${job.id}/unapprove`, {})).status).toBe(422);
});

test('unfinished work cannot be approved, nor by people without the permission, nor twice concurrently', async () => {
  const open = await readyJob(tenant, { truck_count: 2 });
  expect((await ask('biller', 'PUT', `/jobs/${open.id}/approve`, {})).status).toBe(422);
  const { job, load } = await finished();
  expect((await ask('dispatcher', 'PUT', `/jobs/${job.id}/approve`, {})).status).toBe(403);
  expect((await ask('foreman', 'PUT', `/loads/${load.id}/approve`, {})).status).toBe(403);
  const stranger = await makeStaffedTenant(app);
  expect((await stranger.dispatcher.http('PUT', `/v1/jobs/${job.id}/approve`, {})).status).toBe(404);
  const twice = await Promise.all([1, 2].map(() => ask('biller', 'PUT', `/jobs/${job.id}/approve`, {})));
  expect(twice.map(({ status }) => status).sort()).toEqual([200, 422]);
  expect((await ask('biller', 'GET', `/jobs/${job.id}/approvals`)).body.data.length).toBe(1);
});

test('a signed-off job keeps its approval', async () => {
  const { job } = await finished();
  await ask('biller', 'PUT', `/jobs/${job.id}/approve`, {});
  await tenant.dispatcher.must('PUT', `/v1/jobs/${job.id}/sign_off`, {});
  expect((await ask('biller', 'PUT', `/jobs/${job.id}/unapprove`, {})).status).toBe(422);
});

test('a waiting load shows the quantity of its ticket, otherwise the reported one, otherwise none', async () => {
  const { job, load } = await finished();
  const reported = async () => {
    const { body } = await ask('biller', 'GET', `/loads/approval?search[job][datagrid]=${job.job_id}`);
    const { quantity, unit_of_measure } = body.data.find((one: Json) => one.id === load.id);
    return [quantity, unit_of_measure];
  };
  const change = (to: object) => tenant.dispatcher.must('PATCH', `/v1/loads/${load.id}`, to);
  await change({ quantity: null, unit_of_measure: null });
  expect(await reported()).toEqual(['0', expect.any(String)]);
  await change({ quantity: 17.5, unit_of_measure: 'Tonne' });
  expect(await reported()).toEqual(['17.5', 'Tonne']);
  const ticket = { load_id: load.id, ticket_number: `A-${load.load_id}`, quantity: 18, unit_of_measure: 'Ton' };
  const { id } = await tenant.dispatcher.must('POST', '/v1/tickets', ticket);
  expect(await reported()).toEqual(['18', 'Ton']);
  await tenant.dispatcher.must('PUT', `/v1/tickets/${id}/void`);
  expect(await reported()).toEqual(['17.5', 'Tonne']);
});

test('the invoicing lists show finished work only', async () => {
  const { job } = await finished({ load_at: '2027-03-01T12:00:00.000Z' });
  const orders = await ask(
    'biller',
    'GET',
    `/orders/invoicing?filter[invoice][start_date]=2027-03-01&filter[invoice][driver_ids][]=${tenant.driver.id}`,
  );
  expect(orders.body.data.map((one: Json) => one.id)).toEqual([job.order.id]);
  const nobody = await ask('biller', 'GET', `/orders/invoicing?filter[invoice][driver_ids][]=${tenant.dispatcher.id}`);
  expect(nobody.body.data).toEqual([]);
  const jobs = await ask('biller', 'GET', `/orders/${job.order.id}/jobs/invoicing`);
  expect(jobs.body.data.map((one: Json) => one.id)).toEqual([job.id]);
  expect((await ask('biller', 'GET', `/jobs/${job.id}/invoicing`)).body.data.id).toBe(job.id);
  const found = await ask('biller', 'GET', `/loads/approval?search[job][datagrid]=${job.job_id}`);
  expect(found.body.data.length).toBe(1);
});
