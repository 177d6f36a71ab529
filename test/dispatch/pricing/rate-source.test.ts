import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
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
const rateCard = (owner_type: string, body: object = {}, at = tenant): Promise<Json> =>
  at.must('POST', '/v1/rates', { name: `Card ${++named}`, owner_type, type: 'RateFlatRate', flat_amount: 100 + named, ...body });
const applied = (jobId: string, at = tenant): Promise<Json> => at.must('GET', `/v1/jobs/${jobId}/applied_rates`);
const jobOf = async (more: object = {}, at = tenant): Promise<Json> => {
  const order = await makeOrder(at, more);
  await at.must('PUT', at.path(`/orders/${order.id}/accept`), {});
  return (await at.must('GET', `/v1/orders/${order.id}/jobs`))[0];
};
const sql = <R = Json>(text: string, ...values: unknown[]) => app.orm.em.getConnection().execute<R[]>(text, values);
const noted = async (jobId: string): Promise<Json> => (await sql('select rate_source from job where id = ?', jobId))[0].rate_source;
/** Returns the noted rates, as the answer shows them. */
const reported = async (jobId: string) => {
  const rates = await noted(jobId);
  const side = (one: Json) => {
    if (!one) return null;
    // Since when a rate card has been as it is, only explanations say.
    const { since: _, ...shown } = one;
    return { rate_id: null, rate_name: null, rate_type: null, ...shown, value: one.value === undefined ? null : String(Number(one.value)) };
  };
  return { customer: side(rates.customer), vendor: side(rates.vendor), driver: side(rates.driver) };
};

test("every change of a job's pay is noted on it with its source, from the first assignment on", async () => {
  const own = { company: ref(tenant.company) };
  const type = await tenant.save(EquipmentType, { ...own, name: 'Side' });
  const truck = await tenant.save(Equipment, { ...own, name: 'T-1', equipmentType: ref(type) });
  const pit = await tenant.save(Site, { ...own, name: 'Other pit' });
  const project = await tenant.must('POST', '/v1/projects', { name: 'Noted', account_id: tenant.account.id });
  await tenant.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, {
    site_id: pit.id,
    customer_rate_value: 7,
    customer_rate_type: 'RatePerTon',
  });
  await rateCard('customer');
  await rateCard('driver');
  await rateCard('vendor');
  await rateCard('customer', { equipment_type_id: type.id });
  const job = await jobOf({ project_id: project.id });
  const path = `/v1/jobs/${job.id}`;
  expect(await noted(job.id)).toBeNull();
  const steps: [string, () => Promise<unknown>, Json][] = [
    ['a driver', () => tenant.must('PATCH', path, { driver_id: tenant.driver.id }), { driver: { source: 'rate_card' } }],
    ['a truck', () => tenant.must('POST', `${path}/equipment`, { equipment_id: truck.id }), { customer: { matched: ['equipment_type'] } }],
    [
      'another pit',
      () => tenant.must('PATCH', path, { waypoints: job.waypoints.slice(0, 1).map(({ id }: Json) => ({ id, site_id: pit.id })) }),
      { customer: { source: 'site_rate_schedule', value: '7', matched: ['pickup_site'] } },
    ],
    [
      "the order's rate",
      () => tenant.must('PATCH', `/v1/orders/${job.order.id}`, { customer_rate_value: 8, customer_rate_type: 'RatePerTon' }),
      { customer: { source: 'order', value: '8' } },
    ],
    [
      'a rate by hand',
      () => tenant.must('PATCH', path, { customer_rate_value: 9, customer_rate_type: 'RatePerLoad' }),
      { customer: { source: 'job', value: '9', rate_type: 'RatePerLoad' } },
    ],
    ['nobody', () => tenant.must('PUT', `${path}/unassign`, {}), { driver: null, vendor: null }],
    [
      'a vendor',
      () => tenant.must('PUT', `${path}/assign_vendor`, { vendor_id: tenant.vendor.id }),
      { driver: null, vendor: { source: 'rate_card' } },
    ],
  ];
  for (const [what, act, expected] of steps) {
    await act();
    const now = await applied(job.id);
    expect([what, now]).toMatchObject([what, expected]);
    expect([what, await reported(job.id)]).toEqual([what, now]);
  }
});

test('a truck that is copied with its driver has its rates noted, too', async () => {
  const mine = await makeTenant(app);
  const job = await jobOf({ driver_id: mine.driver.id, vendor_id: null }, mine);
  const rate = await rateCard('driver', {}, mine);
  const copy = await mine.must('POST', `/v1/jobs/${job.id}/copy`, {});
  expect(await noted(copy.id)).toMatchObject({ driver: { source: 'rate_card', rate_id: rate.id } });
});

test('finished work keeps its rate and its source; only a rate set by hand still changes its side', async () => {
  const mine = await makeTenant(app);
  const [customer, driver] = [await rateCard('customer', {}, mine), await rateCard('driver', {}, mine)];
  const job = await jobOf({ driver_id: mine.driver.id, vendor_id: null }, mine);
  expect(await noted(job.id)).toMatchObject({ customer: { rate_id: customer.id }, driver: { rate_id: driver.id } });
  // A rate card that comes while the work goes on counts until it is done.
  const newer = await rateCard('customer', { primary: true }, mine);
  for (const event of ['accept', 'enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete'])
    await mine.must('PUT', `/v1/jobs/${job.id}/${event}`, {});
  const done = await applied(job.id, mine);
  expect(done).toMatchObject({
    customer: { source: 'rate_card', rate_id: newer.id, matched: ['primary'] },
    driver: { rate_id: driver.id },
  });
  await mine.must('PATCH', `/v1/rates/${newer.id}`, { flat_amount: 1, name: 'Renamed' });
  await rateCard('driver', { driver_id: mine.driver.id }, mine);
  expect(await applied(job.id, mine)).toEqual(done);
  await mine.must('PATCH', `/v1/jobs/${job.id}`, { notes: 'Nothing of money' });
  expect(await applied(job.id, mine)).toEqual(done);
  // Who sends the whole job back says nothing of its rates.
  await mine.must('PATCH', `/v1/jobs/${job.id}`, { ...(await mine.must('GET', `/v1/jobs/${job.id}`)), notes: 'Still nothing' });
  expect(await applied(job.id, mine)).toEqual(done);
  await mine.must('PATCH', `/v1/jobs/${job.id}`, { customer_rate_value: 12.5, customer_rate_type: 'RatePerLoad' });
  expect(await applied(job.id, mine)).toEqual({
    ...done,
    customer: { source: 'job', rate_id: null, rate_name: null, rate_type: 'RatePerLoad', value: '12.5', matched: [] },
  });
});
