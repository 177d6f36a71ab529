import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { forgetViewers } from '../../src/identity/access/viewer.ts';
import { sendForm } from '../files/form.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../helpers/tenant.ts';
import { pdf } from '../ingest/files/sample-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let order: Json;
let job: Json;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  order = await makeOrder(tenant);
  [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
});
afterAll(() => app.close());

const companyOf = ({ company }: Tenant) => ({
  id: company.id,
  platform_id: company.platformId,
  legal_name: company.legalName,
  company_type: 'hauler',
});
const eventsOf = (): Promise<Json[]> => tenant.must('GET', `/v1/jobs/${job.id}/job_events`);

test('a machine client is one with its company', async () => {
  const [event] = await eventsOf();
  expect(event.created_by).toEqual({ type: 'M2MClient', id: expect.any(String), name: 'Office system', company: companyOf(tenant) });
  const [entry] = await tenant.must('GET', `/v1/orders/${order.id}/timeline`);
  expect(entry.created_by).toEqual(event.created_by);
});

test('a person has a name, and says whether they are still there', async () => {
  const { user, token } = await tenant.person({ firstName: 'Mia', lastName: 'van Dyk', roles: ['manager'] });
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { notes: 'Gate 3' }, token);
  const form = await sendForm(app, 'POST', `/v1/orders/${order.id}/file_attachments`, [['file', pdf(), 'map.pdf']], token);
  const mia = { type: 'User', id: user.id, name: 'Mia van Dyk', first_name: 'Mia', last_name: 'van Dyk', discarded_at: null };
  const [entry] = await tenant.must('GET', `/v1/jobs/${job.id}/timeline`);
  expect(entry.created_by).toEqual({ ...mia, company: companyOf(tenant) });
  // SPEC: a CompanyRef with type. Its id is that of the person.
  const { id: _, ...ofCompany } = companyOf(tenant);
  expect(form.body.data.uploaded_by).toEqual({ ...mia, company: companyOf(tenant), ...ofCompany });
  await tenant.must('DELETE', `/v1/users/${user.id}`);
  const [later] = await tenant.must('GET', `/v1/jobs/${job.id}/timeline`);
  expect(later.created_by.discarded_at).toEqual(expect.any(String));
});

test('who acts as somebody else is kept with the event, the change and the file', async () => {
  const dora = await tenant.person({ firstName: 'Dora', lastName: 'Wheel', roles: ['manager'] });
  const pat = await (await makeTenant(app)).person({ firstName: 'Pat', lastName: 'Form', roles: ['platform_admin'] });
  forgetViewers(app.application);
  const { session_jwt } = await pat.must('POST', `/v1/users/${dora.user.id}/impersonations`);
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { notes: 'Gate 4' }, session_jwt);
  const form = await sendForm(app, 'POST', `/v1/orders/${order.id}/file_attachments`, [['file', pdf(), 'map.pdf']], session_jwt);
  const made = await tenant.must('POST', '/v1/orders', orderInput(tenant), session_jwt);
  const [entry] = await tenant.must('GET', `/v1/orders/${order.id}/timeline`);
  const expected = {
    type: 'Impersonation',
    id: dora.user.id,
    name: 'Dora Wheel',
    impersonator: expect.objectContaining({ id: pat.user.id, first_name: 'Pat', last_name: 'Form', discarded_at: null }),
    impersonated: { id: dora.user.id, first_name: 'Dora', last_name: 'Wheel', discarded_at: null, company: companyOf(tenant) },
  };
  expect(entry.created_by).toEqual(expected);
  expect(form.body.data.uploaded_by).toMatchObject(expected);
  const [first] = await tenant.must('GET', `/v1/orders/${made.id}/jobs`);
  const [event] = await tenant.must('GET', `/v1/jobs/${first.id}/job_events`);
  expect(event.created_by).toEqual(expected);
  // An action in the background has the same author.
  const asked = await tenant.http('PUT', '/v1/jobs/bulk_accept', { job_ids: [first.id] }, session_jwt);
  const action = await tenant.must('GET', asked.headers.get('location')!);
  expect(action.created_by).toEqual(expected);
});

test('GraphQL names the same authors', async () => {
  const { data } = await tenant.gql(
    `query ($id: ID!) { orderTimeline(orderId: $id, first: 1) { nodes { createdBy { type impersonator { lastName } impersonated { lastName } firstName } } } }`,
    { id: order.id },
  );
  expect(data.orderTimeline.nodes).toEqual([
    { createdBy: { type: 'Impersonation', impersonator: { lastName: 'Form' }, impersonated: { lastName: 'Wheel' }, firstName: null } },
  ]);
});

test('OpenAPI names the author of what happens by itself in the word that is answered, and in the one that can be asked for', () => {
  const { components } = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
  expect(components.schemas.Principal.properties.type.enum).toEqual(['Company', 'Impersonation', 'M2MClient', 'System', 'User']);
  expect(components.schemas.WaypointType.enum).toEqual(expect.arrayContaining(['staging', 'weigh_point']));
});
