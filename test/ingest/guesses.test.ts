import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Site } from '../../src/directory/sites/site.entity.ts';
import { app, openScene, order, send, tenant } from './sending.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

openScene();

const sendOrders = (orders: object[], query = '') => send('orders', orders, query);
const codes = ({ warnings }: Json) => warnings.map(({ code }: Json) => code);
const save = <T extends object>(type: new () => T, fields: object) => tenant.save(type, { company: ref(tenant.company), ...fields });

test('the oldest of several namesakes is taken with a warning, unless the id says which one is meant', async () => {
  const names = [1, 2].map((n) => ({ name: 'Wash Plant', accountTypes: ['customer'], externalId: `W-${n}` }));
  const [first, second] = [await save(Account, names[0]!), await save(Account, names[1]!)];
  const sent = [
    { external_id: 'W-9', name: 'Wash Plant' },
    { external_id: 'W-2', name: 'wash plant' },
  ];
  const [guessed, known] = await sendOrders(sent.map((customer, i) => order({ external_id: `O-${i}`, customer })));
  expect(guessed.warnings[0]).toEqual({
    code: 'ambiguous_match',
    pointer: '/customer',
    given: 'Wash Plant',
    used: { found: 2, id: first.id, external_id: 'W-1' },
  });
  expect(codes(known)).toEqual([]);
  expect((await tenant.must('GET', `/v1/orders/${known.result_id}`)).account.id).toBe(second.id);
});

test.each([
  ['coordinates far away', { lat: 31.2, lon: -97.7 }, true],
  ['an address in another region', { full_address: '1 Main St, Dallas, TX 75201' }, true],
  ['an address in another state, without a postal code', { full_address: '4 Pit Rd, Tulsa, Oklahoma' }, true],
  ['an address in another country', { full_address: '1 King St W, Toronto, ON M5H 1A1, Canada' }, true],
  ['an address in the same state, without a postal code', { full_address: '100 Congress Ave, Austin, Texas, U.S.A.' }, false],
  ['an address in California, whose code is that of Canada, too', { full_address: '4 Pit Rd, San Diego, CA' }, true],
  ['an address in Canada, whose code is that of California, too', { full_address: '4 Pit Rd, Guelph, ON, CA' }, true],
  ['an address in a state whose name ends with that of another', { full_address: '4 Pit Rd, Charleston West Virginia 25301' }, true],
  ['an address with a dash before its postal code', { full_address: '1 Main St, Dallas, TX-75201' }, true],
  ['an address in a court of the same region', { full_address: '100 Congress CT 78702' }, false],
  ['an address that names no state', { full_address: '4 Congress CT' }, false],
  ['the same place', { lat: 30.271, lon: -97.741 }, false],
  ['another spelling of its address', { full_address: '100 Congress Avenue, Austin TX 78702-1234, USA' }, false],
])('a site of the same name is taken or not: %s', async (_, place, isNew) => {
  const site = { name: 'Wash Plant', lat: '30.27', lon: '-97.74', fullAddress: '100 Congress Ave, Austin, TX 78701' };
  const known = await save(Site, site);
  const [record] = await sendOrders([order({ sites: [{ waypoint: 'pickup', name: 'Wash Plant', ...place }] })]);
  const { waypoints } = await tenant.must('GET', `/v1/orders/${record.result_id}`);
  expect(waypoints[0].site.name).toBe('Wash Plant');
  expect(waypoints[0].site.id !== known.id).toBe(isNew);
});

test.each([
  ['a court', '100 Congress Ct 78701', '100 Congress Ct, Austin, TX', false],
  ['a town of Connecticut', '4 Elm St Hartford CT 06103', '4 Elm St, Austin, TX', true],
  ['West Virginia', '4 Pit Rd, Charleston West Virginia 25301', '4 Pit Rd, Charleston, WV', false],
  ['Ontario in California', '4 Pit Rd, Ontario, CA', '4 Pit Rd, Ontario, CA 91761', false],
  ['San Diego', '4 Pit Rd, San Diego, CA', '4 Pit Road, San Diego, California, USA', false],
  ['Washington', '4 Pit Rd, Washington, D.C.', '4 Pit Rd, Washington DC 20001', false],
  ['Delaware in Ohio', '4 Pit Rd, Delaware', '4 Pit Rd, Delaware, OH', false],
  ['Delaware in Ohio behind a suite', '4 Pit Rd, Suite 2, Delaware', '4 Pit Rd, Delaware, OH', false],
  ['Delaware behind a road without a number', 'Old Pit Road, Delaware', 'Old Pit Road, Delaware, OH', false],
  ['a town of Delaware', '4 Pit Rd, Dover, Delaware', '4 Pit Rd, Columbus, OH', true],
  ['a town alone', 'Dover, Delaware', 'Columbus, OH', true],
  ['Washington in Missouri', '4 Pit Rd, Washington 63090', '4 Pit Rd, Washington, MO', false],
  ['Oregon in Ohio without a comma', '4 Pit Rd Oregon 43616', '4 Pit Rd, Oregon, OH', false],
  ['a town of Washington', '4 Pit Rd, Seattle, Washington 98101', '4 Pit Rd, Columbus, OH', true],
  ['a state that no city is called', '4 Pit Rd, Texas', '4 Pit Rd, Columbus, OH', true],
  ['Ontario in Canada', '4 Pit Rd, Ontario, Canada', '4 Pit Rd, Columbus, OH', true],
  ['a street with the name of what every object of the language has', '12 Constructor 78701', '12 Constructor, Austin, TX', false],
])('a site of the same name is taken or not where one of two addresses has no postal code: %s', async (_, known, given, isNew) => {
  const site = await save(Site, { name: 'Wash Plant', fullAddress: known });
  const [record] = await sendOrders([order({ sites: [{ waypoint: 'pickup', name: 'Wash Plant', full_address: given }] })]);
  const { waypoints } = await tenant.must('GET', `/v1/orders/${record.result_id}`);
  expect(waypoints[0].site.id !== site.id).toBe(isNew);
});

test('a strict sender gets failures instead of guesses, in a dry run and a real one, and nothing of them is made', async () => {
  const wrong = order({ unit_of_measure: 'buckets', service: 'Moving', material: { name: 'Moon dust' } });
  const right = order({ external_id: 'O-2', unit_of_measure: 'tons' });
  const dry = await tenant.must('POST', '/ingest/orders?strict=true&dry_run=true', { orders: [wrong, right] });
  const real = await sendOrders([wrong, right], '?strict=true');
  for (const [bad, good] of [dry.records, real]) {
    expect([bad.state, good.state]).toEqual(['failed', 'processed']);
    expect(bad.last_error.split('\n').map((line: string) => line.split(': ').slice(0, 2))).toEqual([
      ['unknown_unit', '/unit_of_measure'],
      ['unknown_service', '/service'],
    ]);
    expect(codes(bad)).toEqual(['unknown_unit', 'unknown_service']);
  }
  const materials = await tenant.must('GET', tenant.path('/materials'));
  expect(materials.map(({ name }: Json) => name)).not.toContain('Moon dust');
  const [lax] = await sendOrders([order({ external_id: 'O-3', unit_of_measure: 'buckets' })], '?strict=false');
  expect(lax.state).toBe('processed');
  expect((await tenant.http('POST', '/ingest/orders', { orders: [right], strict: true })).status).toBe(422);
});

test('a payload that is corrected for a strict sender is not guessed at either', async () => {
  const [failed] = await sendOrders([order({ unit_of_measure: 'buckets', service: 'Moving' })], '?strict=true');
  const resubmit = async (id: string, more: object) => {
    const path = `/v1/imported_records/${id}/resubmit`;
    const { records } = await tenant.must('POST', path, { payload: order(more) });
    await app.settled();
    return tenant.must('GET', `/v1/imported_records/${records[0].id}`);
  };
  const half = await resubmit(failed.id, { unit_of_measure: 'tons', service: 'Moving' });
  expect([half.state, half.last_error.split(': ').slice(0, 2)]).toEqual(['failed', ['unknown_service', '/service']]);
  expect(await resubmit(half.id, { unit_of_measure: 'tons' })).toMatchObject({
    state: 'processed',
    resubmitted_from: half.id,
    warnings: [],
  });
});

test('records are found by their warnings, and batches and the status count them', async () => {
  const records = await sendOrders([
    order({ unit_of_measure: 'buckets' }),
    order({ external_id: 'O-2', service: 'Moving' }),
    order({ external_id: 'O-3' }),
  ]);
  const found = async (query: string) =>
    (await tenant.must('GET', `/v1/imported_records?${query}`)).map(({ imported_for }: Json) => imported_for);
  expect(await found('filter[warning_code][]=unknown_unit')).toEqual(['O-1']);
  expect((await found('filter[warning_code][]=unknown_unit&filter[warning_code][]=unknown_service')).sort()).toEqual(['O-1', 'O-2']);
  expect((await found('filter[has_warnings]=true')).sort()).toEqual(['O-1', 'O-2']);
  expect(await found('filter[has_warnings]=false')).toEqual(['O-3']);
  const batch = await tenant.must('GET', `/ingest/batches/${records[0].batch_id}`);
  expect([batch.counts.warned, batch.warnings]).toEqual([
    2,
    [
      { code: 'unknown_service', count: 1 },
      { code: 'unknown_unit', count: 1 },
    ],
  ]);
  const status = await tenant.must('GET', '/ingest/status');
  expect(status.kinds.find(({ kind }: Json) => kind === 'order').warned).toBe(2);
  expect(status.warnings).toContainEqual({ kind: 'order', code: 'unknown_unit', count: 1 });
});

test('any filter of records is exported, as lines of JSON or as a sheet of errors', async () => {
  await sendOrders([order({ unit_of_measure: 'buckets' }), order({ external_id: 'O-2' }), order({ external_id: 'O-3', load_at: 'soon' })]);
  const get = async (query: string, accept: string) =>
    String((await app.http('GET', `/v1/imported_records?${query}`, { token: tenant.token, headers: { Accept: accept } })).body);
  const lines = (await get('filter[kinds][]=order', 'application/x-ndjson'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ imported_for, state }) => [imported_for, state])).toEqual([
    ['O-3', 'failed'],
    ['O-2', 'processed'],
    ['O-1', 'processed'],
  ]);
  expect(lines[2].warnings).toEqual([{ code: 'unknown_unit', pointer: '/unit_of_measure', given: 'buckets', used: 'Ton' }]);
  const sheet = (await get('search[datagrid]=O-', 'text/csv')).trim().split('\r\n');
  expect(sheet.map((row) => row.split(',').slice(1, 3))).toEqual([
    ['external_id', 'state'],
    ['O-3', 'failed'],
    ['O-1', 'processed'],
  ]);
  expect((await get('filter[warning_code][]=unknown_unit', 'text/csv')).trim().split('\r\n').length).toBe(2);
});

test('a duplicate repeats the warnings of what it repeats, in a dry run, too', async () => {
  const payload = order({ unit_of_measure: 'buckets', truck_count: 2 });
  const [first] = await sendOrders([payload]);
  const [again] = await sendOrders([payload]);
  expect(again).toMatchObject({ state: 'skipped', last_error: 'duplicate', warnings: first.warnings });
  const dry = await tenant.must('POST', '/ingest/orders?dry_run=true', { orders: [payload] });
  expect(dry.records[0]).toMatchObject({ state: 'skipped', last_error: 'duplicate', warnings: first.warnings });
});

test('equal elements of one request have the warnings of the first, wherever they are read, and in a dry run', async () => {
  const twin = JSON.stringify(order({ external_id: 'TWIN', unit_of_measure: 'buckets', truck_count: 2 }));
  // The third has a field twice, which is its own affair.
  const body = `{"orders":[${[twin, twin, twin.replace('"truck_count"', '"truck_count":2,"truck_count"')].join(',')}]}`;
  const post = (query: string) =>
    app.http('POST', `/ingest/orders${query}`, { token: tenant.token, body, headers: { 'Content-Type': 'application/json' } });
  const dry = await post('?dry_run=true');
  const { batch_id: batch } = (await post('')).body.data;
  await app.settled();
  const records = await tenant.must('GET', `/ingest/batches/${batch}/records`);
  expect(records.map((one: Json) => [one.state, ...codes(one).sort()])).toEqual([
    ['processed', 'unknown_unit'],
    ['skipped', 'unknown_unit'],
    ['skipped', 'duplicate_field', 'unknown_unit'],
  ]);
  expect(dry.body.data.records.map((one: Json) => codes(one).sort())).toEqual(records.map((one: Json) => codes(one).sort()));
  expect((await tenant.must('GET', `/ingest/batches/${batch}`)).counts.warned).toBe(3);
});

test('imported records and their batches are found by conditions of which one, or none, is met', async () => {
  await sendOrders([
    order({ external_id: 'C-1' }),
    order({ external_id: 'C-2', unit_of_measure: 'buckets' }),
    order({ external_id: 'C-3', load_at: 'soon' }),
  ]);
  const found = async (filter: object) => {
    const { data, errors } = await tenant.gql(
      'query($filter: ImportedRecordFilter) { importedRecords(filter: $filter, first: 100) { nodes { importedFor } } }',
      { filter },
    );
    expect(errors).toBeUndefined();
    return data.importedRecords.nodes.map(({ importedFor }: Json) => importedFor).sort();
  };
  expect(await found({ or: [{ state: 'failed' }, { hasWarnings: true }] })).toEqual(['C-2', 'C-3']);
  expect(await found({ not: [{ state: 'failed' }, { hasWarnings: true }] })).toEqual(['C-1']);
  expect(await found({ state: 'processed', or: [{ importedFor: 'C-1' }, { importedFor: 'C-3' }] })).toEqual(['C-1']);
  expect(await found({ or: [] })).toEqual([]);
  const { data } = await tenant.gql(
    '{ none: importBatches(filter: { not: [{ kinds: order }] }) { nodes { id } } one: importBatches(filter: { or: [{ hasFailures: true }, { kinds: ticket }] }) { nodes { id } } }',
  );
  expect([data.none.nodes.length, data.one.nodes.length]).toEqual([0, 1]);
});
