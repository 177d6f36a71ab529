import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A parent that passes work to its child by a vendor account, and a child that receives none. */
let app: TestApp;
let parent: Tenant;
let child: Tenant;
let other: Tenant;
let vendorId: string;
/** The child's dispatcher, and people of the companies above. */
let dispatcher: string;
let above: string[];
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  parent = await makeTenant(app);
  [child, other] = [await makeTenant(app, of(parent)), await makeTenant(app, of(parent))];
  const to = { platform_id: child.company.platformId, account_types: ['vendor'] };
  vendorId = (await parent.must('POST', parent.path('/accounts/connected'), to)).id;
  dispatcher = (await child.person({ roles: ['dispatcher'] })).token;
  above = [(await parent.person({ roles: ['company_admin'] })).token, parent.token];
});
afterAll(() => app.close());

const of = (tenant: Tenant) => ({ company: { parentCompany: ref(tenant.company) } });
const DAY = '2026-11-23';

/** A job of the parent's that the child got. */
async function passed(): Promise<string> {
  const order = await makeOrder(parent, { loads_per_truck: 1 });
  await parent.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await parent.must('GET', `/v1/orders/${order.id}/jobs`);
  await parent.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: vendorId });
  await parent.must('PUT', `/v1/jobs/${job.id}/request`, {});
  return job.id;
}
const idsOf = (rows: Json[]): string[] => rows.map(({ id }) => id).sort();
const BOARD = `query($id: ID!) { dayBoard(companyId: $id, date: "${DAY}") { orders { id } jobsByState { state jobs { id } } drivers { driver { id } availability } } }`;

test("a parent's people find in the child what its own people find: the job, its order, loads and events, and the day", async () => {
  const id = await passed();
  const paths = ['/jobs?page[limit]=100', '/orders?page[limit]=100', `/jobs/${id}`, `/jobs/${id}/loads`, `/jobs/${id}/job_events`];
  const board = async (token?: string) => (await app.graphql(BOARD, { id: child.company.id }, { token })).body.data.dayBoard;
  const day = await board(dispatcher);
  expect(day.jobsByState.flatMap(({ jobs }: Json) => idsOf(jobs))).toContain(id);
  for (const token of above) {
    for (const path of paths) {
      const [own, seen] = [
        await child.must('GET', child.path(path), undefined, dispatcher),
        await child.must('GET', child.path(path), undefined, token),
      ];
      expect([path, own.id ?? idsOf(own)]).toEqual([path, seen.id ?? idsOf(seen)]);
    }
    expect(idsOf(await child.must('GET', child.path('/jobs?page[limit]=100'), undefined, token))).toContain(id);
    expect(await board(token)).toEqual(day);
    expect(idsOf(await other.must('GET', other.path('/jobs'), undefined, token))).toEqual([]);
    expect((await other.http('GET', other.path(`/jobs/${id}`), undefined, token)).status).toBe(404);
  }
});

test('they accept the job there, check it, and assign a driver of the child, who is booked then', async () => {
  for (const token of above) {
    const id = await passed();
    const ask = (method: string, event: string, body?: object) => child.must(method, child.path(`/jobs/${id}${event}`), body, token);
    expect((await ask('PUT', '/accept', {})).state).toBe('accepted');
    expect((await child.http('POST', child.path(`/jobs/${id}/validate`), { driver_id: child.driver.id }, token)).status).toBe(200);
    const assigned = await ask('PATCH', '', { driver_id: child.driver.id });
    expect([assigned.state, assigned.driver.id]).toEqual(['assigned', child.driver.id]);
    const kept = await child.must('GET', child.path(`/jobs/${id}`), undefined, dispatcher);
    expect([kept.driver.id, kept.customer_job_assignment !== null]).toEqual([child.driver.id, true]);
    const { data } = (await app.graphql(BOARD, { id: child.company.id }, { token })).body;
    expect(data.dayBoard.drivers).toContainEqual({ driver: { id: child.driver.id }, availability: 'booked' });
    expect(data.dayBoard.jobsByState.flatMap(({ jobs }: Json) => idsOf(jobs))).toContain(id);
  }
});

test('in the child they end what the child passed on, and at the owner the hire of the child', async () => {
  for (const token of above) {
    const id = await passed();
    const hired = async () => (await child.http('GET', child.path(`/jobs/${id}`), undefined, dispatcher)).status;
    const give = () => child.must('PATCH', child.path(`/jobs/${id}`), { driver_id: child.driver.id }, token);
    await child.must('PUT', child.path(`/jobs/${id}/accept`), {}, token);
    await give();
    expect((await child.must('PATCH', child.path(`/jobs/${id}`), { driver_id: null }, token)).driver).toBeNull();
    await give();
    expect((await child.must('PUT', child.path(`/jobs/${id}/unassign`), {}, token)).driver).toBeNull();
    expect(await hired()).toBe(200);
    await give();
    await parent.must('PUT', parent.path(`/jobs/${id}/unassign`), {}, token);
    expect(await hired()).toBe(404);
  }
});

test('a company that receives no work is read as before, alone and together with others', async () => {
  const asks = async (tenant: Tenant, path: string): Promise<boolean> => {
    const { statements } = await app.countStatements(() => tenant.must('GET', path, undefined, above[0]));
    return statements.some((sql) => /from "?job"? /.test(sql) && sql.includes('a.vendor_company_id = any('));
  };
  expect(await asks(child, child.path('/jobs'))).toBe(true);
  expect(await asks(other, other.path('/jobs'))).toBe(false);
  expect(await asks(parent, `/v1/jobs/${await passed()}`)).toBe(false);
});
