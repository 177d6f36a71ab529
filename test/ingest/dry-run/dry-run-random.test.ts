import { afterAll, beforeAll, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { sweepRuns } from '../../helpers/properties.ts';
import { makeOrder, makeTenant } from '../../helpers/tenant.ts';
import { expectPreviewed } from '../dry-runs.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 });
const ids = fc.constantFrom('P-1', 'P-2', 'P-3', ' P-1', 'p-1', '');
const named = fc.record({
  external_id: maybe(fc.constantFrom('C-1', 'C-2', 'c-1')),
  name: maybe(fc.constantFrom('Pit', ' pit ', 'Plant')),
});
const sites = fc.array(
  fc.record({
    waypoint: fc.constantFrom('pickup', 'drop_off', 'nowhere'),
    external_id: maybe(fc.constantFrom('S-1', 'S-2')),
    name: maybe(fc.constantFrom('Pit', 'Plant')),
    full_address: maybe(fc.constant('1 Quarry Road')),
    lat: maybe(fc.constantFrom(30, 'x', 91)),
    lon: maybe(fc.constant(-97)),
  }),
  { maxLength: 3 },
);
const people = fc.array(
  fc.record({ email: maybe(fc.constantFrom('a@b.example', 'A@b.example')), phone: maybe(fc.constantFrom('+15125550100', '12')) }),
  { maxLength: 2 },
);
const phases = fc.array(fc.record({ name: maybe(fc.constantFrom('One', 'Two')), primary: fc.boolean() }), { maxLength: 2 });
const quantity = fc.constantFrom(1, '2.5', -1, 'many', 1e30);
const unit = fc.constantFrom('tons', 'YARD', 'lumps');
const moment = fc.constantFrom('2026-12-01T07:00:00', '2026-12-02T07:00:00Z', 'tomorrow');

const order = {
  external_id: maybe(ids),
  load_at: maybe(moment),
  customer: maybe(named),
  material: maybe(named),
  sites: maybe(sites),
  foremen: maybe(people),
  unit_of_measure: maybe(unit),
  quantity: maybe(quantity),
  truck_count: maybe(fc.constantFrom(1, 2, 0, 201)),
  state: maybe(fc.constantFrom('created', 'hold', 'canceled', 'odd')),
  notes: maybe(fc.constantFrom('x', 'y', null)),
  phases: maybe(phases),
  equipment_type: maybe(named),
  vendors: maybe(fc.array(named, { maxLength: 2 })),
  dispatch_number: maybe(fc.constantFrom('D-1', 'D-2')),
  sales_contact: maybe(fc.record({ name: fc.constant('Ana'), email: maybe(fc.constant('ana@b.example')) })),
  customer_rate_value: maybe(fc.constantFrom('12.5', 1.23456)),
};
const project = {
  external_id: maybe(ids),
  name: maybe(fc.constantFrom('Widening', ' widening', 'Bridge', '')),
  customer: maybe(named),
  effective_at: maybe(moment),
  expires_at: maybe(fc.constantFrom('2026-12-01T12:00:00', '2027-01-01', 'never', null)),
  sites: maybe(sites),
  phases: maybe(phases),
  foremen: maybe(people),
  materials: maybe(
    fc.array(
      fc.record({
        external_id: maybe(fc.constantFrom('M-1', 'M-2')),
        name: maybe(fc.constantFrom('Sand', 'sand', 'Gravel')),
        total_quantity: maybe(quantity),
        unit_of_measure: maybe(unit),
      }),
      { maxLength: 3 },
    ),
  ),
  sales_contact: maybe(fc.record({ name: fc.constant('Ana'), phone: maybe(fc.constant('+15125550100')) })),
  dispatch_number: maybe(fc.constantFrom('D-1', 'D-2')),
  order_quantity: maybe(quantity),
  truck_count: maybe(fc.constantFrom(1, 2, 0, 201)),
  notes: maybe(fc.constantFrom('x', 'y', null)),
};
/** The test numbers the tickets of a batch: those after a failed one of the same number wait until it is settled. */
const ticket = {
  service_date: maybe(fc.constantFrom('2026-11-23T09:30:00', '2026-11-24', 'yesterday')),
  quantity: maybe(quantity),
  unit_of_measure: maybe(unit),
  truck_id: maybe(fc.constantFrom('TRK-1', 'TRK-2', 'trk-1', '')),
  platform_order_id: maybe(fc.constantFrom('1', '2', '99', '')),
  dispatch_number: maybe(fc.constantFrom('D-1', 'D-9')),
  material: maybe(fc.oneof(fc.constantFrom('Sand', 'Salt'), named)),
  customer: maybe(fc.oneof(fc.constant('Customer'), named)),
  site: maybe(fc.oneof(fc.constant('Quarry'), sites)),
  notes: maybe(fc.constantFrom('x', null)),
};

/** Up to three requests, mostly of objects. */
const batchesOf = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.array(
    fc.array(
      fc.oneof(
        { weight: 12, arbitrary: fc.record(fields, { noNullPrototype: true }) },
        { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 7, 'x', []) },
      ),
      { minLength: 1, maxLength: 6 },
    ),
    { minLength: 1, maxLength: 3 },
  );

test('for random orders, the dry run reports what the real run then does', () =>
  fc.assert(
    fc.asyncProperty(batchesOf(order), async (batches) => void (await expectPreviewed(app, await makeTenant(app), 'orders', batches))),
    { numRuns: sweepRuns(25) },
  ));

test('for random projects, the dry run reports what the real run then does', () =>
  fc.assert(
    fc.asyncProperty(batchesOf(project), async (batches) => void (await expectPreviewed(app, await makeTenant(app), 'projects', batches))),
    { numRuns: sweepRuns(25) },
  ));

test('for random tickets, the dry run reports what the real run then does', () =>
  fc.assert(
    fc.asyncProperty(batchesOf(ticket), async (batches) => {
      const tenant = await makeTenant(app);
      const company = ref(tenant.company);
      const equipmentType = ref(await tenant.save(EquipmentType, { company, name: 'Dump' }));
      const pool = await poolOf(app.orm.em.fork());
      for (const externalId of ['TRK-1', 'TRK-2']) {
        const truck = await tenant.save(Equipment, { company, equipmentType, name: externalId, externalId });
        const { id } = await makeOrder(tenant, { load_at: '2026-11-23T12:00:00.000Z', loads_per_truck: 2 });
        await pool.query('update job set equipment_id = $2 where order_id = $1', [id, truck.id]);
      }
      const numbered = batches.map((batch, b) => batch.map((one, i) => (isObject(one) ? { ticket_number: `T-${b}-${i}`, ...one } : one)));
      const [done] = await expectPreviewed(app, tenant, 'tickets', numbered);
      // The same elements come once more: they are duplicates, others of their numbers are refused.
      const made = numbered[0]!.filter((_, i) => done![i].state === 'processed').filter(isObject);
      const again = made.map((one, i) => (i % 2 === 0 ? one : { ...one, notes: 'y' }));
      if (again.length > 0) await expectPreviewed(app, tenant, 'tickets', [again]);
    }),
    { numRuns: sweepRuns(20) },
  ));

const isObject = (one: unknown): one is object => typeof one === 'object' && one !== null && !Array.isArray(one);
