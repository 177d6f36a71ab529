import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

async function fates(csv: string): Promise<Json[]> {
  const { records } = await tenant.must('POST', '/ingest/tickets/csv', csv);
  await app.settled();
  return Promise.all(records.map(({ id }: Json) => tenant.must('GET', `/v1/imported_records/${id}`)));
}

test('a line of the scale becomes a ticket of its order, and one without a weight fails with its line', async () => {
  const order = await makeOrder(tenant);
  const rows = [
    `T-1,2026-12-01,22.45,tons,TRK-9,${order.order_id},Quarry`,
    'T-2,2026-12-01,,tons,TRK-9,,',
    `T-1,2026-12-01,22.45,tons,TRK-9,${order.order_id},Quarry`,
  ];
  const [made, unweighed, again] = await fates(['Ticket #,Date,Net weight,Unit,Truck,platform_order_id,Site', ...rows].join('\n'));
  expect(made).toMatchObject({ kind: 'ticket', imported_for: 'T-1', state: 'processed', metadata: { csv_line: 2 } });
  expect(await tenant.must('GET', `/v1/tickets/${made.result_id}`)).toMatchObject({
    ticket_number: 'T-1',
    quantity: '22.45',
    unit_of_measure: 'Ton',
  });
  expect(unweighed).toMatchObject({
    imported_for: 'T-2',
    state: 'failed',
    last_error: 'missing_field: /quantity: is required',
    metadata: { csv_line: 3 },
  });
  expect(again).toMatchObject({ imported_for: 'T-1', state: 'skipped', last_error: 'duplicate' });
});

test('required columns of a ticket are named', async () => {
  const { status, body } = await tenant.http('POST', '/ingest/tickets/csv', 'Ticket\n1');
  expect([status, body.error.errors.map(({ field }: Json) => field)]).toEqual([
    422,
    ['service_date', 'quantity', 'unit_of_measure', 'truck_id'],
  ]);
});

test('the template can be imported as it is', async () => {
  const template = await tenant.http('GET', '/ingest/tickets/csv/template');
  expect(template.headers.get('content-disposition')).toBe('attachment; filename="tickets-csv-template.csv"');
  expect((await fates(template.body))[0]).toMatchObject({ state: 'processed', imported_for: 'T-50001', last_error: null });
});
