import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { act, connect, jobOf, makeStaffedTenant, read, type StaffedTenant, share } from '../../helpers/staffed-tenant.ts';
import { fieldsOf, orderInput } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

test('a shared driver is hired along the shares: the companies in between see the job, and the driver does it', async () => {
  const [a, b, c] = [
    await makeStaffedTenant(app, { legalName: 'Lender' }),
    await makeStaffedTenant(app, { legalName: 'Agent' }),
    await makeStaffedTenant(app, { legalName: 'Borrower' }),
  ];
  await connect(b, a);
  await connect(c, b);
  await share(a, b, 'User', a.driver.id);
  const { id } = await jobOf(c);
  const assign = (who: StaffedTenant) => who.dispatcher.http('PATCH', who.path(`/jobs/${id}`), { driver_id: a.driver.id });
  const refused = await assign(c);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['driver_id']]);
  const reshare = await share(b, c, 'User', a.driver.id);
  expect((await assign(c)).body.data).toMatchObject({ state: 'assigned', driver: { id: a.driver.id } });
  const parties = async (who: StaffedTenant) =>
    (await who.must('GET', who.path(`/jobs/${id}/job_assignments`))).map((link: Json) => [
      link.vendor_account?.company.id ?? null,
      link.customer_account?.company.id ?? null,
    ]);
  expect(await parties(c)).toEqual([[c.company.id, null]]);
  expect(await parties(a)).toEqual([[null, a.company.id]]);
  // The planner ends the whole hire, and assigns anybody else.
  await act(c, id, 'unassign');
  expect([await parties(c), (await read(a, id)).status, (await assign(c)).status]).toEqual([[], 404, 200]);
  const own = await c.dispatcher.http('PATCH', c.path(`/jobs/${id}`), { driver_id: c.driver.id });
  expect([own.status, await parties(c), (await assign(c)).status]).toEqual([200, [], 200]);
  await act(c, id, 'request');
  expect((await a.must('PUT', `/v1/jobs/${id}/accept`, {}, a.driver.token)).state).toBe('accepted');
  expect((await a.must('PUT', `/v1/jobs/${id}/enroute`, {}, a.driver.token)).state).toBe('to_pickup');
  // Planned work stays, new work is refused: an expired share permits no driver.
  await b.must('PATCH', b.path(`/company_shares/${reshare.id}`), { expires_at: new Date(Date.now() - 1000).toISOString() });
  expect((await read(c, id)).body.data.driver.id).toBe(a.driver.id);
  const next = await jobOf(c);
  const late = await c.dispatcher.http('PATCH', c.path(`/jobs/${next.id}`), { driver_id: a.driver.id });
  expect([late.status, fieldsOf(late)]).toEqual([422, ['driver_id']]);
});

test('unassigning a shared driver ends the hire, and a driver who is not dispatchable is refused', async () => {
  const [a, b] = [await makeStaffedTenant(app, { legalName: 'Lender' }), await makeStaffedTenant(app, { legalName: 'Borrower' })];
  await connect(b, a);
  const { id: shareId } = await share(a, b, 'User', a.driver.id);
  const { id } = await jobOf(b);
  const patch = (driver_id: string | null) => b.dispatcher.http('PATCH', b.path(`/jobs/${id}`), { driver_id });
  expect((await patch(a.driver.id)).status).toBe(200);
  expect((await read(a, id)).status).toBe(200);
  expect((await patch(b.driver.id)).status).toBe(200);
  expect((await read(a, id)).status).toBe(404);
  await a.must('PATCH', a.path(`/company_shares/${shareId}`), { dispatchable: false });
  const refused = await patch(a.driver.id);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['driver_id']]);
  expect((await b.http('PATCH', b.path(`/users/${a.driver.id}`), { first_name: 'Mine' })).status).toBeGreaterThanOrEqual(400);
});

test('work goes to shared sites, and shared trucks are planned only if they are dispatchable', async () => {
  const [a, b] = [await makeStaffedTenant(app, { legalName: 'Lender' }), await makeStaffedTenant(app, { legalName: 'Borrower' })];
  await connect(b, a);
  const type = await a.save(EquipmentType, { company: ref(a.company), name: 'Tandem' });
  const truck = await a.save(Equipment, { company: ref(a.company), name: 'Truck 9', equipmentType: ref(type) });
  const trailer = await a.save(Equipment, { company: ref(a.company), name: 'Trailer 9', equipmentType: ref(type) });
  const stops = { waypoints: [{ type: 'pickup', site_id: a.pickup.id, ordinality: 0 }, ...orderInput(b).waypoints.slice(1)] };
  const refused = await b.http('POST', b.path('/orders'), orderInput(b, stops));
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['waypoints.0.site_id']]);
  const { id: siteShare } = await share(a, b, 'Site', a.pickup.id);
  const { id, order } = await jobOf(b, stops);
  expect((await read(b, id)).body.data.waypoints[0].site.id).toBe(a.pickup.id);
  const offered = await b.must('GET', `/v1/orders/${order.id}/sites/typeahead`);
  expect(offered.find((site: Json) => site.id === a.pickup.id).company_share).toMatchObject({ id: siteShare });

  const drive = () => b.dispatcher.http('PATCH', b.path(`/jobs/${id}`), { equipment_id: truck.id, additional_equipment_ids: [trailer.id] });
  expect(fieldsOf(await drive())).toEqual(['additional_equipment_ids.0', 'equipment_id']);
  const { id: truckShare } = await share(a, b, 'Equipment', truck.id);
  const { id: trailerShare } = await share(a, b, 'Equipment', trailer.id);
  expect(fieldsOf(await drive())).toEqual(['additional_equipment_ids.0', 'equipment_id']);
  for (const id of [truckShare, trailerShare]) await a.must('PATCH', a.path(`/company_shares/${id}`), { dispatchable: true });
  expect((await drive()).body.data).toMatchObject({ equipment: { id: truck.id, name: 'Truck 9' } });

  await a.must('PATCH', a.path(`/company_shares/${siteShare}`), { expires_at: new Date(Date.now() - 1000).toISOString() });
  const late = await b.http('POST', b.path('/orders'), orderInput(b, stops));
  expect([late.status, fieldsOf(late)]).toEqual([422, ['waypoints.0.site_id']]);
  expect((await read(b, id)).status).toBe(200);
});

test('trucks that are added to an order of a shared driver go to that driver while the share is valid', async () => {
  const [a, b] = [await makeStaffedTenant(app, { legalName: 'Lender' }), await makeStaffedTenant(app, { legalName: 'Borrower' })];
  await connect(b, a);
  const { id: shareId } = await share(a, b, 'User', a.driver.id);
  const order = await b.must('POST', b.path('/orders'), orderInput(b, { driver_id: a.driver.id, load_at: '2027-02-01T12:00:00Z' }));
  const jobs = async (id = order.id): Promise<Json[]> =>
    (await b.must('GET', b.path(`/orders/${id}/jobs`))).sort((one: Json, other: Json) => one.job_id.localeCompare(other.job_id));
  const drivers = async (id?: string) => (await jobs(id)).map((one) => [one.state, one.driver?.id ?? null]);
  const lent = ['assigned', a.driver.id];
  expect(await drivers()).toEqual([lent]);
  // Editing the order adds them, like its own driver's; each is hired along the share.
  await b.dispatcher.must('PATCH', b.path(`/orders/${order.id}`), { truck_count: 2 });
  const added = await b.dispatcher.must('POST', b.path(`/orders/${order.id}/jobs`), {});
  const copied = await b.dispatcher.must('POST', b.path(`/jobs/${added.id}/copy`), {});
  expect(await drivers()).toEqual([lent, lent, lent, lent]);
  for (const { id } of [added, copied]) expect((await read(a, id)).body.data.driver.id).toBe(a.driver.id);
  const again = (more: object) => b.dispatcher.must('POST', b.path(`/orders/${order.id}/copy`), { date: '2027-02-09', ...more });
  expect(await drivers((await again({ include_assignee: true, truck_count: 5 })).id)).toEqual([lent, lent, lent, lent, lent]);
  expect(await drivers((await again({ truck_count: 1 })).id)).toEqual([['created', null]]);
  // Nobody is sent who is shared no more.
  await a.must('PATCH', a.path(`/company_shares/${shareId}`), { dispatchable: false });
  await b.dispatcher.must('PATCH', b.path(`/orders/${order.id}`), { truck_count: 5 });
  expect(await drivers()).toEqual([lent, lent, lent, lent, ['created', null]]);
});
