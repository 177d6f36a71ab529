import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Material } from '../../../src/directory/master-data/named.entities.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
/** Ids of records in order, and of ones that are not, by what they are. */
let some: Record<'drivers' | 'trucks' | 'sites' | 'materials' | 'accounts' | 'vendors', string[]>;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  const other = await makeTenant(app);
  const own = { company: ref(tenant.company) };
  const gone = { ...own, discardedAt: new Date() };
  const type = ref(await tenant.save(EquipmentType, { ...own, name: 'Tandem' }));
  const truck = async (more: object) => (await tenant.save(Equipment, { ...own, name: 'T', equipmentType: type, ...more })).id;
  const saved = async (kind: new () => { id: string }, more: object) => (await tenant.save(kind, { ...own, name: 'N', ...more })).id;
  const person = async (more: object) => (await tenant.person({ roles: ['driver'], ...more })).user.id;
  some = {
    drivers: [
      tenant.driver.id,
      await person({}),
      await person({ discardedAt: new Date() }),
      await person({ roles: ['biller'] }),
      other.driver.id,
    ],
    trucks: [await truck({}), await truck({ state: 'inactive' }), await truck(gone)],
    sites: [tenant.pickup.id, await saved(Site, { state: 'inactive' }), await saved(Site, gone), other.pickup.id],
    materials: [tenant.material.id, await saved(Material, { state: 'inactive' }), other.material.id],
    accounts: [tenant.account.id, tenant.vendor.id, await saved(Account, { ...gone, accountTypes: ['customer'] }), other.account.id],
    vendors: [tenant.vendor.id, await saved(Account, { accountTypes: ['vendor'], truckCount: 1 }), tenant.account.id, other.vendor.id],
  };
  // Documents that only the tenant's own driver has.
  const paper = { name: 'License', dispatch_gating: true, required_internal_drivers: true };
  const { id } = await tenant.must('POST', tenant.path('/compliance_document_types'), paper);
  await tenant.must('POST', tenant.path(`/users/${tenant.driver.id}/compliance_documents`), { compliance_document_type_id: id });
});
afterAll(() => app.close());

const one = (kind: keyof typeof some) => fc.integer({ min: 0, max: 9 }).map((i) => some[kind][i % some[kind].length]!);
/** Mostly the good one, so that several things are seldom wrong at once. */
const mostly = (kind: keyof typeof some) =>
  fc.oneof({ arbitrary: fc.constant(0), weight: 2 }, { arbitrary: one(kind), weight: 1 }).map((id) => id || some[kind][0]!);
const at = fc.constantFrom('2027-05-01T12:00:00.000Z', '2027-05-01T12:30:00.000Z', '2027-05-02T12:00:00.000Z');

/** Expects that a write and its trial agree. */
async function agrees(trial: string, write: [method: string, path: string], body: object, conflictsOf: (made: Json) => Promise<string[]>) {
  const reported = await tenant.http('POST', trial, body);
  const done = await tenant.http(...write, body);
  if (reported.status !== 200) return expect([trial, reported.status]).toEqual([trial, done.status]);
  const { valid, conflicts } = reported.body.data;
  expect([done.status, valid, body]).toEqual([done.status, done.status < 300, body]);
  const blocking = conflicts.filter(({ severity }: Json) => severity === 'blocking').map(({ field }: Json) => field);
  if (!valid) return expect(blocking.sort()).toEqual(fieldsOf(done));
  expect(conflicts.map(({ code }: Json) => code).sort()).toEqual((await conflictsOf(done.body.data)).sort());
}

const ofJob = async ({ id }: Json): Promise<string[]> =>
  (await tenant.gql('query ($id: ID!) { job(id: $id) { conflicts { code } } }', { id })).data.job.conflicts.map(({ code }: Json) => code);
const ofOrder = async ({ id }: Json): Promise<string[]> =>
  (
    await tenant.gql('query ($id: ID!) { order(id: $id) { jobs(first: 9) { nodes { conflicts { code } } } } }', { id })
  ).data.order.jobs.nodes.flatMap(({ conflicts }: Json) => conflicts.map(({ code }: Json) => code));

const EVENTS = [[], ['assign'], ['assign', 'accept'], ['assign', 'accept', 'complete'], ['cancel']];
const change = () =>
  fc.record(
    {
      driver_id: fc.oneof(one('drivers'), fc.constant(null)),
      equipment_id: mostly('trucks'),
      material_id: mostly('materials'),
      job_start_at: at,
      quantity: fc.constantFrom(5, -1),
      load_unit_of_measure: fc.constantFrom('Ton', 'Yard'),
      material_rate_assignment: fc.constant({ unit_of_measure: 'Ton' }),
      waypoints: mostly('sites').map((site_id) => [{ type: 'staging', site_id, ordinality: 5 }]),
      version: fc.constantFrom(1, 1, 99),
      compliance_override: fc.boolean(),
    },
    { requiredKeys: [] },
  );

test('validating a change of a job reports what the change would, and the job stays as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...EVENTS), fc.nat(9).chain(change), fc.boolean(), async (events, body, toVendor) => {
      const order = await makeOrder(tenant, { load_at: '2027-05-01T12:00:00.000Z' });
      const [{ id }] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
      for (const event of events)
        await (event === 'assign'
          ? tenant.must('PATCH', `/v1/jobs/${id}`, { driver_id: tenant.driver.id })
          : tenant.must('PUT', `/v1/jobs/${id}/${event}`, {}));
      const before = await tenant.must('GET', `/v1/jobs/${id}`);
      await tenant.http('POST', `/v1/jobs/${id}/validate`, body);
      expect(await tenant.must('GET', `/v1/jobs/${id}`)).toEqual(before);
      if (!toVendor) return agrees(`/v1/jobs/${id}/validate`, ['PATCH', `/v1/jobs/${id}`], body, ofJob);
      const vendor_id = some.vendors[Object.keys(body).length % some.vendors.length];
      return agrees(`/v1/jobs/${id}/assign_vendor/validate`, ['PUT', `/v1/jobs/${id}/assign_vendor`], { vendor_id }, ofJob);
    }),
    { numRuns: 25, seed: 5 },
  );
}, 300_000);

test('validating an order reports what creating it would, and none is created', async () => {
  const input = fc.record({
    account_id: mostly('accounts'),
    driver_id: fc.oneof(fc.constant(undefined), one('drivers')),
    vendor_id: fc.oneof(fc.constant(undefined), one('vendors')),
    material_id: mostly('materials'),
    equipment_id: mostly('trucks'),
    load_at: at,
    truck_count: fc.constantFrom(1, 2, 201),
    waypoints: mostly('sites').map((site_id) => [{ type: 'pickup', site_id, ordinality: 0 }]),
  });
  await fc.assert(
    fc.asyncProperty(input, async (more) => {
      const body = orderInput(tenant, more);
      const count = async () => (await tenant.gql('{ orders(first: 1) { count { value } } }')).data.orders.count.value;
      const before = await count();
      await tenant.http('POST', tenant.path('/orders/validate'), body);
      expect(await count()).toBe(before);
      await agrees(tenant.path('/orders/validate'), ['POST', tenant.path('/orders')], body, ofOrder);
    }),
    { numRuns: 20, seed: 5 },
  );
}, 300_000);

test('warnings are reported together with errors', async () => {
  const driver_id = some.drivers[1]!;
  await tenant.must('POST', `/v1/users/${driver_id}/scheduled_time_offs`, {
    start_date: '2027-07-01T00:00:00Z',
    end_date: '2027-07-03T00:00:00Z',
  });
  const order = await makeOrder(tenant, { load_at: '2027-07-02T12:00:00.000Z' });
  const [{ id }] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const reported = async (body: object) => {
    const { valid, conflicts } = await tenant.must('POST', `/v1/jobs/${id}/validate`, body);
    return [valid, conflicts.map(({ code, severity }: Json) => [code, severity])];
  };
  const refused = ['compliance_missing', 'blocking'];
  const off = ['driver_off', 'warning'];
  expect(await reported({ driver_id })).toEqual([false, [refused, off]]);
  expect(await reported({ driver_id, compliance_override: true, quantity: 5, material_id: some.materials[1] })).toMatchObject([
    false,
    [['is_inactive', 'blocking'], off, ['compliance_missing', 'warning']],
  ]);
  expect(await reported({ driver_id, version: 99 })).toMatchObject([false, [['stale_version', 'blocking']]]);
});

test('warnings about a new order are reported together with its errors, whatever these are', async () => {
  const [own, busy] = [tenant.driver.id, some.drivers[1]!];
  const load_at = '2027-08-02T12:00:00.000Z';
  await makeOrder(tenant, { load_at, driver_id: own });
  const reported = async (more: object) => {
    const { valid, conflicts } = await tenant.must(
      'POST',
      tenant.path('/orders/validate'),
      orderInput(tenant, { load_at, driver_id: own, ...more }),
    );
    return [valid, conflicts.map(({ code, severity }: Json) => [code, severity])];
  };
  const twice = ['driver_double_booked', 'warning'];
  expect(await reported({})).toEqual([true, [twice]]);
  // Optional fields, and fields with a replacement.
  expect(await reported({ material_id: some.materials[1] })).toEqual([false, [['is_inactive', 'blocking'], twice]]);
  expect(await reported({ account_id: tenant.vendor.id })).toEqual([false, [['not_a_customer', 'blocking'], twice]]);
  expect(await reported({ service_id: tenant.account.id })).toEqual([false, [['must_exist', 'blocking'], twice]]);
  const [pickup] = orderInput(tenant).waypoints;
  const closed = { type: 'drop_off', site_id: some.sites[2], ordinality: 1 };
  expect(await reported({ waypoints: [pickup, closed] })).toEqual([false, [['is_discarded', 'blocking'], twice]]);
  expect(await reported({ waypoints: [closed] })).toEqual([false, [['is_discarded', 'blocking']]]);
  // The documents are overridden, as the permission allows.
  await makeJobFor(busy, load_at);
  const documents = ['compliance_missing', 'blocking'];
  expect(await reported({ driver_id: busy, account_id: tenant.vendor.id })).toEqual([
    false,
    [['not_a_customer', 'blocking'], documents, twice],
  ]);
  // Without the driver the vendor is asked, who is refused as well; then nobody is left, and the truck is.
  const [equipment_id, vendor_id] = [some.trucks[0], tenant.account.id];
  await makeOrder(tenant, { load_at, equipment_id });
  expect(await reported({ driver_id: some.drivers[2], vendor_id, equipment_id })).toEqual([
    false,
    [['is_discarded', 'blocking'], documents, ['truck_double_booked', 'warning']],
  ]);
});

/** Assigns a job to a driver in spite of missing documents. */
async function makeJobFor(driver_id: string, load_at: string): Promise<void> {
  const order = await makeOrder(tenant, { load_at });
  const [{ id }] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PATCH', `/v1/jobs/${id}`, { driver_id, compliance_override: true });
}
