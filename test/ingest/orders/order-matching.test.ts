import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { ordering, payload } from './ordering.ts';

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

const { send, orderOf } = ordering(() => ({ app, tenant }));

test('customer, material and equipment type are created if missing, and not updated on a match', async () => {
  await send(payload({ material: { external_id: 'M-1', name: 'Sand' } }));
  await send(
    payload({ external_id: 'A-2', customer: { external_id: 'C-1', name: ' ACME ' }, material: { external_id: 'M-9', name: 'sand' } }),
  );
  const second = await orderOf('A-2');
  expect(second).toMatchObject({ account: { name: 'Acme', externalId: 'C-1' }, material: { name: 'Sand' } });
});

test('customers match by name before external_id', async () => {
  await send(
    payload({ customer: { external_id: 'C-1', name: 'Acme' } }),
    payload({ external_id: 'A-2', customer: { external_id: 'C-2', name: 'Other' } }),
  );
  await send(payload({ external_id: 'A-3', customer: { external_id: 'C-2', name: 'Acme' } }));
  expect((await orderOf('A-3')).account).toEqual({ name: 'Acme', externalId: 'C-1' });
});

test('a site matches by name and external_id together, then by either alone', async () => {
  const at = (external_id: string, site: object) => payload({ external_id, sites: [{ waypoint: 'pickup', lat: 30, lon: -97, ...site }] });
  await send(at('1', { name: 'Wash Plant', external_id: 'X' }), at('2', { name: 'Wash Plant', external_id: 'Y' }));
  const siteOf = async (id: string) => (await orderOf(id)).waypoints[0].site.id;
  expect(await siteOf('1')).not.toBe(await siteOf('2'));
  await send(at('3', { name: 'Wash Plant', external_id: 'Y' }), at('4', { external_id: 'X' }), at('5', { name: 'wash plant' }));
  expect(await siteOf('3')).toBe(await siteOf('2'));
  expect(await siteOf('4')).toBe(await siteOf('1'));
  expect(await siteOf('5')).toBe(await siteOf('1'));
});

test('sites are upserted by waypoint type and keep the waypoint id', async () => {
  const pickup = (external_id: string) => ({ waypoint: 'pickup', external_id, full_address: `${external_id} Road` });
  await send(payload({ sites: [pickup('S-1'), { waypoint: 'drop_off', external_id: 'S-2', full_address: 'There' }] }));
  const before = (await orderOf('A-1')).waypoints;
  await send(payload({ sites: [pickup('S-3')] }));
  const after = (await orderOf('A-1')).waypoints;
  expect(after.map((one: Json) => [one.id, one.site.name])).toEqual([
    [before[0].id, 'S-3 Road'],
    [before[1].id, 'There'],
  ]);
});

test('foremen and salespeople are replaced even if omitted', async () => {
  await send(payload({ foremen: [{ email: 'Joe@Example.com', first_name: 'Joe' }], salespeople: [{ email: 's@example.com' }] }));
  expect(await orderOf('A-1')).toMatchObject({ foremen: [{ email: 'joe@example.com' }], salespeople: [{ email: 's@example.com' }] });
  await send(payload({ salespeople: [{ email: 't@example.com' }] }));
  expect(await orderOf('A-1')).toMatchObject({ foremen: [], salespeople: [{ email: 't@example.com' }] });
});

test('a foreman matches by e-mail, then telephone, then external_id', async () => {
  const { user } = await tenant.person({ roles: ['foreman'], email: 'f@example.com', phone: '+15125550123', externalId: 'F-1' });
  const record = (external_id: string, foreman: object) => payload({ external_id, foremen: [foreman] });
  await send(record('1', { email: 'F@example.com' }), record('2', { phone: '(512) 555-0123' }), record('3', { external_id: 'F-1' }));
  const { data } = await tenant.gql('{ orders(first: 10) { nodes { externalId foremen { id } } } }');
  expect(data.orders.nodes.map((order: Json) => order.foremen)).toEqual([[{ id: user.id }], [{ id: user.id }], [{ id: user.id }]]);
});

test('an invalid telephone number is dropped, with a warning', async () => {
  const record = await send(payload({ foremen: [{ email: 'j@example.com', phone: '12' }] }));
  expect(record).toMatchObject({ state: 'processed', warnings: [{ code: 'invalid_phone', pointer: '/foremen/0/phone', given: '12' }] });
  expect((await orderOf('A-1')).foremen).toEqual([{ email: 'j@example.com', phone: null }]);
});

test('a telephone number is stored without its extension, with a warning', async () => {
  const given = '+1 512 555 0199 ext. 12';
  const record = await send(payload({ foremen: [{ email: 'j@example.com', phone: given }], sales_contact: { name: 'Sal', phone: given } }));
  const warning = { code: 'phone_extension', given, used: '+15125550199' };
  expect([record.state, [...record.warnings].sort((a: Json, b: Json) => a.pointer.localeCompare(b.pointer))]).toEqual([
    'processed',
    ['/foremen/0/phone', '/sales_contact/phone'].map((pointer) => ({ ...warning, pointer })),
  ]);
  expect((await orderOf('A-1')).foremen).toEqual([{ email: 'j@example.com', phone: '+15125550199' }]);
});

test('an unknown unit becomes Ton, with a warning; without a unit it is Ton', async () => {
  const record = await send(
    payload({ quantity: 3, unit_of_measure: 'furlongs' }),
    payload({ external_id: 'A-2', quantity: 4 }),
    payload({ unit_of_measure: 'furlongs', quantity: 5 }),
  );
  expect(record.warnings).toEqual([{ code: 'unknown_unit', pointer: '/unit_of_measure', given: 'furlongs', used: 'Ton' }]);
  expect(await orderOf('A-1')).toMatchObject({ unitOfMeasure: 'Ton', quantity: '5' });
  expect(await orderOf('A-2')).toMatchObject({ unitOfMeasure: 'Ton' });
});

test('a site without location is dropped, with a warning, and the order succeeds', async () => {
  const record = await send(
    payload({
      sites: [
        { waypoint: 'pickup', lat: 30 },
        { waypoint: 'drop_off', full_address: 'Here' },
      ],
    }),
  );
  expect(record.state).toBe('processed');
  expect(record.warnings.map((one: Json) => [one.code, one.pointer])).toEqual([
    ['incomplete_coordinates', '/sites/0'],
    ['site_without_location', '/sites/0'],
    ['site_not_routable', '/sites/1'],
  ]);
  expect((await orderOf('A-1')).waypoints.map((one: Json) => one.type)).toEqual(['drop_off']);
});

test('every other record that a payload creates has one audit row with its sender and the imported record', async () => {
  const nested = {
    customer: { external_id: 'C-1', name: 'Acme' },
    vendors: ['Haulers'],
    material: { name: 'Sand' },
    equipment_type: { name: 'Belly Dump' },
    foremen: [{ first_name: 'Fay', last_name: 'Moss', email: `fay-${tenant.company.id}@example.com` }],
    sales_contact: { name: 'Sam' },
    sites: [{ waypoint: 'pickup', name: 'Pit', full_address: 'Pit Road' }],
  };
  const tables = ['account', 'material', 'equipment_type', 'site', 'app_user', 'contact'];
  const { rows: before } = await rowsOf(tables);
  const record = await send(payload(nested));
  await send(payload({ ...nested, external_id: 'A-2' }), payload({ external_id: 'A-3', sales_contact: { name: 'Sam' } }));
  const { rows, audits } = await rowsOf(tables);
  const made = rows.filter(({ id }) => !before.some((row) => row.id === id));
  expect(made.map(({ type }) => type).sort()).toEqual([
    'account',
    'account',
    'app_user',
    'contact',
    'contact',
    'contact',
    'equipment_type',
    'material',
    'site',
  ]);
  for (const { id } of made) expect(audits.filter((audit) => audit.subject_id === id)).toHaveLength(1);
  const customer = audits.find(({ object_changes: changes }) => changes.external_id?.[1] === 'C-1' && changes.account_types);
  expect(customer).toMatchObject({ event: 'create', subject_type: 'Account', imported_record_id: record.id, created_by_type: 'M2MClient' });
  expect(customer.object_changes).toMatchObject({ name: [null, 'Acme'], account_types: [null, ['customer']] });

  const project = { external_id: 'P-1', customer: { external_id: 'C-9', name: 'Builders' }, foreman_contact: { name: 'Flo' } };
  const sent = await tenant.http('POST', '/ingest/projects', { projects: [project] });
  await app.settled();
  expect(await tenant.must('GET', `/v1/imported_records/${sent.body.data.records[0].id}`)).toMatchObject({ state: 'processed' });
  const later = await rowsOf(tables);
  const more = later.rows.filter(({ id }) => !rows.some((row) => row.id === id));
  expect(more.map(({ type }) => type).sort()).toEqual(['account', 'contact']);
  for (const { id } of more) expect(later.audits.filter((audit) => audit.subject_id === id)).toMatchObject([{ event: 'create' }]);
});

async function rowsOf(tables: string[]): Promise<{ rows: Json[]; audits: Json[] }> {
  const sql = (text: string): Promise<Json[]> => app.orm.em.getConnection().execute(text, [tenant.company.id]);
  const rows = await Promise.all(tables.map((table) => sql(`select id, '${table}' as type from ${table} where company_id = ?`)));
  return { rows: rows.flat(), audits: await sql('select * from audit_entry where company_id = ? and imported_record_id is not null') };
}
