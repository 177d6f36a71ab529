import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Site } from '../../src/directory/sites/site.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, orderInput, type Tenant } from '../helpers/tenant.ts';
import { ordering, payload } from './orders/ordering.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
/** A dispatcher who works at the quarry alone, and a foreman without any order. */
let limited: string;
let foreman: string;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
  const person = await tenant.person({ roles: ['dispatcher'] });
  await tenant.must('POST', tenant.path(`/users/${person.user.id}/resource_scopes`), {
    resource_type: 'Site',
    resource_id: tenant.pickup.id,
  });
  limited = person.token;
  foreman = (await tenant.person({ roles: ['foreman'] })).token;
  await tenant.save(Site, { company: ref(tenant.company), name: 'Plant' });
});
afterAll(() => app.close());

const { send } = ordering(() => ({ app, tenant }));
const at = (site: string) => ({ sites: [{ waypoint: 'pickup', name: site }] });
/** Returns the outcomes of a payload, by dry run and in earnest. */
async function both(kind: string, element: object, token: string): Promise<Json[]> {
  const body = { [kind]: [element] };
  const dry = (await tenant.http('POST', `/ingest/${kind}?dry_run=true`, body, token)).body.data.records[0];
  const sent = (await tenant.http('POST', `/ingest/${kind}`, body, token)).body.data.records[0];
  await app.settled();
  return [dry, await tenant.must('GET', `/v1/imported_records/${sent.id}`)];
}
const REFUSED = { state: 'failed', last_error: expect.stringMatching(/^not_allowed: /), warnings: [] };

test.each([
  ['a person limited to other sites', () => limited],
  ['a foreman who has no part in it', () => foreman],
])('an order that %s may not see is not changed by their import, and not created twice', async (who, token) => {
  const hidden = payload({ external_id: `H ${who}`, notes: 'quiet', ...at('Plant') });
  const { result_id: id } = await send(hidden);
  const before = await tenant.must('GET', `/v1/orders/${id}`);
  for (const more of [{ notes: 'loud' }, { state: 'canceled' }, {}]) {
    const [dry, real] = await both('orders', { ...hidden, ...more }, token());
    expect(dry).toMatchObject({ ...REFUSED, result_id: null, changes: [], matches: [] });
    expect(real).toMatchObject({ ...REFUSED, result_id: null });
  }
  expect(await tenant.must('GET', `/v1/orders/${id}`)).toEqual(before);
  await send({ ...hidden, state: 'canceled' });
  const [, real] = await both('orders', { ...hidden, notes: 'again' }, token());
  expect(real).toMatchObject(REFUSED);
  expect((await tenant.must('GET', `/v1/orders/${id}`)).external_id).toBe(hidden.external_id);
});

test('a limited person changes what they see, as before', async () => {
  const open = payload({ external_id: 'OPEN', notes: 'quiet', ...at('Quarry') });
  const { result_id: id } = await send(open);
  const [dry, real] = await both('orders', { ...open, notes: 'loud' }, limited);
  expect([dry.state, real.state, real.result_id]).toEqual(['processed', 'processed', id]);
  expect((await tenant.must('GET', `/v1/orders/${id}`)).notes).toBe('loud');
});

test.each(['orders', 'projects'])('%s of a limited person name no other site, and create none', async (kind) => {
  const sites = () => app.orm.em.fork().count(Site, { company: tenant.company.id }, { filters: false });
  const before = await sites();
  const element = (site: object) => ({
    ...{ external_id: `S ${kind}`, customer: { external_id: `C ${kind}`, name: `Nobody of ${kind}` } },
    ...(kind === 'orders' ? { load_at: '2026-12-01T07:00:00' } : {}),
    sites: [
      { waypoint: 'pickup', name: 'quarry', lat: 30, lon: -97 },
      { waypoint: 'drop_off', lat: 30, lon: -97, ...site },
    ],
  });
  for (const site of [{ name: 'Plant' }, { external_id: 'PLANT-7' }, { name: 'Nowhere' }, {}]) {
    for (const one of await both(kind, element(site), limited)) {
      expect(one).toMatchObject({
        state: 'failed',
        last_error: 'not_allowed: /sites/1: is not one of the sites that the sender is limited to',
        warnings: [],
        result_id: null,
      });
      expect([one.matches ?? [], one.changes ?? []]).toEqual([[], []]);
    }
  }
  expect(await sites()).toBe(before);
  expect(await app.orm.em.fork().count(Account, { company: tenant.company.id, name: `Nobody of ${kind}` }, { filters: false })).toBe(0);
  const [dry, real] = await both(kind, element({ name: 'QUARRY' }), limited);
  expect([dry.state, real.state]).toEqual(['processed', 'processed']);
});

test('an older site of the same name does not hide a permitted one, and an existing stop may be named again', async () => {
  const [, mine] = [
    await tenant.save(Site, { company: ref(tenant.company), name: 'Wash Plant', fullAddress: 'far' }),
    await tenant.save(Site, { company: ref(tenant.company), name: 'Wash Plant', fullAddress: 'near' }),
  ];
  const person = await tenant.person({ roles: ['dispatcher'] });
  await tenant.must('POST', tenant.path(`/users/${person.user.id}/resource_scopes`), { resource_type: 'Site', resource_id: mine.id });
  const there = payload({ external_id: 'N-1', ...at('Wash Plant') });
  const [dry] = await both('orders', there, person.token);
  expect(dry.matches).toContainEqual({ pointer: '/sites/0', model: 'Site', id: mine.id, by: 'name' });
  const stops = { sites: [...at('Wash Plant').sites, { waypoint: 'drop_off', name: 'Plant' }] };
  await send({ ...there, sites: stops.sites.slice(1), notes: 'by the office' });
  const [, again] = await both('orders', { ...there, ...stops, notes: 'by the quarry' }, person.token);
  expect([again.state, again.last_error]).toEqual(['processed', null]);
  const turned = { sites: [{ waypoint: 'pickup', name: 'Plant' }] };
  const [, other] = await both('orders', { ...there, ...turned, notes: 'turned' }, person.token);
  expect(other).toMatchObject({ state: 'failed', last_error: expect.stringMatching(/^not_allowed: \/sites\/0: /) });
});

test('people create by an import what their own permissions allow, and machine clients everything that payloads name', async () => {
  const known = { ...payload({ external_id: 'ROLES', truck_count: 1, ...at('Quarry') }) };
  await send(known);
  const counts = () =>
    app.orm.em.fork().execute<Json[]>(
      `select (select count(*)::int from account where company_id = $1) as accounts, (select count(*)::int from site where company_id = $1) as sites,
        (select count(*)::int from material where company_id = $1) as materials, (select count(*)::int from equipment_type where company_id = $1) as types,
        (select count(*)::int from app_user where company_id = $1) as people`.replaceAll('$1', `'${tenant.company.id}'`),
    );
  const before = await counts();
  const fresh = { ...known, customer: { external_id: 'NEW-C', name: 'Foreman Made' } };
  const sites = [...at('Quarry').sites, { waypoint: 'drop_off', name: 'Foreman Pit', lat: 30, lon: -97 }];
  for (const one of await both('orders', { ...fresh, external_id: 'F-1', sites }, foreman))
    expect(one).toMatchObject({
      state: 'failed',
      last_error: [
        'not_allowed: /customer: does not exist, and the sender may not create it (create_account)',
        'not_allowed: /sites/1: does not exist, and the sender may not create it (create_site)',
      ].join('\n'),
    });
  const parts = {
    material: { name: 'Foreman Gravel' },
    equipment_type: { name: 'Foreman Truck' },
    foremen: [{ email: 'made.by.foreman@example.com', name: 'New Person' }],
    vendors: [{ name: tenant.vendor.name }, { name: 'Foreman Hauling' }],
    supplier: { name: 'Foreman Sand' },
  };
  for (const one of await both('orders', { ...known, ...parts, external_id: 'F-2' }, foreman)) {
    expect(one.state).toBe('processed');
    expect(one.warnings.map(({ code, pointer }: Json) => `${code} ${pointer}`).sort()).toEqual([
      'may_not_assign /vendors/0',
      'may_not_make /equipment_type',
      'may_not_make /foremen/0',
      'may_not_make /material',
      'may_not_make /supplier',
      'may_not_make /vendors/1',
      'second_vendor /vendors/1',
    ]);
  }
  expect(await counts()).toEqual(before);
  const made = (await tenant.must('GET', '/v1/orders?filter[external_ids][]=F-2'))[0];
  const jobs = await tenant.must('GET', `/v1/orders/${made.id}/jobs`);
  expect([made.external_id, made.material, jobs.map(({ state }: Json) => state)]).toEqual(['F-2', null, ['created']]);

  const machine = await both('orders', { ...fresh, ...parts, external_id: 'F-3', sites }, tenant.token);
  expect(machine.map(({ state, warnings }) => [state, warnings.filter(({ code }: Json) => code.startsWith('may_not'))])).toEqual([
    ['processed', []],
    ['processed', []],
  ]);

  // Nor do they decide over records that they may not read.
  const [, refused] = await both('orders', { ...fresh, external_id: 'F-4', customer: { external_id: 'NEW-D' } }, foreman);
  const path = `/v1/imported_records/${refused.id}`;
  const tried = [
    ['PUT', `${path}/skip`, {}],
    ['PUT', `${path}/retry`, {}],
    ['POST', `${path}/resubmit`, { payload: known }],
    ['PUT', '/v1/imported_records/bulk_skip', { filter: {}, all: true }],
    ['PUT', '/v1/imported_records/bulk_retry', { filter: {}, all: true }],
  ] as const;
  for (const [method, route, body] of tried)
    expect([route, (await tenant.http(method, route, body, foreman)).status]).toEqual([route, 403]);
  expect((await tenant.must('GET', path)).state).toBe('failed');

  // By its own route an order assigns nobody either.
  const created = (more: object) => tenant.http('POST', '/v1/orders', orderInput(tenant, more), foreman);
  for (const more of [{ driver_id: tenant.driver.id }, { vendor_id: tenant.vendor.id }])
    expect([(await created(more)).status, (await created(more)).body.error.errors[0].field]).toEqual([403, 'assign_job']);
  expect((await created({ driver_id: null })).status).toBe(201);
});

test('a ticket of a limited person names a permitted site or none', async () => {
  const ticket = { service_date: '2026-12-01T08:00:00Z', truck_id: 'T9', quantity: '3', unit_of_measure: 'ton', site: { name: 'Plant' } };
  const codesOf = ({ warnings }: Json) => warnings.map(({ code }: Json) => code);
  for (const one of await both('tickets', { ...ticket, ticket_number: 'K-8' }, limited)) expect(codesOf(one)).toContain('unknown_site');
  for (const one of await both('tickets', { ...ticket, ticket_number: 'K-9' }, tenant.token))
    expect(codesOf(one)).not.toContain('unknown_site');
});

test('a ticket finds no order that its sender may not see', async () => {
  const { result_id: id } = await send(payload({ external_id: 'T-H', dispatch_number: 'D-1', truck_count: 1, ...at('Plant') }));
  const ticket = { service_date: '2026-12-01T08:00:00Z', truck_id: 'T1', quantity: '3', unit_of_measure: 'ton' };
  const [dry, real] = await both('tickets', { ...ticket, ticket_number: 'K-1', platform_order_id: id }, limited);
  for (const one of [dry, real]) expect(one).toMatchObject({ state: 'failed', last_error: expect.stringMatching(/^unknown_order: /) });
  const named = { ...ticket, dispatch_number: 'D-1' };
  const codes = async (token: string, number: string) =>
    (await both('tickets', { ...named, ticket_number: number }, token)).map(({ warnings }) => warnings.map(({ code }: Json) => code));
  expect(await codes(limited, 'K-2')).toEqual([['unknown_dispatch_number'], ['unknown_dispatch_number']]);
  expect(await codes(tenant.token, 'K-3')).toEqual([['unknown_truck'], ['unknown_truck']]);
});

test('rates that a sender may not see are not overwritten, by JSON, CSV or a corrected record; on new records they count', async () => {
  const permissions = ['create_order', 'edit_order', 'create_project', 'edit_project', 'view_imports'];
  const { id: role } = await tenant.must('POST', '/v1/iam_roles', { name: 'Blind sender', permissions });
  const { token } = await tenant.person({ customRoleIds: [role] });
  const rated = (value: unknown, more: object = {}) => ({
    ...payload({ external_id: 'R-1', customer_rate_value: value, customer_rate_type: 'RatePerTon', driver_rate_value: value }),
    ...more,
  });
  const { result_id: id } = await send(rated(10));
  const ratesOf = async (kind = 'orders', of = id) => {
    const { customer_rate_value, customer_rate_type, driver_rate_value, notes } = await tenant.must('GET', `/v1/${kind}/${of}`);
    return [customer_rate_value, customer_rate_type, driver_rate_value, notes];
  };
  const kept = (...fields: string[]) => fields.map((field) => ({ code: 'unseen_rate_kept', pointer: `/${field}` }));
  const all = kept('customer_rate_value', 'driver_rate_value', 'customer_rate_type');
  for (const one of await both('orders', rated(11, { notes: 'json' }), token)) {
    expect([one.state, one.warnings.length]).toEqual(['processed', 3]);
    expect(one.warnings).toEqual(expect.arrayContaining(all.map((warning) => expect.objectContaining(warning))));
  }
  expect(await ratesOf()).toEqual(['10', 'RatePerTon', '10', 'json']);
  const [, shown] = await both('orders', rated(null, { customer_rate_type: null, notes: 'as shown' }), token);
  expect([shown.state, shown.warnings, await ratesOf()]).toEqual(['processed', [], ['10', 'RatePerTon', '10', 'as shown']]);

  const sheet = 'external_id,load_at,customer.external_id,customer_rate_value,notes\nR-1,2026-12-01T07:00:00,C-1,12,csv\n';
  const taken = await tenant.http('POST', '/ingest/orders/csv', sheet, token);
  expect(taken.status).toBe(202);
  await app.settled();
  expect(await ratesOf()).toEqual(['10', 'RatePerTon', '10', 'csv']);

  // A record that the office sent and that failed keeps the office's rates, unless others are said in their place.
  const mend = async (value: unknown) => {
    const failed = await send(rated(20, { load_at: 'soon' }));
    expect(failed.state).toBe('failed');
    const mended = rated(value, { customer_rate_type: null, notes: `mended ${value}` });
    await tenant.must('POST', `/v1/imported_records/${failed.id}/resubmit`, { payload: mended }, token);
    await app.settled();
  };
  await mend(21);
  expect(await ratesOf()).toEqual(['10', 'RatePerTon', '10', 'mended 21']);
  await mend(null);
  expect(await ratesOf()).toEqual(['20', 'RatePerTon', '20', 'mended null']);

  const [, made] = await both('orders', rated(30, { external_id: 'R-2' }), token);
  expect([made.warnings, (await ratesOf('orders', made.result_id))[0]]).toEqual([[], '30']);
  const project = (value: number, notes?: string) => ({
    external_id: 'R-P',
    customer: { external_id: 'C-1' },
    vendor_rate_value: value,
    notes,
  });
  await both('projects', project(5), token);
  const [, known] = await both('projects', project(6, 'new'), token);
  expect(known.state).toBe('processed');
  expect(known.warnings).toEqual(kept('vendor_rate_value').map((warning) => expect.objectContaining(warning)));
  expect((await tenant.must('GET', `/v1/projects/${known.result_id}`)).vendor_rate_value).toBe('5');
});
