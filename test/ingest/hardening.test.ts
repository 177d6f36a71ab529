import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Service } from '../../src/directory/named.entities.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeYard, type Yard } from '../helpers/yard.ts';
import * as told from './dry-runs.ts';
import { order, ticket as ticketOf } from './payloads.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let yard: Yard;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  yard = await makeYard(app);
});

const project = (more: object) => ({ external_id: 'P-1', name: 'Bridge', customer: { external_id: 'C-1' }, ...more });
const ticket = (more: object) => ticketOf('T-1', more);
const send = (kind: told.Kind, elements: unknown[], token?: string): Promise<Json[]> => told.send(app, yard, kind, elements, token);

test('who may make orders but not edit them makes new ones, and changes none that is there', async () => {
  const [made] = await send('orders', [order('A', { customer_rate_value: 10, customer_rate_type: 'RatePerTon' })]);
  const { token } = await yard.person({ roles: ['foreman'] });
  for (const more of [{ notes: 'mine' }, { customer_rate_value: 99 }, { state: 'canceled' }]) {
    const [record] = await send('orders', [order('A', more)], token);
    expect(record).toMatchObject({ state: 'failed', last_error: expect.stringMatching(/^not_allowed: : .*edit_order/) });
  }
  const preview = await yard.http('POST', '/ingest/orders?dry_run=true', { orders: [order('A', { notes: 'mine' })] }, token);
  expect(preview.body.data.records[0]).toMatchObject({ state: 'failed', last_error: expect.stringContaining('not_allowed') });
  expect(await yard.must('GET', `/v1/orders/${made.result_id}`)).toMatchObject({
    state: 'created',
    notes: null,
    customer_rate_value: '10',
  });
  expect((await send('orders', [order('B')], token))[0]).toMatchObject({ state: 'processed' });
});

test('a dry run says alike of a rate that its sender may not see whether it was guessed or not', async () => {
  const rated = (value: number, more: object = {}) => order('R', { customer_rate_value: value, customer_rate_type: 'RatePerTon', ...more });
  const [{ result_id: id }] = await send('orders', [rated(10)]);
  const { id: role } = await yard.must('POST', '/v1/iam_roles', { name: 'Sender', permissions: ['create_order', 'edit_order'] });
  const { token } = await yard.person({ customRoleIds: [role] });
  const dry = async (element: object, by?: string) =>
    (await yard.http('POST', '/ingest/orders?dry_run=true', { orders: [element] }, by)).body.data.records[0];
  const alike = async () => {
    const [right, wrong] = [await dry(rated(10), token), await dry(rated(11), token)];
    expect([right.state, right.changes]).toEqual(['processed', []]);
    expect(wrong).toEqual(right);
    const [noted] = (await dry(rated(11, { notes: 'new' }), token)).changes;
    expect(noted.fields).toEqual([{ field: 'notes', before: null, after: 'new' }]);
  };
  await alike();
  // Also of a rate that a person set, which an import leaves.
  await yard.must('PATCH', `/v1/orders/${id}`, { customer_rate_value: '11' }, (await yard.person({ roles: ['company_admin'] })).token);
  await alike();
  expect((await dry(rated(10))).state).toBe('skipped');
  expect((await dry(rated(12))).warnings).toEqual([expect.objectContaining({ code: 'user_edit_kept' })]);
});

test.each(['toString', '__proto__', 'constructor', 'valueOf'])('%s is no value of any enum', async (name) => {
  const [rated, united, sited] = await send('orders', [
    order('A', { customer_rate_type: name }),
    order('B', { unit_of_measure: name }),
    order('C', { sites: [{ waypoint: 'pickup', name: 'Pit', site_type: name }] }),
  ]);
  expect(rated).toMatchObject({ state: 'failed', last_error: expect.stringContaining('invalid_enum: /customer_rate_type') });
  expect([united.state, united.warnings]).toEqual([
    'processed',
    [{ code: 'unknown_unit', pointer: '/unit_of_measure', given: name, used: 'Ton' }],
  ]);
  expect([sited.state, sited.warnings[0]]).toMatchObject(['processed', { code: 'unknown_site_type', used: 'Other' }]);
  expect((await send('tickets', [ticket({ unit_of_measure: name })]))[0]).toMatchObject({ state: 'processed' });
  for (const path of ['/v1/orders', '/v1/jobs', '/v1/tickets']) expect((await yard.http('GET', path)).status).toBe(200);
});

test('an id whose digits were lost is refused, one that has them is a text of its digits', async () => {
  const answer = await app.http('POST', '/ingest/orders', {
    token: yard.token,
    headers: { 'Content-Type': 'application/json' },
    body: `{"orders":[${['12345678901234567890', '12345678901234567891', '1001']
      .map((id) => JSON.stringify(order('ID')).replace('"ID"', id))
      .join(',')}]}`,
  });
  expect(answer.body.data.records.map((record: Json) => record.imported_for)).toEqual([null, null, '1001']);
  await app.settled();
  const records = await Promise.all(answer.body.data.records.map(({ id }: Json) => yard.must('GET', `/v1/imported_records/${id}`)));
  expect(records.map((record: Json) => record.state)).toEqual(['failed', 'failed', 'processed']);
  expect(records[0].last_error).toContain('invalid_text: /external_id');
});

test('a key longer than keys may be, or that is none, is told', async () => {
  const [long, flag] = await send('orders', [order('x'.repeat(501)), order(true)]);
  expect([long.state, long.last_error]).toEqual(['exhausted', expect.stringMatching(/^key_too_long/)]);
  expect([flag.state, flag.last_error]).toEqual(['failed', expect.stringContaining('invalid_text: /external_id')]);
});

test('a project ends after it begins, also when the dates come one by one', async () => {
  const one = async (dates: Json) => (await send('projects', [project(dates)]))[0];
  expect(await one({ effective_at: '2026-12-01T00:00:00Z' })).toMatchObject({ state: 'processed' });
  expect(await one({ expires_at: '2026-11-01' })).toMatchObject({
    state: 'failed',
    last_error:
      'effective_not_before_expires: /expires_at: must be after effective_at, which is 2026-12-01T00:00:00.000Z; leave it out when they would be equal',
  });
  expect(await one({ expires_at: '2026-12-24T00:00:00Z' })).toMatchObject({ state: 'processed' });
  expect(await one({ effective_at: '2027-01-01' })).toMatchObject({
    state: 'failed',
    last_error:
      'effective_not_before_expires: /effective_at: must be before expires_at, which is 2026-12-24T00:00:00.000Z; send a later expires_at with it, or null for none',
  });
  expect(await one({ effective_at: '2027-01-01', expires_at: null })).toMatchObject({ state: 'processed' });
});

test('a site that is dropped takes no other with it', async () => {
  const [record] = await send('projects', [
    project({
      sites: [
        { waypoint: 'drop_off', name: 'Nowhere' },
        { waypoint: 'drop_off', full_address: '1 Bridge Road' },
      ],
    }),
  ]);
  expect(record.warnings.map((warning: Json) => [warning.code, warning.pointer])).toEqual([
    ['site_without_location', '/sites/0'],
    ['site_not_routable', '/sites/1'],
  ]);
});

test('a service nobody has: an order takes the first one there is, a project none or the one it has', async () => {
  const warning = { code: 'unknown_service', pointer: '/service', given: 'Blasting', used: null };
  const [made] = await send('orders', [order('A', { service: 'Blasting' })]);
  expect([made.state, made.warnings]).toEqual(['processed', [{ ...warning, used: 'Haulage' }]]);
  expect((await yard.must('GET', `/v1/orders/${made.result_id}`)).service.name).toBe('Haulage');

  // Letter by letter: the sigma that ends a word is the one inside it.
  await yard.save(Service, { company: ref(yard.company), name: 'ΓΡΑΝΊΤΗΣ' });
  for (const [i, service] of ['ΓΡΑΝΊΤΗΣ', 'γρανίτησ '].entries())
    expect((await send('orders', [order(`G-${i}`, { service })]))[0].warnings).toEqual([]);
  expect((await send('projects', [project({ external_id: 'P-G', name: 'Granite', service: 'Γρανίτησ' })]))[0].warnings).toEqual([]);

  const serviceOf = async () => (await yard.gql('{ projects(first: 1) { nodes { service { name } } } }')).data.projects.nodes[0].service;
  const [bare] = await send('projects', [project({ service: 'Blasting' })]);
  expect([bare.state, bare.warnings, await serviceOf()]).toEqual(['processed', [warning], null]);
  const [named] = await send('projects', [project({ service: ' HAULAGE ' })]);
  expect([named.state, named.warnings, await serviceOf()]).toEqual(['processed', [], { name: 'Haulage' }]);
  const [kept] = await send('projects', [project({ service: 'Blasting' })]);
  expect([kept.state, kept.warnings, await serviceOf()]).toEqual(['processed', [warning], { name: 'Haulage' }]);
});

test('a weight that rounds to nothing is no weight, and cubic yards are yards however they are written', async () => {
  const [nothing] = await send('tickets', [ticket({ quantity: 0.00001 })]);
  expect(nothing).toMatchObject({ state: 'failed', last_error: expect.stringContaining('/quantity') });
  const units = ['cu yd', 'Cu. Yds', 'cubic yards', 'm³', 'short tons', 'Metric Ton'];
  const records = await send(
    'orders',
    units.map((unit_of_measure, i) => order(`U-${i}`, { unit_of_measure })),
  );
  const orders = await Promise.all(records.map(({ result_id }) => yard.must('GET', `/v1/orders/${result_id}`)));
  expect(orders.map((one) => one.unit_of_measure)).toEqual(['Yard', 'Yard', 'Yard', 'CubicMeter', 'Ton', 'Tonne']);
});

test('units of a payload that do not convert are told, and the record is made', async () => {
  const paid = { customer_rate_type: 'RatePerTon', customer_rate_value: 9 };
  const told = [{ code: 'unit_mismatch', pointer: '/customer_rate_type', given: 'RatePerTon', used: 'Yard' }];
  const [made] = await send('orders', [order('M', { unit_of_measure: 'cy', ...paid })]);
  expect(made).toMatchObject({ state: 'processed', warnings: told });
  const [kept] = await send('projects', [project({ external_id: 'M', load_unit_of_measure: 'cy', ...paid })]);
  expect(kept).toMatchObject({ state: 'processed', warnings: told });
  const [fits] = await send('orders', [order('M', { unit_of_measure: 'tonne', ...paid, vendor_rate_type: 'RatePerHour' })]);
  expect(fits).toMatchObject({ state: 'processed', warnings: [] });
});

test('with an Idempotency-Key the answer waits too, at first and when it is repeated', async () => {
  const headers = { 'Idempotency-Key': 'once', Prefer: 'wait=20' };
  const post = () => app.http('POST', '/ingest/orders', { token: yard.token, headers, body: { orders: [order('A')] } });
  for (const answer of [await post(), await post()]) {
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
    expect(answer.body.data.records[0].state).toBe('processed');
  }
});

test('a filter by error code is no pattern, and what is no record is not tried again', async () => {
  const [none] = await send('orders', [7, { external_id: 'A' }]);
  const retry = (filter: object) => yard.must('PUT', '/v1/imported_records/bulk_retry', { filter });
  expect((await retry({ error_code: '%' })).count).toBe(0);
  expect((await retry({ error_code: 'missing_field' })).count).toBe(1);
  expect((await retry({})).count).toBe(1);
  const again = await yard.http('PUT', `/v1/imported_records/${none.id}/retry`, {});
  expect([again.status, again.body.error.errors[0].state]).toEqual([409, 'exhausted']);
  expect((await yard.must('GET', `/v1/imported_records/${none.id}`)).last_error).toContain('not_an_object');
});

test('no two projects get one name, whatever its letters, and also when the suffixed name is taken', async () => {
  const named = (external_id: string, name: string) => project({ external_id, name });
  await send('projects', [named('1', 'ΟΔΟΣ'), named('2', 'οδος'), named('3', ' οδοσ ')]);
  await send('projects', [named('4', 'Pit'), named('5', 'pit-6'), named('6', 'PIT'), named('7', 'Pit-6-2')]);
  await send('projects', [named('8', 'Pit-9'), named('10', 'Pit-9-2'), named('9', 'Pit')]);
  const names = async () => {
    const { data } = await yard.gql('{ projects(first: 20) { nodes { externalId name } } }');
    return Object.fromEntries(data.projects.nodes.map((one: Json) => [one.externalId, one.name]));
  };
  const first = await names();
  expect(first).toEqual({
    ...{ 1: 'ΟΔΟΣ', 2: 'οδος-2', 3: 'οδοσ-3', 4: 'Pit', 5: 'pit-6', 6: 'PIT-6-2', 7: 'Pit-6-2-7' },
    ...{ 8: 'Pit-9', 9: 'Pit-9-3', 10: 'Pit-9-2' },
  });
  // Sent again with something new, each keeps the name it has.
  await send('projects', [
    { ...named('6', 'PIT'), notes: 'x' },
    { ...named('2', 'οδος'), notes: 'x' },
    { ...named('9', 'Pit'), notes: 'x' },
  ]);
  expect(await names()).toEqual(first);
});

test('a payload that changes an order makes its phases those it names, and says which state it did not take', async () => {
  const phases = [{ name: 'Base', code: '100', primary: true }, { name: 'Old' }];
  const [{ result_id }] = await send('orders', [order('A', { phases })]);
  const read = () => yard.must('GET', `/v1/orders/${result_id}`);
  const phasesOf = (one: Json) => one.phases.map(({ id, name, code, primary }: Json) => ({ id, name, code, primary }));
  const [base] = phasesOf(await read());
  const next = [{ name: 'Base', code: '100' }, { name: 'Top', primary: true }, { name: 'Top' }];
  const [record] = await send('orders', [order('A', { phases: next, state: 'hold' })]);
  expect(record).toMatchObject({
    state: 'processed',
    warnings: [
      { code: 'second_phase', pointer: '/phases/2', given: 'Top', used: null },
      { code: 'state_kept', pointer: '/state', given: 'hold', used: 'created' },
    ],
  });
  expect(await read()).toMatchObject({ state: 'created' });
  expect(phasesOf(await read())).toEqual([
    { ...base, primary: false },
    { id: expect.any(String), name: 'Top', code: null, primary: true },
  ]);
  // Work that was begun under a phase tells of it when the order no longer has it.
  const [job] = await yard.must('GET', `/v1/orders/${result_id}/jobs`);
  await (await poolOf(app.orm.em.fork())).query(`update job set state = 'completed' where id = $1`, [job.id]);
  await send('orders', [order('A', { phases: next.slice(1, 2) })]);
  expect((await yard.must('GET', `/v1/jobs/${job.id}`)).phase).toMatchObject({ name: 'Base', code: '100' });
  expect(phasesOf(await read()).length).toBe(1);
  // Left out they stay; the state it has is no news.
  const [quiet] = await send('orders', [order('A', { notes: 'x', state: 'created' })]);
  expect([quiet.warnings, phasesOf(await read()).length]).toEqual([[], 1]);
});

test('an order whose loads are approved says so when anything but its notes would change', async () => {
  const [{ result_id }] = await send('orders', [order('A', { phases: [{ name: 'Base' }], sales_contact: { name: 'Ann' } })]);
  const pool = await poolOf(app.orm.em.fork());
  await pool.query('update load set billing_approved_at = now() where order_id = $1', [result_id]);
  const changes = [
    { phases: [] },
    { sales_contact: { name: 'Bo' } },
    { sites: [{ waypoint: 'pickup', name: 'Pit' }] },
    { foremen: [{ email: 'a@b.example' }] },
  ];
  for (const [i, change] of changes.entries()) {
    const [{ state, warnings }] = await send('orders', [order('A', { ...change, notes: `n${i}` })]);
    expect([state, warnings.filter(({ code }: Json) => code === 'order_locked')]).toMatchObject(['processed', [{ pointer: '' }]]);
  }
  expect(await yard.must('GET', `/v1/orders/${result_id}`)).toMatchObject({
    notes: 'n3',
    sales_contact: { name: 'Ann' },
    phases: [{ name: 'Base' }],
    waypoints: [],
    foremen: [],
  });
});

test('an equal payload does not bring back the order that a person canceled, and says so; another payload makes it anew', async () => {
  const [{ result_id }] = await send('orders', [order('A')]);
  await yard.must('PUT', `/v1/orders/${result_id}/cancel`, {});
  const told = { state: 'skipped', last_error: 'duplicate', warnings: [{ code: 'order_canceled', pointer: '' }] };
  const preview = await yard.must('POST', '/ingest/orders?dry_run=true', { orders: [order('A')] });
  expect(preview.records[0]).toMatchObject({ ...told, result_id });
  expect((await send('orders', [order('A', { metadata: 'again' })]))[0]).toMatchObject({ ...told, result_id });
  const [anew] = await send('orders', [order('A', { notes: 'on after all' })]);
  expect(anew.result_id).not.toBe(result_id);
  expect(await yard.must('GET', `/v1/orders/${result_id}`)).toMatchObject({ state: 'canceled', external_id: 'A-1' });
  expect(await yard.must('GET', `/v1/orders/${anew.result_id}`)).toMatchObject({ state: 'created', external_id: 'A' });
  // What the sender canceled itself is no news to it.
  for (const warnings of [[], []]) expect((await send('orders', [order('A', { state: 'canceled' })]))[0].warnings).toEqual(warnings);
});

test('a discarded project stays so under an equal payload, and another one makes it anew', async () => {
  const [{ result_id }] = await send('projects', [project({})]);
  await yard.must('DELETE', `/v1/projects/${result_id}`);
  expect((await send('projects', [project({})]))[0]).toMatchObject({
    state: 'skipped',
    warnings: [{ code: 'project_discarded', pointer: '' }],
  });
  const [anew] = await send('projects', [project({ notes: 'on after all' })]);
  expect(anew).toMatchObject({ state: 'processed', last_error: null });
  expect(await yard.must('GET', `/v1/projects/${anew.result_id}`)).toMatchObject({ name: 'Bridge', external_id: 'P-1' });
});
