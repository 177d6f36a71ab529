import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Replica } from '../events/follower.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { until } from '../helpers/until.ts';
import { type Json, materialOf, merged, siteOf, undo } from './merging.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

test('who is limited to sites learns into which one theirs was merged while that is one of theirs, and of no merge of other sites', async () => {
  const of = await makeStaffedTenant(app);
  const [kept, former] = [await siteOf(of, { name: 'Stays' }), await siteOf(of, { name: 'Goes' })];
  const limited = await of.person({ roles: ['dispatcher'] });
  const scopes = of.path(`/users/${limited.id}/resource_scopes`);
  for (const site of [of.pickup, former]) await of.admin.must('POST', scopes, { resource_id: site.id, resource_type: 'Site' });
  const copy = await new Replica(of, limited.token).begin();
  expect(copy.records.has(`Site ${former.id}`)).toBe(true);
  const { id } = await merged(of, 'sites', kept.id, [former.id]);
  const ofMaterials = await merged(of, 'materials', (await materialOf(of, { name: 'Clay' })).id, [
    (await materialOf(of, { name: 'Clay 2' })).id,
  ]);

  const lost = async (): Promise<Json[]> => {
    const { body } = await of.http('GET', of.path('/changes?after=0&types=Site&limit=100'), undefined, limited.token);
    return body.data.filter((one: Json) => one.id === former.id).map(({ event, merged_into }: Json) => [event, merged_into]);
  };
  const merges = async (token: string): Promise<string[]> =>
    (await of.must('GET', of.path('/merges'), undefined, token)).map((one: Json) => one.id);
  const read = async (token: string) => (await of.http('GET', `/v1/merges/${id}`, undefined, token)).status;
  // What they were limited to is the site that stays now.
  await until(async () => (await of.http('GET', `/v1/sites/${kept.id}`, undefined, limited.token)).status === 200);
  expect(await lost()).toEqual([['removed', kept.id]]);
  expect([await merges(limited.token), await read(limited.token)]).toEqual([[ofMaterials.id, id], 200]);

  const [scope] = (await of.admin.must('GET', scopes)).filter((one: Json) => one.resource.id === kept.id);
  expect((await of.admin.http('DELETE', of.path(`/resource_scopes/${scope.id}`))).status).toBe(204);
  await until(async () => (await of.http('GET', `/v1/sites/${kept.id}`, undefined, limited.token)).status === 404);
  expect(await lost()).toEqual([['removed', null]]);
  const { data } = await of.gql(
    'query { changes(after: "0", types: [Site], first: 100) { nodes { id event mergedIntoRecord { id } } } }',
    {},
    limited.token,
  );
  expect(data.changes.nodes.filter((one: Json) => one.id === former.id)).toEqual([
    { id: former.id, event: 'removed', mergedIntoRecord: null },
  ]);
  expect([await merges(limited.token), await read(limited.token)]).toEqual([[ofMaterials.id], 404]);
  // Others of the company see all of it.
  expect([await merges(of.dispatcher.token), await read(of.dispatcher.token)]).toEqual([[ofMaterials.id, id], 200]);
});

test('an undone merge of sites is shown to whoever sees all of its sites, and not to whoever sees the one that stayed', async () => {
  const of = await makeStaffedTenant(app);
  const [kept, former] = [await siteOf(of, { name: 'Stayed' }), await siteOf(of, { name: 'Back again' })];
  const limited = await of.person({ roles: ['dispatcher'] });
  const scopes = of.path(`/users/${limited.id}/resource_scopes`);
  const { id } = await merged(of, 'sites', kept.id, [former.id]);
  await of.admin.must('POST', scopes, { resource_id: kept.id, resource_type: 'Site' });
  const read = async () => (await of.http('GET', `/v1/merges/${id}`, undefined, limited.token)).status;
  expect(await read()).toBe(200);
  expect((await undo(of, id)).status).toBe(200);
  expect(await read()).toBe(404);
  await of.admin.must('POST', scopes, { resource_id: former.id, resource_type: 'Site' });
  await until(async () => (await read()) === 200);
});
