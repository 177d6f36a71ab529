import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import { MovingSite } from '../../src/directory/sites/moving-site.entity.ts';
import { Job } from '../../src/dispatch/model/job.entity.ts';
import { JobEvent } from '../../src/dispatch/model/job-event.entity.ts';
import { forgetViewers } from '../../src/identity/access/viewer.ts';
import { LocationHistory } from '../../src/telematics/positions/location-history.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let foreign: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  foreign = await makeTenant(app);
});
afterAll(() => app.close());

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const place = (of: Tenant, minutes: number, more: object = {}) =>
  of.save(LocationHistory, {
    companyId: of.company.id,
    userId: of.driver.id,
    deviceId: `phone ${Math.random()}`,
    occurredAt: ago(minutes),
    lat: '30.25',
    lon: '-97.75',
    ...more,
  });
const jobOf = async (of: Tenant, more: object = {}): Promise<Json> => {
  const order = await makeOrder(of, more);
  await of.must('PUT', `/v1/orders/${order.id}/accept`, {});
  return (await of.must('GET', `/v1/orders/${order.id}/jobs`))[0];
};
const idsOf = (rows: Json[]) => rows.map(({ id }) => id);

test('the positions of a job are returned from its beginning, page by page, with the load of each', async () => {
  const job = await jobOf(tenant, { driver_id: tenant.driver.id });
  const other = await jobOf(tenant, { driver_id: tenant.driver.id });
  const [late, early, middle] = [
    await place(tenant, -2, { jobId: job.id, speed: 12.5, offlineMode: true }),
    await place(tenant, 30, { jobId: job.id }),
    await place(tenant, 20, { jobId: job.id }),
  ];
  await place(tenant, 10, { jobId: other.id });
  await place(tenant, 5);
  await tenant.must('PUT', `/v1/jobs/${job.id}/enroute`, {});
  const path = tenant.path(`/jobs/${job.id}/location_histories`);
  const answer = await tenant.http('GET', `${path}?page[limit]=2`);
  const first = answer.body;
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? [];
  expect(idsOf(first.data)).toEqual([early.id, middle.id]);
  expect(first.data[0]).toMatchObject({ lat: '30.25', lon: '-97.75', load_id: null, load_state: null, speed_meters_per_second: null });
  const rest = (await tenant.http('GET', next.replace(/^https?:\/\/[^/]+/, ''))).body;
  expect(rest.data).toEqual([
    {
      id: late.id,
      lat: '30.25',
      lon: '-97.75',
      occurred_at: late.occurredAt.toISOString(),
      offline_mode: true,
      speed_meters_per_second: '12.5',
      load_id: expect.any(String),
      load_state: 'to_pickup',
    },
  ]);
  expect(idsOf(await tenant.must('GET', `/v1/jobs/${job.id}/location_histories`, undefined, tenant.driver.token)).length).toBe(3);
});

test('people who do not see the job see no positions of it, and its owner sees those of a vendor', async () => {
  const job = await jobOf(tenant);
  const path = `/v1/jobs/${job.id}/location_histories`;
  expect((await foreign.http('GET', path)).status).toBe(404);
  expect((await tenant.http('GET', path, undefined, (await tenant.person({ roles: ['driver'] })).token)).status).toBe(404);
  const more = { name: 'Hauler', accountTypes: ['vendor'], connectedCompany: ref(foreign.company) };
  const vendor = await tenant.save(Account, { company: ref(tenant.company), ...more });
  await tenant.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: vendor.id });
  forgetViewers(app.application);
  const there = await place(foreign, 3, { jobId: job.id });
  // Before the departure it is the vendor's affair.
  expect(idsOf(await tenant.must('GET', path))).toEqual([]);
  const departure = { eventName: 'ToPickup', state: 'to_pickup', occurredAt: ago(4), createdByType: 'User' } as const;
  await tenant.save(JobEvent, { companyId: tenant.company.id, job: ref(Job, job.id), ...departure });
  expect(idsOf(await tenant.must('GET', path))).toEqual([there.id]);
  expect(idsOf(await tenant.must('GET', tenant.path(`/jobs/${job.id}/location_histories`)))).toEqual([there.id]);
  expect(idsOf(await foreign.must('GET', path))).toEqual([there.id]);
});

test('a moving site returns the position of its machine during the job', async () => {
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Paver' });
  const paver = await tenant.save(Equipment, { company: ref(tenant.company), name: 'P-1', equipmentType: ref(type) });
  const site = await tenant.save(MovingSite, { companyId: tenant.company.id, siteId: tenant.dropoff.id, equipmentId: paver.id });
  const job = await jobOf(tenant, { driver_id: tenant.driver.id });
  const list = (id = site.id) => tenant.http('GET', tenant.path(`/jobs/${job.id}/moving_sites/${id}/location_histories`));
  await place(tenant, 60, { equipmentId: paver.id });
  expect((await list()).body.data).toEqual([]);
  await tenant.must('PUT', `/v1/jobs/${job.id}/enroute`, {});
  const during = await place(tenant, 0, { equipmentId: paver.id });
  await place(tenant, 0);
  expect(idsOf((await list()).body.data)).toEqual([during.id]);
  expect((await list(job.id)).status).toBe(404);
  const elsewhere = await tenant.save(MovingSite, { companyId: tenant.company.id, siteId: foreign.pickup.id, equipmentId: paver.id });
  expect((await list(elsewhere.id)).status).toBe(404);
});

test('a page of positions takes as many statements as one position', async () => {
  const job = await jobOf(tenant);
  for (let at = 0; at < 30; at++) await place(tenant, at, { jobId: job.id });
  const count = async (size: number) => {
    const path = `/v1/jobs/${job.id}/location_histories?page[limit]=${size}`;
    const { value, statements } = await app.countStatements(() => tenant.must('GET', path));
    expect(value.length).toBe(size);
    return statements.length;
  };
  await count(1);
  // One of them is whether the reading is noted in the audit log already.
  expect([await count(1), await count(30)]).toEqual([3, 3]);
});
