import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { written } from '../dry-runs.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

const ORDER = { external_id: 'A-1', load_at: '2026-12-01T07:00:00', customer: { external_id: 'C-1' } };
const BODIES: [string, unknown][] = [
  ['/ingest/orders', { orders: [ORDER] }],
  ['/ingest/projects', { projects: [{ external_id: 'P-1', customer: { external_id: 'C-1' } }] }],
  ['/ingest/tickets', { tickets: [{ ticket_number: 'T-1' }] }],
  ['/ingest/orders/csv', 'external_id,load_at,customer.external_id\nA-1,2026-12-01T07:00:00,C-1'],
  ['/ingest/projects/csv', 'external_id,customer.external_id\nP-1,C-1'],
  ['/ingest/tickets/csv', 'ticket_number,service_date,quantity,unit_of_measure,truck_id\nT-1,2026-12-01,1,Ton,T'],
];
const UNCLEAR: [query: string, field: string][] = [
  ['dry_run=', 'dry_run'],
  ['dry_run', 'dry_run'],
  ['dry_run=yes', 'dry_run'],
  ['dry_run=TRUE', 'dry_run'],
  ['dry_run=%20true', 'dry_run'],
  ['dry_run=true&dry_run=false', 'dry_run'],
  ['dry_run=true&dry_run=true', 'dry_run'],
  ['dry_run[]=true', 'dry_run[]'],
  ['dry_run[x]=true', 'dry_run[x]'],
  ['dry_run]=true', 'dry_run]'],
  ['dryrun=true', 'dryrun'],
  ['dryRun=true', 'dryRun'],
  ['DRY_RUN=true', 'DRY_RUN'],
  ['dry-run=true', 'dry-run'],
  ['dry_run%00=true', 'dry_run\uFFFD'],
  ['preview', 'preview'],
  [`${'&'.repeat(3_000)}dry_run=true`, ''],
];

test.each(BODIES)('%s with an unclear request for a dry run is refused, and imports nothing', async (path, body) => {
  const before = await written(app, tenant);
  for (const [query, field] of UNCLEAR) {
    const answer = await tenant.http('POST', `${path}?${query}`, body);
    const fields = answer.body.error?.errors.map((one: { field: string }) => one.field);
    expect([query, answer.status, fields]).toEqual([query, 422, [field]]);
  }
  expect(await written(app, tenant)).toEqual(before);
  for (const [query, status] of [['?dry_run=true', 200], ['?dry_run=1', 200], ['?%64ry_run=true&', 200], ['?dry_run=false', 202]] as const) // biome-ignore format: a table
    expect([query, (await tenant.http('POST', path + query, body)).status]).toEqual([query, status]);
});

test('errors of the query string and of the body are reported together', async () => {
  const answer = await tenant.http('POST', '/ingest/orders?dryrun=true', {});
  expect(answer.body.error.errors).toEqual([
    { model: 'Request', field: 'dryrun', message: 'is not a known query parameter' },
    { model: 'Request', field: 'orders', message: 'is required' },
  ]);
});

test('a header is mapped once, and a misspelt mapping is refused', async () => {
  const sheet = 'Ref,load_at,customer.external_id\nA-1,2026-12-01T07:00:00,C-1';
  const fieldOf = async (query: string) => {
    const answer = await tenant.http('POST', `/ingest/orders/csv?${query}`, sheet);
    return answer.status === 202 ? 202 : [answer.status, answer.body.error.errors[0].field];
  };
  expect(await fieldOf('mapping[Ref]=external_id')).toBe(202);
  expect(await fieldOf('mapping[Ref]=external_id&mapping[Ref]=notes')).toEqual([422, 'mapping[Ref]']);
  expect(await fieldOf('mappings[Ref]=external_id')).toEqual([422, 'mappings[Ref]']);
  expect(await fieldOf('mapping=Ref')).toEqual([422, 'mapping']);
});

test('files and replays have no dry run', async () => {
  for (const path of ['/ingest/files?dry_run=true', '/ingest/files?category=Other']) {
    const form = new FormData();
    form.set('external_id', 'A-1');
    const answer = await app.http('POST', path, { token: tenant.token, body: form });
    expect([answer.status, answer.body.error.errors[0].field]).toEqual([422, path.slice(14, path.indexOf('='))]);
  }
  for (const act of ['bulk_retry', 'bulk_skip']) {
    const call = async (query: string, body: object) => {
      const answer = await tenant.http('PUT', `/v1/imported_records/${act}${query}`, body);
      return [answer.status, answer.body.error?.errors?.[0].field];
    };
    expect(await call('?dry_run=true', { filter: {} })).toEqual([422, 'dry_run']);
    // A filter that is not understood would be none, and mean everything.
    expect(await call('', { filter: { state: ['failed'] } })).toEqual([422, 'filter.state']);
    expect(await call('', { filter: {} })).toEqual([422, 'filter']);
    expect(await call('', { filter: { kinds: null }, all: false })).toEqual([422, 'filter']);
    expect(await call('', { filter: {}, all: true })).toEqual([200, undefined]);
  }
});
