import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Replica } from '../events/follower.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { acceptedOrder, connect, makeStaffedTenant, type StaffedTenant, share } from '../helpers/staffed-tenant.ts';
import { type Json, merged, siteOf, undo } from './merging.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const stopsAt = (of: StaffedTenant, pickup: string) => ({
  waypoints: [
    { type: 'pickup', site_id: pickup, ordinality: 0 },
    { type: 'drop_off', site_id: of.dropoff.id, ordinality: 1 },
  ],
});
/** The first site of everything in a copy that has stops, by type and id. */
const pickupsIn = ({ records }: Replica): Record<string, string> =>
  Object.fromEntries([...records].flatMap(([key, record]) => (record.waypoints?.length ? [[key, record.waypoints[0].site.id]] : [])));
/** The work of a copy. */
const workIn = ({ records }: Replica) => Object.fromEntries([...records].filter(([key]) => /^(Order|Project|Job|Load) /.test(key)));
const fresh = (of: StaffedTenant) => new Replica(of).begin();

test('a copy has the stops of work where they are after a merge of sites, and where they were after its undo', async () => {
  const of = await makeStaffedTenant(app);
  const [kept, former] = [await siteOf(of, { name: 'Quarry' }), await siteOf(of, { name: 'The quarry' })];
  const { id: order, jobs } = await acceptedOrder(of, { ...stopsAt(of, former.id), truck_count: 2, loads_per_truck: 2 });
  const other = await acceptedOrder(of);
  // A load goes by a route of its own, which neither its job nor its order has.
  const [load]: Json[] = await of.dispatcher.must('GET', of.path(`/jobs/${jobs[0].id}/loads`));
  await of.dispatcher.must('PATCH', `/v1/loads/${load.id}`, { waypoints: [{ id: load.waypoints[1].id, site_id: of.pickup.id }] });
  const project: Json = await of.admin.must('POST', '/v1/projects', {
    name: 'By the quarry',
    account_id: of.account.id,
    ...stopsAt(of, former.id),
  });
  const copy = await fresh(of);
  const before = pickupsIn(copy);
  const ofFormer = Object.keys(before).filter((key) => before[key] === former.id);
  // An order with two jobs of two loads each, and the project.
  expect(ofFormer).toHaveLength(8);
  expect(ofFormer).toEqual(expect.arrayContaining([`Order ${order}`, `Load ${load.id}`, `Project ${project.id}`]));

  const since = new Date().toISOString();
  const { id } = await merged(of, 'sites', kept.id, [former.id]);
  const said = await copy.follow();
  expect([...new Set(said.filter((one) => /^(Order|Project|Job|Load) /.test(one)))].sort()).toEqual(
    ['Job', 'Load', 'Order', 'Project'].map((type) => `${type} update`),
  );
  expect(pickupsIn(copy)).toEqual({ ...before, ...Object.fromEntries(ofFormer.map((key) => [key, kept.id])) });
  expect(workIn(copy)).toEqual(workIn(await fresh(of)));
  // Whoever polls finds the same, and nothing else.
  const polled = async (path: string): Promise<string[]> =>
    (await of.admin.must('GET', of.path(`${path}?filter[updated_since]=${since}`))).map((one: Json) => one.id);
  expect(await polled('/orders')).toEqual([order]);
  expect((await polled('/jobs')).sort()).toEqual(jobs.map((job) => job.id).sort());

  expect((await undo(of, id)).status).toBe(200);
  const again = await copy.follow();
  expect(again).toEqual(expect.arrayContaining(['Order update', 'Job update', 'Load update', 'Project update']));
  expect(pickupsIn(copy)).toEqual(before);
  expect(workIn(copy)).toEqual(workIn(await fresh(of)));
  expect(copy.records.get(`Order ${other.id}`).waypoints[0].site.id).toBe(of.pickup.id);
});

test('a company that goes to a shared site learns of the merge by its own work', async () => {
  const [of, hauler] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  await connect(of, hauler);
  const [kept, former] = [await siteOf(of, { name: 'Plant' }), await siteOf(of, { name: 'Plant again' })];
  await share(of, hauler, 'Site', former.id);
  const { id } = await acceptedOrder(hauler, stopsAt(hauler, former.id));
  const copy = await fresh(hauler);
  expect(pickupsIn(copy)[`Order ${id}`]).toBe(former.id);
  const merge = await merged(of, 'sites', kept.id, [former.id]);
  await copy.follow();
  expect(pickupsIn(copy)).toEqual(pickupsIn(await fresh(hauler)));
  expect(pickupsIn(copy)[`Order ${id}`]).toBe(kept.id);
  expect((await undo(of, merge.id)).status).toBe(200);
  await copy.follow();
  expect(pickupsIn(copy)).toEqual(pickupsIn(await fresh(hauler)));
});

test('an undo changes nothing of work that goes elsewhere since the merge', async () => {
  const of = await makeStaffedTenant(app);
  const [kept, former] = [await siteOf(of, { name: 'Depot' }), await siteOf(of, { name: 'Depot 2' })];
  const { id } = await acceptedOrder(of, stopsAt(of, former.id));
  const merge = await merged(of, 'sites', kept.id, [former.id]);
  const { waypoints }: Json = await of.admin.must('GET', `/v1/orders/${id}`);
  await of.dispatcher.must('PATCH', `/v1/orders/${id}`, {
    waypoints: [{ id: waypoints[0].id, site_id: of.pickup.id }, { id: waypoints[1].id }],
  });
  const moved: Json = await of.admin.must('GET', `/v1/orders/${id}`);
  expect((await undo(of, merge.id)).status).toBe(200);
  expect(await of.admin.must('GET', `/v1/orders/${id}`)).toEqual(moved);
});
