import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../helpers/properties.ts';
import { codes, hauling, payload } from './haul.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const { at, sql, haul, sendAll, send, made } = hauling();

test.each([
  ['TONNES', 'Tonne', []],
  ['cu.yd', 'Yard', []],
  ['Bushel', 'Bushel', []],
  ['lb', 'Ton', ['unit_converted']],
  ['lumps', 'Ton', ['unknown_unit']],
])('the unit %s is taken as %s', async (given, used, warned) => {
  const order = await haul();
  const ticket = await made(payload({ unit_of_measure: given, platform_order_id: order.id }));
  expect([ticket.unit_of_measure, ticket.external_net_weight_unit, codes(ticket)]).toEqual([used, given, warned]);
});

test('missing and wrong values fail with every reason, and create nothing', async () => {
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
  // The rules of an order's nested records hold for a ticket's.
  const nested = await send(payload({ site: { external_id: '1.23E+11' }, dispatch_number: 'D'.repeat(101) }));
  expect(nested.last_error.split('\n').sort()).toEqual([
    expect.stringMatching(/^invalid_text: \/dispatch_number: /),
    expect.stringMatching(/^invalid_text: \/site\/external_id: .*spreadsheet/),
  ]);
  expect((await send(payload({ ticket_number: 'T-0', quantity: 0 }))).last_error).toBe('invalid_number: /quantity: must be more than 0');
  expect(await at.tenant.must('GET', '/v1/tickets')).toEqual([]);
});

test('a ticket keeps the weights of the loaded and the empty truck in its unit, and who weighed it', async () => {
  const weighed = { quantity: 44780, gross_quantity: '74,780', tare_quantity: 30000, weighed_by: ' Ana Ruiz ', unit_of_measure: 'lb' };
  const punctuated = await send(payload(weighed));
  expect(punctuated.last_error).toMatch(/^invalid_number: \/gross_quantity: /);
  const heavier = await send(payload({ ...weighed, gross_quantity: 29_000 }));
  expect(heavier.last_error).toBe('invalid_number: /tare_quantity: is not possible: a part would be more than the whole, 14.5');
  // Whether they come to the quantity is a matter of the review.
  const record = await send(payload({ ...weighed, gross_quantity: 74_780, tare_quantity: '31000' }));
  expect([record.state, codes(record).sort()]).toEqual(['processed', ['no_order_named', 'unit_converted']]);
  const { data } = await at.tenant.gql(
    `{ ticket(id: "${record.result_id}") { quantity grossQuantity tareQuantity weighedBy unitOfMeasure } }`,
  );
  expect(data.ticket).toEqual({
    quantity: '22.39',
    grossQuantity: '37.39',
    tareQuantity: '15.5',
    weighedBy: 'Ana Ruiz',
    unitOfMeasure: 'Ton',
  });
  const bare = await send(payload({ ticket_number: 'T-2', gross_quantity: null, tare_quantity: ' ', weighed_by: '' }));
  expect([bare.state, codes(bare)]).toEqual(['processed', ['no_order_named']]);
});

test('a number is used once: an equal payload is a duplicate, another one fails', async () => {
  const [first, twin] = await sendAll(payload(), payload());
  expect([first.state, twin.state, twin.last_error]).toEqual(['processed', 'skipped', 'duplicate']);
  expect(await send(payload({ metadata: { run: 2 } }))).toMatchObject({ state: 'skipped' });
  const other = await send(payload({ quantity: 23 }));
  expect(other).toMatchObject({
    state: 'failed',
    last_error: 'ticket_number_taken: /ticket_number: another ticket of your company has this number',
  });
  await at.tenant.must('PUT', `/v1/tickets/${first.result_id}/void`);
  expect(await send(payload({ quantity: 24 }))).toMatchObject({ state: 'processed' });
  expect(await at.tenant.must('GET', `/v1/imported_records/${other.id}`)).toMatchObject({ state: 'skipped', last_error: 'superseded' });
});

test('a corrected ticket replaces the failed one at once; an applied one stays the only one of its number', async () => {
  const wrong = await send(payload({ quantity: 0 }));
  expect(wrong).toMatchObject({ state: 'failed', attempts: 1 });
  expect(await send(payload({ quantity: 0 }))).toMatchObject({ state: 'failed', attempts: 1 });
  const right = await send(payload({ quantity: 5 }));
  expect(right).toMatchObject({ state: 'processed', attempts: 1 });
  expect(await at.tenant.must('GET', `/v1/imported_records/${wrong.id}`)).toMatchObject({ state: 'skipped', last_error: 'superseded' });
  expect(await send(payload({ quantity: 6 }))).toMatchObject({
    state: 'failed',
    last_error: expect.stringMatching(/^ticket_number_taken:/),
  });
  expect(await send(payload({ quantity: 5 }))).toMatchObject({ state: 'skipped', last_error: 'duplicate', result_id: right.result_id });
  expect(await at.tenant.must('GET', '/v1/tickets')).toEqual([expect.objectContaining({ id: right.result_id, quantity: '5' })]);
});

test('a dry run reports what a ticket would be matched to, and writes nothing', async () => {
  const order = await haul();
  const answer = await at.tenant.http('POST', '/ingest/tickets?dry_run=true', { tickets: [payload({ platform_order_id: order.id })] });
  const [record] = answer.body.data.records;
  expect([answer.status, record.state, record.result_id]).toEqual([200, 'processed', null]);
  expect(record.matches.map(({ pointer, model, by }: Json) => [pointer, model, by]).sort()).toEqual([
    ['/platform_order_id', 'Order', 'platform_order_id'],
    ['/truck_id', 'Equipment', 'external_id'],
  ]);
  expect(await at.tenant.must('GET', '/v1/tickets')).toEqual([]);
});

test('sending requires create_ticket, over both interfaces', async () => {
  const { token } = await at.tenant.person({ roles: [] });
  expect((await at.tenant.http('POST', '/ingest/tickets', { tickets: [payload()] }, token)).status).toBe(403);
  const query =
    'mutation($tickets: [JSON]!) { ingestTickets(tickets: $tickets) { ... on ImportReceipt { records { importedFor state } } } }';
  expect((await at.tenant.gql(query, { tickets: [payload()] })).data.ingestTickets.records).toEqual([
    { importedFor: 'T-1', state: 'created' },
  ]);
  expect((await at.tenant.http('POST', '/ingest/tickets', { tickets: [] })).status).toBe(422);
  expect((await at.tenant.http('POST', '/ingest/tickets', {})).status).toBe(422);
});

test('for any tickets, a dry run reports what the real run then does', async () => {
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
          await sql(`delete from ${table} where company_id = $1`, [at.tenant.company.id]);
        await sql('delete from import_task where company_id = $1', [at.tenant.company.id]);
        const dry = await at.tenant.http('POST', '/ingest/tickets?dry_run=true', { tickets });
        const real = await sendAll(...tickets);
        const reported = (one: Json) => [one.imported_for, one.state, one.last_error, one.warnings];
        expect(dry.body.data.records.map(reported)).toEqual(real.map(reported));
      },
    ),
    { numRuns: runs(40) },
  );
});
