import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { Order } from '../../../src/dispatch/model/order.entity.ts';
import { FileAttachment } from '../../../src/files/file-attachment.entity.ts';
import { Ticket } from '../../../src/proof/ticket.entity.ts';
import { attachmentFields, fieldsOf, makeTenant, orderInput } from '../../helpers/tenant.ts';
import { admin, app, elsewhere, here, ids, limit, limited, openScene, plant, status, tenant } from './limited-scene.ts';

openScene();

test('a scope is created, listed and deleted with every field of the wire shape', async () => {
  const { body } = await limit(tenant.pickup.id);
  const { user } = limited;
  expect(body.data).toEqual({
    id: expect.any(String),
    user: {
      id: user.id,
      first_name: 'Ada',
      last_name: 'Gravel',
      discarded_at: null,
      email: user.email,
      phone: null,
      external_id: null,
      schedule_on: false,
    },
    resource: { id: tenant.pickup.id, name: 'Quarry', type: 'Site' },
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const path = tenant.path(`/users/${user.id}/resource_scopes`);
  expect(await tenant.must('GET', path)).toEqual([body.data]);
  expect(await tenant.must('GET', `/v1/users/${user.id}/resource_scopes?filter[resource_type]=Site`)).toEqual([body.data]);
  expect(await ids('/v1/orders')).toEqual([here.id]);
  expect((await tenant.http('DELETE', tenant.path(`/resource_scopes/${body.data.id}`), undefined, admin)).status).toBe(204);
  expect(await tenant.must('GET', path)).toEqual([]);
  expect(await ids('/v1/orders')).toEqual([here.id, elsewhere.id].sort());
});

test('the same over GraphQL', async () => {
  const made = await tenant.gql(
    'mutation ($user: ID!, $input: CreateResourceScopeInput!) { createResourceScope(userId: $user, input: $input) { id resource { name type } } }',
    { user: limited.user.id, input: { resourceId: plant.id, resourceType: 'Site' } },
    admin,
  );
  const scope = made.data.createResourceScope;
  expect(scope.resource).toEqual({ name: 'Plant', type: 'Site' });
  expect((await tenant.gql(`{ resourceScopes(userId: "${limited.user.id}") { nodes { id } } }`)).data.resourceScopes.nodes).toEqual([
    { id: scope.id },
  ]);
  expect((await tenant.gql('{ orders { nodes { id } } }', {}, limited.token)).data.orders.nodes).toEqual([{ id: elsewhere.id }]);
  expect((await tenant.gql(`mutation { deleteResourceScope(id: "${scope.id}") }`, {}, admin)).data).toEqual({
    deleteResourceScope: scope.id,
  });
});

test('a limited person sees orders, jobs, loads, tickets, files and sites there, and nothing elsewhere', async () => {
  const [job] = await tenant.must('GET', `/v1/orders/${here.id}/jobs`);
  const [far] = await tenant.must('GET', `/v1/orders/${elsewhere.id}/jobs`);
  const [load] = await tenant.must('GET', tenant.path(`/orders/${here.id}/loads`));
  const [farLoad] = await tenant.must('GET', tenant.path(`/orders/${elsewhere.id}/loads`));
  const ticketOf = (id?: string) =>
    tenant.save(Ticket, { company: ref(tenant.company), order: id ? ref(Order, id) : null, ticketNumber: `T-${Math.random()}` });
  const tickets = [await ticketOf(here.id), await ticketOf(elsewhere.id), await ticketOf()];
  const files = [here, elsewhere].map(({ id }) => tenant.save(FileAttachment, { ...attachmentFields(tenant), fileAttachableId: id }));
  const [file, farFile] = await Promise.all(files);
  await limit(tenant.pickup.id);

  expect(await ids('/v1/orders')).toEqual([here.id]);
  expect(await ids('/v1/jobs')).toEqual([job.id]);
  expect(await ids('/v1/tickets')).toEqual([tickets[0]!.id]);
  expect(await ids(`/v1/orders/${here.id}/sites/typeahead`)).toEqual([tenant.pickup.id]);
  for (const path of [
    `/v1/orders/${here.id}`,
    `/v1/jobs/${job.id}`,
    `/v1/loads/${load.id}`,
    `/v1/tickets/${tickets[0]!.id}`,
    `/v1/file_attachments/${file!.id}`,
  ])
    expect([path, await status(path)]).toEqual([path, 200]);
  for (const path of [
    `/v1/orders/${elsewhere.id}`,
    `/v1/orders/${elsewhere.id}/jobs`,
    tenant.path(`/orders/${elsewhere.id}`),
    `/v1/jobs/${far.id}`,
    `/v1/loads/${farLoad.id}`,
    `/v1/tickets/${tickets[1]!.id}`,
    `/v1/tickets/${tickets[2]!.id}`,
    `/v1/file_attachments/${farFile!.id}`,
  ])
    expect([path, await status(path)]).toEqual([path, 404]);
  expect((await tenant.http('PUT', tenant.path(`/orders/${elsewhere.id}/accept`), undefined, limited.token)).status).toBe(404);
  expect((await tenant.http('PUT', tenant.path(`/orders/${here.id}/accept`), undefined, limited.token)).status).toBe(200);
  const { count } = (await tenant.gql('{ orders { count { value } } }', {}, limited.token)).data.orders;
  expect([count.value, await ids('/v1/orders', admin)]).toEqual([1, [here.id, elsewhere.id].sort()]);
});

test('a job or load that stops at the site makes its whole order visible', async () => {
  const third = await tenant.save(Site, { company: ref(tenant.company), name: 'Depot' });
  const [job] = await tenant.must('GET', `/v1/orders/${elsewhere.id}/jobs`);
  await limit(third.id);
  expect(await ids('/v1/orders')).toEqual([]);
  await tenant.must('PATCH', tenant.path(`/jobs/${job.id}`), {
    waypoints: [
      { type: 'pickup', site_id: plant.id, ordinality: 0 },
      { type: 'drop_off', site_id: third.id, ordinality: 1 },
    ],
  });
  expect(await ids('/v1/orders')).toEqual([elsewhere.id]);
  expect(await ids('/v1/jobs')).toEqual([job.id]);
});

test('work is ordered only between visible sites, and copied with all its stops', async () => {
  await limit(tenant.pickup.id);
  const refused = await tenant.http('POST', '/v1/orders', orderInput(tenant), limited.token);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['waypoints.1.site_id']]);
  const copy = await tenant.must('POST', tenant.path(`/orders/${here.id}/copy`), { date: '2026-11-24', truck_count: 1 }, limited.token);
  expect(copy.waypoints).toHaveLength(2);
});

test('several scopes add up', async () => {
  await limit(tenant.pickup.id);
  await limit(plant.id);
  expect(await ids('/v1/orders')).toEqual([here.id, elsewhere.id].sort());
});

test('wrong scopes are refused on their field', async () => {
  const other = await makeTenant(app);
  expect(fieldsOf(await limit(other.pickup.id))).toEqual(['resource_id']);
  await limit(plant.id);
  const twice = await limit(plant.id);
  expect([twice.status, twice.body.error.errors[0]]).toEqual([
    422,
    { model: 'ResourceScope', field: 'resource_id', message: 'has already been taken' },
  ]);
  const wrong = await tenant.http(
    'POST',
    `/v1/users/${limited.user.id}/resource_scopes`,
    { resource_id: plant.id, resource_type: 'Order' },
    admin,
  );
  expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['resource_type']]);
  expect((await limit(plant.id, other.driver.id)).status).toBe(404);
  expect((await limit(tenant.pickup.id, limited.user.id, limited.token)).status).toBe(403);
});

test('nobody is limited to a site that is discarded', async () => {
  const gone = await tenant.save(Site, { company: ref(tenant.company), name: 'Gone', discardedAt: new Date() });
  const refused = await limit(gone.id);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['resource_id']]);
  expect(await ids('/v1/orders')).toEqual([here.id, elsewhere.id].sort());
});

test('a file of places is not read by people who are limited to some of them', async () => {
  const point = '<Point><coordinates>-97.7,30.2</coordinates></Point>';
  const file = `<kml><Placemark><name>Secret pit</name>${point}</Placemark></kml>`;
  const made = await tenant.must('POST', tenant.path('/kml_files'), { file });
  const paths = [`/v1/kml_files/${made.id}/content`, `/v1/kml_files/${made.id}/file`];
  const read = () => Promise.all(paths.map((path) => status(path)));
  expect([await read(), await ids(tenant.path('/kml_files'))]).toEqual([[200, 200], [made.id]]);
  await limit(tenant.pickup.id);
  expect([await read(), await ids(tenant.path('/kml_files'))]).toEqual([[404, 404], []]);
  expect((await tenant.gql(`{ kmlFileContent(id: "${made.id}") }`, {}, limited.token)).data?.kmlFileContent ?? null).toBeNull();
  expect((await tenant.http('PATCH', `/v1/kml_files/${made.id}`, { name: 'Mine' }, limited.token)).status).toBe(404);
  expect((await tenant.http('DELETE', `/v1/kml_files/${made.id}`, undefined, limited.token)).status).toBe(404);
});
