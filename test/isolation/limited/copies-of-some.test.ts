import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { feedOf, Replica } from '../../events/follower.ts';
import { sendForm } from '../../files/form.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { act, jobOf, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { png } from '../../ingest/files/sample-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let at: StaffedTenant;
let projects: string[];
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  at = await makeStaffedTenant(app);
  projects = [];
  for (const name of ['Motorway', 'Harbour'])
    projects.push((await at.must('POST', '/v1/projects', { name, account_id: at.account.id })).id);
});
afterAll(() => app.close());

async function fileOf(path: string): Promise<string> {
  const { status, body } = await sendForm(
    app,
    'POST',
    `/v1${path}/file_attachments`,
    [
      ['category', 'Other'],
      ['file', png(), 'a.png'],
    ],
    at.token,
  );
  expect([path, status]).toEqual([path, 201]);
  return `FileAttachment ${body.data.id}`;
}
const assign = (id: string) => at.dispatcher.must('PATCH', at.path(`/jobs/${id}`), { driver_id: at.driver.id });
/** What a reader is shown after a position. */
const read = async (position: string, token: string, more = ''): Promise<string[]> => {
  const { status, body } = await feedOf(at, `?after=${position}&limit=100${more}`, token);
  expect(status).toBe(200);
  return body.data.map(({ type, id, event }: Json) => `${type} ${id} ${event}`).sort();
};
const held = ({ records }: Replica, keys: readonly string[]): string[] => keys.filter((key) => records.has(key));

test('what comes into sight with a change is said each time that it is read, and to each program of the reader', async () => {
  const { token } = at.driver;
  const job = await jobOf(at);
  const [first, second] = [await new Replica(at, token).begin(), await new Replica(at, token).begin()];
  await assign(job.id);
  const start = first.position;
  const said = await read(start, token);
  const [load] = await at.must('GET', `/v1/jobs/${job.id}/loads`);
  expect(said).toEqual(expect.arrayContaining([`Order ${job.order.id} update`, `Load ${load.id} update`]));
  // The answer was lost.
  const again = await read(start, token);
  expect(again.map((one) => one.split(' ')[1])).toEqual(said.map((one) => one.split(' ')[1]));
  const keys = [`Order ${job.order.id}`, `Job ${job.id}`, `Load ${load.id}`];
  await first.follow();
  await second.follow(1);
  expect([held(first, keys), held(second, keys)]).toEqual([keys, keys]);
  // Nothing of it comes again with later changes of the job.
  await at.dispatcher.must('PATCH', at.path(`/jobs/${job.id}`), { notes: 'quick' });
  expect((await first.follow()).filter((one) => one.startsWith('Load'))).toEqual([]);
  await act(at, job.id, 'unassign');
  await first.follow();
  await second.follow();
  expect([held(first, keys), held(second, keys)]).toEqual([[], []]);
});

test('files, charges and the project of a job come into sight with it, and leave with it', async () => {
  const job = await jobOf(at, { project_id: projects[0] });
  const [load] = await at.must('GET', `/v1/jobs/${job.id}/loads`);
  const charge = await at.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { name: 'Wash', quantity: 1, revenue_rate_value: 5 });
  const keys = [`Project ${projects[0]}`, `Load ${load.id}`, `AddOnCharge ${charge.id}`];
  for (const path of [`/orders/${job.order.id}`, `/jobs/${job.id}`, `/loads/${load.id}`, `/projects/${projects[0]}`])
    keys.push(await fileOf(path));
  const replica = await new Replica(at, at.driver.token).begin();
  expect(held(replica, keys)).toEqual([]);
  await assign(job.id);
  await replica.follow();
  expect(held(replica, keys)).toEqual(keys);
  // The order goes to another project, of which the driver begins to see something.
  await at.dispatcher.must('PATCH', at.path(`/orders/${job.order.id}`), { project_id: projects[1] });
  await replica.follow();
  const ofProjects = [`Project ${projects[0]}`, `Project ${projects[1]}`];
  expect(held(replica, [...ofProjects, keys.at(-1)!])).toEqual([ofProjects[1]]);
  await act(at, job.id, 'unassign');
  await replica.follow();
  expect(held(replica, [...ofProjects, ...keys])).toEqual([]);
});

test('who asks for some types hears of what comes into sight by a change of another one', async () => {
  const { token } = at.driver;
  const job = await jobOf(at);
  const { position } = await new Replica(at, token).begin();
  await assign(job.id);
  const [load] = await at.must('GET', `/v1/jobs/${job.id}/loads`);
  expect(await read(position, token, '&types=Load')).toEqual([`Load ${load.id} update`]);
  expect((await feedOf(at, `?after=${position}&types=Material`, token)).body.data).toEqual([]);
});

test('an order comes into the sight of people at a site by the stop of one of its loads', async () => {
  const site = await at.save(Site, { company: ref(at.company), name: 'Depot' });
  const person = await at.person({ roles: ['dispatcher'] });
  await at.admin.must('POST', `/v1/users/${person.id}/resource_scopes`, { resource_id: site.id, resource_type: 'Site' });
  const job = await jobOf(at);
  const [load] = await at.must('GET', `/v1/jobs/${job.id}/loads`);
  const keys = [`Order ${job.order.id}`, `Job ${job.id}`, `Load ${load.id}`, await fileOf(`/loads/${load.id}`)];
  const replica = await new Replica(at, person.token).begin();
  const stops = (dropoff: string) => [
    { type: 'pickup', site_id: at.pickup.id, ordinality: 0 },
    { type: 'drop_off', site_id: dropoff, ordinality: 1 },
  ];
  await at.must('PATCH', `/v1/loads/${load.id}`, { waypoints: stops(site.id) });
  await replica.follow();
  expect(held(replica, keys)).toEqual(keys);
  await at.must('PATCH', `/v1/loads/${load.id}`, { waypoints: stops(at.dropoff.id) });
  await replica.follow();
  expect(held(replica, keys)).toEqual([]);
});
