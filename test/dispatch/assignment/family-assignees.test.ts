import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Rate } from '../../../src/directory/master-data/rate.entity.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { mustShare } from '../../helpers/shares.ts';
import { fieldsOf, makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
/** A parent, whose machine client sees all three, and two children. */
let parent: Tenant;
let west: Tenant;
let east: Tenant;
/** The parent's account for its child in the west. */
let hire: Account;
beforeAll(async () => {
  app = await startTestApp({ worker: true, deliveries: true });
  parent = await makeTenant(app);
  const below = { company: { parentCompany: ref(parent.company) } };
  [west, east] = [await makeTenant(app, below), await makeTenant(app, below)];
  hire = await vendorOf(parent, west);
});
afterAll(() => app.close());

async function vendorOf(tenant: Tenant, other?: Tenant): Promise<Account> {
  const connected = other ? { connectedCompany: ref(other.company) } : {};
  const made = await tenant.save(Account, { company: ref(tenant.company), name: 'A vendor', accountTypes: ['vendor'], ...connected });
  // As the command that connects: that a company may be passed work is remembered of who asked a moment ago.
  forgetViewers(app.application);
  return made;
}
async function jobOf(tenant: Tenant): Promise<string> {
  // Long after the test: shares are compared with the time of the work, and with now.
  const order = await makeOrder(tenant, { loads_per_truck: 1, load_at: '2036-03-03T12:00:00.000Z' });
  await tenant.must('PUT', tenant.path(`/orders/${order.id}/accept`), {});
  return (await tenant.must('GET', tenant.path(`/orders/${order.id}/jobs`)))[0].id;
}
/** As the parent's client, which sees the whole family. */
const above = (method: string, path: string, body: object) => parent.http(method, path, body);
const read = (id: string): Promise<Json> => parent.must('GET', `/v1/jobs/${id}`);
const refused = (field: string) => [422, [field]];
const reported = (answer: Json) => [answer.status, fieldsOf(answer)];

test('a job goes only to an account of the company that passes it on, whatever other accounts the caller sees', async () => {
  const id = await jobOf(parent);
  const before = await read(id);
  for (const foreign of [await vendorOf(west), await vendorOf(west, parent), await vendorOf(east, west)]) {
    const body = { vendor_id: foreign.id };
    for (const path of [`/v1/jobs/${id}`, parent.path(`/jobs/${id}`)]) {
      expect(reported(await above('PUT', `${path}/assign_vendor`, body))).toEqual(refused('vendor_id'));
      const { data } = (await above('POST', `${path}/assign_vendor/validate`, body)).body;
      expect([data.valid, data.conflicts.map((one: Json) => one.field)]).toEqual([false, ['vendor_id']]);
      const link = { vendor_account_id: foreign.id };
      expect(reported(await above('POST', `${path}/job_assignments`, link))).toEqual(refused('vendor_account_id'));
    }
  }
  expect(await read(id)).toEqual(before);
  const siblings = await jobOf(east);
  const foreign = { vendor_id: (await vendorOf(west)).id };
  expect(reported(await above('PUT', east.path(`/jobs/${siblings}/assign_vendor`), foreign))).toEqual(refused('vendor_id'));
  expect((await above('PUT', `/v1/jobs/${siblings}/assign_vendor`, { vendor_id: (await vendorOf(east)).id })).status).toBe(200);
});

test('the last vendor passes the job on to an account of its own, and on its path to no other', async () => {
  const id = await jobOf(parent);
  // Each sends it, and the next accepts: from then on the job is its to pass on.
  const passed = async (to: Tenant) => {
    await parent.must('PUT', `/v1/jobs/${id}/request`, {});
    await to.must('PUT', to.path(`/jobs/${id}/accept`), {});
  };
  await parent.must('PUT', `/v1/jobs/${id}/assign_vendor`, { vendor_id: hire.id });
  await passed(west);
  const [wests, easts] = [await vendorOf(west, east), await vendorOf(east)];
  expect(reported(await above('PUT', `/v1/jobs/${id}/assign_vendor`, { vendor_id: easts.id }))).toEqual(refused('vendor_id'));
  // The path says who passes it on: the parent's own account is not the vendor's to use.
  expect(reported(await above('PUT', west.path(`/jobs/${id}/assign_vendor`), { vendor_id: parent.vendor.id }))).toEqual(
    refused('vendor_id'),
  );
  expect((await above('PUT', west.path(`/jobs/${id}/assign_vendor`), { vendor_id: wests.id })).status).toBe(200);
  const links = async () =>
    (await app.orm.em.execute<Json[]>('select vendor_account_id as id from job_assignment where job_id = ? order by link', [id])).map(
      (one) => one.id,
    );
  expect(await links()).toEqual([hire.id, wests.id]);
  await passed(east);
  expect((await above('PUT', `/v1/jobs/${id}/assign_vendor`, { vendor_id: easts.id })).status).toBe(200);
  expect(await links()).toEqual([hire.id, wests.id, easts.id]);
});

test('a link is paid by a rate card of the company that passes the job on, not of another company of the family', async () => {
  const id = await jobOf(parent);
  const rateCardOf = (tenant: Tenant) =>
    tenant.save(Rate, { company: ref(tenant.company), name: 'By load', ownerType: 'vendor', type: 'RatePerLoad' });
  const [own, other] = [await rateCardOf(parent), await rateCardOf(west)];
  const ask = (rate: Rate) => above('POST', `/v1/jobs/${id}/job_assignments`, { vendor_account_id: hire.id, rate_id: rate.id });
  expect(reported(await ask(other))).toEqual(refused('rate_id'));
  expect((await ask(own)).status).toBe(201);
});

test('a driver of another company of the family drives only with a dispatchable share', async () => {
  const id = await jobOf(parent);
  const give = (job: string, driver: string, path = `/v1/jobs/${job}`) => above('PATCH', path, { driver_id: driver });
  for (const path of [`/v1/jobs/${id}`, parent.path(`/jobs/${id}`)])
    expect(reported(await give(id, west.driver.id, path))).toEqual(refused('driver_id'));
  const siblings = await jobOf(east);
  expect(reported(await give(siblings, west.driver.id))).toEqual(refused('driver_id'));
  expect(reported(await give(siblings, parent.driver.id))).toEqual(refused('driver_id'));
  const { data } = (await above('POST', `/v1/jobs/${id}/validate`, { driver_id: west.driver.id })).body;
  expect(data.valid).toBe(false);

  const share = await mustShare(west, {
    receiver_company_id: parent.company.id,
    company_shareable_type: 'User',
    company_shareable_id: west.driver.id,
    dispatchable: false,
  });
  expect(reported(await give(id, west.driver.id))).toEqual(refused('driver_id'));
  const change = (body: object) => west.must('PATCH', west.path(`/company_shares/${share.id}`), body);
  await change({ dispatchable: true, expires_at: '2026-01-01T00:00:00Z' });
  expect(reported(await give(id, west.driver.id))).toEqual(refused('driver_id'));
  await change({ expires_at: null });
  expect((await give(id, west.driver.id)).status).toBe(200);
  // Shared with the parent, not with the sibling.
  expect(reported(await give(siblings, west.driver.id))).toEqual(refused('driver_id'));
  expect((await read(siblings)).driver).toBeNull();
});

test('a share must still be valid when the work begins, for drivers and trucks', async () => {
  const id = await jobOf(parent);
  const { user } = await west.person({ roles: ['driver'] });
  const type = await west.save(EquipmentType, { company: ref(west.company), name: 'Tandem' });
  const truck = await west.save(Equipment, { company: ref(west.company), name: 'Lent', equipmentType: ref(type) });
  const start = new Date((await read(id)).job_start_at).getTime();
  for (const [field, kind, record] of [
    ['driver_id', 'User', user],
    ['equipment_id', 'Equipment', truck],
  ] as const) {
    const share = await mustShare(west, {
      receiver_company_id: parent.company.id,
      company_shareable_type: kind,
      company_shareable_id: record.id,
      dispatchable: true,
    });
    const until = (at: number) => west.must('PATCH', west.path(`/company_shares/${share.id}`), { expires_at: new Date(at).toISOString() });
    const body = { [field]: record.id };
    await until(start);
    expect(reported(await above('PATCH', `/v1/jobs/${id}`, body))).toEqual(refused(field));
    const { data } = (await above('POST', `/v1/jobs/${id}/validate`, body)).body;
    expect([data.valid, data.conflicts.map((one: Json) => [one.code, one.severity])]).toEqual([false, [['share_ends_before', 'blocking']]]);
    await until(start + 1000);
    expect((await above('PATCH', `/v1/jobs/${id}`, body)).status).toBe(200);
  }
});

test('bulk assignment refuses the same drivers, with a reason for each job', async () => {
  const id = await jobOf(parent);
  const [own, foreign] = [await jobOf(parent), east.driver.id];
  const answer = await above('PUT', parent.path('/jobs/bulk_assign_drivers'), {
    driver_assignments: [
      { job_id: id, driver_id: foreign },
      { job_id: own, driver_id: parent.driver.id },
    ],
  });
  await app.settled();
  const items: Json[] = await parent.must('GET', `${answer.headers.get('location')}/items`);
  expect(items.map(({ state, errors }) => [state, errors?.[0]?.field])).toEqual([
    ['failed', 'driver_id'],
    ['done', undefined],
  ]);
  expect((await read(id)).driver).toBeNull();
});

test('another driver of the company that shared the first one keeps the link and its terms', async () => {
  const id = await jobOf(east);
  const { user: second } = await west.person({ roles: ['driver'] });
  for (const driver of [west.driver, second])
    await mustShare(west, { receiver_company_id: east.company.id, company_shareable_type: 'User', company_shareable_id: driver.id });
  const links = () =>
    app.orm.em.execute<Json[]>('select id, vendor_company_id, rate_value from job_assignment where job_id = ? order by link', [id]);
  await above('PATCH', `/v1/jobs/${id}`, { driver_id: west.driver.id });
  const [link] = await links();
  await above('PATCH', `/v1/job_assignments/${link.id}`, { rate_value: 700, rate_type: 'RatePerLoad' });
  expect((await above('PATCH', `/v1/jobs/${id}`, { driver_id: second.id })).status).toBe(200);
  const after = await links();
  expect(after.map((one) => [one.id, one.vendor_company_id, Number(one.rate_value)])).toEqual([[link.id, west.company.id, 700]]);
});

test('an order for a shared driver is created with the rules of assigning its jobs', async () => {
  const { user } = await west.person({ roles: ['driver'] });
  const body = orderInput(east, { truck_count: 2, driver_id: user.id });
  const ask = () => east.http('POST', east.path('/orders'), body);
  expect(reported(await ask())).toEqual(refused('driver_id'));
  const share = await mustShare(west, {
    receiver_company_id: east.company.id,
    company_shareable_type: 'User',
    company_shareable_id: user.id,
    dispatchable: false,
  });
  expect(reported(await ask())).toEqual(refused('driver_id'));
  await west.must('PATCH', west.path(`/company_shares/${share.id}`), { dispatchable: true });
  const made = await ask();
  expect(made.status).toBe(201);
  const jobs: Json[] = await east.must('GET', east.path(`/orders/${made.body.data.id}/jobs`));
  expect(jobs.map((job) => [job.state, job.driver.id])).toEqual(Array(2).fill(['assigned', user.id]));
  // Each job has its hire, by which the driver's own company sees it.
  for (const { id } of jobs) expect((await west.http('GET', west.path(`/jobs/${id}`))).status).toBe(200);
});
