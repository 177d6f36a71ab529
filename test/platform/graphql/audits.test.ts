import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { auditServer } from 'graphql-http';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('GraphQL over HTTP is spoken as its audits ask', async () => {
  const results = await auditServer({
    url: `${app.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${tenant.token}` } }),
  });
  const rest = results.filter(({ status }) => status !== 'ok').map((one) => `${one.id} ${one.name}: ${'reason' in one ? one.reason : ''}`);
  expect([results.length, rest]).toEqual([61, []]);
});
