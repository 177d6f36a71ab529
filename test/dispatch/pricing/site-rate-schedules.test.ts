import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
const rateCards: Record<string, string> = {};
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  for (const side of ['customer', 'vendor', 'driver'])
    rateCards[side] = (await tenant.must('POST', '/v1/rates', { name: side, owner_type: side, type: 'RateFlatRate', flat_amount: 1 })).id;
});
afterAll(() => app.close());

let projects = 0;
const project = async (): Promise<string> =>
  (await tenant.must('POST', '/v1/projects', { name: `Road ${++projects}`, account_id: tenant.account.id })).id;
const list = (id: string) => `/v1/projects/${id}/site_rate_schedules`;

test('a project agrees on a rate card or a value for each side, for each site and for all others', async () => {
  const id = await project();
  const made = await tenant.must('POST', list(id), {
    site_id: tenant.pickup.id,
    customer_rate_id: rateCards.customer,
    vendor_rate_value: '7.25',
    vendor_rate_type: 'RatePerTon',
  });
  expect(made).toMatchObject({
    site: { id: tenant.pickup.id },
    customer_rate: { id: rateCards.customer, name: 'customer', type: 'RateFlatRate' },
    customer_rate_value: null,
    vendor_rate: null,
    vendor_rate_value: '7.25',
    vendor_rate_type: 'RatePerTon',
    driver_rate: null,
    auto_add_on_assignments_count: 0,
  });
  const others = await tenant.must('POST', list(id), { driver_rate_id: rateCards.driver });
  expect(await tenant.must('GET', list(id))).toEqual([others, made]);
  expect(await tenant.must('GET', `${list(id)}?filter[site_id]=${tenant.pickup.id}`)).toEqual([made]);
  for (const site_id of [tenant.pickup.id, null]) expect(fieldsOf(await tenant.http('POST', list(id), { site_id }))).toEqual(['site_id']);
  expect((await tenant.http('POST', list(await project()), { site_id: tenant.pickup.id })).status).toBe(201);
  const changed = await tenant.must('PATCH', `/v1/site_rate_schedules/${made.id}`, { customer_rate_id: null, vendor_rate_value: 8 });
  const kept = { approved_invoices_count: 0 };
  expect(changed).toEqual({ ...made, customer_rate: null, vendor_rate_value: '8', updated_at: changed.updated_at, ...kept });
  expect((await tenant.http('DELETE', `/v1/site_rate_schedules/${made.id}`)).status).toBe(204);
  expect(await tenant.must('GET', list(id))).toEqual([others]);
  expect((await tenant.http('PATCH', `/v1/site_rate_schedules/${made.id}`, {})).status).toBe(404);
  expect((await tenant.http('POST', list(id), { site_id: tenant.pickup.id })).status).toBe(201);
  const rows: Json[] = await app.orm.em
    .fork()
    .getConnection()
    .execute('select event, object_changes from audit_entry where subject_id = ? order by id', [made.id]);
  expect(rows.map((row) => [row.event, row.object_changes.vendor_rate_value])).toEqual([
    ['create', [null, '7.25']],
    ['update', ['7.25', '8']],
    ['update', undefined],
  ]);
  await tenant.must('GET', list(id));
  expect((await app.countStatements(() => tenant.must('GET', list(id)))).statements.length).toBe(2);
});

test('both interfaces create the same schedule', async () => {
  const id = await project();
  const { data } = await tenant.gql(
    'mutation($id: ID!, $input: SiteRateScheduleInput!) { createSiteRateSchedule(projectId: $id, input: $input) { id driverRateValue project { id } } }',
    { id, input: { driverRateValue: 31.5, driverRateType: 'RatePerHour' } },
  );
  expect(data.createSiteRateSchedule).toMatchObject({ driverRateValue: '31.5', project: { id } });
  expect(await tenant.must('GET', list(id))).toMatchObject([{ id: data.createSiteRateSchedule.id, driver_rate_type: 'RatePerHour' }]);
});

test('a rate card of another side, a value without its type, and unknown records are refused on their fields', async () => {
  const id = await project();
  const stranger = await makeTenant(app);
  for (const [body, fields] of [
    [{ customer_rate_id: rateCards.vendor, vendor_rate_id: rateCards.driver }, ['customer_rate_id', 'vendor_rate_id']],
    [{ driver_rate_value: 3 }, ['driver_rate_type']],
    [{ driver_rate_value: -3, driver_rate_type: 'RatePerHour' }, ['driver_rate_value']],
    [{ site_id: stranger.pickup.id, customer_rate_id: tenant.company.id }, ['customer_rate_id', 'site_id']],
  ] as const)
    expect([body, fieldsOf(await tenant.http('POST', list(id), body))]).toEqual([body, fields]);
  expect(await tenant.must('GET', list(id))).toEqual([]);
  expect((await stranger.http('POST', list(id), {})).status).toBe(404);
  expect((await stranger.http('GET', list(id))).status).toBe(404);
  const foreman = (await tenant.person({ roles: ['foreman'] })).token;
  expect((await tenant.http('POST', list(id), {}, foreman)).status).toBe(404);
});

test('each caller sees the prices of the permitted sides, and clears none that they were not shown', async () => {
  const id = await project();
  const { id: schedule } = await tenant.must('POST', list(id), {
    customer_rate_value: 9,
    customer_rate_type: 'RatePerTon',
    vendor_rate_id: rateCards.vendor,
    driver_rate_value: 30,
    driver_rate_type: 'RatePerHour',
  });
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  const [shown] = await tenant.must('GET', list(id), undefined, token);
  expect(shown).toMatchObject({ customer_rate_value: null, customer_rate_type: null, vendor_rate: null, driver_rate_value: null });
  const { customer_rate_value, customer_rate_type, driver_rate_value, driver_rate_type } = shown;
  const back = { customer_rate_value, customer_rate_type, driver_rate_value, driver_rate_type, vendor_rate_id: null };
  await tenant.must('PATCH', `/v1/site_rate_schedules/${schedule}`, back, token);
  expect((await tenant.http('PATCH', `/v1/site_rate_schedules/${schedule}`, { driver_rate_value: 3 }, token)).status).toBe(404);
  expect(await tenant.must('GET', list(id))).toMatchObject([
    { customer_rate_value: '9', vendor_rate: { id: rateCards.vendor }, driver_rate_value: '30' },
  ]);
});
