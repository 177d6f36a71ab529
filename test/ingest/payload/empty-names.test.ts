import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { type Kind, warningsOf as oddOf } from '../dry-runs.ts';
import { order, project } from '../payloads.ts';

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

const warningsOf = (kind: Kind, element: object): Promise<Json[]> => oddOf(app, tenant, kind, element);

const NAMED = {
  material: { external_id: 'M-1', name: 'Sand' },
  supplier: { external_id: 'V-9', name: 'Quarry Co' },
  equipment_type: { name: 'Belly dump' },
  dispatch_number: { name: 'D-1' },
};

test('an object that names nothing empties its field, as null does; one without name and id says nothing', async () => {
  const read = async () => {
    const { data } = await tenant.gql(
      '{ orders(first: 1) { nodes { material { name } materialRateSupplierAccount { name } equipmentType { name } dispatchNumber { name } } } }',
    );
    return data.orders.nodes[0];
  };
  const all = {
    material: { name: 'Sand' },
    materialRateSupplierAccount: { name: 'Quarry Co' },
    equipmentType: { name: 'Belly dump' },
    dispatchNumber: { name: 'D-1' },
  };
  await warningsOf('orders', order('A', NAMED));
  expect(await read()).toEqual(all);
  const unsaid = await warningsOf('orders', order('A', { material: {}, equipment_type: { code: 'BD' }, notes: 'x' }));
  expect(unsaid.map(({ code, pointer }) => [code, pointer])).toEqual([['unknown_fields', '/equipment_type']]);
  expect(await read()).toEqual(all);
  const emptied = {
    material: { external_id: null, name: null },
    supplier: { external_id: ' ', name: '' },
    equipment_type: { name: null },
    dispatch_number: { name: null },
  };
  expect(await warningsOf('orders', order('A', emptied))).toEqual([]);
  expect(await read()).toEqual({ material: null, materialRateSupplierAccount: null, equipmentType: null, dispatchNumber: null });
  expect(await warningsOf('orders', order('B', emptied))).toEqual([]);
});

test('a vendor of a list that names nobody is left out with a warning', async () => {
  const vendors = [{ external_id: null, name: '' }, ' ', { name: 'Hauler' }, null];
  const empty = (pointer: string, given: unknown) => ({ code: 'empty_item', pointer, given, used: null });
  const reported = await warningsOf('orders', order('A', { vendors }));
  expect(reported).toEqual(expect.arrayContaining([empty('/vendors/0', vendors[0]), empty('/vendors/1', ' '), empty('/vendors/3', null)]));
  expect(reported.length).toBe(3);
});

test('a blank date of a project empties it, as a blank start of an order does', async () => {
  const dates = async () => (await tenant.gql('{ projects(first: 1) { nodes { effectiveAt expiresAt } } }')).data.projects.nodes[0];
  await warningsOf('projects', project({ effective_at: '2026-12-01', expires_at: '2027-06-30' }));
  expect(await dates()).toMatchObject({ effectiveAt: expect.any(String), expiresAt: expect.any(String) });
  expect(await warningsOf('projects', project({ effective_at: '2026-12-01', expires_at: ' ' }))).toEqual([]);
  expect(await dates()).toMatchObject({ effectiveAt: expect.any(String), expiresAt: null });
});
