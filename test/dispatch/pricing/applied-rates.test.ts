import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Service } from '../../../src/directory/master-data/named.entities.ts';
import { Rate } from '../../../src/directory/master-data/rate.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

let named = 0;
const rateCard = (owner_type: string, body: object = {}): Promise<Json> =>
  tenant.must('POST', '/v1/rates', { name: `Card ${++named}`, owner_type, type: 'RateFlatRate', flat_amount: 100 + named, ...body });
const applied = (jobId: string, token?: string): Promise<Json> => tenant.must('GET', `/v1/jobs/${jobId}/applied_rates`, undefined, token);
const jobOf = async (more: object = {}): Promise<Json> => {
  const order = await makeOrder(tenant, more);
  return (await tenant.must('GET', `/v1/orders/${order.id}/jobs`))[0];
};

test("rates come from the job, then the order, then the project's schedules, then the project, then rate cards", async () => {
  const customer = async () => (await applied(job.id)).customer;
  const project = await tenant.must('POST', '/v1/projects', { name: 'Levels', account_id: tenant.account.id });
  const job = await jobOf({ project_id: project.id });
  expect(await customer()).toBeNull();
  const general = await rateCard('customer');
  expect(await customer()).toEqual({
    source: 'rate_card',
    rate_id: general.id,
    rate_name: general.name,
    rate_type: 'RateFlatRate',
    value: `${general.flat_amount}`,
    matched: [],
  });
  const own = await rateCard('customer', { account_id: tenant.account.id, primary: true });
  expect(await customer()).toMatchObject({ source: 'rate_card', rate_id: own.id, matched: ['account', 'primary'] });
  await tenant.must('PATCH', `/v1/projects/${project.id}`, { customer_rate_value: '4.5', customer_rate_type: 'RatePerTon' });
  expect(await customer()).toMatchObject({ source: 'project', rate_id: null, rate_type: 'RatePerTon', value: '4.5' });
  const schedules = `/v1/projects/${project.id}/site_rate_schedules`;
  await tenant.must('POST', schedules, { customer_rate_id: general.id });
  expect(await customer()).toMatchObject({ source: 'site_rate_schedule', rate_id: general.id, matched: [] });
  await tenant.must('POST', schedules, { site_id: tenant.dropoff.id, customer_rate_value: 1, customer_rate_type: 'RatePerTon' });
  expect(await customer()).toMatchObject({ source: 'site_rate_schedule', rate_id: general.id });
  const atPickup = { site_id: tenant.pickup.id, customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
  const { id: schedule } = await tenant.must('POST', schedules, atPickup);
  expect(await customer()).toMatchObject({ source: 'site_rate_schedule', rate_id: null, value: '5', matched: ['pickup_site'] });
  // The explicit value precedes the rate card next to it (DOMAIN 3.2).
  await tenant.must('PATCH', `/v1/site_rate_schedules/${schedule}`, { customer_rate_id: own.id });
  expect(await customer()).toMatchObject({ source: 'site_rate_schedule', rate_id: own.id, rate_type: 'RatePerTon', value: '5' });
  await tenant.must('PATCH', `/v1/orders/${job.order.id}`, { customer_rate_id: general.id });
  expect(await customer()).toMatchObject({ source: 'order', rate_id: general.id });
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { customer_rate_value: 9, customer_rate_type: 'RatePerLoad' });
  expect(await customer()).toMatchObject({ source: 'job', value: '9', rate_type: 'RatePerLoad' });
});

test('without a vendor or a driver no rate card applies; with one, their own rate card precedes general ones', async () => {
  const [vendors, drivers] = [await rateCard('vendor'), await rateCard('driver')];
  const idle = await jobOf();
  expect(await applied(idle.id)).toMatchObject({ vendor: null, driver: null });
  const driven = await jobOf({ driver_id: tenant.driver.id });
  expect((await applied(driven.id)).driver).toMatchObject({ source: 'rate_card', rate_id: drivers.id, matched: [] });
  const own = await rateCard('driver', { driver_id: tenant.driver.id });
  expect((await applied(driven.id)).driver).toMatchObject({ rate_id: own.id, matched: ['driver'] });
  const hired = await jobOf({ vendor_id: tenant.vendor.id });
  expect((await applied(hired.id)).vendor).toMatchObject({ rate_id: vendors.id });
  expect((await tenant.http('DELETE', `/v1/rates/${own.id}`)).status).toBe(204);
  expect((await applied(driven.id)).driver).toMatchObject({ rate_id: drivers.id });
});

test('each caller sees the permitted sides, drivers their pay, and strangers no job', async () => {
  await rateCard('customer');
  await rateCard('driver');
  const job = await jobOf({ driver_id: tenant.driver.id });
  const as = async (role: string) => Object.entries(await applied(job.id, (await tenant.person({ roles: [role] })).token));
  const shown = (sides: [string, unknown][]) => sides.filter(([, side]) => side !== null).map(([name]) => name);
  expect(shown(await as('biller'))).toEqual(['customer', 'driver']);
  expect(shown(await as('dispatcher'))).toEqual([]);
  expect(shown(Object.entries(await applied(job.id, tenant.driver.token)))).toEqual(['driver']);
  expect((await (await makeTenant(app)).http('GET', `/v1/jobs/${job.id}/applied_rates`)).status).toBe(404);
});

test('of many rate cards, the one applies that fits, names the customer, is primary, names most conditions and is newest', async () => {
  const other = await makeTenant(app);
  const own = { company: ref(other.company) };
  const types = [await other.save(EquipmentType, { ...own, name: 'A' }), await other.save(EquipmentType, { ...own, name: 'B' })];
  const services = [other.service, await other.save(Service, { ...own, name: 'Another' })];
  const accounts = [other.account, await other.save(Account, { ...own, name: 'Another', accountTypes: ['customer'] })];
  const choice = fc.option(fc.constantFrom(0, 1), { nil: null });
  const spec = fc.record({ account: choice, service: choice, type: choice, primary: fc.boolean() });
  const specs = fc.sample(spec, { numRuns: 40, seed: 7 });
  const taken = new Set<number | null>();
  const rateCards: { id: string; at: number; account: number | null; service: number | null; type: number | null; primary: boolean }[] = [];
  for (const [at, { account, service, type, primary: wished }] of specs.entries()) {
    const primary = wished && !taken.has(account);
    if (primary) taken.add(account);
    const { id } = await other.save(Rate, {
      ...own,
      name: `Card ${at}`,
      ownerType: 'customer',
      account: account === null ? null : ref(accounts[account]!),
      serviceIds: service === null ? [] : [services[service]!.id],
      equipmentType: type === null ? null : ref(types[type]!),
      primary,
      timeRate: '1',
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, at)),
    });
    rateCards.push({ id, at, account, service, type, primary });
  }
  for (const account of [0, 1])
    for (const service of [0, 1])
      for (const type of [0, 1, null]) {
        const fits = (dimension: number | null, is: number | null) => dimension === null || dimension === is;
        const says = (one: (typeof rateCards)[number]) => [one.account, one.service, one.type].filter((each) => each !== null).length;
        const best = rateCards
          .filter((one) => fits(one.account, account) && fits(one.service, service) && fits(one.type, type))
          .sort(
            (a, b) =>
              Number(b.account !== null) - Number(a.account !== null) ||
              Number(b.primary) - Number(a.primary) ||
              says(b) - says(a) ||
              b.at - a.at,
          )[0];
        const order = await makeOrder(other, {
          account_id: accounts[account]!.id,
          service_id: services[service]!.id,
          equipment_type_id: type === null ? null : types[type]!.id,
        });
        const [job] = await other.must('GET', `/v1/orders/${order.id}/jobs`);
        const { customer } = await other.must('GET', `/v1/jobs/${job.id}/applied_rates`);
        expect([account, service, type, customer?.rate_id]).toEqual([account, service, type, best?.id]);
      }
});
