import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { AccountExternalTruckIdentifier } from '../../../src/directory/equipment/external-truck.entity.ts';
import { makeTenant } from '../../helpers/tenant.ts';
import { codes, hauling, payload } from './haul.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const { at, makeTruck, haul, loadsOf, sendAll, send, made } = hauling();

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
  const loads = await at.tenant.must('GET', at.tenant.path(`/orders/${order.id}/loads`));
  const shown = loads.find((load: Json) => load.id === first.id);
  expect(shown.ticket).toMatchObject({ id: ticket.id, ticket_number: 'T-1' });
});

test('the order may be named by its friendly number, and takes precedence over the dispatch number', async () => {
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

test('of several jobs, the one of the same truck is taken', async () => {
  const other = await makeTruck('TRK-9');
  await haul({ dispatch: 'D-20', by: other });
  const order = await haul({ dispatch: 'D-20' });
  expect(await made(payload({ dispatch_number: 'D-20' }))).toMatchObject({ order_id: order.id, state: 'pending' });
});

test("a vendor's name for a truck finds it if no truck has that id itself", async () => {
  const theirs = await makeTruck(null);
  const fields = { company: ref(at.tenant.company), account: ref(at.tenant.vendor) };
  await at.tenant.save(AccountExternalTruckIdentifier, { ...fields, equipment: ref(theirs), externalTruckId: 'BIG RED' });
  await at.tenant.save(AccountExternalTruckIdentifier, { ...fields, equipment: ref(theirs), externalTruckId: 'TRK-12' });
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
  const [, left] = await Promise.all(tickets.map(({ result_id }: Json) => at.tenant.must('GET', `/v1/tickets/${result_id}`)));
  expect(left).toMatchObject({ state: 'new', job_id: null, load_id: null, order_id: once.id });
});

test('tickets that come together take loads in the order of their service, whichever comes first in the request', async () => {
  const order = await haul({ loads: 3 });
  const times = ['11:15', '07:05', '13:40', '09:20'];
  const sent = times.map((time, i) =>
    payload({ ticket_number: `T-${i}`, service_date: `2026-11-23T${time}`, platform_order_id: order.id }),
  );
  const records = await sendAll(...sent);
  const tickets = await Promise.all(records.map(({ result_id }: Json) => at.tenant.must('GET', `/v1/tickets/${result_id}`)));
  const [first, second, third] = await loadsOf(order);
  expect(tickets.map(({ load_id }: Json) => load_id)).toEqual([third.id, first.id, null, second.id]);
  expect(records.map(codes)).toEqual([[], [], ['no_load_left'], []]);
});

test.each([
  ['no_order_named', {}],
  ['unknown_dispatch_number', { dispatch_number: 'D-404' }],
])('a ticket that names no known order stays new: %s', async (code, more) => {
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
  const { data } = await at.tenant.gql('{ jobs(first: 1) { nodes { id } } }');
  expect(data.jobs.nodes).toEqual([]);
});

test('an unknown truck, or one that is not on the order, leaves the ticket new on its order', async () => {
  const order = await haul();
  await makeTruck('TRK-9');
  for (const [number, truckId, code] of [
    ['T-1', 'TRK-404', 'unknown_truck'],
    // Compared exactly (SPEC).
    ['T-2', 'trk-12', 'unknown_truck'],
    ['T-3', 'TRK-9', 'truck_not_on_order'],
  ]) {
    const ticket = await made(payload({ ticket_number: number, truck_id: truckId, platform_order_id: order.id }));
    expect([ticket.state, ticket.order_id, ticket.job_id, codes(ticket)]).toEqual(['new', order.id, null, [code]]);
  }
});

test('customer, material and site are found like those of an order, and never created', async () => {
  const ticket = await made(payload({ material: 'gravel', customer: ' CUSTOMER ', site: { name: 'quarry' } }));
  expect(codes(ticket)).toEqual(['no_order_named']);
  expect(ticket).toMatchObject({ material: { id: at.tenant.material.id }, customer_name: 'Customer', material_name: 'Gravel' });
  const { data } = await at.tenant.gql('query($id: ID!) { ticket(id: $id) { site { id } } }', { id: ticket.id });
  expect(data.ticket.site.id).toBe(at.tenant.pickup.id);
});

test('a material or site may be a number alone', async () => {
  const ticket = await made(payload({ material: 57, site: 12.5 }));
  const given = ticket.external_material_material_name;
  expect([given, codes(ticket)]).toEqual(['57', ['unknown_material', 'unknown_site', 'no_order_named']]);
});

test('orders, trucks and tickets of another company are not found', async () => {
  const ours = at.tenant;
  const order = await haul({ dispatch: 'D-20' });
  at.tenant = await makeTenant(at.app);
  expect(await send(payload({ platform_order_id: order.id }))).toMatchObject({
    state: 'failed',
    last_error: 'unknown_order: /platform_order_id: names no order of your company',
  });
  const ticket = await made(payload({ ticket_number: 'T-2', dispatch_number: 'D-20' }));
  expect(codes(ticket)).toEqual(['unknown_dispatch_number']);
  expect((await ours.http('GET', `/v1/tickets/${ticket.id}`)).status).toBe(404);
  at.tenant = ours;
  expect(await made(payload({ ticket_number: 'T-2', platform_order_id: order.id }))).toMatchObject({ state: 'pending' });
});
