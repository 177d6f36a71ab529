import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { schemaOfRooms } from '../src/app/serve.ts';
import { compileDocuments } from '../src/platform/http/rest/compile.ts';
import { newId } from '../src/platform/ids.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from './helpers/tenant.ts';

const operations = compileDocuments(schemaOfRooms(), 'schema/rest', true);
let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('no write ignores `dry_run`: an operation without it refuses it by name', async () => {
  const writes = operations.filter(
    ({ kind, exact, variables }) => kind === 'mutation' && !exact && !variables.some(({ wire }) => wire === 'dry_run'),
  );
  const reported: unknown[] = [];
  for (const { method, path, name, invalid } of writes) {
    const filled = path
      .replace(/\{company-id\}/g, tenant.company.id)
      .replace('{date}', '2026-11-23')
      .replace('{waypoint-type}', 'pickup');
    const answer = await tenant.http(method, `${filled.replace(/\{[^}]*\}/g, newId())}?dry_run=true`);
    if (answer.status !== invalid || !fieldsOf(answer).includes('dry_run')) reported.push([name, answer.status, fieldsOf(answer)]);
  }
  expect(writes.length).toBeGreaterThan(200);
  expect(reported).toEqual([]);
});

test.each(['dry_run=true', 'dry_run=false', 'dry_run', 'dry_run[]=1', 'dryRun=true', 'x=1&DRY-RUN=true', 'dry%5Frun=true'])(
  '`?%s` changes nothing, and parameters that are ignored otherwise still are',
  async (query) => {
    const order = await makeOrder(tenant, {});
    const answer = await tenant.http('PATCH', `/v1/orders/${order.id}?${query}`, { notes: 'rehearsed' });
    expect([answer.status, fieldsOf(answer).length]).toEqual([422, 1]);
    expect((await tenant.must('GET', `/v1/orders/${order.id}`)).updated_at).toBe(order.updated_at);
    expect((await tenant.http('PATCH', `/v1/orders/${order.id}?x=1`, { notes: 'done' })).status).toBe(200);
  },
);
