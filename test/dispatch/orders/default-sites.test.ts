import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { Project } from '../../../src/dispatch/model/project.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeYard, type Yard } from '../../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let yard: Yard;
const paths: Record<string, string> = {};
beforeAll(async () => {
  app = await startTestApp();
  yard = await makeYard(app);
  const order = await makeOrder(yard);
  const project = await yard.save(Project, {
    company: ref(yard.company),
    number: 1,
    projectId: 'P-1',
    name: 'Bridge',
    account: ref(yard.account),
  });
  paths.order = `/v1/orders/${order.id}/default_sites`;
  paths['order of the company'] = yard.path(`/orders/${order.id}/default_sites`);
  paths.project = `/v1/projects/${project.id}/default_sites`;
});
afterAll(() => app.close());

const names = async (path: string) => (await yard.must('GET', path)).map((one: Json) => one.name);

test.each(['order', 'order of the company', 'project'])('an %s has default sites for each kind of stop', async (of) => {
  const pickup = `${paths[of]}/pickup`;
  expect(await names(pickup)).toEqual([]);
  const added = await yard.must('PUT', `${pickup}/${yard.pickup.id}`);
  expect(added).toMatchObject({ id: yard.pickup.id, name: 'Quarry', routable: false, discarded_at: null });
  await yard.must('PUT', `${pickup}/${yard.dropoff.id}`);
  const again = await Promise.all([1, 2, 3].map(() => yard.http('PUT', `${pickup}/${yard.pickup.id}`)));
  expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await names(pickup)).toEqual(['Bridge', 'Quarry']);
  expect(await names(`${paths[of]}/drop_off`)).toEqual([]);
  expect((await yard.http('DELETE', `${pickup}/${yard.dropoff.id}`)).status).toBe(204);
  expect((await yard.http('DELETE', `${pickup}/${yard.dropoff.id}`)).status).toBe(404);
  expect((await yard.http('DELETE', `${paths[of]}/drop_off/${yard.pickup.id}`)).status).toBe(404);
  expect(await names(pickup)).toEqual(['Quarry']);
  expect((await yard.http('DELETE', `${pickup}/${yard.pickup.id}`)).status).toBe(204);
});

test('a closed or discarded site, or one of another company, cannot be a default', async () => {
  const pickup = `${paths.project}/pickup`;
  const site = await yard.save(Site, { company: ref(yard.company), name: 'Closed', state: 'inactive' });
  const closed = await yard.http('PUT', `${pickup}/${site.id}`);
  expect([closed.status, closed.body.error.errors[0].field]).toEqual([422, 'site_id']);
  const stranger = await makeYard(app);
  expect((await yard.http('PUT', `${pickup}/${stranger.pickup.id}`)).status).toBe(404);
  expect((await stranger.http('PUT', `${pickup}/${stranger.pickup.id}`)).status).toBe(404);
  expect([400, 404, 422]).toContain((await yard.http('GET', `${paths.project}/lunch`)).status);
  await yard.must('PUT', `/v1/sites/${site.id}/activate`, {});
  await yard.must('PUT', `${pickup}/${site.id}`);
  expect(await names(pickup)).toEqual(['Closed']);
  await yard.http('DELETE', `/v1/sites/${site.id}`);
  expect(await names(pickup)).toEqual([]);
});

test('GraphQL offers the same, and a foreman only on own orders', async () => {
  const mine = await yard.person({ roles: ['foreman'] });
  const own = await makeOrder(yard, { requester_id: mine.user.id });
  const other = await makeOrder(yard);
  const add = 'mutation ($id: ID!, $site: ID!) { addOrderDefaultSite(orderId: $id, waypointType: drop_off, siteId: $site) { name } }';
  const on = (id: string) => yard.gql(add, { id, site: yard.dropoff.id }, mine.token);
  expect((await on(own.id)).data.addOrderDefaultSite).toEqual({ name: 'Bridge' });
  expect((await on(other.id)).errors[0].extensions.code).toBe('forbidden');
  const { data } = await yard.gql('query ($id: ID!) { orderDefaultSites(orderId: $id, waypointType: drop_off) { nodes { name } } }', {
    id: own.id,
  });
  expect(data.orderDefaultSites.nodes).toEqual([{ name: 'Bridge' }]);
});
