import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let hired: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  [tenant, hired] = [await makeTenant(app), await makeTenant(app)];
});
afterAll(() => app.close());

const own = () => ({ company: ref(tenant.company) });
const jobsOf = async (id: string): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/orders/${id}/jobs`)).sort((a: Json, b: Json) => a.job_id.localeCompare(b.job_id));
const statesOf = async (id: string) => (await jobsOf(id)).map(({ state }) => state);
const accept = (id: string) => tenant.must('PUT', tenant.path(`/orders/${id}/accept`), {});
const vendor = (more: object = {}) =>
  tenant.save(Account, { ...own(), name: `Vendor ${Math.random()}`, accountTypes: ['vendor'], ...more });
const truck = async (name: string, more: object = {}) =>
  tenant.save(Equipment, { ...own(), name, equipmentType: ref(await tenant.save(EquipmentType, { ...own(), name })), ...more });

test('a vendor that accepts automatically gets its jobs when the order is accepted, released or sent', async () => {
  const auto = await vendor({ connectedCompany: ref(hired.company), autoAcceptOrders: true });
  const order = await makeOrder(tenant, { vendor_id: auto.id, truck_count: 2 });
  expect(await statesOf(order.id)).toEqual(['assigned', 'assigned']);
  await accept(order.id);
  expect(await statesOf(order.id)).toEqual(['accepted', 'accepted']);
  const [first] = await jobsOf(order.id);
  const events = await tenant.must('GET', `/v1/jobs/${first.id}/job_events`);
  expect(events.map((event: Json) => event.event_name)).toEqual(expect.arrayContaining(['JobSent', 'JobAccepted']));
  // One more truck, by each of the ways.
  await tenant.must('POST', `/v1/orders/${order.id}/jobs`, {});
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { truck_count: 4 });
  await tenant.must('POST', `/v1/jobs/${first.id}/copy`, {});
  expect(await statesOf(order.id)).toEqual(Array(5).fill('accepted'));

  const held = await makeOrder(tenant);
  await accept(held.id);
  await tenant.must('PUT', tenant.path(`/orders/${held.id}/hold`), {});
  const [job] = await jobsOf(held.id);
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/assign_vendor`), { vendor_id: auto.id });
  expect(await statesOf(held.id)).toEqual(['assigned']);
  await accept(held.id);
  expect(await statesOf(held.id)).toEqual(['accepted']);

  const manual = await vendor({ connectedCompany: ref((await makeTenant(app)).company) });
  const sent = await makeOrder(tenant, { vendor_id: manual.id });
  await accept(sent.id);
  expect(await statesOf(sent.id)).toEqual(['assigned']);
  await tenant.must('PATCH', `/v1/accounts/${manual.id}`, { auto_accept_orders: true });
  await tenant.must('PUT', tenant.path(`/jobs/${(await jobsOf(sent.id))[0].id}/request`), {});
  expect(await statesOf(sent.id)).toEqual(['accepted']);
});

test('an order refuses a driver or vendor that its jobs would refuse, and its validation reports the same', async () => {
  await tenant.must('POST', tenant.path('/compliance_document_types'), {
    ...{ name: 'License', dispatch_gating: true, required_internal_drivers: true, required_vendors: true },
  });
  const plain = await vendor();
  for (const [assignee, field] of [
    [{ driver_id: tenant.driver.id }, 'driver_id'],
    [{ vendor_id: plain.id }, 'vendor_id'],
  ] as const) {
    const input = orderInput(tenant, assignee);
    const refused = await tenant.http('POST', tenant.path('/orders'), input);
    expect([refused.status, fieldsOf(refused)]).toEqual([422, [field]]);
    const reported = await tenant.must('POST', tenant.path('/orders/validate'), input);
    expect([reported.valid, reported.conflicts.map((one: Json) => [one.severity, one.field])]).toEqual([false, [['blocking', field]]]);
  }
  const [type] = await tenant.must('GET', tenant.path('/compliance_document_types'));
  await tenant.must('DELETE', tenant.path(`/compliance_document_types/${type.id}`));
});

test("an order takes no more of a vendor's trucks than it has on a day, in whatever way they are added", async () => {
  const small = await vendor({ truckCount: 2 });
  const at = { vendor_id: small.id, load_at: '2027-03-01T15:00:00.000Z' };
  const post = (more: object) => tenant.http('POST', tenant.path('/orders'), orderInput(tenant, { ...at, ...more }));
  expect(fieldsOf(await post({ truck_count: 3 }))).toEqual(['vendor_id']);
  // The third starts on another day.
  expect((await post({ truck_count: 3, truck_delay: 720 })).status).toBe(201);
  const order = (await post({ truck_count: 1, load_at: '2027-03-08T15:00:00.000Z' })).body.data;
  const more = await tenant.http('PATCH', `/v1/orders/${order.id}`, { truck_count: 3 });
  expect([more.status, fieldsOf(more)]).toEqual([422, ['truck_count']]);
  expect((await tenant.http('PATCH', `/v1/orders/${order.id}`, { truck_count: 2 })).status).toBe(200);
  expect((await tenant.http('POST', `/v1/orders/${order.id}/jobs`, {})).status).toBe(422);
  const copy = (include_assignee: boolean) =>
    tenant.http('POST', `/v1/orders/${order.id}/copy`, { date: '2027-03-01', truck_count: 3, include_assignee });
  expect(fieldsOf(await copy(true))).toEqual(['vendor_id']);
  expect((await copy(false)).status).toBe(201);
  expect(await statesOf(order.id)).toHaveLength(2);
});

test("a vendor's trucks of all days are counted in one statement, which finds a full day among them", async () => {
  const small = await vendor({ truckCount: 2 });
  const body = (more: object) => orderInput(tenant, { vendor_id: small.id, truck_delay: 1440, ...more });
  const full = body({ load_at: '2027-04-05T15:00:00.000Z', truck_count: 2, truck_delay: 0 });
  expect((await tenant.http('POST', tenant.path('/orders'), full)).status).toBe(201);
  const validate = (load_at: string, truck_count: number) =>
    app.countStatements(() => tenant.must('POST', tenant.path('/orders/validate'), body({ load_at, truck_count })));
  const one = await validate('2027-05-01T15:00:00.000Z', 1);
  const week = await validate('2027-04-03T15:00:00.000Z', 7);
  const after = await validate('2027-04-06T15:00:00.000Z', 7);
  expect([one, week, after].map(({ value }) => value.valid)).toEqual([true, false, true]);
  const counts = ({ statements }: { statements: string[] }) => statements.filter((sql) => sql.includes('job_assignment a join job')).length;
  // Once among all errors, and once among the conflicts of the rest.
  expect([one, week, after].map(counts)).toEqual([2, 2, 2]);
});

test("the driver's truck leaves with the driver; a planned or named truck stays", async () => {
  const [his, planned, named] = [await truck('His'), await truck('Planned'), await truck('Named')];
  const { user } = await tenant.person({ roles: ['driver'], equipment: ref(his) });
  const reported = async (more: object, change: object) => {
    const [job] = await jobsOf((await makeOrder(tenant, more)).id);
    expect((await tenant.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: user.id })).equipment.name).toBe('His');
    return (await tenant.must('PATCH', `/v1/jobs/${job.id}`, change)).equipment?.name ?? null;
  };
  expect(await reported({}, { driver_id: null })).toBeNull();
  expect(await reported({}, { driver_id: tenant.driver.id })).toBeNull();
  expect(await reported({ equipment_id: planned.id }, { driver_id: null })).toBe('Planned');
  expect(await reported({}, { driver_id: tenant.driver.id, equipment_id: named.id })).toBe('Named');
  const [job] = await jobsOf((await makeOrder(tenant)).id);
  const both = await tenant.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: user.id, equipment_id: named.id });
  expect(both.equipment.name).toBe('Named');
  const [other] = await jobsOf((await makeOrder(tenant)).id);
  await tenant.must('PATCH', `/v1/jobs/${other.id}`, { driver_id: user.id });
  expect(
    (await tenant.must('PUT', tenant.path(`/jobs/${other.id}/assign_vendor`), { vendor_id: (await vendor()).id })).equipment,
  ).toBeNull();
});

test('a copy refers to no discarded record, and leaves out people who left', async () => {
  const old = await truck('Old');
  const { user } = await tenant.person({ roles: ['foreman'] });
  const order = await makeOrder(tenant, { equipment_id: old.id, foreman_ids: [user.id], requester_id: user.id });
  await tenant.must('DELETE', `/v1/users/${user.id}`);
  const copy = () => tenant.http('POST', `/v1/orders/${order.id}/copy`, {});
  expect((await copy()).body.data).toMatchObject({ foremen: [], requester: null, equipment: { name: 'Old' } });
  await tenant.must('DELETE', `/v1/equipment/${old.id}`);
  const refused = await copy();
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['equipment_id']]);
});

test('a truck that is added to an order goes to nobody who has left meanwhile, and waits for somebody else', async () => {
  const { user } = await tenant.person({ roles: ['driver'] });
  const left = await vendor();
  const orders = [await makeOrder(tenant, { driver_id: user.id }), await makeOrder(tenant, { vendor_id: left.id })];
  expect((await tenant.http('DELETE', `/v1/users/${user.id}`)).status).toBe(204);
  expect((await tenant.http('DELETE', `/v1/accounts/${left.id}`)).status).toBe(204);
  for (const { id } of orders) {
    const added = await tenant.must('POST', `/v1/orders/${id}/jobs`, {});
    expect([added.state, added.driver, await tenant.must('GET', `/v1/jobs/${added.id}/job_assignments`)]).toEqual(['created', null, []]);
    await tenant.must('PATCH', `/v1/orders/${id}`, { truck_count: 3 });
    expect(await statesOf(id)).toEqual(['assigned', 'created', 'created']);
  }
});
