import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LINE_ITEM_TYPES } from '../../src/billing/line-items/line-item-type.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('everybody who is signed in reads the same types of line items, page by page', async () => {
  const driver = await tenant.person({ roles: ['driver'] });
  const types = await tenant.must('GET', '/v1/line_item_types', undefined, driver.token);
  expect(types).toEqual(
    Object.entries(LINE_ITEM_TYPES).map(([name, id]) => ({ id, name, created_at: expect.any(String), updated_at: expect.any(String) })),
  );
  const { data } = await tenant.gql('{ lineItemTypes(first: 2) { nodes { id name } pageInfo { endCursor } } }');
  const after = data.lineItemTypes.pageInfo.endCursor;
  const rest = await tenant.gql('query($after: String) { lineItemTypes(first: 2, after: $after) { nodes { id } } }', { after });
  expect([...data.lineItemTypes.nodes, ...rest.data.lineItemTypes.nodes].map(({ id }: { id: string }) => id)).toEqual(
    Object.values(LINE_ITEM_TYPES),
  );
  expect((await app.http('GET', '/v1/line_item_types')).status).toBe(401);
});
