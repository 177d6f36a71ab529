import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { expectPreviewed } from './dry-runs.ts';
import { order, project as projectOf } from './payloads.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const project = (more: object = {}) => projectOf({ customer: { external_id: 'C-1', name: 'Acme' }, ...more });
const other = { customer: { external_id: 'C-2', name: 'Second' } };
const kept = { code: 'customer_kept', pointer: '/customer', given: 'Second', used: null };
const sent = async (kind: 'orders' | 'projects', element: object): Promise<Json> => {
  const [[record]] = (await expectPreviewed(app, tenant, kind, [[element]])) as [[Json]];
  expect(record.state).toBe('processed');
  return record;
};
const customerOf = async (path: string): Promise<string> => (await tenant.must('GET', path)).account.name;

test('an order and its project keep one customer, whichever of them a payload names another one for', async () => {
  const { result_id: projectId } = await sent('projects', project());
  // Nobody hauls for it yet: another customer may have it.
  expect((await sent('projects', project(other))).warnings).toEqual([]);
  expect(await customerOf(`/v1/projects/${projectId}`)).toBe('Second');
  await sent('projects', project({ notes: 'back' }));
  const { result_id: id } = await sent('orders', order('A'));
  await tenant.must('PATCH', `/v1/orders/${id}`, { project_id: projectId });

  expect((await sent('orders', order('A', { ...other, quantity: 7 }))).warnings).toEqual([kept]);
  expect((await sent('projects', project({ ...other, notes: 'new' }))).warnings).toEqual([kept]);
  expect([await customerOf(`/v1/orders/${id}`), await customerOf(`/v1/projects/${projectId}`)]).toEqual(['Acme', 'Acme']);
  // The rest was applied.
  expect([await tenant.must('GET', `/v1/orders/${id}`), await tenant.must('GET', `/v1/projects/${projectId}`)]).toMatchObject([
    { quantity: '7' },
    { notes: 'new' },
  ]);

  // The same payloads are no duplicates: out of the project, the order goes to whom the sender says every night.
  expect((await sent('orders', order('A', { ...other, quantity: 7 }))).warnings).toEqual([kept]);
  await tenant.must('PATCH', `/v1/orders/${id}`, { project_id: null });
  expect((await sent('orders', order('A', { ...other, quantity: 7 }))).warnings).toEqual([]);
  expect((await sent('projects', project({ ...other, notes: 'new' }))).warnings).toEqual([]);
  expect([await customerOf(`/v1/orders/${id}`), await customerOf(`/v1/projects/${projectId}`)]).toEqual(['Second', 'Second']);
});
