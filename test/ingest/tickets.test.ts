import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Equipment } from '../../src/directory/equipment.entity.ts';
import { AccountExternalTruckIdentifier } from '../../src/directory/external-truck.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runs } from '../helpers/properties.ts';
import { makeYard, type Yard } from '../helpers/yard.ts';
import { codes, hauling, payload } from './haul.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let yard: Yard;
let truck: Equipment;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  yard = await makeYard(app);
  truck = await makeTruck('TRK-12');
});

const { sql, makeTruck, haul, loadsOf, sendAll, send, made } = hauling(() => ({ app, yard, truck }));

test('a ticket of a known order and truck proves its earliest load', async () => {
  const order = await haul({ loads: 2 });
  const [first] = await loadsOf(order);
  const ticket = await made(payload({ platform_order_id: order.id }));
  expect(ticket).toMatchObject({
    state: 'pending',
    state_events: ['void'],
    source: 'api_integration',
    ticket_number: 'T-1',
    quantity: '22.4',
    unit_of_measure: 'Ton',
    order_id: order.id,
    load_id: first.id,
    service_date: '2026-11-23T15:30:00.000Z',
    friendly_job_id: `${order.order_id}-1`,
    customer_name: 'Customer',
    equipment_name: 'Truck TRK-12',
    pickup_site_name: 'Quarry',
    dropoff_site_name: 'Bridge',
    missing_info: true,
    external_truck_id: 'TRK-12',
    external_ticket_number: 'T-1',
    external_net_weight: '22.4',
    external_net_weight_unit: 'tons',
    warnings: [],
  });
  const loads = await yard.must('GET', yard.path(`/orders/${order.id}/loads`));
  const shown = loads.find((load: Json) => load.id === first.id);
  expect(shown.ticket).toMatchObject({ id: ticket.id, ticket_number: 'T-1' });
});

test('the order may be named by its friendly number, and is preferred to the dispatch number', async () => {
  const other = await haul({ dispatch: 'D-20' });
  const order = await haul();
  const ticket = await made(payload({ platform_order_id: order.order_id, dispatch_number: 'D-20' }));
  expect([ticket.order_id, ticket.order_id === other.id]).toEqual([order.id, false]);
});

test('a dispatch number finds the jobs that start on the local day of the ticket, and no others', async () => {
  await haul({ dispatch: 'D-20', at: '2026-11-22T12:00:00Z' });
  // 23:30 in Chicago on the 23rd is the 24th in UTC.
  const order = await haul({ dispatch: 'D-20', at: '2026-11-24T05:30:00Z' });
  await haul({ dispatch: 'D-20', at: '2026-11-24T06:30:00Z' });
  const ticket = await made(payload({ dispatch_number: 'D-20', service_date: '2026-11-23' }));
  expect(ticket).toMatchObject({ state: 'pending', order_id: order.id, dispatch_number_name: 'D-20', warnings: [] });
});

test('of several jobs the one of the same truck is meant', async () => {
  const other = await makeTruck('TRK-9');
  await haul({ dispatch: 'D-20', by: other });
  const order = await haul({ dispatch: 'D-20' });
  expect(await made(payload({ dispatch_number: 'D-20' }))).toMatchObject({ order_id: order.id, state: 'pending' });
});

test("a vendor's own name for a truck finds it when no truck has that id itself", async () => {
  const theirs = await makeTruck(null);
  const fields = { company: ref(yard.company), account: ref(yard.vendor) };
  await yard.save(AccountExternalTruckIdentifier, { ...fields, equipment: ref(theirs), externalTruckId: 'BIG RED' });
  await yard.save(AccountExternalTruckIdentifier, { ...fields, equipment: ref(theirs), externalTruckId: 'TRK-12' });
  const order = await haul({ by: theirs });
  const own = await haul();
  expect(await made(payload({ platform_order_id: order.id, truck_id: 'BIG RED' }))).toMatchObject({
    state: 'pending',
    equipment_name: 'Truck null',
  });
  expect(await made(payload({ ticket_number: 'T-2', platform_order_id: own.id }))).toMatchObject({ state: 'pending' });
  // Another vendor's name is not this one's.
  const wrong = payload({ ticket_number: 'T-3', platform_order_id: order.id, truck_id: 'BIG RED', vendor: 'Customer' });
  expect(codes(await made(wrong))).toEqual(['unknown_truck']);
});

test('when every load has a ticket, recurring loads get one more and others do not', async () => {
  const once = await haul();
  const again = await haul({ recurring: true });
  const tickets = await sendAll(
    ...[once, again].flatMap((order, i) => [1, 2].map((n) => payload({ ticket_number: `T-${i}-${n}`, platform_order_id: order.id }))),
  );
  expect(tickets.map(({ state }: Json) => state)).toEqual(['processed', 'processed', 'processed', 'processed']);
  expect([(await loadsOf(once)).length, (await loadsOf(again)).map((load) => load.load_id)]).toEqual([
    1,
    [`${again.order_id}-1-1`, `${again.order_id}-1-2`],
  ]);
  expect(tickets.map(codes)).toEqual([[], ['no_load_left'], [], []]);
  const [, left] = await Promise.all(tickets.map(({ result_id }: Json) => yard.must('GET', `/v1/tickets/${result_id}`)));
  expect(left).toMatchObject({ state: 'new', job_id: null, load_id: null, order_id: once.id });
});

test.each([
  ['no_order_named', {}],
  ['unknown_dispatch_number', { dispatch_number: 'D-404' }],
])('a ticket that names no order we know stays new: %s', async (code, more) => {
  const ticket = await made(
    payload({
      ...more,
      vendor: { name: 'Fast Haul' },
      material: { name: 'Rip rap' },
      customer: { external_id: 'C-404' },
      site: 'Moon pit',
    }),
  );
  expect(ticket).toMatchObject({
    state: 'new',
    order_id: null,
    job_id: null,
    load_id: null,
    material: null,
    external_truck_id: 'TRK-12',
    external_vendor_name: 'Fast Haul',
    external_material_material_name: 'Rip rap',
  });
  expect(codes(ticket).sort()).toEqual(['unknown_customer', 'unknown_material', 'unknown_site', 'unknown_vendor', code].sort());
  const { data } = await yard.gql('{ jobs(first: 1) { nodes { id } } }');
  expect(data.jobs.nodes).toEqual([]);
});

test('a truck nobody knows, and one that is not on the order, leave the ticket new on its order', async () => {
  const order = await haul();
  await makeTruck('TRK-9');
  for (const [number, truckId, code] of [
    ['T-1', 'TRK-404', 'unknown_truck'],
    // To the letter (SPEC).
    ['T-2', 'trk-12', 'unknown_truck'],
    ['T-3', 'TRK-9', 'truck_not_on_order'],
  ]) {
    const ticket = await made(payload({ ticket_number: number, truck_id: truckId, platform_order_id: order.id }));
    expect([ticket.state, ticket.order_id, ticket.job_id, codes(ticket)]).toEqual(['new', order.id, null, [code]]);
  }
});

test('customer, material and site are found as those of an order are, and never made', async () => {
  const ticket = await made(payload({ material: 'gravel', customer: ' CUSTOMER ', site: { name: 'quarry' } }));
  expect(codes(ticket)).toEqual(['no_order_named']);
  expect(ticket).toMatchObject({ material: { id: yard.material.id }, customer_name: 'Customer', material_name: 'Gravel' });
  const { data } = await yard.gql('query($id: ID!) { ticket(id: $id) { site { id } } }', { id: ticket.id });
  expect(data.ticket.site.id).toBe(yard.pickup.id);
});

test('a material or site may be a number alone', async () => {
  const ticket = await made(payload({ material: 57, site: 12.5 }));
  const given = ticket.external_material_material_name;
  expect([given, codes(ticket)]).toEqual(['57', ['unknown_material', 'unknown_site', 'no_order_named']]);
});

test.each([
  ['TONNES', 'Tonne', []],
  ['cu.yd', 'Yard', []],
  ['Bushel', 'Bushel', []],
  ['lb', 'Ton', ['unknown_unit']],
])('the unit %s is taken as %s', async (given, used, warned) => {
  const order = await haul();
  const ticket = await made(payload({ unit_of_measure: given, platform_order_id: order.id }));
  expect([ticket.unit_of_measure, ticket.external_net_weight_unit, codes(ticket)]).toEqual([used, given, warned]);
});

test('what is missing or wrong fails with every reason, and makes nothing', async () => {
  const required = ['ticket_number', 'unit_of_measure', 'service_date', 'quantity', 'truck_id'];
  for (const field of required) {
    const record = await send({ ...payload({ ticket_number: `T-${field}` }), [field]: field === 'truck_id' ? ' ' : undefined });
    expect(record).toMatchObject({ state: 'failed', last_error: `missing_field: /${field}: is required`, result_id: null });
  }
  const record = await send(payload({ quantity: 'heavy', service_date: 'noon', site: [] }));
  expect(record.last_error.split('\n').sort()).toEqual([
    'invalid_number: /quantity: is not a number',
    'invalid_object: /site: is not an object',
    'invalid_timestamp: /service_date: is not an ISO 8601 timestamp like 2026-12-01T07:00',
  ]);
  // What holds of an order's nested records holds of a ticket's.
  const nested = await send(payload({ site: { external_id: '1.23E+11' }, dispatch_number: 'D'.repeat(101) }));
  expect(nested.last_error.split('\n').sort()).toEqual([
    expect.stringMatching(/^invalid_text: \/dispatch_number: /),
    expect.stringMatching(/^invalid_text: \/site\/external_id: .*spreadsheet/),
  ]);
  expect((await send(payload({ ticket_number: 'T-0', quantity: 0 }))).last_error).toBe('invalid_number: /quantity: must be more than 0');
  expect(await yard.must('GET', '/v1/tickets')).toEqual([]);
});

test('a number is taken once: an equal payload is a duplicate, another one fails', async () => {
  const [first, twin] = await sendAll(payload(), payload());
  expect([first.state, twin.state, twin.last_error]).toEqual(['processed', 'skipped', 'duplicate']);
  expect(await send(payload({ metadata: { run: 2 } }))).toMatchObject({ state: 'skipped' });
  const other = await send(payload({ quantity: 23 }));
  expect(other).toMatchObject({
    state: 'failed',
    last_error: 'ticket_number_taken: /ticket_number: another ticket of your company has this number',
  });
  await yard.must('PUT', `/v1/tickets/${first.result_id}/void`);
  expect(await send(payload({ quantity: 24 }))).toMatchObject({ state: 'processed' });
  expect(await yard.must('GET', `/v1/imported_records/${other.id}`)).toMatchObject({ state: 'skipped', last_error: 'superseded' });
});

test('a corrected ticket takes the place of the failed one at once; an applied one stays the only one of its number', async () => {
  const wrong = await send(payload({ quantity: 0 }));
  expect(wrong).toMatchObject({ state: 'failed', attempts: 1 });
  expect(await send(payload({ quantity: 0 }))).toMatchObject({ state: 'failed', attempts: 1 });
  const right = await send(payload({ quantity: 5 }));
  expect(right).toMatchObject({ state: 'processed', attempts: 1 });
  expect(await yard.must('GET', `/v1/imported_records/${wrong.id}`)).toMatchObject({ state: 'skipped', last_error: 'superseded' });
  expect(await send(payload({ quantity: 6 }))).toMatchObject({
    state: 'failed',
    last_error: expect.stringMatching(/^ticket_number_taken:/),
  });
  expect(await send(payload({ quantity: 5 }))).toMatchObject({ state: 'skipped', last_error: 'duplicate', result_id: right.result_id });
  expect(await yard.must('GET', '/v1/tickets')).toEqual([expect.objectContaining({ id: right.result_id, quantity: '5' })]);
});

test('orders, trucks and tickets of another company are none of ours', async () => {
  const ours = yard;
  const order = await haul({ dispatch: 'D-20' });
  yard = await makeYard(app);
  expect(await send(payload({ platform_order_id: order.id }))).toMatchObject({
    state: 'failed',
    last_error: 'unknown_order: /platform_order_id: names no order of your company',
  });
  const ticket = await made(payload({ ticket_number: 'T-2', dispatch_number: 'D-20' }));
  expect(codes(ticket)).toEqual(['unknown_dispatch_number']);
  expect((await ours.http('GET', `/v1/tickets/${ticket.id}`)).status).toBe(404);
  yard = ours;
  expect(await made(payload({ ticket_number: 'T-2', platform_order_id: order.id }))).toMatchObject({ state: 'pending' });
});

test('a dry run says what a ticket would be matched to, and writes nothing', async () => {
  const order = await haul();
  const answer = await yard.http('POST', '/ingest/tickets?dry_run=true', { tickets: [payload({ platform_order_id: order.id })] });
  const [record] = answer.body.data.records;
  expect([answer.status, record.state, record.result_id]).toEqual([200, 'processed', null]);
  expect(record.matches.map(({ pointer, model, by }: Json) => [pointer, model, by]).sort()).toEqual([
    ['/platform_order_id', 'Order', 'platform_order_id'],
    ['/truck_id', 'Equipment', 'external_id'],
  ]);
  expect(await yard.must('GET', '/v1/tickets')).toEqual([]);
});

test('sending needs create_ticket, over either face', async () => {
  const { token } = await yard.person({ roles: [] });
  expect((await yard.http('POST', '/ingest/tickets', { tickets: [payload()] }, token)).status).toBe(403);
  const query =
    'mutation($tickets: [JSON]!) { ingestTickets(tickets: $tickets) { ... on ImportReceipt { records { importedFor state } } } }';
  expect((await yard.gql(query, { tickets: [payload()] })).data.ingestTickets.records).toEqual([{ importedFor: 'T-1', state: 'created' }]);
  expect((await yard.http('POST', '/ingest/tickets', { tickets: [] })).status).toBe(422);
  expect((await yard.http('POST', '/ingest/tickets', {})).status).toBe(422);
});

test('a dry run says of any tickets what the real run then does', async () => {
  await haul({ dispatch: 'D-20', loads: 2 });
  const recurring = await haul({ recurring: true });
  const ticket = fc.record(
    {
      ticket_number: fc.constantFrom('P-1', 'P-2', 'P-3', 'P-4'),
      service_date: fc.constantFrom('2026-11-23', '2026-11-24', 'soon'),
      quantity: fc.constantFrom(1, 20.5, 0, 'x'),
      unit_of_measure: fc.constantFrom('tons', 'lb', 'Yard'),
      truck_id: fc.constantFrom('TRK-12', 'TRK-404'),
      platform_order_id: fc.constantFrom(recurring.id, recurring.order_id, '404404'),
      dispatch_number: fc.constantFrom('D-20', 'D-404'),
      material: fc.constantFrom('Gravel', 'Rip rap'),
    },
    { requiredKeys: ['ticket_number', 'unit_of_measure', 'truck_id', 'quantity'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(ticket, { minLength: 1, maxLength: 4, selector: (one) => one.ticket_number }),
      fc.boolean(),
      async (tickets, again) => {
        // Now and then from the beginning: numbers, loads and payloads that are taken stay so otherwise.
        for (const table of again ? [] : ['import_task', 'ticket', 'import_key'])
          await sql(`delete from ${table} where company_id = $1`, [yard.company.id]);
        await sql('delete from import_task where company_id = $1', [yard.company.id]);
        const dry = await yard.http('POST', '/ingest/tickets?dry_run=true', { tickets });
        const real = await sendAll(...tickets);
        const told = (one: Json) => [one.imported_for, one.state, one.last_error, one.warnings];
        expect(dry.body.data.records.map(told)).toEqual(real.map(told));
      },
    ),
    { numRuns: runs(40) },
  );
});
