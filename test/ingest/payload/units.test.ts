import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

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

async function send(kind: 'orders' | 'projects' | 'tickets', elements: Json[]): Promise<Json[]> {
  const { batch_id } = await tenant.must('POST', `/ingest/${kind}`, { [kind]: elements });
  await app.settled();
  const records = await tenant.must('GET', `/ingest/batches/${batch_id}/records?page[limit]=100`);
  return Promise.all(
    records.map(async (record: Json) => {
      expect(record).toMatchObject({ state: 'processed', last_error: null });
      return { ...(await tenant.must('GET', `/v1/${kind}/${record.result_id}`)), warnings: record.warnings };
    }),
  );
}
const ticket = (unit_of_measure: string, quantity: unknown, n: number) => ({
  ...{ ticket_number: `T-${n}`, service_date: '2026-12-01', truck_id: 'X', unit_of_measure, quantity },
});
const converted = (warnings: Json[]) => warnings.filter(({ code }) => code === 'unit_converted').map(({ given, used }) => [given, used]);

test('units that the contract lacks are converted, with the factor, and the ticket keeps what was sent', async () => {
  const cases: [string, unknown, string, string, string | undefined][] = [
    ['lbs', 44781, '22.3905', 'Ton', '0.0005'],
    ['Pounds', '44,780', '22.39', 'Ton', '0.0005'],
    ['LB.', 2000, '1', 'Ton', '0.0005'],
    ['kg', 20310, '20.31', 'Tonne', '0.001'],
    ['Kilograms', 5, '0.005', 'Tonne', '0.001'],
    ['long tons', 10, '11.2', 'Ton', '1.12'],
    ['ST', 22.4, '22.4', 'Ton', '1'],
    ['short tons', 22.4, '22.4', 'Ton', undefined],
    ['sh. tn.', 22.4, '22.4', 'Ton', undefined],
    // As ERPs write them: UN/CEFACT, Recommendation 20.
    ['LBR', 44781, '22.3905', 'Ton', '0.0005'],
    ['STN', 22.4, '22.4', 'Ton', '1'],
    ['LTN', 10, '11.2', 'Ton', '1.12'],
    ['KGM', 20310, '20.31', 'Tonne', '0.001'],
    ['TNE', 20.31, '20.31', 'Tonne', undefined],
    ['cwa', 450, '22.5', 'Ton', '0.05'],
    ['HUR', 8, '8', 'Hour', undefined],
    ['GLL', 7500, '7500', 'Gallon', undefined],
    ['LTR', 28000, '28000', 'Liter', undefined],
    ['BUA', 800, '800', 'Bushel', undefined],
    // As SAP writes them, and as scales print them in Quebec and in Spanish.
    ['TO', 20.31, '20.31', 'Tonne', undefined],
    ['T.M.', 20.31, '20.31', 'Tonne', undefined],
    ['tonnes métriques', 20.31, '20.31', 'Tonne', undefined],
    ['LD', 2, '2', 'Load', undefined],
    ['lds', 2, '2', 'Load', undefined],
    ['Voyages', 2, '2', 'Load', undefined],
    ['viajes', 2, '2', 'Load', undefined],
    ['H', 8, '8', 'Hour', undefined],
    ['heures', 8, '8', 'Hour', undefined],
    ['horas', 8, '8', 'Hour', undefined],
    ['verges cubes', 14, '14', 'Yard', undefined],
    ['vg³', 14, '14', 'Yard', undefined],
    ['yardas cúbicas', 14, '14', 'Yard', undefined],
    ...['CY', 'cu. yds', 'Cubic Yards', 'yd³', 'yds^3', 'C.Y.', 'cu yard', 'cubic yd', 'CYDs', 'yards3', 'cu. yrds.', 'YDQ'].map(
      (unit): [string, unknown, string, string, undefined] => [unit, 14, '14', 'Yard', undefined],
    ),
  ];
  const usable = cases.filter(([, quantity]) => quantity !== '44,780');
  const tickets = await send(
    'tickets',
    usable.map(([unit, quantity], n) => ticket(unit, quantity, n)),
  );
  expect(tickets.map(({ quantity, unit_of_measure }: Json) => [quantity, unit_of_measure])).toEqual(
    usable.map(([, , quantity, unit]) => [quantity, unit]),
  );
  expect(tickets.map(({ warnings }: Json) => converted(warnings))).toEqual(
    usable.map(([given, , , unit, factor]) => (factor ? [[given, { unit, factor }]] : [])),
  );
  expect(tickets[0]).toMatchObject({ external_net_weight: '44781', external_net_weight_unit: 'lbs' });
});

test('what is no unit is a ton, with a warning', async () => {
  const [shown] = await send('tickets', [ticket('stones', 5, 1)]);
  expect(shown).toMatchObject({ quantity: '5', unit_of_measure: 'Ton' });
  expect(shown.warnings).toContainEqual({ code: 'unknown_unit', pointer: '/unit_of_measure', given: 'stones', used: 'Ton' });
});

test('quantities, capacities and prices of an order and the materials of a project follow their units', async () => {
  const customer = { external_id: 'C-1', name: 'Hill' };
  const [order] = await send('orders', [
    {
      ...{
        external_id: 'O-1',
        load_at: '2026-12-01T07:00',
        customer,
        quantity: 220000,
        unit_of_measure: 'lb',
        job_quantity: 44000,
        job_unit_of_measure: 'lbs',
      },
      ...{ material_rate_sell_price: 0.009, material_rate_unit_of_measure: 'lb', load_unit_of_measure: 'lb' },
      ...{ equipment_type_gross_capacity: 22000, equipment_type_gross_capacity_unit_of_measure: 'kg' },
    },
  ]);
  expect(order).toMatchObject({ quantity: '110', unit_of_measure: 'Ton', job_quantity: '22', job_unit_of_measure: 'Ton' });
  expect(order).toMatchObject({ material_rate_sell_price: '18', material_rate_unit_of_measure: 'Ton', load_unit_of_measure: 'Ton' });
  expect(order).toMatchObject({ equipment_type_gross_capacity: '22', equipment_type_gross_capacity_unit_of_measure: 'Tonne' });
  const [project] = await send('projects', [
    { external_id: 'P-1', customer, materials: [{ name: 'Base', total_quantity: 4000000, unit_of_measure: 'lbs' }] },
  ]);
  expect(project.project_material_totals[0]).toMatchObject({ total_quantity: '2000', unit_of_measure: 'Ton' });
});
