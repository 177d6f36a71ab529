import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import * as dryRuns from './dry-runs.ts';
import { order } from './payloads.ts';

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

const send = (kind: dryRuns.Kind, elements: unknown[], token?: string): Promise<Json[]> => dryRuns.send(app, tenant, kind, elements, token);

test('a sender who may create but not edit orders creates new ones, and changes no existing one', async () => {
  const [made] = await send('orders', [order('A', { customer_rate_value: 10, customer_rate_type: 'RatePerTon' })]);
  const { token } = await tenant.person({ roles: ['foreman'] });
  for (const more of [{ notes: 'mine' }, { customer_rate_value: 99 }, { state: 'canceled' }]) {
    const [record] = await send('orders', [order('A', more)], token);
    expect(record).toMatchObject({ state: 'failed', last_error: expect.stringMatching(/^not_allowed: : .*edit_order/) });
  }
  const preview = await tenant.http('POST', '/ingest/orders?dry_run=true', { orders: [order('A', { notes: 'mine' })] }, token);
  expect(preview.body.data.records[0]).toMatchObject({ state: 'failed', last_error: expect.stringContaining('not_allowed') });
  expect(await tenant.must('GET', `/v1/orders/${made.result_id}`)).toMatchObject({
    state: 'created',
    notes: null,
    customer_rate_value: '10',
  });
  expect((await send('orders', [order('B')], token))[0]).toMatchObject({ state: 'processed' });
});

test('a sender who may not edit orders takes no external id from a canceled one', async () => {
  const [{ result_id: id }] = await send('orders', [order('A')]);
  await tenant.must('PUT', `/v1/orders/${id}/cancel`, {});
  const { token } = await tenant.person({ roles: ['foreman'] });
  const preview = await tenant.http('POST', '/ingest/orders?dry_run=true', { orders: [order('A', { notes: 'anew' })] }, token);
  const [record] = await send('orders', [order('A', { notes: 'anew' })], token);
  for (const reported of [preview.body.data.records[0], record])
    expect(reported).toMatchObject({ state: 'failed', last_error: expect.stringMatching(/^not_allowed: : .*edit_order/), result_id: null });
  expect((await tenant.must('GET', tenant.path('/orders'))).map((one: Json) => [one.id, one.external_id])).toEqual([[id, 'A']]);
  // A sender that may edit has the canceled one renamed, as ever.
  expect((await send('orders', [order('A', { notes: 'anew' })]))[0]).toMatchObject({ state: 'processed' });
  expect((await tenant.must('GET', `/v1/orders/${id}`)).external_id).toBe('A-1');
});

test('an import and a dry run do not reveal whether a hidden rate was guessed', async () => {
  const rated = (value: number, more: object = {}) => order('R', { customer_rate_value: value, customer_rate_type: 'RatePerTon', ...more });
  const [{ result_id: id }] = await send('orders', [rated(10)]);
  const { id: role } = await tenant.must('POST', '/v1/iam_roles', { name: 'Sender', permissions: ['create_order', 'edit_order'] });
  const { token } = await tenant.person({ customRoleIds: [role] });
  const dry = async (element: object, by?: string) =>
    (await tenant.http('POST', '/ingest/orders?dry_run=true', { orders: [element] }, by)).body.data.records[0];
  const alike = async () => {
    const [right, wrong] = [await dry(rated(10), token), await dry(rated(11), token)];
    expect([right.state, right.last_error, right.changes]).toEqual(['skipped', 'duplicate', []]);
    expect(wrong).toEqual(right);
    for (const value of [10, 11]) {
      const [reported] = await send('orders', [rated(value)], token);
      const kept = ['customer_rate_value', 'customer_rate_type'].map((field) => ({ code: 'unseen_rate_kept', pointer: `/${field}` }));
      expect(reported).toMatchObject({ state: 'skipped', last_error: 'duplicate', result_id: id, warnings: kept });
    }
    const [noted] = (await dry(rated(11, { notes: 'new' }), token)).changes;
    expect(noted.fields).toEqual([{ field: 'notes', before: null, after: 'new' }]);
  };
  await alike();
  // Also of a rate that a person set, which an import leaves.
  await tenant.must('PATCH', `/v1/orders/${id}`, { customer_rate_value: '11' }, (await tenant.person({ roles: ['company_admin'] })).token);
  await alike();
  // Nor does what they say make the office's payload another one.
  expect((await send('orders', [rated(11, { notes: 'mine' })], token))[0]).toMatchObject({ state: 'processed' });
  expect((await send('orders', [rated(10)]))[0]).toMatchObject({ state: 'skipped_update', warnings: [{ code: 'user_edit_kept' }] });
  expect((await dry(rated(10))).state).toBe('skipped');
  expect((await dry(rated(12))).warnings).toEqual([expect.objectContaining({ code: 'user_edit_kept' })]);
});
