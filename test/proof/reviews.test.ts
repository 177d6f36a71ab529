import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import { Job } from '../../src/dispatch/model/job.entity.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { newId } from '../../src/platform/ids.ts';
import { GeofenceTrigger } from '../../src/telematics/fences/geofence-trigger.entity.ts';
import { subscribed } from '../events/subscribed.ts';
import { sendForm } from '../files/form.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { drive, jobOf, makeStaffedTenant, ONE_LOAD, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { zoneAt } from '../helpers/zones.ts';
import { jpeg } from '../ingest/files/sample-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());

const sql = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await (await poolOf(app.orm.em.fork())).query(text, values)).rows;

/** A load that its driver has just completed, of a truck that holds 22 Ton, of a company where it is noon. */
async function completed(aiReviewLoads: boolean) {
  const tenant = await makeStaffedTenant(app, { aiReviewLoads, timeZone: zoneAt(12) });
  // Tests drive faster than trucks.
  const settings = `mutation { updateCompanySettings(input: { reviewShortestOnSiteMinutes: 0 }) { reviewShortestOnSiteMinutes } }`;
  expect((await tenant.admin.gql(settings)).errors).toBeUndefined();
  const capacity = { grossCapacity: '22', grossCapacityUnitOfMeasure: 'Ton' };
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Tri-axle', ...capacity });
  const { user, ...driver } = await tenant.person({ roles: ['driver'] });
  const job = await jobOf(tenant, { driver_id: user.id, equipment_type_id: type.id });
  await drive({ ...driver, user }, job.id, ...ONE_LOAD);
  const [load] = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
  const reviewOf = async (): Promise<Json> => {
    await app.settled();
    return (await tenant.must('GET', `/v1/loads/${load.id}`)).ai_review;
  };
  return { tenant, job, load, reviewOf, driver: user };
}

/** A ticket with which nothing is wrong. */
async function ticketOn(tenant: StaffedTenant, load: Json, number = 'T-1'): Promise<string> {
  const body = { ticket_number: number, quantity: 21.5, unit_of_measure: 'Ton', service_date: new Date().toISOString() };
  const { id } = await tenant.must('POST', '/v1/tickets', { ...body, load_id: load.id });
  expect((await sendForm(app, 'POST', `/v1/tickets/${id}/image`, [['image', jpeg(), 'ticket.jpg']], tenant.token)).status).toBe(201);
  return id;
}

test('a load is reviewed when it is completed, when its ticket comes and when that changes', async () => {
  const { tenant, job, load, reviewOf } = await completed(true);
  const subscription = await subscribed(tenant, 'Load::update', 'Load::error');
  const triggersSent = async (): Promise<string[]> => {
    const deliveries = await subscription.deliveries();
    return deliveries.filter(({ subject_id }: Json) => subject_id === load.id).map(({ trigger }: Json) => trigger);
  };
  const bare = await reviewOf();
  expect(bare).toMatchObject({ status: 'flagged', confidence: '0' });
  expect(bare.issues.map((issue: string) => issue.split(':')[0])).toEqual(['missing_quantity', 'missing_number', 'missing_image']);
  const id = await ticketOn(tenant, load);
  expect(await reviewOf()).toMatchObject({ status: 'approved', confidence: '1', issues: [] });
  await tenant.must('PATCH', `/v1/tickets/${id}`, { quantity: 27.28 });
  const over = { status: 'flagged', confidence: '0.6', issues: ['over_capacity: 27.28 Ton, truck holds 22 (24 % over)'] };
  expect(await reviewOf()).toMatchObject(over);
  expect((await tenant.must('GET', `/v1/tickets/${id}/ai_metadata`)).ai_confidence_score).toBe('60');
  await tenant.must('PUT', `/v1/tickets/${id}/void`);
  expect((await reviewOf()).status).toBe('flagged');
  const events = await tenant.must('GET', `/v1/jobs/${job.id}/job_events`);
  const reviewed = events.filter((event: Json) => event.event_name === 'LoadAiReviewed');
  expect(reviewed.map((event: Json) => [event.load_id, event.event_source])).toContainEqual([load.id, 'automation']);
  expect(reviewed.length).toBeGreaterThanOrEqual(3);
  // Those who wait for changes of loads learn of each review, and those who wait for failures of one that is given up.
  const updates = (await triggersSent()).filter((trigger) => trigger === 'Load::update').length;
  expect(updates).toBeGreaterThanOrEqual(reviewed.length - 1);
  await sql('insert into load_review_task (id, company_id, due_at, attempts) values ($1, $2, now(), 9)', [load.id, tenant.company.id]);
  await app.settled();
  expect((await triggersSent()).filter((trigger) => trigger === 'Load::error')).toHaveLength(1);
});

test('a number that becomes free is no duplicate any more, and a load whose ticket is deleted is reviewed without it', async () => {
  const { tenant, load, reviewOf } = await completed(true);
  const first = await ticketOn(tenant, load);
  // Reviewed later, it would be one of two with that number.
  expect((await reviewOf()).status).toBe('approved');
  const { user, ...driver } = await tenant.person({ roles: ['driver'] });
  const job = await jobOf(tenant, { driver_id: user.id });
  await drive({ ...driver, user }, job.id, ...ONE_LOAD);
  const [other] = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
  const second = await ticketOn(tenant, other, 't-1');
  const statuses = async () => [(await reviewOf()).status, (await tenant.must('GET', `/v1/loads/${other.id}`)).ai_review.status];
  expect(await statuses()).toEqual(['approved', 'duplicate']);
  expect((await tenant.http('PUT', `/v1/tickets/${second}/approve`)).status).toBe(409);
  // The number of the first one was misread.
  await tenant.must('PATCH', `/v1/tickets/${first}`, { ticket_number: 'T-7' });
  expect(await statuses()).toEqual(['approved', 'approved']);
  await tenant.must('PATCH', `/v1/tickets/${second}`, { ticket_number: 't-7' });
  expect(await statuses()).toEqual(['approved', 'duplicate']);
  expect((await tenant.http('DELETE', `/v1/tickets/${first}`)).status).toBe(204);
  expect(await statuses()).toEqual(['flagged', 'approved']);
  expect((await tenant.must('PUT', `/v1/tickets/${second}/approve`)).state).toBe('approved');
});

test('a truck that geofences saw elsewhere was not at the pickup when its ticket was printed, wherever the one before it was', async () => {
  const { tenant, job, load, reviewOf, driver } = await completed(true);
  const id = await ticketOn(tenant, load);
  const seen = (minutes: number, waypointType: 'pickup' | 'drop_off', assetId = driver.id) => {
    const occurredAt = new Date(Date.now() - minutes * 60_000);
    const what = { assetType: 'driver', assetId, fenceId: newId(), locationId: newId(), lat: '30.25', lon: '-97.75' };
    const at = { geofenceTriggerType: 'enter', waypointType, occurredAt, confirmedAt: occurredAt, state: 'skipped', confidence: '1' };
    return tenant.save(GeofenceTrigger, { companyId: tenant.company.id, job: ref(Job, job.id), ...what, ...at });
  };
  const issues = async (quantity: number) => {
    await tenant.must('PATCH', `/v1/tickets/${id}`, { quantity });
    return (await reviewOf()).issues;
  };
  await sql('update load set summary_has_gps_data = true where id = $1', [load.id]);
  // Nobody watched.
  expect(await issues(21)).toEqual([]);
  // Nor did anybody watch this truck when that of a driver who had the job before was seen.
  const former = tenant.driver.user.id;
  await seen(2, 'drop_off', former);
  expect(await issues(21.3)).toEqual([]);
  await seen(20, 'pickup', former);
  await seen(2, 'drop_off');
  await seen(40, 'pickup');
  expect(await issues(21.1)).toEqual(['truck_not_there: the truck was not at the pickup']);
  await seen(20, 'pickup');
  expect(await issues(21.2)).toEqual([]);
});

test('a company may have loads approved in whose review nothing is found, and the log names the review', async () => {
  const { tenant, job, load, reviewOf } = await completed(true);
  const approvals = async () => {
    const { data } = await tenant.gql(
      'query ($id: ID!) { loadApprovals(loadId: $id) { nodes { approvalType approverType approverId approverName reviewId } } }',
      { id: load.id },
    );
    return data.loadApprovals.nodes;
  };
  const id = await ticketOn(tenant, load);
  expect((await reviewOf()).status).toBe('approved');
  expect(await approvals()).toEqual([]);
  expect(
    (await tenant.admin.gql('mutation { updateCompanySettings(input: { autoApproveReviewed: true }) { id } }')).errors,
  ).toBeUndefined();
  await tenant.must('PATCH', `/v1/tickets/${id}`, { quantity: 27.28 });
  expect([(await reviewOf()).status, await approvals()]).toEqual(['flagged', []]);
  await tenant.must('PATCH', `/v1/tickets/${id}`, { quantity: 21.4 });
  // How long it took from load to load is not known before the next one arrives, or the job is over.
  expect([(await reviewOf()).status, await approvals()]).toEqual(['approved', []]);
  await tenant.must('PUT', `/v1/jobs/${job.id}/complete`, {});
  const review = await reviewOf();
  expect(review.status).toBe('approved');
  const [{ id: reviewId }] = await sql('select id from ai_review where load_id = $1', [load.id]);
  const bySystem = {
    approvalType: 'company_admin',
    approverType: 'Company',
    approverId: tenant.company.id,
    approverName: 'System',
    reviewId,
  };
  expect(await approvals()).toEqual([bySystem]);
  expect(await tenant.must('GET', `/v1/loads/${load.id}`)).toMatchObject({
    approved: true,
    approval_status: { company_admin_approved: true },
  });
  // It does so once: somebody who takes it back has decided.
  await tenant.admin.must('PUT', `/v1/loads/${load.id}/unapprove`, {});
  await reviewOf();
  expect((await tenant.must('GET', `/v1/loads/${load.id}`)).approved).toBe(false);
});

test('what somebody decides while an approval waits stays', async () => {
  const { tenant, job, load, reviewOf } = await completed(true);
  expect(
    (await tenant.admin.gql('mutation { updateCompanySettings(input: { autoApproveReviewed: true }) { id } }')).errors,
  ).toBeUndefined();
  await ticketOn(tenant, load);
  expect((await reviewOf()).status).toBe('approved');
  for (const what of ['approve', 'unapprove']) await tenant.admin.must('PUT', `/v1/loads/${load.id}/${what}`, {});
  await tenant.must('PUT', `/v1/jobs/${job.id}/complete`, {});
  await reviewOf();
  expect((await tenant.must('GET', `/v1/loads/${load.id}`)).approved).toBe(false);
});

test('the arrival of the next load shows how long the one before took, and has it reviewed anew', async () => {
  const tenant = await makeStaffedTenant(app, { aiReviewLoads: true });
  const { user, ...driver } = await tenant.person({ roles: ['driver'] });
  const job = await jobOf(tenant, { driver_id: user.id, recurring_loads: true, loads_per_truck: null });
  const began = Date.now() - 5 * 3_600_000;
  const press = (event: string, minutes: number) =>
    driver.must('PUT', `/v1/jobs/${job.id}/${event}`, { occurred_at: new Date(began + minutes * 60_000).toISOString() });
  const loads = async (): Promise<Json[]> => {
    await app.settled();
    const found = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
    return found.sort((a: Json, b: Json) => a.ordinality - b.ordinality);
  };
  const cycles = async () =>
    (await loads()).map(({ ai_review: review }) => (review?.issues ?? []).filter((issue: string) => issue.startsWith('cycle')));
  // Half an hour apart, and the last one arrives an hour and forty minutes after the one before.
  for (const at of [0, 30, 60, 90]) for (const [i, event] of ONE_LOAD.entries()) await press(event, at + i * 3);
  expect((await cycles()).flat()).toEqual([]);
  await press('enroute', 192);
  expect((await cycles()).flat()).toEqual([]);
  await press('arrive', 193);
  expect((await cycles()).slice(0, 5)).toEqual([[], [], [], ['cycle_out_of_range: 100 min, usually 30'], []]);
});

test('reviewing twice writes nothing, and nobody reviews for a company that does not want it', async () => {
  const { load, reviewOf } = await completed(true);
  await reviewOf();
  const state = () =>
    sql(
      `select r.xmin, r.updated_at, (select count(*) from job_event v where v.load_id = $1), (select count(*) from outbox_event x where x.subject_id = $1) as events
      from ai_review r where r.load_id = $1`,
      [load.id],
    );
  const before = await state();
  expect(before).toHaveLength(1);
  await sql('insert into load_review_task (id, company_id, due_at) select id, company_id, now() from load where id = $1', [load.id]);
  await reviewOf();
  expect(await sql('select 1 from load_review_task where id = $1', [load.id])).toEqual([]);
  expect(await state()).toEqual(before);
  const other = await completed(false);
  await ticketOn(other.tenant, other.load);
  expect(await other.reviewOf()).toBeNull();
  expect(await sql('select 1 from load_review_task where company_id = $1', [other.tenant.company.id])).toEqual([]);
});
