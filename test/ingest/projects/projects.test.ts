import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

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

const payload = (more: object = {}): Json => ({
  external_id: 'P-1',
  name: 'SH 71 widening',
  customer: { external_id: 'C-1', name: 'Acme' },
  ...more,
});

/** Sends payloads and reads their records once they are settled. */
async function sendAll(...projects: unknown[]): Promise<Json[]> {
  const answer = await tenant.http('POST', '/ingest/projects', { projects });
  expect(answer.status).toBe(202);
  await app.settled();
  return Promise.all(answer.body.data.records.map(({ id }: Json) => tenant.must('GET', `/v1/imported_records/${id}`)));
}
const send = async (project: unknown): Promise<Json> => (await sendAll(project))[0];

async function projectOf(externalId: string): Promise<Json> {
  const { data } =
    await tenant.gql(`{ projects(first: 100) { nodes { id projectId name externalId notes effectiveAt expiresAt startsOn state account { name externalId }
    phases { id name code primary } projectMaterialTotals { id material { name externalId } totalQuantity unitOfMeasure } foremen { email }
    waypoints { id type site { name fullAddress lat lon } } } } }`);
  return data.projects.nodes.find((project: Json) => project.externalId === externalId);
}

test('a project comes with its customer, phases, materials, sites and foremen', async () => {
  const record = await send(
    payload({
      effective_at: '2026-12-01T00:00:00',
      expires_at: '2027-06-01T00:00:00',
      notes: 'Night work',
      phases: [{ name: 'Base', code: '100', primary: true }, { name: 'Top' }],
      materials: [{ external_id: 'M-1', total_quantity: 1200.5, unit_of_measure: 'tons' }],
      sites: [
        { waypoint: 'pickup', name: 'North pit', lat: 30.5, lon: -97.5 },
        { waypoint: 'drop_off', full_address: '1 Bridge Road' },
      ],
      foremen: [{ email: 'Ana@Example.com' }],
    }),
  );
  expect(record).toMatchObject({
    kind: 'project',
    imported_for: 'P-1',
    state: 'processed',
    last_error: null,
    result_id: expect.any(String),
  });
  expect(record.warnings).toEqual([{ code: 'site_not_routable', pointer: '/sites/1', given: '1 Bridge Road', used: null }]);
  expect(await projectOf('P-1')).toEqual({
    id: record.result_id,
    projectId: expect.stringMatching(/^P-\d+$/),
    name: 'SH 71 widening',
    externalId: 'P-1',
    notes: 'Night work',
    // Midnight in Chicago.
    effectiveAt: '2026-12-01T06:00:00.000Z',
    expiresAt: '2027-06-01T05:00:00.000Z',
    startsOn: '2026-12-01',
    state: 'active',
    account: { name: 'Acme', externalId: 'C-1' },
    phases: [
      { id: expect.any(String), name: 'Base', code: '100', primary: true },
      { id: expect.any(String), name: 'Top', code: null, primary: false },
    ],
    projectMaterialTotals: [
      { id: expect.any(String), material: { name: 'M-1', externalId: 'M-1' }, totalQuantity: '1200.5', unitOfMeasure: 'Ton' },
    ],
    foremen: [{ email: 'ana@example.com' }],
    waypoints: [
      { id: expect.any(String), type: 'pickup', site: { name: 'North pit', fullAddress: null, lat: '30.5', lon: '-97.5' } },
      { id: expect.any(String), type: 'drop_off', site: { name: '1 Bridge Road', fullAddress: '1 Bridge Road', lat: null, lon: null } },
    ],
  });
});

test.each([
  [{ external_id: undefined }, 'missing_field: /external_id'],
  [{ customer: undefined }, 'missing_field: /customer/external_id'],
  [{ customer: { name: 'Acme' } }, 'missing_field: /customer/external_id'],
  [{ effective_at: '2026-12-01', expires_at: '2026-12-01' }, 'effective_not_before_expires: /expires_at'],
  [{ effective_at: '2026-12-02T00:00:00', expires_at: '2026-12-01T00:00:00' }, 'effective_not_before_expires: /expires_at'],
  [{ effective_at: 'soon' }, 'invalid_timestamp: /effective_at'],
  [{ materials: [{ external_id: 'M', total_quantity: 'much' }] }, 'invalid_number: /materials/0/total_quantity'],
  [{ materials: [{}] }, 'missing_field: /materials/0/external_id'],
  [{ phases: 'Base' }, 'invalid_list: /phases'],
  [{ customer_rate_type: 'RatePerMoon' }, 'invalid_enum: /customer_rate_type'],
])('%j fails with its reason and creates nothing', async (more, reason) => {
  const record = await send(payload(more));
  expect([record.state, record.result_id]).toEqual(['failed', null]);
  expect(record.last_error.startsWith(`${reason}: `)).toBe(true);
  expect(await projectOf('P-1')).toBeUndefined();
});

test('a site without an address or both coordinates is dropped with a warning, and the project succeeds', async () => {
  const record = await send(
    payload({
      sites: [
        { waypoint: 'pickup', name: 'Pit' },
        { waypoint: 'drop_off', external_id: 'S', lat: 30 },
        { waypoint: 'staging', full_address: 'Yard 7' },
      ],
    }),
  );
  expect(record.state).toBe('processed');
  expect(record.warnings.map((one: Json) => [one.code, one.pointer])).toEqual([
    ['incomplete_coordinates', '/sites/1'],
    ['site_without_location', '/sites/0'],
    ['site_without_location', '/sites/1'],
    ['site_not_routable', '/sites/2'],
  ]);
  expect((await projectOf('P-1')).waypoints.map((one: Json) => one.type)).toEqual(['staging']);
});

test('a later payload changes the root, syncs phases and materials, and keeps the rest', async () => {
  await send(
    payload({
      notes: 'A',
      phases: [{ name: 'Base', code: '1' }, { name: 'Top' }],
      materials: [{ name: 'Gravel', total_quantity: 1 }, { name: 'Sand' }],
      foremen: [{ email: 'a@b.example' }],
      sites: [{ waypoint: 'pickup', full_address: 'Pit 1' }],
    }),
  );
  const before = await projectOf('P-1');
  const record = await send(
    payload({
      notes: 'B',
      phases: [{ name: 'Base', code: '1', primary: true }, { name: 'New' }],
      materials: [{ name: 'gravel', total_quantity: 2 }],
      sites: [{ waypoint: 'pickup', full_address: 'Pit 2' }],
    }),
  );
  expect(record).toMatchObject({ state: 'processed', result_id: before.id });
  const after = await projectOf('P-1');
  expect(after.notes).toBe('B');
  expect(after.phases).toEqual([
    { ...before.phases[0], primary: true },
    { id: expect.any(String), name: 'New', code: null, primary: false },
  ]);
  expect(after.projectMaterialTotals).toEqual([{ ...before.projectMaterialTotals[0], totalQuantity: '2' }]);
  // Foremen are replaced also when omitted; the stop keeps its id.
  expect(after.foremen).toEqual([]);
  expect(after.waypoints).toEqual([{ ...before.waypoints[0], site: { name: 'Pit 2', fullAddress: 'Pit 2', lat: null, lon: null } }]);
});

test('omitted phases and materials are removed; absent root fields are kept', async () => {
  await send(payload({ notes: 'A', phases: [{ name: 'Base' }], materials: [{ name: 'Gravel' }] }));
  await send(payload({ name: undefined, po_job_number: '7' }));
  expect(await projectOf('P-1')).toMatchObject({ name: 'SH 71 widening', notes: 'A', phases: [], projectMaterialTotals: [] });
});

test('a name that another project has gets the external id as a suffix, in one batch and in two', async () => {
  await send(payload());
  await sendAll(
    payload({ external_id: 'P-2', name: ' sh 71 WIDENING ' }),
    payload({ external_id: 'P-3', name: 'Bridge' }),
    payload({ external_id: 'P-4', name: 'bridge' }),
  );
  const names = await Promise.all(['P-1', 'P-2', 'P-3', 'P-4'].map(async (id) => (await projectOf(id)).name));
  expect(names).toEqual(['SH 71 widening', 'sh 71 WIDENING-P-2', 'Bridge', 'bridge-P-4']);
  await send(payload({ external_id: 'P-2', name: 'SH 71 widening', notes: 'again' }));
  expect((await projectOf('P-2')).name).toBe('SH 71 widening-P-2');
});

test('the customer is found by name and then by id, and never changed', async () => {
  const account = await tenant.save(Account, { company: ref(tenant.company), name: 'Acme', accountTypes: ['customer'] });
  await send(payload());
  const { data } = await tenant.gql('{ projects(first: 5) { nodes { account { id externalId } } } }');
  expect(data.projects.nodes[0].account).toEqual({ id: account.id, externalId: null });
});

test('a field that a person edited is kept, and reported', async () => {
  const { result_id } = await send(payload({ notes: 'A', po_job_number: '1' }));
  const pool = await poolOf(app.orm.em.fork());
  await pool.query(
    `insert into audit_entry (id, company_id, subject_type, subject_id, event, object_changes, created_by_type, created_by_id, created_by_name, request_id, created_at)
     values (gen_random_uuid(), $1, 'Project', $2, 'update', '{"notes": ["A", "mine"]}', 'User', $3, 'Dora Wheel', 'r', now())`,
    [tenant.company.id, result_id, tenant.driver.id],
  );
  await pool.query("update project set notes = 'mine' where id = $1", [result_id]);
  const kept = await send(payload({ notes: 'B', po_job_number: '1' }));
  expect(kept).toMatchObject({ state: 'skipped_update', last_error: expect.stringContaining('/notes') });
  expect(kept.warnings).toEqual([{ code: 'user_edit_kept', pointer: '/notes', given: 'B', used: 'mine' }]);
  expect(await send(payload({ notes: 'C', po_job_number: '2' }))).toMatchObject({
    state: 'processed',
    last_error: expect.stringContaining('/notes'),
  });
  expect((await projectOf('P-1')).notes).toBe('mine');
});

test('the same payload again is skipped, and another company sees nothing of it', async () => {
  await send(payload());
  expect(await send(payload({ metadata: { run: 2 } }))).toMatchObject({ state: 'skipped', last_error: 'duplicate' });
  const other = await makeTenant(app);
  await other.must('POST', '/ingest/projects', { projects: [payload({ name: 'Theirs' })] });
  await app.settled();
  expect((await projectOf('P-1')).name).toBe('SH 71 widening');
});

test('a dry run reports what would be created and changed', async () => {
  const preview = async (project: Json) => (await tenant.must('POST', '/ingest/projects?dry_run=true', { projects: [project] })).records[0];
  expect(await preview(payload())).toMatchObject({
    state: 'processed',
    result_id: null,
    changes: [{ model: 'Project', event: 'create' }, { model: 'Account' }],
  });
  const { result_id } = await send(payload());
  expect(await preview(payload({ notes: 'B' }))).toMatchObject({
    result_id,
    changes: [{ model: 'Project', id: result_id, event: 'update', fields: [{ field: 'notes', before: null, after: 'B' }] }],
  });
});

test('sending projects requires the permission', async () => {
  const reader = await makeTenant(app, { permissions: ['view_imports', 'create_order'] });
  expect((await reader.http('POST', '/ingest/projects', { projects: [payload()] })).status).toBe(403);
});

const name = fc.constantFrom('Base', 'Top', 'base', 'Wear');
const phases = fc.uniqueArray(fc.record({ name, code: fc.constantFrom(null, '1', '2'), primary: fc.constant(false) }), {
  maxLength: 5,
  selector: (phase) => JSON.stringify([phase.name, phase.code]),
});
const materials = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('Gravel', 'Sand', 'Lime'),
    total_quantity: fc.constantFrom(null, 1, 2.5),
    unit_of_measure: fc.constantFrom(null, 'Ton', 'Yard'),
  }),
  {
    maxLength: 3,
    selector: (material) => material.name,
  },
);

test('after any number of payloads, phases and materials are exactly those of the last one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ phases, materials }), { minLength: 1, maxLength: 4 }), async (payloads) => {
      tenant = await makeTenant(app);
      for (const [i, parts] of payloads.entries()) await send(payload({ ...parts, notes: `run ${i}` }));
      const { phases: kept, projectMaterialTotals: totals } = await projectOf('P-1');
      const last = payloads.at(-1)!;
      const sorted = (list: unknown[]) => list.map((one) => JSON.stringify(one)).sort();
      expect(sorted(kept.map(({ name, code, primary }: Json) => ({ name, code, primary })))).toEqual(sorted(last.phases));
      expect(sorted(totals.map((one: Json) => [one.material.name, one.totalQuantity, one.unitOfMeasure]))).toEqual(
        sorted(
          last.materials.map((one) => [one.name, one.total_quantity === null ? null : String(one.total_quantity), one.unit_of_measure]),
        ),
      );
    }),
    { numRuns: runs(15) },
  );
});
