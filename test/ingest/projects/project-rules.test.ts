import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Service } from '../../../src/directory/master-data/named.entities.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import * as dryRuns from '../dry-runs.ts';
import { order, project } from '../payloads.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

const send = (kind: dryRuns.Kind, elements: unknown[], token?: string): Promise<Json[]> => dryRuns.send(app, tenant, kind, elements, token);

test('a project ends after it begins, even if the dates come one by one', async () => {
  const one = async (dates: Json) => (await send('projects', [project(dates)]))[0];
  expect(await one({ effective_at: '2026-12-01T00:00:00Z' })).toMatchObject({ state: 'processed' });
  expect(await one({ expires_at: '2026-11-01' })).toMatchObject({
    state: 'failed',
    last_error:
      'effective_not_before_expires: /expires_at: must be after effective_at, which is 2026-12-01T00:00:00.000Z; leave it out when they would be equal',
  });
  expect(await one({ expires_at: '2026-12-24T00:00:00Z' })).toMatchObject({ state: 'processed' });
  expect(await one({ effective_at: '2027-01-01' })).toMatchObject({
    state: 'failed',
    last_error:
      'effective_not_before_expires: /effective_at: must be before expires_at, which is 2026-12-24T00:00:00.000Z; send a later expires_at with it, or null for none',
  });
  expect(await one({ effective_at: '2027-01-01', expires_at: null })).toMatchObject({ state: 'processed' });
});

test('a site that is dropped affects no other', async () => {
  const [record] = await send('projects', [
    project({
      sites: [
        { waypoint: 'drop_off', name: 'Nowhere' },
        { waypoint: 'drop_off', full_address: '1 Bridge Road' },
      ],
    }),
  ]);
  expect(record.warnings.map((warning: Json) => [warning.code, warning.pointer])).toEqual([
    ['site_without_location', '/sites/0'],
    ['site_not_routable', '/sites/1'],
  ]);
});

test('with an unknown service, an order takes the first one there is, a project none or the one it has', async () => {
  const warning = { code: 'unknown_service', pointer: '/service', given: 'Blasting', used: null };
  const [made] = await send('orders', [order('A', { service: 'Blasting' })]);
  expect([made.state, made.warnings]).toEqual(['processed', [{ ...warning, used: 'Haulage' }]]);
  expect((await tenant.must('GET', `/v1/orders/${made.result_id}`)).service.name).toBe('Haulage');

  // Compared by case folding: the sigma at the end of a word equals the one inside it.
  await tenant.save(Service, { company: ref(tenant.company), name: 'ΓΡΑΝΊΤΗΣ' });
  for (const [i, service] of ['ΓΡΑΝΊΤΗΣ', 'γρανίτησ '].entries())
    expect((await send('orders', [order(`G-${i}`, { service })]))[0].warnings).toEqual([]);
  expect((await send('projects', [project({ external_id: 'P-G', name: 'Granite', service: 'Γρανίτησ' })]))[0].warnings).toEqual([]);

  const serviceOf = async () => (await tenant.gql('{ projects(first: 1) { nodes { service { name } } } }')).data.projects.nodes[0].service;
  const [bare] = await send('projects', [project({ service: 'Blasting' })]);
  expect([bare.state, bare.warnings, await serviceOf()]).toEqual(['processed', [warning], null]);
  const [named] = await send('projects', [project({ service: ' HAULAGE ' })]);
  expect([named.state, named.warnings, await serviceOf()]).toEqual(['processed', [], { name: 'Haulage' }]);
  const [kept] = await send('projects', [project({ service: 'Blasting' })]);
  expect([kept.state, kept.warnings, await serviceOf()]).toEqual(['processed', [warning], { name: 'Haulage' }]);
});

test('no two projects get one name, without regard to case, even if the suffixed name is taken', async () => {
  const named = (external_id: string, name: string) => project({ external_id, name });
  await send('projects', [named('1', 'ΟΔΟΣ'), named('2', 'οδος'), named('3', ' οδοσ ')]);
  await send('projects', [named('4', 'Pit'), named('5', 'pit-6'), named('6', 'PIT'), named('7', 'Pit-6-2')]);
  await send('projects', [named('8', 'Pit-9'), named('10', 'Pit-9-2'), named('9', 'Pit')]);
  const names = async () => {
    const { data } = await tenant.gql('{ projects(first: 20) { nodes { externalId name } } }');
    return Object.fromEntries(data.projects.nodes.map((one: Json) => [one.externalId, one.name]));
  };
  const first = await names();
  expect(first).toEqual({
    ...{ 1: 'ΟΔΟΣ', 2: 'οδος-2', 3: 'οδοσ-3', 4: 'Pit', 5: 'pit-6', 6: 'PIT-6-2', 7: 'Pit-6-2-7' },
    ...{ 8: 'Pit-9', 9: 'Pit-9-3', 10: 'Pit-9-2' },
  });
  // Sent again with something new, each keeps the name it has.
  await send('projects', [
    { ...named('6', 'PIT'), notes: 'x' },
    { ...named('2', 'οδος'), notes: 'x' },
    { ...named('9', 'Pit'), notes: 'x' },
  ]);
  expect(await names()).toEqual(first);
});

test('a discarded project stays so under an equal payload, and another one creates it again', async () => {
  const [{ result_id }] = await send('projects', [project({})]);
  await tenant.must('DELETE', `/v1/projects/${result_id}`);
  expect((await send('projects', [project({})]))[0]).toMatchObject({
    state: 'skipped',
    warnings: [{ code: 'project_discarded', pointer: '' }],
  });
  const [anew] = await send('projects', [project({ notes: 'on after all' })]);
  expect(anew).toMatchObject({ state: 'processed', last_error: null });
  expect(await tenant.must('GET', `/v1/projects/${anew.result_id}`)).toMatchObject({ name: 'Bridge', external_id: 'P-1' });
});
