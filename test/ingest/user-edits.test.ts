import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { forgetViewers } from '../../src/identity/access/viewer.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let dispatcher: string;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
  dispatcher = (await tenant.person({ roles: ['company_admin'] })).token;
});

const order = (more: object = {}) => ({
  external_id: 'A-1',
  load_at: '2026-12-01T07:00:00Z',
  customer: { external_id: 'C-1', name: 'Acme' },
  ...more,
});

/** Sends one element and reads its record once it is settled. */
async function send(element: object, as?: string, kind: 'orders' | 'projects' = 'orders'): Promise<Json> {
  const answer = await tenant.http('POST', `/ingest/${kind}`, { [kind]: [element] }, as);
  expect(answer.status).toBe(202);
  await app.settled();
  return tenant.must('GET', `/v1/imported_records/${answer.body.data.records[0].id}`);
}

test('a payload that a person sends is no edit by hand: the next payload changes it', async () => {
  await send(order({ notes: 'one' }), dispatcher);
  await send(order({ notes: 'two' }), dispatcher);
  const { state, warnings, result_id } = await send(order({ notes: 'three' }));
  expect([state, warnings, (await tenant.must('GET', `/v1/orders/${result_id}`)).notes]).toEqual(['processed', [], 'three']);
  const project = (notes: string) => ({ external_id: 'P-1', customer: { external_id: 'C-1' }, notes });
  for (const notes of ['one', 'two']) await send(project(notes), dispatcher, 'projects');
  expect(await send(project('three'), undefined, 'projects')).toMatchObject({ state: 'processed', warnings: [] });
});

test('a payload that a person resubmits is no edit by hand', async () => {
  await send(order({ notes: 'one' }));
  const failed = await send(order({ notes: 'two', load_at: 'tomorrow' }));
  await tenant.must('POST', `/v1/imported_records/${failed.id}/resubmit`, { payload: order({ notes: 'two' }) }, dispatcher);
  await app.settled();
  const { state, warnings, result_id } = await send(order({ notes: 'three' }));
  expect([state, warnings, (await tenant.must('GET', `/v1/orders/${result_id}`)).notes]).toEqual(['processed', [], 'three']);
});

test('a change by hand is kept, even if the same person sends payloads', async () => {
  const { result_id } = await send(order({ notes: 'one', zone: 'N' }), dispatcher);
  await tenant.must('PATCH', `/v1/orders/${result_id}`, { notes: 'mine' }, dispatcher);
  expect(await send(order({ notes: 'two', zone: 'S' }), dispatcher)).toMatchObject({
    state: 'processed',
    warnings: [{ code: 'user_edit_kept', pointer: '/notes', given: 'two', used: 'mine' }],
  });
  expect(await tenant.must('GET', `/v1/orders/${result_id}`)).toMatchObject({ notes: 'mine', zone: 'S' });
});

const site = (waypoint: string, external_id: string) => ({ waypoint, external_id, name: `Site ${external_id}`, lat: 30, lon: -97 });
const read = (id: string) => tenant.must('GET', `/v1/orders/${id}`);
const edit = (id: string, changes: object) => tenant.must('PATCH', `/v1/orders/${id}`, changes, dispatcher);
const siteOf = async (externalId: string) => {
  const { data } = await tenant.gql('{ sites(first: 50) { nodes { id externalId } } }');
  return data.sites.nodes.find((one: Json) => one.externalId === externalId).id;
};
const stops = (one: Json) => one.waypoints.map(({ type, site }: Json) => [type, site.name]);

test('a stop that a person moved, added or removed is kept; the others follow the payload', async () => {
  const sites = ['pickup', 'staging', 'drop_off'].map((type, i) => site(type, `S-${i}`));
  const { result_id } = await send(order({ sites }));
  await send(order({ external_id: 'B', sites: [site('pickup', 'S-8'), site('weigh_point', 'S-9')] }));
  const [pickup, staging] = (await read(result_id)).waypoints;
  await edit(result_id, {
    waypoints: [
      { id: pickup.id, site_id: await siteOf('S-8') },
      { id: staging.id, _destroy: 1 },
      { type: 'weigh_point', site_id: await siteOf('S-9'), ordinality: 7 },
    ],
  });
  const next = [site('pickup', 'S-4'), site('staging', 'S-5'), site('drop_off', 'S-6'), site('weigh_point', 'S-7')];
  const record = await send(order({ sites: next }));
  expect(record).toMatchObject({
    state: 'processed',
    warnings: [
      { code: 'user_edit_kept', pointer: '/sites/0', given: next[0], used: { waypoint: 'pickup', external_id: 'S-8', name: 'Site S-8' } },
      { code: 'user_edit_kept', pointer: '/sites/1', given: next[1], used: null },
      {
        code: 'user_edit_kept',
        pointer: '/sites/3',
        given: next[3],
        used: { waypoint: 'weigh_point', external_id: 'S-9', name: 'Site S-9' },
      },
    ],
  });
  expect(record.last_error.split('\n')).toEqual(
    ['/sites/0', '/sites/1', '/sites/3'].map((pointer) => `user_edit_kept: ${pointer}: was edited in the application and stays as it is`),
  );
  expect(stops(await read(result_id))).toEqual([
    ['pickup', 'Site S-8'],
    ['drop_off', 'Site S-6'],
    ['weigh_point', 'Site S-9'],
  ]);
  const same = await send(order({ sites: next.filter(({ waypoint }) => waypoint !== 'drop_off') }));
  expect(same.state).toBe('skipped_update');
});

test('an unchanged contact keeps its id, and each field that a person changed is kept', async () => {
  const contact = { name: 'Ann', email: 'ann@example.com', phone: '+15125550100' };
  const { result_id } = await send(order({ sales_contact: contact, foreman_contact: { name: 'Bo' } }));
  const first = (await read(result_id)).sales_contact;
  const unchanged = await send(order({ sales_contact: contact, foreman_contact: { name: 'Bo' }, notes: 'x' }));
  expect([unchanged.state, (await read(result_id)).sales_contact]).toEqual(['processed', first]);
  await edit(result_id, { sales_contact: { phone: '+15125550111' }, foreman_contact: null, supervisor_contact: { name: 'Cy' } });
  const sent = { name: 'Anna', email: 'ann@example.com', phone: '+15125550122' };
  const record = await send(order({ sales_contact: sent, foreman_contact: { name: 'Bob' }, notes: 'x' }));
  expect([record.state, record.warnings]).toEqual([
    'processed',
    [
      { code: 'user_edit_kept', pointer: '/sales_contact/phone', given: '+15125550122', used: '+15125550111' },
      { code: 'user_edit_kept', pointer: '/foreman_contact', given: { name: 'Bob' }, used: null },
    ],
  ]);
  expect(await read(result_id)).toMatchObject({
    sales_contact: { id: first.id, name: 'Anna', email: 'ann@example.com', phone: '+15125550111' },
    foreman_contact: null,
    supervisor_contact: { name: 'Cy' },
  });
});

test('kept values are reported with the pointer and in the format of the sender', async () => {
  const { result_id } = await send(
    order({
      quantity: 10,
      unit_of_measure: 'tons',
      material: { name: 'Sand' },
      foremen: [{ email: 'a@example.com' }],
      recurring_loads: false,
    }),
  );
  const { user } = await tenant.person({
    roles: ['foreman'],
    firstName: 'Fay',
    lastName: 'Stone',
    email: `fay-${tenant.company.id}@example.com`,
  });
  await edit(result_id, {
    quantity: 12.5,
    unit_of_measure: 'Load',
    material_id: tenant.material.id,
    foreman_ids: [user.id],
    recurring_loads: true,
    load_at: '2026-12-01T09:00:00Z',
    dispatch_number: { name: 'D-7' },
  });
  const given = {
    quantity: 11,
    unit_of_measure: 'TONS.',
    material: { external_id: 'M-1', name: 'Salt' },
    recurring_loads: false,
    load_at: '2026-12-01T08:00:00',
    dispatch_number: 'D-8',
  };
  const record = await send(order(given));
  const reported = Object.fromEntries(record.warnings.map(({ code, pointer, ...values }: Json) => [`${code} ${pointer}`, values]));
  expect(reported).toEqual({
    'user_edit_kept /quantity': { given: 11, used: 12.5 },
    'user_edit_kept /unit_of_measure': { given: 'TONS.', used: 'Load' },
    'user_edit_kept /material': { given: given.material, used: { name: 'Gravel' } },
    'user_edit_kept /recurring_loads': { given: false, used: true },
    'user_edit_kept /load_at': { given: given.load_at, used: '2026-12-01T09:00:00.000Z' },
    'user_edit_kept /dispatch_number': { given: 'D-8', used: 'D-7' },
    'user_edit_kept /foremen': { given: null, used: [{ first_name: 'Fay', last_name: 'Stone', email: user.email }] },
  });
  expect(record.state).toBe('skipped_update');
  const [preview] = (await tenant.must('POST', '/ingest/orders?dry_run=true', { orders: [order({ ...given, metadata: 1, notes: 'x' })] }))
    .records;
  expect(preview.warnings).toEqual(record.warnings);
});

test('if a person changed phases, all of them are kept', async () => {
  const { result_id } = await send(order({ phases: [{ name: 'Base', code: '1', primary: true }] }));
  await edit(result_id, { phases: [{ name: 'Mine' }] });
  const record = await send(order({ phases: [{ name: 'Other' }] }));
  expect(record).toMatchObject({
    state: 'skipped_update',
    warnings: [
      {
        pointer: '/phases',
        given: [{ name: 'Other' }],
        used: [
          { name: 'Base', code: '1', primary: true },
          { name: 'Mine', code: null, primary: false },
        ],
      },
    ],
  });
});

test('stops, phases, materials and contacts of a project that a person changed are kept, and nothing else is', async () => {
  const project = (more: object) => ({
    external_id: 'P-1',
    customer: { external_id: 'C-1' },
    sites: [site('pickup', 'S-1'), site('drop_off', 'S-2')],
    phases: [{ name: 'Base' }],
    materials: [{ name: 'Sand', total_quantity: 5, unit_of_measure: 'Ton' }],
    sales_contact: { name: 'Ann' },
    ...more,
  });
  const { result_id } = await send(project({}), undefined, 'projects');
  const path = `/v1/projects/${result_id}`;
  const before = await tenant.must('GET', path);
  await tenant.must(
    'PATCH',
    path,
    {
      waypoints: [{ id: before.waypoints[0].id, site_id: tenant.pickup.id }],
      phases: [{ name: 'Mine' }],
      project_material_totals: [{ id: before.project_material_totals[0].id, total_quantity: 7 }],
      sales_contact: { name: 'Bo' },
    },
    dispatcher,
  );
  const next = { sites: [site('pickup', 'S-3'), site('drop_off', 'S-4')], phases: [], materials: [], sales_contact: { name: 'Cy' } };
  const { state, warnings } = await send(project(next), undefined, 'projects');
  expect([state, warnings.map(({ pointer, used }: Json) => [pointer, used])]).toEqual([
    'processed',
    [
      ['/sales_contact/name', 'Bo'],
      ['/sites/0', { waypoint: 'pickup', name: 'Quarry' }],
      ['/phases', ['Base', 'Mine'].map((name) => ({ name, code: null, primary: false }))],
      ['/materials', [{ name: 'Sand', total_quantity: 7, unit_of_measure: 'Ton' }]],
    ],
  ]);
  const after = await tenant.must('GET', path);
  expect([stops(after), after.sales_contact]).toEqual([
    [
      ['pickup', 'Quarry'],
      ['drop_off', 'Site S-4'],
    ],
    { ...before.sales_contact, name: 'Bo' },
  ]);
});

test('a value that somebody set on a job is kept when the next payload changes its order, and the dry run reports it', async () => {
  const sent = order({
    truck_count: 2,
    job_notes: 'one',
    material: { name: 'Clay' },
    driver_rate_value: 30,
    driver_rate_type: 'RatePerHour',
  });
  const { result_id } = await send(sent);
  const jobs = async (): Promise<Json[]> =>
    (await tenant.must('GET', `/v1/orders/${result_id}/jobs`)).sort((a: Json, b: Json) => a.job_id.localeCompare(b.job_id));
  const [first] = await jobs();
  const own = { notes: 'mine', job_start_at: '2026-12-01T20:00:00.000Z', material_id: tenant.material.id, driver_rate_value: 33 };
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, own, dispatcher);
  const next = { ...sent, load_at: '2026-12-01T16:00:00Z', job_notes: 'two', material: { name: 'Sand' }, driver_rate_value: 41 };
  const kept = { jobs: [first.job_id] };
  const warnings = [
    { code: 'job_edit_kept', pointer: '/driver_rate_value', given: 41, used: kept },
    { code: 'job_edit_kept', pointer: '/job_notes', given: 'two', used: kept },
    { code: 'job_edit_kept', pointer: '/load_at', given: next.load_at, used: kept },
    { code: 'job_edit_kept', pointer: '/material', given: { name: 'Sand' }, used: kept },
  ];
  const reported = (record: Json) => record.warnings.sort((a: Json, b: Json) => a.pointer.localeCompare(b.pointer));
  const dry = await tenant.http('POST', '/ingest/orders?dry_run=true', { orders: [next] });
  expect(reported(dry.body.data.records[0])).toEqual(warnings);
  const real = await send(next);
  expect([real.state, reported(real)]).toEqual(['processed', warnings]);
  expect((await jobs()).map((job) => [job.notes, job.job_start_at, job.material.name, job.driver_rate_value])).toEqual([
    ['mine', own.job_start_at, tenant.material.name, '33'],
    ['two', '2026-12-01T16:00:00.000Z', 'Sand', '41'],
  ]);
});

test('what somebody changes who acts as a person is kept, too', async () => {
  const { result_id } = await send(order({ notes: 'one' }));
  const platform = await tenant.person({ roles: ['platform_admin'] });
  const { user } = await tenant.person({ roles: ['company_admin'] });
  forgetViewers(app.application);
  const { session_jwt: acting } = await tenant.must('POST', `/v1/users/${user.id}/impersonations`, undefined, platform.token);
  await tenant.must('PATCH', `/v1/orders/${result_id}`, { notes: 'by the support' }, acting);
  expect(await send(order({ notes: 'two' }))).toMatchObject({ state: 'skipped_update', warnings: [{ code: 'user_edit_kept' }] });
  expect((await tenant.must('GET', `/v1/orders/${result_id}`)).notes).toBe('by the support');
});
