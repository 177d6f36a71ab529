import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let jobId: string;
let foremanToken: string;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  const { user, token } = await tenant.person({ roles: ['foreman'] });
  foremanToken = token;
  const order = await makeOrder(tenant, {
    foreman_ids: [user.id],
    driver_id: tenant.driver.id,
    customer_rate_value: 14.5,
    customer_rate_type: 'RatePerTon',
    vendor_rate_value: 11,
    driver_rate_value: 31.5,
    driver_rate_type: 'RatePerHour',
  });
  [{ id: jobId }] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
});
afterAll(() => app.close());

const rates = async (token: string) => {
  const job = await tenant.must('GET', `/v1/jobs/${jobId}`, undefined, token);
  return [job.customer_rate_value, job.vendor_rate_value, job.driver_rate_value];
};

test('a driver sees the pay of the job they drive, never the other rates', async () => {
  expect(await rates(tenant.driver.token)).toEqual([null, null, '31.5']);
});

test('another driver does not see the job at all', async () => {
  const { token } = await tenant.person({ roles: ['driver'] });
  expect((await tenant.http('GET', `/v1/jobs/${jobId}`, undefined, token)).status).toBe(404);
});

test('a company admin and a biller see all, a foreman none', async () => {
  expect(await rates((await tenant.person({ roles: ['company_admin'] })).token)).toEqual(['14.5', '11', '31.5']);
  expect(await rates((await tenant.person({ roles: ['biller'] })).token)).toEqual(['14.5', '11', '31.5']);
  expect(await rates(foremanToken)).toEqual([null, null, null]);
});

test('GraphQL hides the same rates, even in a nested list', async () => {
  const query =
    'query($id: ID!) { job(id: $id) { customerRateValue driverRateValue order { customerRateValue jobs { nodes { customerRateValue driverRateValue } } } } }';
  const { data } = await tenant.gql(query, { id: jobId }, tenant.driver.token);
  expect(data.job).toEqual({
    customerRateValue: null,
    driverRateValue: '31.5',
    order: { customerRateValue: null, jobs: { nodes: [{ customerRateValue: null, driverRateValue: '31.5' }] } },
  });
});

test('a negative rate or quantity is refused on its field', async () => {
  const answer = await tenant.http('PATCH', `/v1/jobs/${jobId}`, { quantity: -1, driver_rate_value: -2 });
  expect(answer.status).toBe(422);
  expect(answer.body.error.errors.map((one: { field: string }) => one.field)).toEqual(['quantity', 'driver_rate_value']);
});
