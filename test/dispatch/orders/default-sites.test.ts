import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { Project } from '../../../src/dispatch/model/project.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
const paths: Record<string, string> = {};
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  const order = await makeOrder(tenant);
  const project = await tenant.save(Project, {
    company: ref(tenant.company),
    number: 1,
    projectId: 'P-1',
    name: 'Bridge',
    account: ref(tenant.account),
  });
  paths.order = `/v1/orders/${order.id}/default_sites`;
  paths['order of the company'] = tenant.path(`/orders/${order.id}/default_sites`);
  paths.project = `/v1/projects/${project.id}/default_sites`;
});
afterAll(() => app.close());

const names = async (path: string) => (await tenant.must('GET', path)).map((one: Json) => one.name);

test.each(['order', 'order of the company', 'project'])('an %s has default sites for each kind of stop', async (of) => {
  const pickup = `${paths[of]}/pickup`;
  expect(await names(pickup)).toEqual([]);
  const added = await tenant.must('PUT', `${pickup}/${tenant.pickup.id}`);
  expect(added).toMatchObject({ id: tenant.pickup.id, name: 'Quarry', routable: false, discarded_at: null });
  await tenant.must('PUT', `${pickup}/${tenant.dropoff.id}`);
  const again = await Promise.all([1, 2, 3].map(() => tenant.http('PUT', `${pickup}/${tenant.pickup.id}`)));
  expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await names(pickup)).toEqual(['Bridge', 'Quarry']);
  expect(await names(`${paths[of]}/drop_off`)).toEqual([]);
  expect((await tenant.http('DELETE', `${pickup}/${tenant.dropoff.id}`)).status).toBe(204);
  expect((await tenant.http('DELETE', `${pickup}/${tenant.dropoff.id}`)).status).toBe(404);
  expect((await tenant.http('DELETE', `${paths[of]}/drop_off/${tenant.pickup.id}`)).status).toBe(404);
  expect(await names(pickup)).toEqual(['Quarry']);
  expect((await tenant.http('DELETE', `${pickup}/${tenant.pickup.id}`)).status).toBe(204);
});

test('a closed or discarded site, or one of another company, cannot be a default', async () => {
  const pickup = `${paths.project}/pickup`;
  const site = await tenant.save(Site, { company: ref(tenant.company), name: 'Closed', state: 'inactive' });
  const closed = await tenant.http('PUT', `${pickup}/${site.id}`);
  expect([closed.status, closed.body.error.errors[0].field]).toEqual([422, 'site_id']);
  const stranger = await makeTenant(app);
  expect((await tenant.http('PUT', `${pickup}/${stranger.pickup.id}`)).status).toBe(404);
  expect((await stranger.http('PUT', `${pickup}/${stranger.pickup.id}`)).status).toBe(404);
  expect([400, 404, 422]).toContain((await tenant.http('GET', `${paths.project}/lunch`)).status);
  await tenant.must('PUT', `/v1/sites/${site.id}/activate`, {});
  await tenant.must('PUT', `${pickup}/${site.id}`);
  expect(await names(pickup)).toEqual(['Closed']);
  await tenant.must('DELETE', `/v1/sites/${site.id}`);
  expect(await names(pickup)).toEqual([]);
});

test('GraphQL offers the same, and a foreman only on own orders', async () => {
  const mine = await tenant.person({ roles: ['foreman'] });
  const own = await makeOrder(tenant, { requester_id: mine.user.id });
  const other = await makeOrder(tenant);
  const add = 'mutation ($id: ID!, $site: ID!) { addOrderDefaultSite(orderId: $id, waypointType: drop_off, siteId: $site) { name } }';
  const on = (id: string) => tenant.gql(add, { id, site: tenant.dropoff.id }, mine.token);
  expect((await on(own.id)).data.addOrderDefaultSite).toEqual({ name: 'Bridge' });
  expect((await on(other.id)).errors[0].extensions.code).toBe('forbidden');
  const { data } = await tenant.gql('query ($id: ID!) { orderDefaultSites(orderId: $id, waypointType: drop_off) { nodes { name } } }', {
    id: own.id,
  });
  expect(data.orderDefaultSites.nodes).toEqual([{ name: 'Bridge' }]);
  const remove = 'mutation ($id: ID!, $site: ID!) { removeOrderDefaultSite(orderId: $id, waypointType: drop_off, siteId: $site) }';
  const removed = await tenant.gql(remove, { id: own.id, site: tenant.dropoff.id }, mine.token);
  expect(removed.data).toEqual({ removeOrderDefaultSite: tenant.dropoff.id });
});
