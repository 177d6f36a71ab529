import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { makeSender, many, order, recordsOf, type Sender, startProxy } from './sender.ts';

let app: TestApp;
let tenant: Tenant;
let sender: Sender;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
  sender = await makeSender(tenant, app.url);
});
afterEach(() => sender.close());

test('a file of orders is sent, waited for and counted; sent again, all are duplicates', async () => {
  const file = sender.file('night.json', JSON.stringify({ orders: many(25) }));
  const first = await sender.run([file, '--batch', '10']);
  expect(first).toEqual({
    code: 0,
    stdout: '25 orders, 25 acknowledged\n  processed              25\n',
    stderr: expect.stringContaining('settled 25 of 25 orders'),
  });
  expect((await recordsOf(tenant)).sort()).toEqual(
    many(25)
      .map(({ external_id }) => `${external_id} processed`)
      .sort(),
  );
  expect(existsSync(`${file}.haulgate-send`)).toBe(false);
  const second = await sender.run([file]);
  expect([second.code, second.stdout]).toEqual([0, '25 orders, 25 acknowledged\n  skipped                25\n']);
});

test('failures and warnings are reported with place, key and reason, and the exit status shows them', async () => {
  const file = sender.file(
    'orders.ndjson',
    [
      JSON.stringify(order('A')),
      '',
      '{not json',
      JSON.stringify(order('B', { load_at: 'soon', unit_of_measure: 'buckets' })),
      JSON.stringify(order('C', { unit_of_measure: 'cubits' })),
      JSON.stringify(order('D', { notes: 'a\0b' })),
      '"text"',
      JSON.stringify(order('E', { quantity: 0 })).replace('"quantity":0', '"quantity":1e400'),
      JSON.stringify(order('F', { metadata: 0 })).replace('"metadata":0', `"metadata":${'['.repeat(200_000)}${']'.repeat(200_000)}`),
    ].join('\n'),
  );
  const { code, stdout } = await sender.run([file]);
  expect(code).toBe(1);
  expect(stdout.split('\n').map((line) => line.replace(/ {2,}/g, '  '))).toEqual([
    '8 orders, 5 acknowledged',
    '  not sent  3',
    '  exhausted  1',
    '  failed  2',
    '  processed  2',
    'What failed:',
    "  line 3  not sent  not_json: Expected property name or '}' in JSON at position 1",
    '  line 6  D  not sent  unstorable_text: contains a NUL character or half of a surrogate pair',
    '  line 9  F  not sent  too_deep: is nested deeper than anything can be sent',
    '  line 4  B  failed  invalid_timestamp: /load_at: is not an ISO 8601 timestamp like 2026-12-01T07:00',
    '  line 7  exhausted  not_an_object: : must be an object',
    '  line 8  E  failed  invalid_number: /quantity: is out of range',
    'What else is odd about what failed:',
    '  line 4  B  unknown_unit  /unit_of_measure "buckets" -> "Ton"',
    'What was imported with warnings:',
    '  line 5  C  unknown_unit  /unit_of_measure "cubits" -> "Ton"',
    'What the warnings mean:',
    '  unknown_unit  This is no unit, so tons were taken.',
    '',
  ]);
});

test('a sheet is sent as the same orders that the server makes of it, with its line numbers', async () => {
  const csv = 'Order #,Load time,Kunde,Unit,Hat\nA,2026-12-01T07:00,C,Ton,red\nB,2026-12-01T07:00\nC,,C,Ton,';
  const file = sender.file('week.csv', csv);
  const refused = await sender.run([file, '--kind', 'orders']);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('No column for customer.external_id, which is required (place one with --map HEADER=customer.external_id).'),
  ]);
  const { code, stdout } = await sender.run([file, '--map', 'Kunde=customer.external_id', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'orders',
    elements: 3,
    acknowledged: 2,
    states: { processed: 1, failed: 1 },
    failed: [{ place: 'line 4', imported_for: 'C', last_error: expect.stringContaining('missing_field: /load_at') }],
    unsent: [{ place: 'line 3', why: 'invalid_row: has 2 cells, the header has 5' }],
    unknown_columns: ['Hat'],
  });
  const again = await tenant.http('POST', '/ingest/orders/csv?mapping[Kunde]=customer.external_id', csv);
  await app.settled();
  expect(await tenant.must('GET', `/v1/imported_records/${again.body.data.records[0].id}`)).toMatchObject({
    state: 'skipped',
    last_error: 'duplicate',
  });
});

test('an ambiguous number of a sheet is reported, and sent as the fraction', async () => {
  const file = sender.file('orders.csv', 'external_id;load_at;customer.external_id;quantity\nN;2026-12-01T07:00;C;1.250\n');
  const { code, stdout } = await sender.run([file]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/taken as fractions:\n +line 2 +ambiguous_number +\/quantity "1\.250" -> "1\.25"\n/),
  ]);
  const [order] = await tenant.must('GET', tenant.path('/orders'));
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).quantity).toBe('1.25');
});

test('with --strict a guess is a failure, of the server and of a sheet, and a dry run says so beforehand', async () => {
  const guessed = order('A', { unit_of_measure: 'buckets', sites: [{ waypoint: 'drop_off', name: 'North pit' }] });
  const file = sender.file('orders.ndjson', [guessed, order('B')].map((one) => JSON.stringify(one)).join('\n'));
  const refused = 'unknown_unit: /unit_of_measure: can only be guessed at, and the sender asked for no guesses (strict)';
  const tried = await sender.run([file, '--strict', '--dry-run', '--json']);
  expect([tried.code, JSON.parse(tried.stdout).failed]).toMatchObject([1, [{ imported_for: 'A', last_error: refused }]]);
  const sent = await sender.run([file, '--strict']);
  expect([sent.code, sent.stdout.split('\n').slice(0, 3)]).toEqual([
    1,
    ['2 orders, 2 acknowledged', '  failed                  1', '  processed               1'],
  ]);
  expect(sent.stdout).toContain(refused);
  // A failure is not reported a second time as a warning, and nothing was taken for tons.
  expect(sent.stdout).not.toMatch(/unknown_unit +\/unit|tons were taken/);
  expect((await tenant.must('GET', tenant.path('/orders'))).map((one: { external_id: string }) => one.external_id)).toEqual(['B']);

  const sheet = sender.file(
    'sheet.csv',
    'external_id;load_at;customer.external_id;quantity\nN;2026-12-01T07:00;C;1.250\nM;2026-12-01T07:00;C;7\n',
  );
  const { code, stdout } = await sender.run([sheet, '--kind', 'orders', '--strict']);
  expect([code, stdout.replace(/ {2,}/g, '  ')]).toEqual([
    1,
    '2 orders, 1 acknowledged\n  not sent  1\n  processed  1\nWhat failed:\n  line 2  not sent  ambiguous_number: /quantity: 1.250 may be a thousand times as large\n',
  ]);
});

test('a run that was broken off without --strict is not continued with it', async () => {
  const file = sender.file('orders.json', JSON.stringify([order('A', { unit_of_measure: 'buckets' })]));
  expect((await sender.run([file, '--no-wait'])).code).toBe(0);
  await app.settled();
  const strict = await sender.run([file, '--strict']);
  expect(strict.stderr).toContain('The last run went elsewhere: everything is sent.');
});

test('a long table counts the rest by reasons', async () => {
  const odd = (i: number) => ({
    sites: [{ waypoint: 'pickup', lat: 30.5, lon: -97.5, site_type: 'Moon' }],
    unit_of_measure: i === 59 ? 'cubits' : 'Ton',
  });
  const file = sender.file('orders.json', JSON.stringify(Array.from({ length: 60 }, (_, i) => order(`W-${i}`, odd(i)))));
  const { code, stdout } = await sender.run([file]);
  expect(code).toBe(0);
  expect(stdout.split('\n').slice(-7, -3)).toEqual([
    '  and 11 more (--json has all), together:',
    '         60  unknown_site_type /sites/*/site_type',
    '          1  unknown_unit /unit_of_measure',
    'What the warnings mean:',
  ]);
  const bad = sender.file(
    'bad-orders.json',
    JSON.stringify(Array.from({ length: 60 }, (_, i) => order(`B-${i}`, i === 7 ? { state: 'x' } : { load_at: 'soon' }))),
  );
  expect((await sender.run([bad])).stdout).toContain(
    '  and 10 more (--json has all), together:\n         59  invalid_timestamp /load_at\n          1  invalid_enum /state\n',
  );
});

test.each([
  ['orders.json', (orders: string[]) => `{ "orders": [\n${orders.join(',\n')}\n] }`],
  ['orders.ndjson', (orders: string[]) => orders.join('\n')],
])('everything of %s is sent as it is written: a repeated field is reported, and no digit is lost', async (name, write) => {
  const long = JSON.stringify(order('L', { quantity: 0 })).replace('"quantity":0', '"quantity": 12345678901234.1235');
  const file = sender.file(name, write([long, `{ "notes": "first", ${JSON.stringify(order('T', { notes: 'last' })).slice(1)}`]));
  const { code, stdout } = await sender.run([file]);
  expect(stdout).toContain('What was imported with warnings:');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/ 2 +T +duplicate_field +\/notes "first" -> "last"\nWhat the warnings mean:\n/),
  ]);
  const { id } = (await tenant.must('GET', tenant.path('/orders'))).find(({ external_id }: { external_id: string }) => external_id === 'L');
  expect((await tenant.must('GET', `/v1/orders/${id}`)).quantity).toBe('12345678901234.1235');
  const again = await sender.run([file]);
  expect(again.stdout).toMatch(
    /\nWhat else is odd about what was left:\n +\S+ 2 +T +duplicate_field +\/notes "first" -> "last"\nWhat the warnings mean:\n/,
  );
});

test('other fields of a JSON file are sent with its elements, or reported', async () => {
  const metadata = { run: 'night-7' };
  const file = sender.file('night.json', JSON.stringify({ exported: 'today', orders: many(3), metadata }));
  const { code, stdout } = await sender.run([file, '--batch', '2']);
  expect([code, stdout]).toEqual([0, '3 orders, 3 acknowledged\n  processed               3\nNothing was read of: "exported"\n']);
  const batches = await app.orm.em
    .getConnection()
    .execute<{ metadata: unknown }[]>('select metadata from import_batch where company_id = ?', [tenant.company.id]);
  expect(batches.map((batch) => batch.metadata)).toEqual([metadata, metadata]);
});

test('a dry run reports what would happen to each element, and stores nothing', async () => {
  const file = sender.file(
    'orders.json',
    JSON.stringify([order('A'), order('B', { load_at: 'soon' }), order('C', { unit_of_measure: 'cubits' })]),
  );
  const { code, stdout } = await sender.run([file, '--dry-run', '--batch', '2']);
  expect([code, stdout.split('\n').map((line) => line.replace(/ {2,}/g, '  '))]).toEqual([
    1,
    [
      '3 orders, tried; nothing is stored',
      '  failed  1',
      '  processed  2',
      'What would fail:',
      '  element 2  B  failed  invalid_timestamp: /load_at: is not an ISO 8601 timestamp like 2026-12-01T07:00',
      'What would be imported with warnings:',
      '  element 3  C  unknown_unit  /unit_of_measure "cubits" -> "Ton"',
      'What the warnings mean:',
      '  unknown_unit  This is no unit, so tons were taken.',
      '',
    ],
  ]);
  expect(await recordsOf(tenant)).toEqual([]);
  expect(existsSync(`${file}.haulgate-send`)).toBe(false);
});

test('an output that is not read to its end, or has no space, costs a message and not the run', async () => {
  const file = sender.file('orders.json', JSON.stringify(Array.from({ length: 400 }, (_, i) => order(`A-${i}`, { load_at: 'soon' }))));
  const running = sender.start([file, '--json']);
  running.child.stdout?.destroy();
  const { code, stderr } = await running.ended;
  expect([code, stderr]).toEqual([1, expect.stringMatching(/\nThe result could not be written \(EPIPE\)\.\n$/)]);
  expect(existsSync(`${file}.haulgate-send`)).toBe(false);
});

test('failed tickets are settled when they are sent again, with the reason of each, and corrected ones are created', async () => {
  const row = (n: number, more: object = {}) => ({
    ticket_number: `T-${n}`,
    service_date: '2026-12-01',
    unit_of_measure: 'Ton',
    truck_id: 'TRK',
    ...more,
  });
  const file = sender.file('tickets.json', JSON.stringify([1, 2, 3].map((n) => row(n, n === 2 ? { quantity: 5 } : {}))));
  for (const second of [/failed +2\n {2}processed +1/, /failed +2\n {2}skipped +1/]) {
    const { code, stdout } = await sender.run([file]);
    expect([code, stdout.match(/missing_field: \/quantity: is required/g)?.length]).toEqual([1, 2]);
    expect(stdout).toMatch(second);
  }
  const corrected = sender.file('corrected-tickets.json', JSON.stringify([1, 3].map((n) => row(n, { quantity: n }))));
  expect(await sender.run([corrected])).toMatchObject({ code: 0, stdout: expect.stringMatching(/processed +2/) });
}, 180_000);

test('every fault is a sentence, with the documented status', async () => {
  const file = sender.file('orders.json', JSON.stringify(many(1)));
  const weak = await makeSender(tenant, app.url, ['create_order']);
  const gone = await startProxy(app.url, () => 'pass');
  await gone.close();
  const unreadable = sender.file('list.json', '{');
  const nameless = sender.file('list.ndjson', '{}');
  const cases: [Promise<{ code: number | null; stderr: string }>, number, string][] = [
    [sender.run([]), 2, 'Name the file to send'],
    [sender.run([file, '--bath', '3']), 2, "Unknown option '--bath'"],
    [sender.run([file, '--batch', '0']), 2, '--batch must be a whole number from 1 to 1000.'],
    [sender.run([file, '--kind', 'loads']), 2, '--kind must be one of orders, projects, tickets.'],
    [sender.run([file], { HAULGATE_URL: '' }), 2, 'Give --url, or set HAULGATE_URL.'],
    [sender.run([`${file}x.json`]), 2, 'There is no file '],
    [sender.run([unreadable]), 2, 'list.json is not JSON: '],
    [sender.run([sender.file('both.json', '{"orders":[{}],"tickets":[{}]}')]), 2, 'both.json holds orders and tickets: put each kind'],
    [
      sender.run([sender.file('twice.json', '{"orders":[{}],"orders":[{}]}')]),
      2,
      'twice.json holds "orders" more than once: only the last',
    ],
    [sender.run([sender.file('said.json', '{"orders":[{}],"metadata":"x"}')]), 2, '"metadata" of '],
    [sender.run([file, '--map', 'A=external_id']), 2, '--map places columns of a sheet; '],
    [sender.run([nameless]), 2, 'does not show whether it holds orders, projects or tickets: use --kind.'],
    [sender.run([sender.file('latin.csv', Buffer.from('order\n\xe9', 'latin1'))]), 2, 'is not UTF-8: see line 2, byte 1 (E9).'],
    [sender.run([sender.file('latin-orders.ndjson', Buffer.from('{}\n{"external_id":"\xe9"}', 'latin1'))]), 2, 'see line 2, byte 17 (E9).'],
    [sender.run([file, '--state', sender.file('other', 'mine\n')]), 2, 'is no state file of haulgate-send'],
    [sender.run([file], { HAULGATE_CLIENT_SECRET: 'wrong' }), 3, 'knows no client'],
    [sender.run([file, '--url', gone.url, '--retries', '1']), 3, 'cannot be reached. Nothing listens there (/v1/auth/token).'],
    [weak.run([sender.file('tickets.json', '[{}]')]), 3, 'This client may not send tickets: it lacks the permission create_ticket.'],
    // Of its own batches it hears without the permission to look after imports.
    [weak.run([file, '--state', `${file}.weak`]), 0, 'settled 1 of 1 orders'],
  ];
  for (const [running, code, sentence] of cases) {
    const ended = await running;
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: expect.stringContaining(sentence) });
    expect(ended.stderr).not.toMatch(/^ {4}at /m);
    expect(ended.stderr).not.toContain(sender.secret);
  }
  weak.close();
}, 180_000);
