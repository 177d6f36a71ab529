import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { act, connect, jobOf, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { endOf, Replica } from '../follower.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let parent: StaffedTenant;
let child: StaffedTenant;
let hired: Json;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  parent = await makeStaffedTenant(app);
  child = await makeStaffedTenant(app, { parentCompany: ref(parent.company) });
  hired = await connect(child, parent);
});
afterAll(() => app.close());

const NODES = `query ($companyId: ID, $after: String) { changes(companyId: $companyId, after: $after, first: 100) {
  nodes { type event id record { id } } } }`;

test('the feed of a company has what that company sees, also for somebody of a company above the owner: as a snapshot and as GraphQL', async () => {
  const job = await jobOf(child);
  const replica = await new Replica(parent).begin();
  await act(child, job.id, 'assign_vendor', { vendor_id: hired.id });
  expect(new Set(await replica.follow())).toEqual(new Set(['Job update', 'Order update', 'Load update', 'JobAssignment create']));
  const [[key, load]] = [...replica.records].filter(([key]) => key.startsWith('Load ')) as [[string, Json]];
  const fresh = await new Replica(parent).begin();
  expect([...fresh.records.keys()].sort()).toEqual([...replica.records.keys()].sort());
  expect(fresh.records.get(key)).toEqual(load);

  // It is taken back: the company above reads it in the feed of its owner, and no more in its own.
  const after = await endOf(parent);
  await act(child, job.id, 'unassign');
  const said = await replica.follow();
  expect(new Set(said)).toEqual(new Set(['Job removed', 'Order removed', 'Load removed', 'JobAssignment removed']));
  expect([...replica.records.keys()].filter((one) => /^(Job|Load|Order) /.test(one))).toEqual([]);
  const { data } = await parent.gql(NODES, { companyId: parent.company.id, after });
  expect(data.changes.nodes.map(({ type, event }: Json) => `${type} ${event}`)).toEqual(said);
  expect(data.changes.nodes.map(({ record }: Json) => record)).toEqual(said.map(() => null));
});
