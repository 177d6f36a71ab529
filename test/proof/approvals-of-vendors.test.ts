import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { jobOfChain, makeChain, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';
import { makeTenant } from '../helpers/tenant.ts';
import { zoneAt } from '../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let chain: Awaited<ReturnType<typeof makeChain>>;
let owner: StaffedTenant;
let middle: StaffedTenant;
let last: StaffedTenant;
const biller = {} as Record<'owner' | 'middle' | 'last', string>;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  chain = await makeChain(app, { timeZone: zoneAt(12) });
  ({ owner, middle, last } = chain);
  for (const [name, company] of Object.entries({ owner, middle, last }))
    biller[name as 'owner'] = (await company.person({ roles: ['biller'] })).token;
});
afterAll(() => app.close());

/** A job of the owner with one load, which a driver of the last company hauled; nobody has approved it. */
async function hauled() {
  const { id, token, go } = await jobOfChain(chain);
  for (const event of shortHaul()) await go(event);
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  return { id, load: load.id as string, driver: token };
}

/** Whether it is approved, as the billers of the three companies read it. */
async function seen(path: string): Promise<boolean[]> {
  const answers: Json[] = [];
  for (const [one, token] of billers()) answers.push(await one.must('GET', path, undefined, token));
  return answers.map(({ approved, approvable, unapprovable, approved_at, approval_status }) => {
    const rest = [!approvable, unapprovable, approved_at !== null, approval_status.biller_approved];
    expect(rest).toEqual([approved, approved, approved, approved]);
    return approved;
  });
}
const billers = () => [[owner, biller.owner] as const, [middle, biller.middle] as const, [last, biller.last] as const];
const waiting = async (one: StaffedTenant, token: string, list = 'jobs', search = '') =>
  (await one.must('GET', `/v1/${list}/approval?page[limit]=100${search}`, undefined, token)).map(({ id }: Json) => id);
const put = (one: StaffedTenant, path: string, token: string, body: object = {}) => one.http('PUT', `/v1/${path}`, body, token);

test('each company of a chain approves a job with its loads for itself, and takes that back', async () => {
  const { id, load } = await hauled();
  for (const [one, token] of billers()) {
    expect(await waiting(one, token)).toContain(id);
    expect(await waiting(one, token, 'loads')).toContain(load);
  }
  // A load in doubt needs a person of its owner, and of nobody else.
  await app.orm.em.getConnection().execute('update load set needs_review = true where id = ?', [load]);
  const needs = async (one: StaffedTenant) => {
    const query =
      'query ($id: ID!, $job: ID!) { load(id: $id) { needsReview doubted } loads(jobId: $job, filter: { needsReview: true }) { nodes { id } } }';
    const { data } = await one.gql(query, { id: load, job: id });
    return [data.load.needsReview, data.load.doubted, data.loads.nodes.length];
  };
  expect([await needs(owner), await needs(middle), await needs(last)]).toEqual([
    [true, true, 1],
    [false, true, 0],
    [false, true, 0],
  ]);

  expect((await put(last, `jobs/${id}/approve`, biller.last)).status).toBe(200);
  expect(await seen(`/v1/jobs/${id}`)).toEqual([false, false, true]);
  expect(await seen(`/v1/loads/${load}`)).toEqual([false, false, true]);
  expect(await waiting(last, biller.last)).not.toContain(id);
  expect(await waiting(last, biller.last, 'loads')).not.toContain(load);
  expect(await waiting(middle, biller.middle)).toContain(id);
  expect((await put(last, `jobs/${id}/approve`, biller.last)).status).toBe(422);

  expect((await put(owner, `jobs/${id}/approve`, biller.owner)).status).toBe(200);
  expect(await seen(`/v1/jobs/${id}`)).toEqual([true, false, true]);
  expect((await put(last, `loads/${load}/unapprove`, biller.last)).status).toBe(200);
  expect(await seen(`/v1/loads/${load}`)).toEqual([true, false, false]);
  expect((await put(last, `jobs/${id}/unapprove`, biller.last)).status).toBe(200);
  expect(await seen(`/v1/jobs/${id}`)).toEqual([true, false, false]);
  expect((await put(last, `jobs/${id}/unapprove`, biller.last)).status).toBe(422);
});

test('loads that wait are found by words of their job, and by none that its owner keeps to itself', async () => {
  const { id, load } = await hauled();
  const word = `zz${id.slice(0, 8)}`;
  await owner.dispatcher.must('PATCH', `/v1/jobs/${id}`, {
    sales_contact: { name: `Sal ${word}`, email: `${word}@example.com` },
    foreman_contact: { name: `Fred ${word}f` },
  });
  const { job_id } = await owner.must('GET', `/v1/jobs/${id}`);
  const found = async (text: string) => {
    const answers: boolean[] = [];
    for (const [one, token] of billers())
      answers.push((await waiting(one, token, 'loads', `&search[job][datagrid]=${encodeURIComponent(text)}`)).includes(load));
    return answers;
  };
  expect([await found(job_id), await found(`${word}f ${job_id}`)]).toEqual([Array(3).fill(true), Array(3).fill(true)]);
  expect([await found(`Sal`), await found(`${word}@example.com`)]).toEqual(Array(2).fill([true, false, false]));
});

test('the status and the log are those of the company, and of its direct partners', async () => {
  const { id } = await hauled();
  await put(last, `jobs/${id}/approve`, biller.last);
  await put(owner, `jobs/${id}/approve`, biller.owner);
  const status = async (one: StaffedTenant, token: string) =>
    (await one.must('GET', `/v1/jobs/${id}/approval_status`, undefined, token)).biller_approved;
  expect([await status(owner, biller.owner), await status(middle, biller.middle), await status(last, biller.last)]).toEqual([
    true,
    false,
    true,
  ]);
  const log = async (one: StaffedTenant, token: string) => (await one.must('GET', `/v1/jobs/${id}/approvals`, undefined, token)).length;
  expect([await log(owner, biller.owner), await log(middle, biller.middle), await log(last, biller.last)]).toEqual([1, 2, 1]);
});

test('the minutes are set by the owner; the driver of a vendor approves in the books of the vendor', async () => {
  const { id, driver } = await hauled();
  const minutes = await put(last, `jobs/${id}/approve`, biller.last, { approved_work_time_minutes: 10 });
  expect([minutes.status, minutes.body.error.errors[0].field]).toEqual([422, 'approved_work_time_minutes']);
  expect(await seen(`/v1/jobs/${id}`)).toEqual([false, false, false]);
  expect((await put(last, `jobs/${id}/approve`, driver)).status).toBe(200);
  const statusOf = async (one: StaffedTenant) => (await one.must('GET', `/v1/jobs/${id}`)).approval_status.driver_approved;
  expect([await statusOf(owner), await statusOf(last)]).toEqual([false, true]);
});

test('two billers of a vendor at the same moment approve once; a stranger finds nothing', async () => {
  const { id, load } = await hauled();
  const second = (await last.person({ roles: ['biller'] })).token;
  const answers = await Promise.all([biller.last, second].map((token) => put(last, `loads/${load}/approve`, token)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  const stranger = await makeTenant(app);
  expect((await stranger.http('PUT', `/v1/jobs/${id}/approve`, {})).status).toBe(404);
  expect((await stranger.http('PUT', `/v1/loads/${load}/approve`, {})).status).toBe(404);
});

test('a family with two links of a chain reads one answer: what one of it approved is approved', async () => {
  const parent = await makeTenant(app);
  const family = await makeChain(app, { timeZone: zoneAt(12) });
  for (const { company } of [family.middle, family.last])
    await app.orm.em.execute('update company set parent_company_id = ? where id = ?', [parent.company.id, company.id]);
  const { id, go } = await jobOfChain(family);
  for (const event of shortHaul()) await go(event);
  const books = {
    last: (await family.last.person({ roles: ['biller'] })).token,
    middle: (await family.middle.person({ roles: ['biller'] })).token,
  };
  const { token } = await parent.person({ roles: ['company_admin'] });
  // The older of the two states is one that was taken back.
  await put(family.last, `jobs/${id}/approve`, books.last);
  await put(family.middle, `jobs/${id}/approve`, books.middle);
  await put(family.last, `jobs/${id}/unapprove`, books.last);
  const job = await parent.must('GET', `/v1/jobs/${id}`, undefined, token);
  const { billing_approved_at: at } = await parent.must('GET', `/v1/jobs/${id}/approval_status`, undefined, token);
  expect([job.approved, job.approvable, job.approval_status.biller_approved, at !== null]).toEqual([true, false, true, true]);
  await put(family.middle, `jobs/${id}/unapprove`, books.middle);
  const open = await parent.must('GET', `/v1/jobs/${id}`, undefined, token);
  expect([open.approved, open.approvable]).toEqual([false, true]);
});
