import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { SHEET_FIELDS, SHEET_KINDS, WAYPOINTS } from '../../../src/ingest/csv/fields.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { expectPreviewed, type Kind, warningsOf as oddOf } from '../dry-runs.ts';
import { order, project, ticket as ticketOf } from '../payloads.ts';

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

const ticket = (more: object = {}) => ticketOf('T-1', more);
const warningsOf = (kind: Kind, element: object): Promise<Json[]> => oddOf(app, tenant, kind, element);

test('a nested record that was found by one key and differs in the other is not changed, and its sender gets a warning', async () => {
  const nested = {
    material: { external_id: 'M-1', name: 'Sand' },
    equipment_type: { external_id: 'E-1', name: 'Side dump' },
    sites: [{ waypoint: 'pickup', external_id: 'S-1', name: 'Pit', lat: 30, lon: -97 }],
    foremen: [{ email: 'f@example.com', phone: '+15125550100', external_id: 'F-1' }],
  };
  expect(await warningsOf('orders', order('A', nested))).toEqual([]);
  // The same in another case, or a part of it, gets no warning.
  expect(
    await warningsOf(
      'orders',
      order('B', { ...nested, customer: { external_id: 'C-1', name: 'ACME ' }, foremen: [{ external_id: 'F-1' }] }),
    ),
  ).toEqual([]);
  const reported = await warningsOf(
    'orders',
    order('C', {
      customer: { external_id: 'C-2', name: 'acme' },
      material: { external_id: 'M-1', name: 'Fine sand' },
      equipment_type: { external_id: 'E-2', name: 'Side dump' },
      sites: [{ waypoint: 'pickup', external_id: 'S-1', name: 'North pit', lat: 31.5, lon: '-97' }],
      foremen: [{ email: 'F@example.com', phone: '(512) 555-0111' }],
    }),
  );
  expect(reported.map(({ code, pointer, given, used }) => [code, pointer, given, used])).toEqual([
    ['not_updated', '/customer/external_id', 'C-2', 'C-1'],
    ['not_updated', '/material/name', 'Fine sand', 'Sand'],
    ['not_updated', '/equipment_type/external_id', 'E-2', 'E-1'],
    ['not_updated', '/sites/0/name', 'North pit', 'Pit'],
    ['not_updated', '/sites/0/lat', 31.5, 30],
    ['not_updated', '/foremen/0/phone', '+15125550111', '+15125550100'],
  ]);
  const sent = await warningsOf('tickets', ticket({ material: { external_id: 'M-1', name: 'Fine sand' } }));
  expect(sent.filter(({ code }) => code === 'not_updated')).toEqual([
    { code: 'not_updated', pointer: '/material/name', given: 'Fine sand', used: 'Sand' },
  ]);
});

test('a nested record that lacks a key of the payload does not get it, with a warning', async () => {
  await warningsOf('orders', order('A', { customer: { external_id: 'C-1' }, material: 'Sand', foremen: [{ email: 'f@example.com' }] }));
  await warningsOf('projects', project({ sites: [{ waypoint: 'pickup', full_address: 'Pit road' }] }));
  const sites = [{ waypoint: 'pickup', external_id: 'S-1', name: 'Pit road', lat: 30, lon: -97 }];
  const material = { external_id: 'M-1', name: 'Sand' };
  const reported = await warningsOf('orders', order('B', { material, sites, foremen: [{ email: 'f@example.com', external_id: 'F-1' }] }));
  expect(reported.map(({ code, pointer, given, used }) => [code, pointer, given, used])).toEqual([
    ['not_updated', '/customer/name', 'Acme', 'C-1'],
    ['not_updated', '/material/external_id', 'M-1', null],
    ['not_updated', '/sites/0/external_id', 'S-1', null],
    ['not_updated', '/sites/0/lat', 30, null],
    ['not_updated', '/sites/0/lon', -97, null],
    ['not_updated', '/foremen/0/external_id', 'F-1', null],
  ]);
  const [first] = await warningsOf('tickets', ticket({ material, site: { external_id: 'S-1', name: 'Pit road' } }));
  expect(first).toEqual({ code: 'not_updated', pointer: '/material/external_id', given: 'M-1', used: null });
});

test('a known site a few hundred metres off, and a person with another name, get warnings: trucks go to the known one', async () => {
  const at = (more: object) => ({ sites: [{ waypoint: 'pickup', name: 'Wash Plant', ...more }] });
  const crew = (more: object) => ({ foremen: [{ phone: '+15125550100', ...more }], salespeople: [{ phone: '(512) 555-0100', ...more }] });
  const austin = { full_address: '1 A Road, Austin', lat: 30.25, lon: '-97.750' };
  await warningsOf('orders', order('A', { ...at(austin), ...crew({ first_name: 'Ann' }) }));
  const same = { full_address: ' 1 a road, AUSTIN', lat: '30.250', lon: -97.75 };
  expect(await warningsOf('orders', order('B', { ...at(same), ...crew({ first_name: 'ANN' }) }))).toEqual([]);

  const reported = await warningsOf(
    'orders',
    order('C', { ...at({ full_address: '9 Z Road, Austin', lat: 30.26, lon: -97.75 }), ...crew({ name: 'Bob Ray' }) }),
  );
  expect(reported.map(({ code, pointer, given, used }) => [code, pointer, given, used])).toEqual([
    ['not_updated', '/sites/0/full_address', '9 Z Road, Austin', '1 A Road, Austin'],
    ['not_updated', '/sites/0/lat', 30.26, 30.25],
    ['not_updated', '/foremen/0/first_name', 'Bob', 'Ann'],
    ['not_updated', '/foremen/0/last_name', 'Ray', null],
    ['not_updated', '/salespeople/0/first_name', 'Bob', 'Ann'],
    ['not_updated', '/salespeople/0/last_name', 'Ray', null],
  ]);
  const elsewhere = await warningsOf('projects', project(at({ lat: 30.27, lon: -97.75 })));
  expect(elsewhere).toEqual([{ code: 'not_updated', pointer: '/sites/0/lat', given: 30.27, used: 30.25 }]);

  // Also where the first of one request makes it.
  const pair = ['D', 'E'].map((id, i) => order(id, { sites: [{ waypoint: 'pickup', name: 'Two', full_address: `${i} Road` }] }));
  const [[, second]] = (await expectPreviewed(app, tenant, 'orders', [pair])) as [[Json, Json]];
  expect(second.warnings.filter(({ code }: Json) => code === 'not_updated')).toEqual([
    { code: 'not_updated', pointer: '/sites/0/full_address', given: '1 Road', used: '0 Road' },
  ]);
});

test('unknown fields inside of objects and lists are reported like those of the element', async () => {
  const phone = '+15125550100';
  const parts = {
    customer: { external_id: 'C-1', name: 'Acme', nmae: 'x' },
    equipment_type: { name: 'Side dump', capacity: 20 },
    sites: [
      { waypoint: 'pickup', name: 'Pit', lat: 30, lon: -97, adress: 'x' },
      { waypoint: 'drop_off', name: 'Bridge', lat: 30, lon: -97, adress: 'y', gate: 2 },
    ],
    phases: [{ name: 'Base', budget: 7 }],
    foremen: [{ email: 'f@example.com', role: 'boss' }],
    salespeople: [{ email: 's@example.com', mail: 's@example.com' }],
    collaborators: [{ phone, cell: phone }],
    sales_contact: { name: 'Ann', fax: '1' },
    dispatch_number: { name: 'D-1', id: 4 },
    metadata: { anything: true },
  };
  const reported = [
    ['/customer', ['nmae']],
    ['/equipment_type', ['capacity']],
    ['/dispatch_number', ['id']],
    ['/sites', ['adress', 'gate']],
    ['/phases', ['budget']],
    ['/foremen', ['role']],
    ['/collaborators', ['cell']],
    ['/salespeople', ['mail']],
    ['/sales_contact', ['fax']],
  ];
  const unknown = async (kind: Kind, element: object) =>
    (await warningsOf(kind, element))
      .filter(({ code }) => code === 'unknown_fields')
      .map(({ pointer, given }) => [pointer, given])
      .sort();
  expect(
    await unknown('orders', order('A', { ...parts, material: { name: 'Sand', total_quantity: 1 }, vendors: [{ name: 'V', rate: 9 }] })),
  ).toEqual([...reported, ['/material', ['total_quantity']], ['/vendors', ['rate']]].sort());
  expect(await unknown('projects', project({ ...parts, materials: [{ name: 'Sand', total_quantity: 1, grade: 'A' }, 'Salt'] }))).toEqual(
    [...reported, ['/materials', ['grade']]].sort(),
  );
  const named = { external_id: 'X', nmae: 'x' };
  const site = { external_id: 'S-1', full_address: 'Pit road', gate: 2 };
  expect(await unknown('tickets', ticket({ material: named, customer: named, vendor: named, site }))).toEqual([
    ['/customer', ['nmae']],
    ['/material', ['nmae']],
    ['/site', ['gate']],
    ['/vendor', ['nmae']],
  ]);
});

test('unknown fields are reported in one warning, and no field of a sheet is among them', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}`.padStart(2, '0').padEnd(200, 'x'), i]));
  const [{ given, ...reported }] = await warningsOf('orders', order('A', { trukc_count: 2, ...unknown }));
  expect([reported, given.length, given[0], given[1].length]).toEqual([
    { code: 'unknown_fields', pointer: '', used: null },
    20,
    'trukc_count',
    80,
  ]);
  for (const kind of SHEET_KINDS) {
    const roots = new Set(SHEET_FIELDS[kind].map(({ path }) => path.split('.')[0]!));
    for (const waypoint of WAYPOINTS) if (roots.delete(waypoint)) roots.add('sites');
    const element = { ...Object.fromEntries([...roots].map((root) => [root, null])), metadata: {}, nobody: 1 };
    const base = kind === 'orders' ? order('K') : kind === 'projects' ? project({ external_id: 'K' }) : ticket();
    const kept = Object.fromEntries(Object.entries(base).filter(([, value]) => value !== undefined));
    const warnings = await warningsOf(kind, { ...element, ...kept });
    expect(warnings.filter(({ code }) => code === 'unknown_fields')).toMatchObject([{ given: ['nobody'] }]);
  }
});
