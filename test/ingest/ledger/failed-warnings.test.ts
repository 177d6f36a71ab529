import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { makeMachineClient } from '../../../src/identity/machine-clients/machine-clients.ts';
import { issueToken } from '../../../src/identity/tokens/tokens.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { expectPreviewed, type Kind, preview, send } from '../dry-runs.ts';
import { order, ticket } from '../payloads.ts';

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

const project = (id: string, more: object = {}) => ({ external_id: id, customer: { external_id: 'C-1', name: 'Acme' }, ...more });
const UNIT = { code: 'unknown_unit', pointer: '/unit_of_measure', given: 'lumps', used: 'Ton' };
const UNKNOWN = { code: 'unknown_fields', pointer: '', given: ['colour'] };
const bad = order('A-1', { load_at: 'tomorrow', unit_of_measure: 'lumps', colour: 'red' });

test('a failed record has the warnings from before its error, on every path', async () => {
  const expected = { state: 'failed', warnings: [UNKNOWN, UNIT] };
  expect(await preview(tenant, 'orders', [bad])).toMatchObject([expected]);
  const { body } = await app.http('POST', '/ingest/orders', {
    token: tenant.token,
    headers: { Accept: 'application/x-ndjson' },
    body: { orders: [bad] },
  });
  const line = JSON.parse(body);
  expect(line).toMatchObject(expected);
  expect(await tenant.must('GET', `/v1/imported_records/${line.id}`)).toMatchObject(expected);
  const asked = '{ importedRecords(first: 5) { nodes { batchId state warnings { code pointer given used } } } }';
  const [node] = (await tenant.gql(asked)).data.importedRecords.nodes;
  expect(node).toMatchObject(expected);
  const sheet = await tenant.http('GET', `/ingest/batches/${node.batchId}/errors.csv`);
  expect(sheet.body).toContain('unknown_unit: /unit_of_measure: ""lumps"" -> ""Ton""');
});

test('it also has them if the error appears only when the existing record is compared', async () => {
  await send(app, tenant, 'tickets', [ticket('T-1', {})]);
  const odd = { unit_of_measure: 'lumps', colour: 'red' };
  const refused = [ticket('T-1', { ...odd, notes: 'again' }), ticket('T-2', { ...odd, platform_order_id: '99' })];
  const [records] = (await expectPreviewed(app, tenant, 'tickets', [refused])) as [Json[]];
  expect(records.map(({ last_error }) => last_error.split(':')[0])).toEqual(['ticket_number_taken', 'unknown_order']);
  for (const { warnings } of records) expect(warnings).toMatchObject([UNKNOWN, UNIT]);

  const em = app.orm.em.fork();
  const sender = { name: 'New records only', permissions: ['create_order', 'create_project'] as const };
  const { client } = makeMachineClient(em, em.getReference(Company, tenant.company.id), sender);
  await em.flush();
  const { token } = await issueToken(em, 'machine', client.id);
  await send(app, tenant, 'orders', [order('A-1')]);
  await send(app, tenant, 'projects', [project('P-1')]);
  const [changed] = await send(app, tenant, 'orders', [order('A-1', odd)], token);
  expect(changed).toMatchObject({ state: 'failed', last_error: expect.stringMatching(/^not_allowed/), warnings: [UNKNOWN, UNIT] });
  const [widened] = await send(app, tenant, 'projects', [project('P-1', { colour: 'red', notes: 'x' })], token);
  expect(widened).toMatchObject({ state: 'failed', last_error: expect.stringMatching(/^not_allowed/), warnings: [UNKNOWN] });
});

test('a record has a hundred warnings, and the number of the others', async () => {
  const sites = Array.from({ length: 100 }, () => ({ waypoint: 'pickup', name: 'Pit', site_type: 'Moon' }));
  const [[failed]] = (await expectPreviewed(app, tenant, 'orders', [[{ ...bad, sites }]])) as [[Json]];
  expect([failed.state, failed.warnings.length]).toEqual(['failed', 101]);
  expect(failed.warnings.at(-1)).toMatchObject({ code: 'more_warnings', given: expect.any(Number) });
});

const sometimes = <T>(value: T) => fc.option(fc.constant(value), { nil: undefined });
/** Fields that are odd, and fail nothing. */
const odd = {
  unit_of_measure: sometimes('lumps'),
  colour: sometimes('red'),
  service: sometimes('Flying'),
  sites: sometimes([{ waypoint: 'pickup' }, { waypoint: 'drop_off', name: 'Pit', lat: 91, lon: 4 }]),
  foremen: sometimes([{ phone: '12', email: 'ana@example.com' }, { first_name: 'Nobody' }]),
};
const CASES: [Kind, (id: string, more: object) => object, object, object][] = [
  ['orders', order, odd, { load_at: 'tomorrow' }],
  ['orders', order, odd, { quantity: 'many', truck_count: 201 }],
  ['projects', project, { ...odd, unit_of_measure: fc.constant(undefined) }, { effective_at: '2026-12-02', expires_at: '2026-12-02' }],
  ['tickets', ticket, { unit_of_measure: sometimes('lumps'), colour: sometimes('red') }, { quantity: 0 }],
];

test('for random payloads, the dry run and the corrected payload have the warnings of the failed record', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...CASES).chain((one) => fc.tuple(fc.constant(one), fc.record(one[2], { noNullPrototype: true }))),
      async ([[kind, make, , wrong], more]) => {
        const fresh = await makeTenant(app);
        const given = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
        const [[failed], [mended]] = (await expectPreviewed(app, fresh, kind, [
          [make('X-1', { ...given, ...wrong })],
          [make('X-2', given)],
        ])) as [[Json], [Json]];
        expect([failed.state, mended.state]).toEqual(['failed', 'processed']);
        expect(mended.warnings).toEqual(expect.arrayContaining(failed.warnings));
        // Warnings from reading do not wait for those from lookups.
        const read = Object.keys(given).filter((field) => field !== 'service').length;
        expect(failed.warnings.length > 0).toBe(read > 0);
      },
    ),
    { numRuns: runs(12) },
  ));
