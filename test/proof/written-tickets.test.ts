import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Load } from '../../src/dispatch/model/load.entity.ts';
import { AiReview } from '../../src/proof/review/ai-review.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { makeWholeTicket } from './make-ticket.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});
const whole = (more: object = {}) => makeWholeTicket(tenant, more);
const put = (id: string, event: string, token?: string) => tenant.http('PUT', `/v1/tickets/${id}/${event}`, undefined, token);

test('a ticket is created, linked to a load, unlinked and deleted', async () => {
  const order = await makeOrder(tenant);
  const [load] = await tenant.must('GET', tenant.path(`/orders/${order.id}/loads`));
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const created = await tenant.http('POST', '/v1/tickets', { unit_of_measure: 'Yard', quantity: 8, ticket_number: 'M-1', source: 'web' });
  expect([created.status, created.body.data]).toEqual([
    201,
    expect.objectContaining({ state: 'new', quantity: '8', unit_of_measure: 'Yard', source: 'web', job_id: null }),
  ]);
  const path = `/v1/tickets/${created.body.data.id}`;
  expect(await tenant.must('PATCH', path, { load_id: load.id, flagged: true, material_id: tenant.material.id })).toMatchObject({
    state: 'pending',
    load_id: load.id,
    job_id: job.id,
    order_id: order.id,
    flagged: true,
    quantity: '8',
    material: { name: 'Gravel' },
  });
  const rival = await tenant.http('POST', '/v1/tickets', { unit_of_measure: 'Ton', load_id: load.id });
  expect([rival.status, fieldsOf(rival)]).toEqual([422, ['load_id']]);
  const twin = await tenant.http('POST', '/v1/tickets', { unit_of_measure: 'Ton', ticket_number: 'M-1' });
  expect([twin.status, fieldsOf(twin)]).toEqual([422, ['ticket_number']]);
  expect(await tenant.must('PATCH', path, { load_id: null })).toMatchObject({ state: 'new', load_id: null, job_id: null });
  const onJob = await tenant.must('POST', '/v1/tickets', { unit_of_measure: 'Ton', job_id: job.id });
  expect(onJob).toMatchObject({ state: 'pending', source: 'driver_app', order_id: order.id, load_id: null });
  expect((await tenant.http('DELETE', path)).status).toBe(204);
  expect((await tenant.http('GET', path)).status).toBe(404);
});

test('an approved or voided ticket cannot be changed, and an approved one cannot be deleted', async () => {
  const { ticket } = await whole({ state: 'approved' });
  for (const method of ['PATCH', 'DELETE'])
    expect((await tenant.http(method, `/v1/tickets/${ticket.id}`, method === 'PATCH' ? { quantity: 1 } : undefined)).status).toBe(422);
  await put(ticket.id, 'void');
  expect((await tenant.http('PATCH', `/v1/tickets/${ticket.id}`, { quantity: 1 })).status).toBe(422);
});

test('a ticket refuses records of another company, and loads of another job', async () => {
  const stranger = await makeTenant(app);
  const theirs = await makeOrder(stranger);
  const [load] = await stranger.must('GET', stranger.path(`/orders/${theirs.id}/loads`));
  const made = await tenant.http('POST', '/v1/tickets', { unit_of_measure: 'Ton', load_id: load.id, material_id: stranger.material.id });
  expect([made.status, fieldsOf(made)]).toEqual([422, ['load_id', 'material_id']]);
  const { ticket, job } = await whole();
  const changed = await tenant.http('PATCH', `/v1/tickets/${ticket.id}`, { load_id: load.id });
  expect([changed.status, fieldsOf(changed)]).toEqual([422, ['load_id']]);
  const [other] = await tenant.must('GET', tenant.path(`/orders/${(await makeOrder(tenant)).id}/loads`));
  const crossed = await tenant.http('POST', '/v1/tickets', { unit_of_measure: 'Ton', job_id: job.id, load_id: other.id });
  expect([crossed.status, fieldsOf(crossed)]).toEqual([422, ['load_id']]);
});

test('a load or job with a ticket cannot be deleted', async () => {
  const { job, load, ticket } = await whole();
  expect((await tenant.http('DELETE', `/v1/loads/${load.id}`)).status).toBe(422);
  expect((await tenant.http('DELETE', `/v1/jobs/${job.id}`)).status).toBe(422);
  await tenant.must('PATCH', `/v1/tickets/${ticket.id}`, { load_id: null });
  expect((await tenant.http('DELETE', `/v1/loads/${load.id}`)).status).toBe(204);
});

test('a reviewed record cannot be deleted, and the review stays complete', async () => {
  const { job, load, ticket } = await whole();
  await tenant.save(AiReview, { company: ref(tenant.company), load: ref(Load, load.id), status: 'flagged' });
  await tenant.must('PATCH', `/v1/tickets/${ticket.id}`, { job_id: null, load_id: null });
  for (const path of [`/v1/loads/${load.id}`, `/v1/jobs/${job.id}`]) {
    const answer = await tenant.http('DELETE', path);
    expect([answer.status, answer.body.error.errors[0].message]).toEqual([422, 'has a review of its ticket and cannot be deleted']);
  }
  expect((await tenant.must('GET', `/v1/loads/${load.id}`)).ai_review.status).toBe('flagged');
});
