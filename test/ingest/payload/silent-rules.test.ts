import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { SHEET_FIELDS } from '../../../src/ingest/csv/fields.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { expectPreviewed, type Kind, warningsOf as oddOf } from '../dry-runs.ts';

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

const customer = { external_id: 'C-1', name: 'Acme' };
const order = (external_id: string, more: object = {}) => ({ external_id, load_at: '2026-12-01T07:00:00', customer, ...more });
const project = (external_id: string, more: object = {}) => ({ external_id, name: 'Bridge', customer, ...more });
const ticket = (more: object = {}) => ({
  ticket_number: 'T-1',
  service_date: '2026-11-23',
  quantity: 22.4,
  unit_of_measure: 'Ton',
  truck_id: 'TRK-1',
  ...more,
});

const warningsOf = (kind: Kind, element: object): Promise<Json[]> => oddOf(app, tenant, kind, element);

test('a project that gets another name than was sent reports it each time, until a person names it', async () => {
  await warningsOf('projects', project('P-1'));
  const reported = [{ code: 'name_taken', pointer: '/name', given: ' bridge', used: 'bridge-P-2' }];
  expect(await warningsOf('projects', project('P-2', { name: ' bridge' }))).toMatchObject([{ ...reported[0], given: 'bridge' }]);
  expect(await warningsOf('projects', project('P-2', { name: 'bridge', notes: 'x' }))).toMatchObject([{ ...reported[0], given: 'bridge' }]);
  expect(await warningsOf('projects', project('P-2', { name: 'Tunnel' }))).toEqual([]);

  const { token } = await tenant.person({ roles: ['company_admin'] });
  const { data } = await tenant.gql('{ projects(first: 5) { nodes { id externalId } } }');
  const { id } = data.projects.nodes.find(({ externalId }: Json) => externalId === 'P-2');
  await tenant.must('PATCH', `/v1/projects/${id}`, { name: 'Viaduct' }, token);
  const [[kept]] = (await expectPreviewed(app, tenant, 'projects', [[project('P-2', { name: 'bridge' })]])) as [[Json]];
  expect(kept.warnings).toMatchObject([{ code: 'user_edit_kept', pointer: '/name', used: 'Viaduct' }]);
});

test('an empty place in a list, and a date that means none, get warnings', async () => {
  const empty = (pointer: string) => ({ code: 'empty_item', pointer, given: null, used: null });
  const lists = { sites: [null, { waypoint: 'pickup', lat: 30.5, lon: -97.5 }], foremen: [null], phases: [null], vendors: [null] };
  expect(await warningsOf('orders', order('N-1', lists))).toEqual(['/sites/0', '/foremen/0', '/vendors/0', '/phases/0'].map(empty));
  expect(await warningsOf('projects', project('N-2', { materials: [null] }))).toEqual([empty('/materials/0')]);
  const early = { code: 'early_date', given: '0001-01-01T00:00:00Z', used: '0001-01-01T00:00:00.000Z' };
  expect(await warningsOf('orders', order('N-3', { load_at: early.given }))).toEqual([{ ...early, pointer: '/load_at' }]);
  expect((await warningsOf('tickets', ticket({ service_date: early.given })))[0]).toEqual({ ...early, pointer: '/service_date' });
});

test('a date that is no day of the company, because the calendar begins after it there, fails nothing', async () => {
  const given = { code: 'early_date', given: '0001-01-01T00:00:00+00:00' };
  const vendors = [{ external_id: 'V-1', name: 'Haulers' }];
  const more = { load_at: given.given, vendors, truck_count: 2, truck_delay: 30 };
  expect(await warningsOf('orders', order('N-4', more))).toMatchObject([{ ...given, pointer: '/load_at' }]);
  // A day that is moved is looked at, too.
  expect(await warningsOf('orders', order('N-4', { ...more, load_at: '2026-12-01T07:00' }))).toEqual([]);
  const waiting = await warningsOf('tickets', ticket({ service_date: given.given, dispatch_number: 'D-1' }));
  expect(waiting.slice(0, 2)).toMatchObject([{ ...given, pointer: '/service_date' }, { code: 'unknown_dispatch_number' }]);
});

test('a sender whose order was canceled learns the new id of the canceled one', async () => {
  await warningsOf('orders', order('A'));
  await warningsOf('orders', order('A', { state: 'canceled' }));
  expect(await warningsOf('orders', order('A', { notes: 'on' }))).toEqual([
    { code: 'canceled_order_renamed', pointer: '/external_id', given: 'A', used: 'A-1' },
  ]);
});

test('a list that is emptied by omission gets a warning; one that is sent empty, or was empty, does not', async () => {
  const people = {
    foremen: [{ email: 'f@example.com' }],
    collaborators: [{ email: 'c@example.com' }],
    salespeople: [{ email: 's@example.com' }],
  };
  await warningsOf('orders', order('A', { ...people, vendors: [{ name: 'Hauler' }] }));
  const emptied = async (kind: Kind, element: object) =>
    (await warningsOf(kind, element)).map(({ code, pointer, given, used }) => [code, pointer, given, used]);
  const reported = (...fields: string[]) => fields.map((field) => ['emptied_by_omission', `/${field}`, null, []]);
  expect(await emptied('orders', order('A', { salespeople: [] }))).toEqual(reported('foremen', 'collaborators', 'vendors'));
  expect(await emptied('orders', order('A', { notes: 'x' }))).toEqual([]);

  const lists = { ...people, phases: [{ name: 'Base' }], materials: [{ name: 'Sand' }] };
  await warningsOf('projects', project('P', lists));
  expect(await emptied('projects', project('P', { foremen: null, salespeople: [] }))).toEqual(
    reported('collaborators', 'phases', 'materials'),
  );
  expect(await emptied('projects', project('P', { notes: 'x' }))).toEqual([]);
});

test('the first vendor gets the order, the last entry of a material counts, and the others get warnings', async () => {
  const vendors = [{ name: 'First' }, { external_id: 'V-2' }, 'Third'];
  expect(await warningsOf('orders', order('A', { vendors }))).toEqual([
    { code: 'second_vendor', pointer: '/vendors/1', given: 'V-2', used: null },
    { code: 'second_vendor', pointer: '/vendors/2', given: 'Third', used: null },
  ]);
  const materials = [{ external_id: 'M-1', name: 'Sand', total_quantity: 1 }, { name: 'Salt' }, { name: ' SAND', total_quantity: 2 }];
  expect(await warningsOf('projects', project('P', { materials }))).toEqual([
    { code: 'second_material', pointer: '/materials/0', given: 'Sand', used: null },
  ]);
  const { data } = await tenant.gql('{ projects(first: 1) { nodes { projectMaterialTotals { material { name } totalQuantity } } } }');
  expect(data.projects.nodes[0].projectMaterialTotals.map((one: Json) => [one.material.name, one.totalQuantity]).sort()).toEqual([
    ['Salt', null],
    ['Sand', '2'],
  ]);
});

test('the first site of a waypoint type and the first primary phase count, and the others get warnings', async () => {
  const sites = ['North pit', 'South pit', 'Dump'].map((name, i) => ({
    waypoint: i < 2 ? 'pickup' : 'drop_off',
    name,
    lat: 30 + i,
    lon: -97,
  }));
  const phases = ['Base', 'Top', 'Seal'].map((name, i) => ({ name, primary: i > 0 }));
  const reported = [
    { code: 'second_site_of_waypoint', pointer: '/sites/1', given: 'pickup', used: null },
    { code: 'second_primary_phase', pointer: '/phases/2', given: true, used: false },
  ];
  for (const [kind, element] of [
    ['orders', order('A', { sites, phases })],
    ['projects', project('A', { sites, phases })],
  ] as const) {
    expect(await warningsOf(kind, element)).toEqual(expect.arrayContaining(reported));
    const [one] = await tenant.must('GET', tenant.path(`/${kind}`));
    const read = await tenant.must('GET', `/v1/${kind}/${one.id}`);
    expect(read.phases.filter(({ primary }: Json) => primary).map(({ name }: Json) => name)).toEqual(['Top']);
    expect(read.waypoints.map(({ site }: Json) => site.name)).toEqual(['North pit', 'Dump']);
  }
});

test('an order keeps its trucks, and a payload with another number gets a warning', async () => {
  expect(await warningsOf('orders', order('A', { truck_count: 3 }))).toEqual([]);
  const reported = [{ code: 'truck_count_kept', pointer: '/truck_count', given: 5, used: 3 }];
  expect(await warningsOf('orders', order('A', { truck_count: 5, notes: 'x' }))).toEqual(reported);
  expect(await warningsOf('orders', order('A', { truck_count: 3, notes: 'y' }))).toEqual([]);
  expect(await warningsOf('orders', order('A', { notes: 'z' }))).toEqual([]);
  const [one] = await tenant.must('GET', tenant.path('/orders'));
  expect([one.truck_count, one.notes]).toEqual([3, 'z']);
});

test('null in an optional field empties it, or sets its default, on new and existing records', async () => {
  for (const kind of ['orders', 'projects'] as const) {
    const numbers = SHEET_FIELDS[kind].filter(({ path, type }) => type === 'number' && !path.includes('.'));
    const given = { ...Object.fromEntries(numbers.map(({ path }) => [path, 3])), notes: 'x', phases: [{ name: 'Base' }] };
    const nulls = Object.fromEntries([...Object.keys(given), 'name', 'service', 'material', 'foremen'].map((field) => [field, null]));
    const one = kind === 'orders' ? order : project;
    await warningsOf(kind, one('New', { ...nulls, metadata: null }));
    await warningsOf(kind, one('Old', given));
    await warningsOf(kind, one('Old', nulls));
  }
  const { nodes } = (
    await tenant.gql('{ orders(first: 5) { nodes { externalId notes truckDelay trucksPerDelay quantity phases { name } } } }')
  ).data.orders;
  const empty = { notes: null, truckDelay: 0, trucksPerDelay: 1, quantity: null, phases: [] };
  expect(nodes).toEqual(expect.arrayContaining(['New', 'Old'].map((externalId) => ({ externalId, ...empty }))));
});

test('null for another record or a contact removes it, except what a person set', async () => {
  const named = { equipment_type: 'Belly dump', dispatch_number: 'D-1', sales_contact: { name: 'Ann' }, foreman_contact: { name: 'Bo' } };
  const nulls = Object.fromEntries(Object.keys(named).map((field) => [field, null]));
  await warningsOf('orders', order('A', { ...named, material: 'Sand', service: null }));
  await warningsOf('projects', project('P', named));
  const read = async (path: string) => (await tenant.must('GET', tenant.path(path)))[0];
  const { id } = await read('/orders');
  const { token } = await tenant.person({ roles: ['company_admin'] });
  await tenant.must('PATCH', `/v1/orders/${id}`, { foreman_contact: { phone: '+15125550100' } }, token);

  const kept = { code: 'user_edit_kept', pointer: '/foreman_contact/phone', given: null, used: '+15125550100' };
  const [[record]] = (await expectPreviewed(app, tenant, 'orders', [[order('A', { ...nulls, material: null, service: null })]])) as [
    [Json],
  ];
  expect([record.state, record.warnings]).toEqual(['processed', [kept]]);
  expect(await warningsOf('projects', project('P', { ...nulls, service: null }))).toEqual([]);
  const none = { equipment_type: null, dispatch_number: null, sales_contact: null };
  expect(await read('/orders')).toMatchObject({ ...none, material: null, foreman_contact: { name: null, phone: '+15125550100' } });
  expect(await read('/orders')).toMatchObject({ service: { name: expect.any(String) } });
  const { data } = await tenant.gql(
    '{ projects(first: 1) { nodes { equipmentType { id } dispatchNumber { id } salesContact { id } foremanContact { id } } } }',
  );
  expect(data.projects.nodes).toEqual([{ equipmentType: null, dispatchNumber: null, salesContact: null, foremanContact: null }]);
  await warningsOf('orders', order('B', { ...nulls, material: null }));
  expect(await tenant.must('GET', tenant.path('/orders'))).toEqual(
    expect.arrayContaining([expect.objectContaining({ external_id: 'B', ...none })]),
  );
});

test('a number that loses digits gets a warning, wherever it is; trailing zeros do not', async () => {
  const reported = (pointer: string, given: unknown, used: string) => ({ code: 'number_rounded', pointer, given, used });
  const sites = [{ waypoint: 'pickup', name: 'Pit', lat: '30.1234567890125', lon: -97.74 }];
  expect(
    await warningsOf('orders', order('A', { customer_rate_value: '12.3456789', quantity: 1.00005, tax_rate: '5.5000', sites })),
  ).toEqual(
    expect.arrayContaining([
      reported('/customer_rate_value', '12.3456789', '12.3457'),
      reported('/quantity', 1.00005, '1.0001'),
      reported('/sites/0/lat', '30.1234567890125', '30.123456789013'),
    ]),
  );
  const materials = [{ name: 'Sand', total_quantity: 7.00001 }];
  expect(await warningsOf('projects', project('P', { tax_rate: 8.33333, materials }))).toEqual([
    reported('/materials/0/total_quantity', 7.00001, '7'),
    reported('/tax_rate', 8.33333, '8.3333'),
  ]);
  expect(await warningsOf('tickets', ticket({ quantity: 1.123456 }))).toEqual(
    expect.arrayContaining([reported('/quantity', 1.123456, '1.1235')]),
  );
});

test('a local time that a clock change skips or repeats gets a warning with the instant that is used', async () => {
  const reported = (pointer: string, given: string, used: string, how = 'skipped') => ({ code: `local_time_${how}`, pointer, given, used });
  const moments = (warnings: Json[]) => warnings.filter(({ code }) => code.startsWith('local_time'));
  const [gap, twice] = ['2027-03-14T02:30', '2026-11-01T01:30:00'];
  const dates = { load_at: gap, job_start_at: twice };
  expect(moments(await warningsOf('orders', order('A', dates)))).toEqual([
    reported('/load_at', gap, '2027-03-14T08:30:00.000Z'),
    reported('/job_start_at', twice, '2026-11-01T06:30:00.000Z', 'repeated'),
  ]);
  expect(moments(await warningsOf('orders', order('B', { load_at: `${gap}-06:00` })))).toEqual([]);
  expect(moments(await warningsOf('projects', project('P', { effective_at: '2027-03-14', expires_at: gap })))).toEqual([
    reported('/expires_at', gap, '2027-03-14T08:30:00.000Z'),
  ]);
  expect(moments(await warningsOf('tickets', ticket({ service_date: twice })))).toEqual([
    reported('/service_date', twice, '2026-11-01T06:30:00.000Z', 'repeated'),
  ]);
});

const pit = { waypoint: 'pickup', name: 'Pit', lat: 30, lon: -97 };

test('an order with an inactive site or material gets one warning', async () => {
  const named = { sites: [pit], material: { name: 'Slag' } };
  await warningsOf('orders', order('A', named));
  const [{ waypoints, material }] = await tenant.must('GET', tenant.path('/orders'));
  await tenant.must('PUT', `/v1/sites/${waypoints[0].site.id}/deactivate`);
  await tenant.must('PUT', `/v1/materials/${material.id}/deactivate`);
  const reported = [
    { code: 'site_inactive', pointer: '/sites/0', given: 'Pit' },
    { code: 'material_inactive', pointer: '/material', given: 'Slag' },
  ];
  expect(await warningsOf('orders', order('B', named))).toMatchObject(reported);
  expect(await warningsOf('orders', order('A', { ...named, notes: 'again' }))).toEqual([]);
  await warningsOf('orders', order('C', { sites: [{ ...pit, name: 'Hill' }], material: { name: 'Sand' } }));
  expect((await warningsOf('orders', order('C', named))).map(({ code }: Json) => code).sort()).toEqual([
    'material_inactive',
    'site_inactive',
  ]);
});

test('a project with an inactive site or material gets one warning, whether it is new or not', async () => {
  await warningsOf('orders', order('A', { sites: [pit], material: { name: 'Slag' } }));
  const [{ waypoints, material }] = await tenant.must('GET', tenant.path('/orders'));
  await tenant.must('PUT', `/v1/sites/${waypoints[0].site.id}/deactivate`);
  await tenant.must('PUT', `/v1/materials/${material.id}/deactivate`);
  const reported = expect.arrayContaining([
    expect.objectContaining({ code: 'site_inactive', pointer: '/sites/0', given: 'Pit' }),
    expect.objectContaining({ code: 'material_inactive', pointer: '/materials/0', given: 'Slag' }),
  ]);
  const named = { sites: [pit], materials: [{ name: 'Slag' }] };
  const made = await warningsOf('projects', project('P-1', named));
  expect([made, made.length]).toEqual([reported, 2]);
  expect(await warningsOf('projects', project('P-1', { ...named, notes: 'again' }))).toEqual([]);
  await warningsOf('projects', project('P-2', { name: 'Dam' }));
  const changed = await warningsOf('projects', project('P-2', { name: 'Dam', ...named }));
  expect([changed, changed.length]).toEqual([reported, 2]);
});

test('a null takes a flag of an order or project back', async () => {
  const on = { tax_freight: true, recurring_loads: true };
  await warningsOf('orders', order('A', on));
  await warningsOf('projects', project('P-1', on));
  const flagsOf = async (path: string) => {
    const [{ tax_freight, recurring_loads }] = await tenant.must('GET', tenant.path(path));
    return { tax_freight, recurring_loads };
  };
  expect([await flagsOf('/orders'), await flagsOf('/projects')]).toEqual([on, on]);
  await warningsOf('orders', order('A', { tax_freight: null }));
  await warningsOf('projects', project('P-1', { tax_freight: null }));
  const half = { tax_freight: false, recurring_loads: true };
  expect([await flagsOf('/orders'), await flagsOf('/projects')]).toEqual([half, half]);
});
