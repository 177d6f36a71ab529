import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Material } from '../../../src/directory/master-data/named.entities.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { subscribed } from '../../events/subscribed.ts';
import { orderInput } from '../../helpers/tenant.ts';
import { codes, hauling, payload } from './haul.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const { at, sql, makeTruck, haul, loadsOf, sendAll, send, made } = hauling();

/** An order as an ERP sends it, on the day of the tickets. */
const order = (more: object = {}) => ({
  external_id: 'O-1',
  load_at: '2026-11-23T06:00',
  customer: { external_id: 'C-1', name: 'Hill Country Paving' },
  dispatch_number: 'D-1',
  ...more,
});
async function sendOrders(...orders: unknown[]): Promise<Json[]> {
  const answer = await at.tenant.http('POST', '/ingest/orders', { orders });
  expect(answer.status).toBe(202);
  await at.app.settled();
  const records = await Promise.all(answer.body.data.records.map(({ id }: Json) => at.tenant.must('GET', `/v1/imported_records/${id}`)));
  for (const record of records) expect(record.state).toBe('processed');
  return records;
}
const ticketOf = async (record: Json) => ({
  ...(await at.tenant.must('GET', `/v1/tickets/${record.result_id}`)),
  warnings: (await at.tenant.must('GET', `/v1/imported_records/${record.id}`)).warnings,
});

test.each([
  ['its dispatch number and day', { dispatch_number: 'D-1' }, 'unknown_dispatch_number'],
  ['its external id', { order_external_id: 'O-1' }, 'unknown_order'],
])('a ticket finds the imported order that comes after it by %s', async (_, names, code) => {
  const record = await send(payload(names));
  const before = await ticketOf(record);
  expect([before.order_id, codes(before)]).toEqual([null, [code]]);
  const [imported] = await sendOrders(order(), order({ external_id: 'O-2', load_at: '2026-11-24T06:00' }));
  const after = await ticketOf(record);
  expect(after).toMatchObject({ order_id: imported.result_id, state: 'new', version: before.version + 1 });
  expect(codes(after)).toEqual(['truck_not_on_order']);
  const [audit] = await sql(`select object_changes, imported_record_id from audit_entry where subject_id = $1 and event = 'update'`, [
    after.id,
  ]);
  expect(audit).toEqual({ object_changes: { order_id: [null, imported.result_id] }, imported_record_id: imported.id });
});

test('a ticket that was sent twice in one request has the warnings of the first, also when its order comes later', async () => {
  const one = payload({ dispatch_number: 'D-1', unit_of_measure: 'lb' });
  const records = await sendAll(one, one);
  const both = () => Promise.all(records.map(async (record) => codes(await ticketOf(record)).sort()));
  expect(await both()).toEqual([
    ['unit_converted', 'unknown_dispatch_number'],
    ['unit_converted', 'unknown_dispatch_number'],
  ]);
  await sendOrders(order());
  expect(await both()).toEqual([
    ['truck_not_on_order', 'unit_converted'],
    ['truck_not_on_order', 'unit_converted'],
  ]);
});

test('a ticket that was sent every night has no warning in any of them of what came later', async () => {
  const one = payload({ dispatch_number: 'D-1', unit_of_measure: 'lb' });
  const nights = [...(await sendAll(one)), ...(await sendAll(one, one))];
  const all = () => Promise.all(nights.map(async (record) => codes(await ticketOf({ ...record, result_id: nights[0].result_id })).sort()));
  expect(await all()).toEqual(nights.map(() => ['unit_converted', 'unknown_dispatch_number']));
  const subscription = await subscribed(at.tenant, 'ImportedTicket::update');
  await sendOrders(order());
  expect((await subscription.deliveries()).map(({ subject_id }) => subject_id).sort()).toEqual(nights.map(({ id }) => id).sort());
  expect(await all()).toEqual(nights.map(() => ['truck_not_on_order', 'unit_converted']));
  const [job] = await sql('select id from job where company_id = $1', [at.tenant.company.id]);
  await at.tenant.must('PATCH', `/v1/jobs/${job.id}`, { equipment_id: at.truck.id });
  expect(await all()).toEqual(nights.map(() => ['unit_converted']));
});

test('a ticket takes the load of its truck when a person makes the order, and when the truck is named later', async () => {
  const records = await sendAll(
    payload({ dispatch_number: 'D-1' }),
    payload({ ticket_number: 'T-2', order_external_id: 'O-7' }),
    payload({ ticket_number: 'T-3', order_external_id: 'O-8' }),
  );
  const driver = (await at.tenant.person({ roles: ['driver'], defaultEquipment: at.truck.id })).user;
  const numbered = await at.tenant.must(
    'POST',
    '/v1/orders',
    orderInput(at.tenant, { driver_id: driver.id, dispatch_number: { name: 'D-1' } }),
  );
  const late = await at.tenant.must('POST', '/v1/orders', orderInput(at.tenant, { external_id: 'O-7' }));
  const [job] = await sql('select id from job where order_id = $1', [late.id]);
  expect(codes(await ticketOf(records[1]))).toEqual(['truck_not_on_order']);
  await at.tenant.must('PATCH', `/v1/jobs/${job.id}`, { equipment_id: at.truck.id });
  const renamed = await at.tenant.must('POST', '/v1/orders', orderInput(at.tenant, { driver_id: driver.id }));
  await at.tenant.must('PATCH', `/v1/orders/${renamed.id}`, { external_id: 'O-8' });
  const tickets = await Promise.all(records.map(ticketOf));
  expect(tickets.map(({ order_id, state, equipment_name, warnings }) => ({ order_id, state, equipment_name, warnings }))).toEqual(
    [numbered, late, renamed].map(({ id }) => ({ order_id: id, state: 'pending', equipment_name: 'Truck TRK-12', warnings: [] })),
  );
  const loads = await Promise.all([numbered, late, renamed].map(loadsOf));
  expect(tickets.map(({ load_id }) => load_id)).toEqual(loads.map(([load]) => load.id));
  expect((await sql('select from waiting_ticket where company_id = $1', [at.tenant.company.id])).length).toBe(0);
  const moves = await sql(`select event, from_state, to_state from transition where subject_id = $1`, [tickets[0].id]);
  expect(moves).toEqual([{ event: 'link', from_state: 'new', to_state: 'pending' }]);
});

test('tickets that wait take loads in the order in which they came, and no load twice', async () => {
  const records = await sendAll(...[1, 2, 3].map((n) => payload({ ticket_number: `T-${n}`, dispatch_number: 'D-1' })));
  const driver = (await at.tenant.person({ roles: ['driver'], defaultEquipment: at.truck.id })).user;
  const input = { driver_id: driver.id, dispatch_number: { name: 'D-1' }, loads_per_truck: 2 };
  const made = await at.tenant.must('POST', '/v1/orders', orderInput(at.tenant, input));
  const tickets = await Promise.all(records.map(ticketOf));
  const loads = await loadsOf(made);
  expect(tickets.map(({ load_id }) => load_id)).toEqual([loads[0].id, loads[1].id, null]);
  expect(tickets.map(codes)).toEqual([[], [], ['no_load_left']]);
});

test('tickets that wait take loads in the order of their service', async () => {
  const times = ['11:15', '07:05', '09:20'];
  const records = [];
  for (const [i, time] of times.entries())
    records.push(await send(payload({ ticket_number: `T-${i}`, service_date: `2026-11-23T${time}`, dispatch_number: 'D-1' })));
  const driver = (await at.tenant.person({ roles: ['driver'], defaultEquipment: at.truck.id })).user;
  const input = { driver_id: driver.id, dispatch_number: { name: 'D-1' }, loads_per_truck: 2 };
  const loads = await loadsOf(await at.tenant.must('POST', '/v1/orders', orderInput(at.tenant, input)));
  const tickets = await Promise.all(records.map(ticketOf));
  expect(tickets.map(({ load_id }) => load_id)).toEqual([null, loads[0].id, loads[1].id]);
});

test('a ticket whose day a person corrects finds the work of that day, or waits for it', async () => {
  const driver = (await at.tenant.person({ roles: ['driver'], defaultEquipment: at.truck.id })).user;
  const made = (load_at: string) =>
    at.tenant.must('POST', '/v1/orders', orderInput(at.tenant, { driver_id: driver.id, dispatch_number: { name: 'D-1' }, load_at }));
  const [known, late] = await sendAll(payload({ dispatch_number: 'D-1' }), payload({ ticket_number: 'T-2', dispatch_number: 'D-1' }));
  const tomorrow = await made('2026-11-24T12:00:00Z');
  const correct = (record: Json, day: string) =>
    at.tenant.must('PATCH', `/v1/tickets/${record.result_id}`, { service_date: `2026-11-${day}T16:00:00Z` });
  expect(await correct(known, '24')).toMatchObject({ order_id: tomorrow.id, state: 'pending' });
  expect(await ticketOf(known)).toMatchObject({ load_id: (await loadsOf(tomorrow))[0].id, warnings: [] });
  expect(await correct(late, '25')).toMatchObject({ order_id: null, state: 'new' });
  expect(codes(await ticketOf(late))).toEqual(['unknown_dispatch_number']);
  const after = await made('2026-11-25T12:00:00Z');
  expect(await ticketOf(late)).toMatchObject({ order_id: after.id, state: 'pending', warnings: [] });
  const withoutToken = await at.tenant.http('PATCH', `/v1/tickets/${known.result_id}`, { service_date: '2026-11-24T16:00:00Z' }, '');
  expect(withoutToken.status).toBe(401);
  // What is linked is not linked anew by its date.
  expect(await correct(known, '25')).toMatchObject({ order_id: tomorrow.id, state: 'pending' });
});

test('two orders of one dispatch number are reported by how many there are, and a ticket waits for the truck to decide', async () => {
  const record = await send(payload({ dispatch_number: 'D-1' }));
  const [first] = await sendOrders(order());
  expect(await ticketOf(record)).toMatchObject({ order_id: first.result_id });
  const [second] = await sendOrders(order({ external_id: 'O-2' }));
  const two = await ticketOf(record);
  expect(two).toMatchObject({ order_id: null, state: 'new' });
  const ambiguous = { code: 'ambiguous_match', pointer: '/dispatch_number', given: 'D-1', used: { found: 2 } };
  expect(two.warnings).toEqual([ambiguous, { code: 'truck_not_on_order', pointer: '/truck_id', given: 'TRK-12', used: null }]);
  const natural = await made(payload({ ticket_number: 'T-2', dispatch_number: 'D-1' }));
  expect([natural.order_id, natural.warnings]).toEqual([null, two.warnings]);
  const [job] = await sql('select id from job where order_id = $1', [second.result_id]);
  await at.tenant.must('PATCH', `/v1/jobs/${job.id}`, { equipment_id: at.truck.id });
  expect(await ticketOf(record)).toMatchObject({ order_id: second.result_id, state: 'pending', warnings: [] });
});

test('a ticket whose sender wants no guesses takes no load that would be one, also when its orders come later', async () => {
  const sent = async (query: string, ticket_number: string) => {
    const tickets = [payload({ ticket_number, dispatch_number: 'D-2' })];
    const { records } = await at.tenant.must('POST', `/ingest/tickets${query}`, { tickets });
    await at.app.settled();
    return at.tenant.must('GET', `/v1/imported_records/${records[0].id}`);
  };
  const waiting = [await sent('?strict=true', 'T-1'), await sent('', 'T-2')];
  expect(waiting.map(({ state }) => state)).toEqual(['processed', 'processed']);
  // Both drive the truck, and get the number in one change.
  const two = ['O-1', 'O-2'].map((external_id) => order({ external_id }));
  await sendOrders(...two);
  await sql('update job set equipment_id = $2 where company_id = $1', [at.tenant.company.id, at.truck.id]);
  await sendOrders(...two.map((one) => ({ ...one, dispatch_number: 'D-2' })));
  const ambiguous = [{ code: 'ambiguous_match', pointer: '/dispatch_number', given: 'D-2', used: { found: 2 } }];
  const tickets = await Promise.all(waiting.map(ticketOf));
  expect(tickets.map(({ state, load_id, warnings }) => [state, load_id !== null, warnings])).toEqual([
    ['new', false, ambiguous],
    ['pending', true, ambiguous],
  ]);
});

test('a ticket whose sender wants no guesses takes no namesake that would be one either, and all else that it names', async () => {
  const sent = async (query: string, ticket_number: string) => {
    const tickets = [payload({ ticket_number, dispatch_number: 'D-3', material: 'Granite', site: 'Old Pit', truck_id: 'T 5' })];
    const { records } = await at.tenant.must('POST', `/ingest/tickets${query}`, { tickets });
    await at.app.settled();
    return at.tenant.must('GET', `/v1/imported_records/${records[0].id}`);
  };
  const waiting = [await sent('?strict=true', 'T-1'), await sent('', 'T-2')];
  expect(waiting.map(({ state }) => state)).toEqual(['processed', 'processed']);
  const company = ref(at.tenant.company);
  for (const externalId of ['M-1', 'M-2']) await at.tenant.save(Material, { company, name: 'Granite', externalId });
  await at.tenant.save(Site, { company, name: 'Old Pit', lat: '30.1', lon: '-97.1' });
  const [imported] = await sendOrders(order({ dispatch_number: 'D-3' }));
  const tickets = await Promise.all(waiting.map(ticketOf));
  const site = 'select (select name from site where id = site_id) as name from ticket where id = $1';
  const sites = await Promise.all(tickets.map(({ id }) => sql(site, [id])));
  expect(sites.flat()).toEqual([{ name: 'Old Pit' }, { name: 'Old Pit' }]);
  expect(tickets.map((ticket) => [ticket.order_id, ticket.material?.name ?? null, codes(ticket).sort()])).toEqual([
    [imported.result_id, null, ['unknown_material', 'unknown_truck']],
    [imported.result_id, 'Granite', ['ambiguous_match', 'unknown_truck']],
  ]);
});

test('a ticket that is sent again without a load is tried again, and says what is still missing', async () => {
  const ticket = payload({ dispatch_number: 'D-1', truck_id: 'TRK-77' });
  const first = await send(ticket);
  await haul({ dispatch: 'D-1', by: await makeTruck(null) });
  const again = await send(ticket);
  expect(again).toMatchObject({ state: 'skipped', last_error: 'duplicate', result_id: first.result_id });
  expect(codes(again)).toEqual(['unknown_truck']);
  await sql(`update equipment set external_id = 'TRK-77' where company_id = $1 and external_id is null`, [at.tenant.company.id]);
  expect(await send(ticket)).toMatchObject({ state: 'processed', last_error: null, result_id: first.result_id, warnings: [] });
  expect(await ticketOf(first)).toMatchObject({ state: 'pending', warnings: [] });
  expect(await send(ticket)).toMatchObject({ state: 'skipped', last_error: 'duplicate', warnings: [] });
});

test('what a person decided about a ticket, no later order decides anew; and an order of another company takes none', async () => {
  const record = await send(payload({ dispatch_number: 'D-1' }));
  const elsewhere = await haul();
  const [load] = await loadsOf(elsewhere);
  await at.tenant.must('PATCH', `/v1/tickets/${record.result_id}`, { load_id: load.id });
  await at.tenant.must('PATCH', `/v1/tickets/${record.result_id}`, { load_id: null });
  await sendOrders(order());
  expect(await ticketOf(record)).toMatchObject({ order_id: elsewhere.id, load_id: null });
});

test('a ticket has the site, the customer and the material that its order brought, as if the order had come first', async () => {
  const brought = { material: 'Granite', customer: { name: 'Hill Country Paving' }, site: { name: 'Old Pit', external_id: 'S-1' } };
  const all = payload({ dispatch_number: 'D-1', ...brought, vendor: 'Hill Haulers', truck_id: 'T 5' });
  const records = [...(await sendAll(all, all)), await send(payload({ ticket_number: 'T-2', dispatch_number: 'D-1', site: 'New Pit' }))];
  const unknown = ['unknown_customer', 'unknown_dispatch_number', 'unknown_material', 'unknown_site', 'unknown_vendor'];
  expect(codes(records[0]).sort()).toEqual(unknown);
  const hauler = await at.tenant.save(Account, { company: ref(at.tenant.company), name: 'Hill Haulers', accountTypes: ['vendor'] });
  const [imported] = await sendOrders(
    order({ material: { name: 'Granite' }, sites: [{ waypoint: 'pickup', name: 'Old Pit', external_id: 'S-1' }] }),
  );
  const [site] = await sql('select id from site where company_id = $1 and name = $2', [at.tenant.company.id, 'Old Pit']);
  const [ticket, again, other] = await Promise.all(records.map(ticketOf));
  expect(ticket).toMatchObject({ order_id: imported.result_id, material: { name: 'Granite' } });
  expect([codes(ticket), codes(again), codes(other).sort()]).toEqual([
    ['unknown_truck'],
    ['unknown_truck'],
    ['truck_not_on_order', 'unknown_site'],
  ]);
  const [made] = await sql('select site_id, (select name from account where id = account_id) as customer from ticket where id = $1', [
    ticket.id,
  ]);
  expect(made).toEqual({ site_id: site.id, customer: 'Hill Country Paving' });
  const [audit] = await sql(`select object_changes from audit_entry where subject_id = $1 and event = 'update'`, [ticket.id]);
  expect(Object.keys(audit.object_changes).sort()).toEqual(['account_id', 'material_id', 'order_id', 'site_id']);
  const [waiting] = await sql('select vendor_id from waiting_ticket where ticket_id = $1', [ticket.id]);
  expect(waiting.vendor_id).toBe(hauler.id);
  expect(codes(await send(all))).toEqual(['unknown_truck']);
});

test('when a person links a ticket, the warnings that the link answers go, and the others stay', async () => {
  const named = payload({ dispatch_number: 'D-1', site: 'Old Pit', unit_of_measure: 'lb' });
  const records = [...(await sendAll(named, named)), await send(payload({ ticket_number: 'T-2' }))];
  expect((await Promise.all(records.map(ticketOf))).map(codes).map((all) => all.sort())).toEqual([
    ['unit_converted', 'unknown_dispatch_number', 'unknown_site'],
    ['unit_converted', 'unknown_dispatch_number', 'unknown_site'],
    ['no_order_named'],
  ]);
  const [load, other] = await loadsOf(await haul({ loads: 2 }));
  await at.tenant.must('PATCH', `/v1/tickets/${records[0].result_id}`, { notes: 'By hand' });
  expect(codes(await ticketOf(records[0]))).toContain('unknown_dispatch_number');
  await at.tenant.must('PATCH', `/v1/tickets/${records[0].result_id}`, { load_id: load.id });
  await at.tenant.must('PATCH', `/v1/tickets/${records[2].result_id}`, { load_id: other.id });
  expect((await Promise.all(records.map(ticketOf))).map(codes).map((all) => all.sort())).toEqual([
    ['unit_converted', 'unknown_site'],
    ['unit_converted', 'unknown_site'],
    [],
  ]);
  const [audit] = await sql(`select event, object_changes, created_by_type from audit_entry where subject_id = $1 and event = 'update'`, [
    records[2].id,
  ]);
  expect(audit).toEqual({ event: 'update', object_changes: { warnings: [['no_order_named'], []] }, created_by_type: 'M2MClient' });
  expect(codes(await send(named)).sort()).toEqual(['unit_converted', 'unknown_site']);
});
