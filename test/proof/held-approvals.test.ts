import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { poolOf } from '../../src/platform/database/sql.ts';
import { sendForm } from '../files/form.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { until } from '../helpers/until.ts';
import { jpeg } from '../ingest/files/sample-files.ts';
import { makeRoad, type Road } from '../telematics/fences/road.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());

const sql = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await (await poolOf(app.orm.em.fork())).query(text, values)).rows;

/** A job whose only load positions have driven, in a company that has reviewed loads approved. Nothing of it is measured yet. */
async function hauled(tenant: StaffedTenant): Promise<Road> {
  const road = await makeRoad(tenant);
  await road.go([0, 0], [19, 0]);
  await road.go([20, 300], [30, 4_500]);
  await road.go([30.5, 5_000], [40, 5_000]);
  await road.go([40.5, 4_700], [44, 3_000]);
  expect((await road.load()).state).toBe('completed');
  return road;
}

async function ticketed(tenant: StaffedTenant, road: Road, served: number): Promise<void> {
  const { id: load_id } = await road.load();
  const body = { load_id, ticket_number: `T-${served}`, quantity: 21.5, unit_of_measure: 'Ton', service_date: road.at(served) };
  const { id } = await tenant.must('POST', '/v1/tickets', body);
  expect((await sendForm(app, 'POST', `/v1/tickets/${id}/image`, [['image', jpeg(), 'ticket.jpg']], tenant.token)).status).toBe(201);
}

/** Has what waits to be measured of a driver measured now, and not minutes later. */
async function measured(road: Road): Promise<void> {
  const waiting = () => sql("select from position_task where kind = 'distances' and asset_id = $1", [road.driver.id]);
  expect(await waiting()).toHaveLength(1);
  await sql("update position_task set due_at = now() where kind = 'distances' and asset_id = $1", [road.driver.id]);
  await until(async () => (await waiting()).length === 0);
}

/** Has everybody who waits for positions look now, and not in a minute. */
async function looked(tenant: StaffedTenant): Promise<void> {
  await app.settled();
  await sql('update load_review_task set due_at = now() where company_id = $1', [tenant.company.id]);
  await app.settled();
}

test('a load in whose review nothing is found is approved when its positions are measured, and not before', async () => {
  const tenant = await makeStaffedTenant(app, { aiReviewLoads: true });
  const settings = 'mutation { updateCompanySettings(input: { autoApproveReviewed: true }) { id } }';
  expect((await tenant.admin.gql(settings)).errors).toBeUndefined();
  const road = await hauled(tenant);
  await ticketed(tenant, road, 10);
  await tenant.must('PUT', `/v1/jobs/${road.jobId}/complete`, {});
  await looked(tenant);
  expect(await road.load()).toMatchObject({ ai_review: { status: 'approved', issues: [] }, approved: false });
  await measured(road);
  await looked(tenant);
  expect(await road.load()).toMatchObject({ approved: true, approval_status: { company_admin_approved: true } });
});

test('positions that are measured after the review has them say that the truck was not there', async () => {
  const tenant = await makeStaffedTenant(app, { aiReviewLoads: true });
  const road = await hauled(tenant);
  await ticketed(tenant, road, -45);
  const issues = async () => {
    await app.settled();
    return (await road.load()).ai_review.issues.filter((issue: string) => issue.startsWith('truck'));
  };
  expect(await issues()).toEqual([]);
  await measured(road);
  expect(await issues()).toEqual(['truck_not_there: the truck was not at the pickup']);
});
