import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { ORDER_FIELDS, type WorkField } from '../../../src/dispatch/fields/work-fields.ts';
import { wireName } from '../../../src/platform/model/names.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** The values that both interfaces write alike. Units and rates of materials depend on each other, and have tests of their own. */
const VALUES: Partial<Record<WorkField['kind'], fc.Arbitrary<unknown>>> = {
  text: fc.constantFrom('Gate 4', 'Ask for Dora', '0', null),
  decimal: fc.constantFrom('12.5', '0', '40', null),
  whole: fc.constantFrom(1, 7, 15, null),
  flag: fc.boolean(),
  rateType: fc.constantFrom('RatePerTon', 'RatePerHour', null),
  quantityType: fc.constantFrom('truck', 'load', null),
};
/** Fields with rules of their own for one of both, and those that need another one. */
const APART = ['materialRateSellPrice', 'materialRateBuyPrice', 'materialRateItemized', 'equipmentTypeGrossCapacity', 'trucksPerDelay'];
const FIELDS = Object.entries<WorkField>(ORDER_FIELDS).filter(([name, { kind, apart }]) => VALUES[kind] && !apart && !APART.includes(name));
const fields = fc
  .record(Object.fromEntries(FIELDS.map(([name, { kind }]) => [wireName(name), VALUES[kind]!])), { requiredKeys: [] })
  .map((drawn) => ({ ...drawn }));

let count = 0;
const payload = (externalId: string, more: object) => ({
  external_id: externalId,
  load_at: '2026-12-01T07:00',
  customer: { external_id: 'C-1', name: 'Hill Country Paving' },
  ...{ truck_count: 2, unit_of_measure: 'Ton', job_unit_of_measure: 'Ton', load_unit_of_measure: 'Ton' },
  ...more,
});

async function imported(...orders: object[]): Promise<string[]> {
  const { batch_id } = await tenant.must('POST', '/ingest/orders', { orders });
  await app.settled();
  const records: Json[] = await tenant.must('GET', `/ingest/batches/${batch_id}/records`);
  // An element that was sent before is a duplicate.
  expect(records.filter(({ state, last_error }) => state !== 'processed' && last_error !== 'duplicate')).toEqual([]);
  return records.map(({ result_id }) => result_id);
}

/** Columns of every row that are its own: ids, numbers and the times of its changes. */
const OWN =
  /^(id|order_id|job_id|load_id|route_id|external_id|created_at|updated_at|state_changed_at|rate_source|search_text|.*_contact_id)$/;
const sql = (statement: string, id: string): Promise<Json[]> => app.orm.em.fork().execute(statement, [id]);
const alike = (rows: Json[]): Json[] => rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !OWN.test(column))));

/** All that became of an order: its rows, what the audit log says of its change, and its events. */
async function cameOf(id: string) {
  return {
    orders: alike(await sql('select * from orders where id = ?', id)).map(({ number, ...row }) => row),
    jobs: alike(await sql('select * from job where order_id = ? order by number', id)),
    rates: (await sql('select rate_source from job where order_id = ? order by number', id)).map(({ rate_source }) =>
      Object.keys(rate_source ?? {}),
    ),
    loads: alike(
      await sql('select l.*, j.number from load l join job j on j.id = l.job_id where l.order_id = ? order by j.number, l.ordinality', id),
    ),
    audit: (await sql(`select object_changes from audit_entry where subject_id = ? and event = 'update' order by created_at, id`, id)).map(
      ({ object_changes: { version, updated_at, ...changes } }) => changes,
    ),
    events: (await sql('select name from outbox_event where subject_id = ? order by position', id)).map(({ name }) => name),
  };
}

test('a change of an order leaves the same rows, audit and events, whether a person makes it or an import', async () => {
  let changed = 0;
  await fc.assert(
    fc.asyncProperty(fields, fields, async (before, changes) => {
      const [a, b] = [`A-${++count}`, `B-${count}`];
      const [mine, sent] = await imported(payload(a, before), payload(b, before));
      const rows = await sql('select * from orders where id = ?', mine!);
      await tenant.must('PATCH', `/v1/orders/${mine}`, changes);
      await imported(payload(b, { ...before, ...changes }));
      const [now] = await sql('select * from orders where id = ?', mine!);
      const [byPerson, byImport] = [await cameOf(mine!), await cameOf(sent!)];
      // An import of what is there already sends no event, and a person who says it again does: that is decided (D-DISPATCH-55).
      const isChange = Object.keys(changes).some((column) => String(now[column]) !== String(rows[0][column]));
      if (isChange) changed++;
      else byPerson.events = byPerson.events.filter((name) => name !== 'order.updated');
      expect(byImport).toEqual(byPerson);
    }),
    // Each try is two imports: to shrink one takes minutes.
    { numRuns: runs(12), endOnFailure: true },
  );
  expect(changed).toBeGreaterThan(5);
}, 300_000);

test('a load that is added takes the same from its job, whether a person adds it or the ticket of an import', async () => {
  const terms = {
    ...{ recurring_loads: true, loads_per_truck: 1, material: { name: 'Flex base' }, phases: [{ name: 'Base', code: 'B', primary: true }] },
    ...{ material_rate_sell_price: '12', material_rate_buy_price: '8', material_rate_unit_of_measure: 'Ton', dispatch_number: 'D-77' },
    foremen: [{ email: 'foreman@haul.example', first_name: 'Fay', last_name: 'Lead' }],
    sites: [
      { waypoint: 'pickup', name: 'Pit', external_id: 'P-1' },
      { waypoint: 'drop_off', name: 'Job site', external_id: 'J-1' },
    ],
  };
  const [id] = await imported(payload('TERMS', { ...terms, truck_count: 1 }));
  const [job] = await tenant.must('GET', `/v1/orders/${id}/jobs`);
  const company = ref(tenant.company);
  const equipmentType = ref(await tenant.save(EquipmentType, { company, name: 'Dump 77' }));
  const truck = await tenant.save(Equipment, { company, equipmentType, name: 'Truck 77', externalId: 'TR-77' });
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { equipment_id: truck.id });
  await tenant.must('POST', `/v1/jobs/${job.id}/loads`, {});
  const ticket = {
    ticket_number: 'T',
    service_date: '2026-12-01T09:00',
    truck_id: 'TR-77',
    platform_order_id: id,
    quantity: '20',
    unit_of_measure: 'Ton',
  };
  for (const number of ['T-1', 'T-2', 'T-3']) {
    await tenant.must('POST', '/ingest/tickets', { tickets: [{ ...ticket, ticket_number: number }] });
    await app.settled();
  }
  const loads = alike(await sql('select * from load where job_id = ? order by ordinality', job.id));
  const [made, byPerson, byTicket] = loads.map(({ ordinality, ...load }) => load);
  expect(loads).toHaveLength(3);
  expect([byPerson, byTicket]).toEqual([made, made]);
  expect(made).toMatchObject({ unit_of_measure: 'Ton', material_sell_price: '12.0000', material_buy_price: '8.0000' });
  expect([made.material_id, made.phase_id, made.foreman_ids.length]).toEqual([expect.any(String), expect.any(String), 1]);
});
