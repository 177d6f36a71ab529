import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { ServiceClass } from '../../../src/directory/master-data/named.entities.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const FAMILIES: Record<string, Json> = {
  RatePerHour: { time_rate: 95.25, time_minimum_minutes: 240, time_increment_minutes: 15 },
  RatePerDay: { time_rate: 800, time_minimum_minutes: 480, time_increment_minutes: 0 },
  RatePerLoad: { unit_rate: 120, unit_minimum: 0, unit_increment: 0 },
  RatePerTon: { unit_rate: 9.5, unit_minimum: 12.5, unit_increment: 0.25 },
  RatePerTonne: { unit_rate: 10, unit_minimum: 0, unit_increment: 0 },
  RatePerYard: { unit_rate: 6.1234, unit_minimum: 0, unit_increment: 0 },
  RatePerBushel: { unit_rate: 0.35, unit_minimum: 0, unit_increment: 0 },
  RateCommission: { commission_percentage: 75 },
  RateFlatCommission: { commission_amount: 1.5 },
  RateFlatRate: { flat_amount: 350 },
};
const VALUES = [...new Set(Object.values(FAMILIES).flatMap((values) => Object.keys(values)))];
const create = (body: object, token?: string) => tenant.http('POST', '/v1/rates', body, token);
const made = (body: object = {}): Promise<Json> =>
  tenant.must('POST', '/v1/rates', { name: 'Card', type: 'RateFlatRate', flat_amount: 1, company_id: tenant.company.id, ...body });
const ids = async (path: string, token?: string): Promise<string[]> =>
  (await tenant.must('GET', path, undefined, token)).map((one: Json) => one.id);

test.each(Object.keys(FAMILIES))('%s has its own values, all of them and no others', async (type) => {
  const values = FAMILIES[type];
  const rate = await made({ type, flat_amount: undefined, ...values });
  const others = Object.fromEntries(VALUES.filter((name) => !(name in values)).map((name) => [name, null]));
  expect(rate).toMatchObject({ type, ...values, owner_type: 'driver', account_type: null, primary: false });
  expect(VALUES.filter((name) => name in rate)).toEqual(VALUES.filter((name) => name in values));
  // Numbers or texts go in; null is no value.
  const texts = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, /minutes|percentage/.test(name) ? value : `${value}`]),
  );
  expect(await made({ type, ...texts, ...others })).toMatchObject(values);
  for (const name of Object.keys(values)) expect(fieldsOf(await create({ name: 'X', type, ...values, [name]: undefined }))).toEqual([name]);
  for (const name of Object.keys(others)) expect(fieldsOf(await create({ name: 'X', type, ...values, [name]: 1 }))).toEqual([name]);
});

test.each([
  [{ type: 'RatePerMile' }, 'type'],
  [{ type: 'RatePerHour', ...FAMILIES.RatePerHour, time_rate: -1 }, 'time_rate'],
  [{ type: 'RatePerHour', ...FAMILIES.RatePerHour, time_minimum_minutes: -1 }, 'time_minimum_minutes'],
  [{ type: 'RatePerHour', ...FAMILIES.RatePerHour, time_increment_minutes: 1.5 }, 'time_increment_minutes'],
  [{ type: 'RatePerTon', ...FAMILIES.RatePerTon, unit_rate: 'much' }, 'unit_rate'],
  [{ type: 'RateCommission', commission_percentage: 101 }, 'commission_percentage'],
  [{ type: 'RateCommission', commission_percentage: 12.5 }, 'commission_percentage'],
  [{ type: 'RateFlatRate', flat_amount: '10000000001' }, 'flat_amount'],
  [{ type: 'RateFlatRate', flat_amount: 1, name: ' ' }, 'name'],
  [{ type: 'RateFlatRate', flat_amount: 1, add_on_ids: ['018cc251-f400-7000-8000-000000000000'] }, 'add_on_ids.0'],
])('%j is refused on its field', async (body, field) => {
  expect(fieldsOf(await create({ name: 'X', ...body }))).toEqual([field]);
});

test('a rate card is for a customer, a vendor or a driver, and contradictions are refused', async () => {
  const customer = await made({ owner_type: 'customer', account_id: tenant.account.id });
  expect(customer).toMatchObject({ owner_type: 'customer', account_type: 'customer', account: { id: tenant.account.id }, driver: null });
  expect(await made({ account_type: 'vendor', account_id: tenant.vendor.id })).toMatchObject({ owner_type: 'vendor' });
  expect(await made({ driver_id: tenant.driver.id })).toMatchObject({ driver: { id: tenant.driver.id }, account: null });
  const { user: clerk } = await tenant.person({ roles: ['biller'] });
  for (const [body, fields] of [
    [{ account_id: tenant.account.id }, ['account_id']],
    [{ owner_type: 'vendor', account_id: tenant.account.id }, ['account_id']],
    [{ owner_type: 'customer', driver_id: tenant.driver.id }, ['driver_id']],
    [{ driver_id: clerk.id }, ['driver_id']],
    [{ owner_type: 'customer', account_type: 'vendor' }, ['account_type']],
    [{ owner_type: 'customer', account_id: tenant.company.id, project_ids: [tenant.company.id] }, ['account_id', 'project_ids.0']],
  ] as const)
    expect(fieldsOf(await create({ name: 'X', type: 'RateFlatRate', flat_amount: 1, ...body }))).toEqual(fields);
});

test('a change keeps absent fields; another type of rate requires all of its values', async () => {
  const rate = await made({ type: 'RatePerTon', ...FAMILIES.RatePerTon, flat_amount: undefined });
  const changed = await tenant.must('PATCH', `/v1/rates/${rate.id}`, { type: 'RatePerTonne', unit_rate: '9.75' });
  const kept = { approved_invoices_count: 0 };
  expect(changed).toEqual({ ...rate, type: 'RatePerTonne', unit_rate: 9.75, updated_at: changed.updated_at, ...kept });
  expect(fieldsOf(await tenant.http('PATCH', `/v1/rates/${rate.id}`, { type: 'RatePerHour', time_rate: 1 }))).toEqual([
    'time_increment_minutes',
    'time_minimum_minutes',
  ]);
  const flat = await tenant.must('PATCH', `/v1/rates/${rate.id}`, { type: 'RateFlatRate', flat_amount: 3 });
  expect([flat.flat_amount, 'unit_rate' in flat, 'unit_minimum' in flat]).toEqual([3, false, false]);
  expect(fieldsOf(await tenant.http('PATCH', `/v1/rates/${rate.id}`, { flat_amount: null }))).toEqual(['flat_amount']);
});

test('a customer has one standard rate card: a new one replaces it, even of two concurrent ones', async () => {
  const body = { owner_type: 'customer', account_id: tenant.account.id, primary: true };
  const first = await made(body);
  const ofAll = await made({ owner_type: 'customer', primary: true });
  const primaries = async () =>
    (await tenant.must('GET', '/v1/rates?filter[owner_type]=customer')).filter((one: Json) => one.primary).map((one: Json) => one.id);
  expect((await primaries()).sort()).toEqual([first.id, ofAll.id].sort());
  const both = await Promise.all([made(body), made(body)]);
  const left = (await primaries()).filter((id: string) => id !== ofAll.id);
  expect([left.length, both.some(({ id }) => id === left[0])]).toEqual([1, true]);
  const before = await tenant.must('PATCH', `/v1/rates/${first.id}`, { primary: true });
  expect([before.primary, (await primaries()).length]).toEqual([true, 2]);
});

test('a copy has the same values for another customer, and is no standard rate card', async () => {
  const other = await made({ owner_type: 'customer' });
  const rate = await made({
    type: 'RatePerTon',
    ...FAMILIES.RatePerTon,
    flat_amount: undefined,
    owner_type: 'customer',
    primary: true,
    service_ids: [tenant.service.id],
  });
  const copy = await tenant.must('POST', `/v1/rates/${rate.id}/copy`, { account_id: tenant.account.id });
  const { id, name, account, primary, created_at, updated_at } = copy;
  expect(copy).toEqual({ ...rate, id, name, account, primary, created_at, updated_at });
  expect([name, account.id, primary, id === rate.id]).toEqual(['Card (copy)', tenant.account.id, false, false]);
  expect((await tenant.must('POST', `/v1/rates/${other.id}/copy`, { name: 'Named', service_ids: [tenant.service.id] })).name).toBe('Named');
  expect(fieldsOf(await tenant.http('POST', `/v1/rates/${rate.id}/copy`, { driver_id: tenant.driver.id }))).toEqual(['driver_id']);
});

test('a rate card prices its own side only, on orders, jobs and projects', async () => {
  const [rateCard, order] = [await made({ owner_type: 'driver' }), await makeOrder(tenant)];
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const project = await tenant.must('POST', '/v1/projects', { name: 'Sides', account_id: tenant.account.id });
  for (const at of [`/v1/orders/${order.id}`, `/v1/jobs/${job.id}`, `/v1/projects/${project.id}`]) {
    const wrong = await tenant.http('PATCH', at, { customer_rate_id: rateCard.id, vendor_rate_id: rateCard.id });
    expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['customer_rate_id', 'vendor_rate_id']]);
    expect((await tenant.must('PATCH', at, { driver_rate_id: rateCard.id })).driver_rate.id).toBe(rateCard.id);
  }
});

test('loads and links refuse discarded and inactive records, too', async () => {
  const order = await makeOrder(tenant);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const [load] = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
  const [material, site] = [
    await tenant.must('POST', '/v1/materials', { name: 'Gone' }),
    await tenant.must('POST', '/v1/sites', { name: 'Shut' }),
  ];
  const rateCard = await made({ owner_type: 'vendor' });
  for (const at of [`/v1/materials/${material.id}`, `/v1/rates/${rateCard.id}`]) expect((await tenant.http('DELETE', at)).status).toBe(204);
  await tenant.must('PUT', `/v1/sites/${site.id}/deactivate`, {});
  const wrong = { material_id: material.id, material_rate_assignment: { site_id: site.id } };
  for (const [method, at] of [
    ['PATCH', `/v1/loads/${load.id}`],
    ['POST', `/v1/jobs/${job.id}/loads`],
    ['PATCH', `/v1/jobs/${job.id}`],
  ] as const) {
    const refused = await tenant.http(method, at, wrong);
    expect([at, refused.status, fieldsOf(refused)]).toEqual([at, 422, ['material_id', 'material_rate_assignment.site_id']]);
  }
  const link = await tenant.http('POST', `/v1/jobs/${job.id}/job_assignments`, {
    vendor_account_id: tenant.vendor.id,
    rate_id: rateCard.id,
  });
  expect([link.status, fieldsOf(link)]).toEqual([422, ['rate_id']]);
});

test('a discarded rate card prices nothing new, but still applies to the work that it priced', async () => {
  const rate = await made({ owner_type: 'customer' });
  const order = await makeOrder(tenant, { customer_rate_id: rate.id });
  expect((await tenant.http('DELETE', `/v1/rates/${rate.id}`)).status).toBe(204);
  expect(await ids('/v1/rates')).not.toContain(rate.id);
  for (const [method, rest] of [
    ['GET', ''],
    ['PATCH', ''],
    ['POST', '/copy'],
    ['DELETE', ''],
  ] as const)
    expect((await tenant.http(method, `/v1/rates/${rate.id}${rest}`, method === 'GET' ? undefined : {})).status).toBe(404);
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).customer_rate).toMatchObject({ id: rate.id, flat_amount: 1 });
  expect(fieldsOf(await tenant.http('PATCH', `/v1/orders/${(await makeOrder(tenant)).id}`, { customer_rate_id: rate.id }))).toEqual([
    'customer_rate_id',
  ]);
});

test('lists find rate cards by their conditions, and general ones on request, in one statement', async () => {
  const own = { company: ref(tenant.company) };
  const type = await tenant.save(EquipmentType, { ...own, name: 'Side dump' });
  const truck = await tenant.save(Equipment, { ...own, name: 'T1', equipmentType: ref(type) });
  const serviceClass = await tenant.save(ServiceClass, { ...own, name: 'Night' });
  const project = await tenant.must('POST', '/v1/projects', { name: 'Listed', account_id: tenant.account.id });
  const dimensions: Record<string, [object, string]> = {
    project_id: [{ project_ids: [project.id] }, project.id],
    equipment_id: [{ equipment_ids: [truck.id] }, truck.id],
    service_class_id: [{ service_class_id: serviceClass.id }, serviceClass.id],
    equipment_type_id: [{ equipment_type_id: type.id }, type.id],
    driver_id: [{ driver_id: tenant.driver.id, owner_type: 'driver' }, tenant.driver.id],
  };
  const general = await made({ name: 'Zebra crossing', owner_type: 'driver' });
  for (const [filter, [body, id]] of Object.entries(dimensions)) {
    const rate = await made({ name: 'Zebra', owner_type: 'driver', ...body });
    const found = await ids(`/v1/rates?filter[${filter}]=${id}`);
    expect([filter, found.includes(rate.id), found.includes(general.id)]).toEqual([filter, true, false]);
    const all = await ids(`/v1/rates?page[limit]=100&filter[${filter}]=${id}&filter[include_default]=true`);
    expect([filter, all.includes(rate.id), all.includes(general.id)]).toEqual([filter, true, true]);
  }
  const zebras = (await tenant.must('GET', '/v1/rates/typeahead?search[query]=zeb cross')).map((one: Json) => one.name);
  expect(zebras).toEqual(['Zebra crossing']);
  for (const path of ['/v1/rates?page[limit]=50', tenant.path('/rates/typeahead')]) {
    await tenant.must('GET', path);
    expect([path, (await app.countStatements(() => tenant.must('GET', path))).statements.length]).toEqual([path, 1]);
  }
  expect(fieldsOf(await tenant.http('GET', '/v1/rates?filter[owner_type]=nobody&filter[account_id]=x'))).toEqual([
    'filter[account_id]',
    'filter[owner_type]',
  ]);
});
