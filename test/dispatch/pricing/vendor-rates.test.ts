import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Rate } from '../../../src/directory/master-data/rate.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { act, connect, jobOf, makeChain, makeStaffedTenant, read, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { fieldsOf, type Person } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let owner: StaffedTenant;
let middle: StaffedTenant;
let last: StaffedTenant;
/** Accounts by which each knows the next. */
let hired: Json;
let subHired: Json;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  ({ owner, middle, last, hired, subHired } = await makeChain(app));
});
afterAll(() => app.close());

test('each rate is visible to the two companies it connects, and only with the permission', async () => {
  const { id } = await jobOf(owner);
  const rates = { customer_rate_value: 900, customer_rate_type: 'RatePerLoad', vendor_rate_value: 700, vendor_rate_type: 'RatePerLoad' };
  const pay = { driver_rate_value: 33.33, driver_rate_type: 'RatePerHour' };
  await owner.admin.must('PATCH', owner.path(`/jobs/${id}`), { ...rates, ...pay });
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id }, owner.admin);
  await act(owner, id, 'request');
  await act(middle, id, 'accept');
  const pays = { vendor_account_id: subHired.id, rate_value: 500, rate_type: 'RatePerLoad' };
  const made = await middle.admin.must('POST', middle.path(`/jobs/${id}/job_assignments`), pays);
  expect(made).toMatchObject({ rate_value: '500', rate_type: 'RatePerLoad', job: { id } });

  const reported = async (who: StaffedTenant, by: Person) => {
    const seen = (await read(who, id, by)).body.data;
    const link = (one: Json) => one?.rate_value ?? null;
    return [seen.customer_rate_value, seen.vendor_rate_value, link(seen.customer_job_assignment), link(seen.vendor_job_assignment)];
  };
  expect(await reported(owner, owner.admin)).toEqual(['900', '700', null, '700']);
  expect(await reported(middle, middle.admin)).toEqual([null, null, '700', '500']);
  expect(await reported(last, last.admin)).toEqual([null, null, '500', null]);
  for (const who of [owner, middle, last]) expect((await reported(who, who.dispatcher)).filter((value) => value !== null)).toEqual([]);

  // By no way of asking: REST lists, GraphQL, the order, its history.
  const ask = `query($id: ID!) { job(id: $id) { customerRateValue vendorRateValue driverRateValue driverRateType materialRateAssignment { sellPrice buyPrice }
    order { customerRateValue vendorRateValue materialRateSellPrice jobs(first: 5) { nodes { vendorRateValue jobAssignments { rateValue } } } }
    jobAssignments { rateValue rateType rate { flatAmount } } vendorJobAssignment { rateValue } customerJobAssignment { rateValue } } }`;
  const texts = async (who: StaffedTenant, by: Person) =>
    JSON.stringify([
      await by.gql(ask, { id }),
      (await by.http('GET', who.path('/jobs?page[limit]=100'))).body,
      (await by.http('GET', who.path(`/jobs/${id}/job_assignments`))).body,
      (await by.http('GET', who.path(`/jobs/${id}/timeline`))).body,
    ]);
  expect(await texts(middle, middle.admin)).not.toMatch(/"900"/);
  expect(await texts(last, last.admin)).not.toMatch(/"900"|"700"/);
  expect(await texts(owner, owner.admin)).not.toMatch(/"500"/);
  await act(last, id, 'accept');
  await last.dispatcher.must('PATCH', last.path(`/jobs/${id}`), { driver_id: last.driver.id });
  // The rates of the owner's own drivers are nothing to a driver of another company, nor to their employer.
  for (const by of [last.driver, last.admin])
    expect(await texts(last, by)).not.toMatch(by === last.admin ? /"33.33"|RatePerHour/ : /"900"|"700"|"500"|"33.33"|RatePerHour/);
  expect(await texts(owner, owner.admin)).toMatch(/"33.33"/);
});

test('only the company that passed a job on changes the pay of the link', async () => {
  const { id } = await jobOf(owner);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  const [link] = await owner.admin.must('GET', owner.path(`/jobs/${id}/job_assignments`));
  const path = (who: StaffedTenant) => who.path(`/job_assignments/${link.id}`);
  const rateCard = await owner.save(Rate, {
    company: ref(owner.company),
    name: 'Per load',
    type: 'RatePerLoad',
    ownerType: 'vendor',
    serviceIds: [owner.service.id],
    account: ref(Account, hired.id),
  });
  const changed = await owner.admin.must('PATCH', path(owner), { rate_id: rateCard.id, rate_value: 650.5, rate_type: 'RatePerLoad' });
  expect(changed).toMatchObject({ rate: { id: rateCard.id }, rate_value: '650.5', rate_type: 'RatePerLoad' });
  expect((await middle.admin.must('GET', path(middle))).rate_value).toBe('650.5');
  // The value is visible; the rate card and its other conditions are visible to the company that it belongs to only.
  const query = `{ jobAssignment(id: "${link.id}") { rate { name account { id } services { id } projects { id } } } }`;
  const shown = async (who: StaffedTenant) => (await who.admin.gql(query)).data.jobAssignment.rate;
  expect(await shown(middle)).toBeNull();
  expect(await shown(owner)).toEqual({ name: 'Per load', account: { id: hired.id }, services: [{ id: owner.service.id }], projects: [] });
  expect((await owner.admin.must('PATCH', path(owner), { rate_id: null })).rate).toBeNull();
  expect((await middle.admin.http('PATCH', path(middle), { rate_value: 9000 })).status).toBe(403);
  expect((await last.admin.http('PATCH', path(last), { rate_value: 1 })).status).toBe(404);
  expect((await last.admin.http('GET', path(last))).status).toBe(404);
  expect((await owner.http('PATCH', path(owner), { rate_value: 1 }, owner.driver.token)).status).toBe(403);
  // A rate card of a customer's, or of another vendor, is none of this link.
  const rateCards = [{ ownerType: 'customer' as const }, { ownerType: 'vendor' as const, account: ref(Account, owner.vendor.id) }];
  for (const wrong of rateCards) {
    const { id: rate_id } = await owner.save(Rate, { company: ref(owner.company), name: 'Another', type: 'RatePerLoad', ...wrong });
    const refused = await owner.admin.http('PATCH', path(owner), { rate_id });
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['rate_id']]);
    const body = { vendor_account_id: hired.id, rate_id };
    const passed = await owner.admin.http('POST', owner.path(`/jobs/${id}/job_assignments`), body);
    expect([passed.status, fieldsOf(passed)]).toEqual([422, ['rate_id']]);
  }
  const strange = await middle.save(Rate, { company: ref(middle.company), name: 'Theirs', type: 'RatePerLoad', ownerType: 'vendor' });
  const wrong = await owner.admin.http('PATCH', path(owner), { rate_id: strange.id, rate_value: -1 });
  expect([wrong.status, fieldsOf(wrong).includes('rate_value')]).toEqual([422, true]);
  const other = await owner.admin.http('PATCH', path(owner), { rate_id: strange.id });
  expect([other.status, fieldsOf(other)]).toEqual([422, ['rate_id']]);
});

test('the next vendor does not see the rate of the previous link', async () => {
  const { id } = await jobOf(owner);
  const second = await connect(middle, await makeStaffedTenant(app, { legalName: 'Another operator' }));
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(owner, id, 'request');
  await act(middle, id, 'accept');
  await middle.must('POST', middle.path(`/jobs/${id}/job_assignments`), { vendor_account_id: subHired.id, rate_value: 500 });
  await act(middle, id, 'assign_vendor', { vendor_id: second.id });
  expect((await read(middle, id, middle.admin)).body.data.vendor_job_assignment).toMatchObject({
    rate_value: null,
    vendor_account: { id: second.id },
  });
  expect((await read(last, id)).status).toBe(404);
});
