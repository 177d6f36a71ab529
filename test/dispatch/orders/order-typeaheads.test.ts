import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Material, MaterialType, materialTypeId } from '../../../src/directory/master-data/named.entities.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { Phase } from '../../../src/dispatch/model/phase.entity.ts';
import { Project } from '../../../src/dispatch/model/project.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let other: Tenant;
let order: Json;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  [tenant, other] = [await makeTenant(app), await makeTenant(app)];
  const own = { company: ref(tenant.company) };
  await tenant.save(Site, { ...own, name: 'Asphalt Plant', externalId: 'AP-1', fullAddress: '1 Mill Road' });
  await tenant.save(Site, { ...own, name: 'Closed Pit', state: 'inactive' });
  await tenant.save(Site, { ...own, name: 'Sold Pit', discardedAt: new Date() });
  await tenant.save(Material, { ...own, name: 'Crushed Stone', externalId: 'CS', materialType: ref(MaterialType, materialTypeId(1)) });
  await tenant.save(Material, { ...own, name: 'Old Sand', state: 'inactive' });
  order = await makeOrder(tenant, {
    dispatch_number: { name: 'D-10' },
    phases: [
      { name: 'Base', code: '01' },
      { name: 'Top', code: '02', primary: true },
    ],
  });
  await makeOrder(tenant, { dispatch_number: { name: 'A-5' } });
  await makeOrder(other, { dispatch_number: { name: 'D-99' } });
});
afterAll(() => app.close());

const names = async (path: string): Promise<string[]> => (await tenant.must('GET', path)).map((one: Json) => one.name ?? one.order_id);
const both = async (path: string): Promise<string[]> => {
  const found = await names(`/v1${path}`);
  expect(await names(tenant.path(path))).toEqual(found);
  return found;
};

test('orders are offered by number, dispatch numbers by name', async () => {
  expect(await tenant.must('GET', `/v1/orders/typeahead?search[query]=${order.order_id}`)).toContainEqual({
    id: order.id,
    order_id: order.order_id,
    external_id: null,
    name: null,
  });
  expect(await both('/orders/dispatch_numbers/typeahead')).toEqual(['A-5', 'D-10']);
  expect(await both('/orders/dispatch_numbers/typeahead?search[query]=d-')).toEqual(['D-10']);
  expect(await both('/orders/dispatch_numbers/typeahead?search[query]=99')).toEqual([]);
});

test("an order's phases are listed completely, and offered by name or code", async () => {
  expect(await tenant.must('GET', `/v1/orders/${order.id}/phases`)).toEqual(order.phases);
  expect(await both(`/orders/${order.id}/phases/typeahead?search[query]=02`)).toEqual(['Top']);
  const [base] = await tenant.must('GET', tenant.path(`/orders/${order.id}/phases/typeahead?search[query]=base`));
  expect(base).toEqual({ id: order.phases[0].id, name: 'Base', code: '01' });
});

test('active sites are offered, inactive ones on request, discarded ones never', async () => {
  const path = `/orders/${order.id}/sites/typeahead`;
  expect(await both(path)).toEqual(['Asphalt Plant', 'Bridge', 'Quarry']);
  expect(await both(`${path}?search[query]=mill`)).toEqual(['Asphalt Plant']);
  expect(await both(`${path}?filter[states][]=inactive`)).toEqual(['Closed Pit']);
  expect(fieldsOf(await tenant.http('GET', `/v1${path}?filter[states][]=gone`))).toEqual(['filter[states]']);
});

test('active materials are offered by name, external id or type', async () => {
  const path = `/orders/${order.id}/materials/typeahead`;
  expect(await both(path)).toEqual(['Crushed Stone', 'Gravel']);
  expect(await both(`${path}?search[query]=aggreg`)).toEqual(['Crushed Stone']);
  const [stone] = await tenant.must('GET', `/v1${path}?search[query]=CS`);
  expect(stone).toEqual({ id: stone.id, name: 'Crushed Stone', external_id: 'CS' });
});

test("a project's phases are listed", async () => {
  const project = await tenant.save(Project, {
    company: ref(tenant.company),
    account: ref(tenant.account),
    number: 1,
    projectId: 'P-1',
    name: 'Bridge',
  });
  await tenant.save(Phase, { companyId: tenant.company.id, projectId: project.id, name: 'Deck', code: 'D' });
  expect(await tenant.must('GET', `/v1/projects/${project.id}/phases`)).toMatchObject([{ name: 'Deck', code: 'D', primary: false }]);
  expect(await names(`/v1/projects/${project.id}/phases/typeahead?search[query]=deck`)).toEqual(['Deck']);
  expect((await other.http('GET', `/v1/projects/${project.id}/phases`)).status).toBe(404);
});

test('the parts of an order take two statements, whatever their number', async () => {
  for (const end of ['phases', 'phases/typeahead', 'sites/typeahead', 'materials/typeahead']) {
    const { statements } = await app.countStatements(() => tenant.must('GET', `/v1/orders/${order.id}/${end}`));
    expect([end, statements.length]).toEqual([end, 2]);
  }
  const { statements } = await app.countStatements(() => tenant.must('GET', '/v1/orders/dispatch_numbers/typeahead'));
  expect(statements).toHaveLength(1);
});

test("another company's order offers nothing", async () => {
  for (const end of ['phases', 'phases/typeahead', 'sites/typeahead', 'materials/typeahead']) {
    expect([end, (await other.http('GET', `/v1/orders/${order.id}/${end}`)).status]).toEqual([end, 404]);
  }
});
