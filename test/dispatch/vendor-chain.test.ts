import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/account.entity.ts';
import { Equipment } from '../../src/directory/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment-type.entity.ts';
import { Rate } from '../../src/directory/rate.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, makeOrder, makeYard, orderInput, type Yard } from '../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A company, and tokens of its people. */
interface Firm extends Yard {
  admin: string;
  dispatcher: string;
}

let app: TestApp;
/** A customer, the hauler it hires, and the owner-operator whom that one hires. */
let owner: Firm;
let middle: Firm;
let last: Firm;
/** Accounts by which each knows the next. */
let hired: Json;
let subHired: Json;
beforeAll(async () => {
  app = await startTestApp();
  [owner, middle, last] = [await firm('Customer'), await firm('Hauler'), await firm('Owner-operator')];
  hired = await connect(owner, middle);
  subHired = await connect(middle, last);
});
afterAll(() => app.close());

async function firm(legalName: string): Promise<Firm> {
  const yard = await makeYard(app, { company: { legalName } });
  return {
    ...yard,
    admin: (await yard.person({ roles: ['company_admin'] })).token,
    dispatcher: (await yard.person({ roles: ['dispatcher'] })).token,
  };
}
const connect = (from: Yard, to: Yard) =>
  from.must('POST', from.path('/accounts/connected'), { platform_id: to.company.platformId, account_types: ['vendor'] });
const share = (from: Yard, to: Yard, type: string, id: string, more: object = {}) =>
  from.must('POST', from.path('/company_shares'), {
    receiver_company_id: to.company.id,
    company_shareable_type: type,
    company_shareable_id: id,
    ...more,
  });

/** A job of an accepted order. */
async function job(of: Firm, more: object = {}): Promise<Json> {
  const order = await makeOrder(of, { loads_per_truck: 1, ...more });
  await of.must('PUT', of.path(`/orders/${order.id}/accept`), {});
  const [first] = await of.must('GET', of.path(`/orders/${order.id}/jobs`));
  return first;
}
const act = (who: Firm, id: string, event: string, body: object = {}, token = who.dispatcher) =>
  who.must('PUT', who.path(`/jobs/${id}/${event}`), body, token);
const read = (who: Firm, id: string, token = who.dispatcher) => who.http('GET', who.path(`/jobs/${id}`), undefined, token);

test('a job goes down the chain to the driver, each company seeing its own links only', async () => {
  const { id } = await job(owner);
  expect([(await read(middle, id)).status, (await read(last, id)).status]).toEqual([404, 404]);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(owner, id, 'request');
  expect([(await read(middle, id)).status, (await read(last, id)).status]).toEqual([200, 404]);
  expect((await act(middle, id, 'accept')).state).toBe('accepted');
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  await act(middle, id, 'request');
  expect((await act(last, id, 'accept')).state).toBe('accepted');
  await last.must('PATCH', last.path(`/jobs/${id}`), { driver_id: last.driver.id }, last.dispatcher);
  await act(last, id, 'request');
  expect((await last.must('PUT', `/v1/jobs/${id}/accept`, {}, last.driverToken)).state).toBe('accepted');

  const links = async (who: Firm) =>
    (await who.must('GET', who.path(`/jobs/${id}/job_assignments`))).map((link: Json) => [
      link.customer_account?.company.id,
      link.vendor_account?.id,
    ]);
  // Of a link each side reads the account that it keeps of the other one.
  expect(await links(owner)).toEqual([[undefined, hired.id]]);
  expect((await links(middle)).sort()).toEqual(
    [
      [middle.company.id, undefined],
      [undefined, subHired.id],
    ].sort(),
  );
  expect(await links(last)).toEqual([[last.company.id, undefined]]);
  const sendingAccounts = async (who: Firm) =>
    (await who.gql('query($id: ID!) { job(id: $id) { order { sendingAccounts { company { id } } } } }', { id }, who.admin)).data.job.order
      .sendingAccounts;
  expect(await sendingAccounts(owner)).toEqual([]);
  expect(await sendingAccounts(middle)).toEqual([{ company: { id: middle.company.id } }]);
  expect(await sendingAccounts(last)).toEqual([{ company: { id: last.company.id } }]);
  for (const who of [owner, middle, last]) {
    const seen = (await read(who, id)).body.data;
    expect(seen).toMatchObject({ state: 'accepted', driver: { id: last.driver.id } });
    // The last one does not learn whom the work is for in the end by its accounts, nor the first one whom its hauler hires.
    expect(JSON.stringify([seen.vendor_job_assignment, seen.customer_job_assignment])).not.toContain(
      who === owner ? last.company.id : who === last ? owner.company.id : 'nobody',
    );
  }
  expect((await read(owner, id, middle.dispatcher)).status).toBe(404);
  const stranger = await firm('Stranger');
  expect((await read(stranger, id)).status).toBe(404);
});

test('of the account that work is for, a vendor reads the name and not whom to call there', async () => {
  const account = await owner.must('POST', '/v1/accounts', {
    name: 'Secret Paving',
    account_types: ['customer'],
    external_id: 'SECRET-1',
    notes: 'pays late',
    primary_contact: { name: 'Pat Private', email: 'pat@private.example', phone: '+15125550177' },
    address: { thoroughfare: '77 Hidden St', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' },
  });
  const { id, order } = await job(owner, { account_id: account.id });
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(owner, id, 'request');
  const told = `account { name externalId notes address { thoroughfare } primaryContact { name email phone } connectedCompany { id } }`;
  const query = `query($id: ID!, $order: ID!) { order(id: $order) { ${told} } job(id: $id) { order { ${told} } } }`;
  const answers = async (who: Firm) => (await who.gql(query, { id, order: order.id }, who.admin)).data;
  const seen = { name: 'Secret Paving', externalId: null, notes: null, address: null, primaryContact: null, connectedCompany: null };
  expect(await answers(middle)).toEqual({ order: { account: seen }, job: { order: { account: seen } } });
  expect((await answers(owner)).order.account).toMatchObject({
    address: { thoroughfare: '77 Hidden St' },
    primaryContact: { name: 'Pat Private', email: 'pat@private.example', phone: '+15125550177' },
  });
  expect(JSON.stringify(await middle.must('GET', middle.path(`/orders/${order.id}`), undefined, middle.admin))).not.toMatch(
    /Pat Private|Hidden St|SECRET-1|pays late/,
  );
});

test('each rate is seen by the two it lies between, and by nobody without the permission', async () => {
  const { id } = await job(owner);
  const rates = { customer_rate_value: 900, customer_rate_type: 'RatePerLoad', vendor_rate_value: 700, vendor_rate_type: 'RatePerLoad' };
  const pay = { driver_rate_value: 33.33, driver_rate_type: 'RatePerHour' };
  await owner.must('PATCH', owner.path(`/jobs/${id}`), { ...rates, ...pay }, owner.admin);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id }, owner.admin);
  await act(owner, id, 'request');
  await act(middle, id, 'accept');
  const made = await middle.must(
    'POST',
    middle.path(`/jobs/${id}/job_assignments`),
    { vendor_account_id: subHired.id, rate_value: 500, rate_type: 'RatePerLoad' },
    middle.admin,
  );
  expect(made).toMatchObject({ rate_value: '500', rate_type: 'RatePerLoad', job: { id } });

  const told = async (who: Firm, token: string) => {
    const seen = (await read(who, id, token)).body.data;
    const link = (one: Json) => one?.rate_value ?? null;
    return [seen.customer_rate_value, seen.vendor_rate_value, link(seen.customer_job_assignment), link(seen.vendor_job_assignment)];
  };
  expect(await told(owner, owner.admin)).toEqual(['900', '700', null, '700']);
  expect(await told(middle, middle.admin)).toEqual([null, null, '700', '500']);
  expect(await told(last, last.admin)).toEqual([null, null, '500', null]);
  for (const who of [owner, middle, last]) expect((await told(who, who.dispatcher)).filter((value) => value !== null)).toEqual([]);

  // By no way of asking: REST lists, GraphQL, the order, its history.
  const ask = `query($id: ID!) { job(id: $id) { customerRateValue vendorRateValue driverRateValue driverRateType materialRateAssignment { sellPrice buyPrice }
    order { customerRateValue vendorRateValue materialRateSellPrice jobs(first: 5) { nodes { vendorRateValue jobAssignments { rateValue } } } }
    jobAssignments { rateValue rateType rate { flatAmount } } vendorJobAssignment { rateValue } customerJobAssignment { rateValue } } }`;
  const texts = async (who: Firm, token: string) =>
    JSON.stringify([
      await who.gql(ask, { id }, token),
      (await who.http('GET', who.path('/jobs?page[limit]=100'), undefined, token)).body,
      (await who.http('GET', who.path(`/jobs/${id}/job_assignments`), undefined, token)).body,
      (await who.http('GET', who.path(`/jobs/${id}/timeline`), undefined, token)).body,
    ]);
  expect(await texts(middle, middle.admin)).not.toMatch(/"900"/);
  expect(await texts(last, last.admin)).not.toMatch(/"900"|"700"/);
  expect(await texts(owner, owner.admin)).not.toMatch(/"500"/);
  await act(last, id, 'accept');
  await last.must('PATCH', last.path(`/jobs/${id}`), { driver_id: last.driver.id }, last.dispatcher);
  // What the owner pays its own drivers is nothing to a driver of another company, nor to who employs them.
  for (const token of [last.driverToken, last.admin])
    expect(await texts(last, token)).not.toMatch(token === last.admin ? /"33.33"|RatePerHour/ : /"900"|"700"|"500"|"33.33"|RatePerHour/);
  expect(await texts(owner, owner.admin)).toMatch(/"33.33"/);
});

test('who passed a job on changes what the link is paid, nobody else', async () => {
  const { id } = await job(owner);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  const [link] = await owner.must('GET', owner.path(`/jobs/${id}/job_assignments`), undefined, owner.admin);
  const path = (who: Firm) => who.path(`/job_assignments/${link.id}`);
  const card = await owner.save(Rate, {
    company: ref(owner.company),
    name: 'Per load',
    type: 'RatePerLoad',
    ownerType: 'vendor',
    serviceIds: [owner.service.id],
    account: ref(Account, hired.id),
  });
  const changed = await owner.must('PATCH', path(owner), { rate_id: card.id, rate_value: 650.5, rate_type: 'RatePerLoad' }, owner.admin);
  expect(changed).toMatchObject({ rate: { id: card.id }, rate_value: '650.5', rate_type: 'RatePerLoad' });
  expect((await middle.must('GET', path(middle), undefined, middle.admin)).rate_value).toBe('650.5');
  // The value is told; the card, and what else it is for, is the affair of the company whose card it is.
  const query = `{ jobAssignment(id: "${link.id}") { rate { name account { id } services { id } projects { id } } } }`;
  const shown = async (who: Firm) => (await who.gql(query, {}, who.admin)).data.jobAssignment.rate;
  expect(await shown(middle)).toBeNull();
  expect(await shown(owner)).toEqual({ name: 'Per load', account: { id: hired.id }, services: [{ id: owner.service.id }], projects: [] });
  expect((await owner.must('PATCH', path(owner), { rate_id: null }, owner.admin)).rate).toBeNull();
  expect((await middle.http('PATCH', path(middle), { rate_value: 9000 }, middle.admin)).status).toBe(403);
  expect((await last.http('PATCH', path(last), { rate_value: 1 }, last.admin)).status).toBe(404);
  expect((await last.http('GET', path(last), undefined, last.admin)).status).toBe(404);
  expect((await owner.http('PATCH', path(owner), { rate_value: 1 }, owner.driverToken)).status).toBe(403);
  // A card of a customer's, or of another vendor, is none of this link.
  const cards = [{ ownerType: 'customer' as const }, { ownerType: 'vendor' as const, account: ref(Account, owner.vendor.id) }];
  for (const wrong of cards) {
    const { id: rate_id } = await owner.save(Rate, { company: ref(owner.company), name: 'Another', type: 'RatePerLoad', ...wrong });
    const refused = await owner.http('PATCH', path(owner), { rate_id }, owner.admin);
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['rate_id']]);
    const body = { vendor_account_id: hired.id, rate_id };
    const passed = await owner.http('POST', owner.path(`/jobs/${id}/job_assignments`), body, owner.admin);
    expect([passed.status, fieldsOf(passed)]).toEqual([422, ['rate_id']]);
  }
  const strange = await middle.save(Rate, { company: ref(middle.company), name: 'Theirs', type: 'RatePerLoad', ownerType: 'vendor' });
  const wrong = await owner.http('PATCH', path(owner), { rate_id: strange.id, rate_value: -1 }, owner.admin);
  expect([wrong.status, fieldsOf(wrong).includes('rate_value')]).toEqual([422, true]);
  const other = await owner.http('PATCH', path(owner), { rate_id: strange.id }, owner.admin);
  expect([other.status, fieldsOf(other)]).toEqual([422, ['rate_id']]);
});

test('the rate of one sub-vendor is not offered to the next', async () => {
  const { id } = await job(owner);
  const second = await connect(middle, await firm('Another operator'));
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

test('a shared driver is hired along the shares: their companies see the job, and the driver does it', async () => {
  const [a, b, c] = [await firm('Lender'), await firm('Agent'), await firm('Borrower')];
  await connect(b, a);
  await connect(c, b);
  await share(a, b, 'User', a.driver.id);
  const { id } = await job(c);
  const assign = (who: Firm) => who.http('PATCH', who.path(`/jobs/${id}`), { driver_id: a.driver.id }, who.dispatcher);
  const refused = await assign(c);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['driver_id']]);
  const reshare = await share(b, c, 'User', a.driver.id);
  expect((await assign(c)).body.data).toMatchObject({ state: 'assigned', driver: { id: a.driver.id } });
  const parties = async (who: Firm) =>
    (await who.must('GET', who.path(`/jobs/${id}/job_assignments`))).map((link: Json) => [
      link.vendor_account?.company.id ?? null,
      link.customer_account?.company.id ?? null,
    ]);
  expect(await parties(c)).toEqual([[c.company.id, null]]);
  expect(await parties(a)).toEqual([[null, a.company.id]]);
  // The planner takes the whole hire back, and gives the job to whom it likes.
  await act(c, id, 'unassign');
  expect([await parties(c), (await read(a, id)).status, (await assign(c)).status]).toEqual([[], 404, 200]);
  const own = await c.http('PATCH', c.path(`/jobs/${id}`), { driver_id: c.driver.id }, c.dispatcher);
  expect([own.status, await parties(c), (await assign(c)).status]).toEqual([200, [], 200]);
  await act(c, id, 'request');
  expect((await a.must('PUT', `/v1/jobs/${id}/accept`, {}, a.driverToken)).state).toBe('accepted');
  expect((await a.must('PUT', `/v1/jobs/${id}/enroute`, {}, a.driverToken)).state).toBe('to_pickup');
  // What was planned stays, new work is refused: an expired share gives no driver.
  await b.must('PATCH', b.path(`/company_shares/${reshare.id}`), { expires_at: new Date(Date.now() - 1000).toISOString() });
  expect((await read(c, id)).body.data.driver.id).toBe(a.driver.id);
  const next = await job(c);
  const late = await c.http('PATCH', c.path(`/jobs/${next.id}`), { driver_id: a.driver.id }, c.dispatcher);
  expect([late.status, fieldsOf(late)]).toEqual([422, ['driver_id']]);
});

test('taking a shared driver off takes the hire back; one who may not be dispatched is refused', async () => {
  const [a, b] = [await firm('Lender'), await firm('Borrower')];
  await connect(b, a);
  const { id: shareId } = await share(a, b, 'User', a.driver.id);
  const { id } = await job(b);
  const patch = (driver_id: string | null) => b.http('PATCH', b.path(`/jobs/${id}`), { driver_id }, b.dispatcher);
  expect((await patch(a.driver.id)).status).toBe(200);
  expect((await read(a, id)).status).toBe(200);
  expect((await patch(b.driver.id)).status).toBe(200);
  expect((await read(a, id)).status).toBe(404);
  await a.must('PATCH', a.path(`/company_shares/${shareId}`), { dispatchable: false });
  const refused = await patch(a.driver.id);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['driver_id']]);
  expect((await b.http('PATCH', b.path(`/users/${a.driver.id}`), { first_name: 'Mine' })).status).toBeGreaterThanOrEqual(400);
});

test('work goes to shared places, and shared trucks are planned when they were shared for it', async () => {
  const [a, b] = [await firm('Lender'), await firm('Borrower')];
  await connect(b, a);
  const type = await a.save(EquipmentType, { company: ref(a.company), name: 'Tandem' });
  const truck = await a.save(Equipment, { company: ref(a.company), name: 'Truck 9', equipmentType: ref(type) });
  const trailer = await a.save(Equipment, { company: ref(a.company), name: 'Trailer 9', equipmentType: ref(type) });
  const stops = { waypoints: [{ type: 'pickup', site_id: a.pickup.id, ordinality: 0 }, ...orderInput(b).waypoints.slice(1)] };
  const refused = await b.http('POST', b.path('/orders'), orderInput(b, stops));
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['waypoints.0.site_id']]);
  const { id: siteShare } = await share(a, b, 'Site', a.pickup.id);
  const { id, order } = await job(b, stops);
  expect((await read(b, id)).body.data.waypoints[0].site.id).toBe(a.pickup.id);
  const offered = await b.must('GET', `/v1/orders/${order.id}/sites/typeahead`);
  expect(offered.map((site: Json) => site.id)).toContain(a.pickup.id);

  const drive = () =>
    b.http('PATCH', b.path(`/jobs/${id}`), { equipment_id: truck.id, additional_equipment_ids: [trailer.id] }, b.dispatcher);
  expect(fieldsOf(await drive())).toEqual(['additional_equipment_ids.0', 'equipment_id']);
  const { id: truckShare } = await share(a, b, 'Equipment', truck.id);
  const { id: trailerShare } = await share(a, b, 'Equipment', trailer.id);
  expect(fieldsOf(await drive())).toEqual(['additional_equipment_ids.0', 'equipment_id']);
  for (const id of [truckShare, trailerShare]) await a.must('PATCH', a.path(`/company_shares/${id}`), { dispatchable: true });
  expect((await drive()).body.data).toMatchObject({ equipment: { id: truck.id, name: 'Truck 9' } });

  await a.must('PATCH', a.path(`/company_shares/${siteShare}`), { expires_at: new Date(Date.now() - 1000).toISOString() });
  const late = await b.http('POST', b.path('/orders'), orderInput(b, stops));
  expect([late.status, fieldsOf(late)]).toEqual([422, ['waypoints.0.site_id']]);
  expect((await read(b, id)).status).toBe(200);
});

test('work does not go back up the chain, neither to a vendor that has it nor to its owner', async () => {
  await connect(owner, last);
  /** What one company calls another that it may hire. */
  const hire = async (from: Firm, to: Firm) => {
    const accounts = await from.must('GET', from.path('/accounts?page[limit]=100'), undefined, from.admin);
    const { id } = accounts.find((account: Json) => account.connected_company?.id === to.company.id);
    return from.must('PATCH', `/v1/accounts/${id}`, { account_types: ['customer', 'vendor'] }, from.admin);
  };
  const [toOwner, toMiddle, direct] = [await hire(last, owner), await hire(last, middle), await hire(owner, last)];
  const { id } = await job(owner);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(owner, id, 'request');
  await act(middle, id, 'accept');
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  await act(middle, id, 'request');
  await act(last, id, 'accept');
  await last.must('PATCH', `/v1/accounts/${toOwner.id}`, { auto_accept_orders: true }, last.admin);
  for (const account of [toOwner, toMiddle]) {
    const assigned = await last.http('PUT', last.path(`/jobs/${id}/assign_vendor`), { vendor_id: account.id }, last.dispatcher);
    expect([assigned.status, fieldsOf(assigned), assigned.body.error.errors[0].message]).toEqual([
      422,
      ['vendor_id'],
      'is of a company that has this job already, further up the chain; work does not go back up',
    ]);
    const linked = await last.http('POST', last.path(`/jobs/${id}/job_assignments`), { vendor_account_id: account.id }, last.admin);
    expect([linked.status, fieldsOf(linked)]).toEqual([422, ['vendor_account_id']]);
  }
  // A driver is hired from the company that shares them, which is the same way round.
  await share(owner, last, 'User', owner.driver.id);
  const driven = await last.http('PATCH', last.path(`/jobs/${id}`), { driver_id: owner.driver.id }, last.dispatcher);
  expect([driven.status, fieldsOf(driven)]).toEqual([422, ['driver_id']]);
  expect((await read(last, id)).body.data).toMatchObject({ state: 'accepted', driver: null });
  // Whoever is no longer above may be hired: the owner takes the job back and gives it to the last one first.
  await act(owner, id, 'unassign');
  await act(owner, id, 'assign_vendor', { vendor_id: direct.id });
  await act(owner, id, 'request');
  await act(last, id, 'accept');
  expect((await act(last, id, 'assign_vendor', { vendor_id: toMiddle.id })).state).toBe('assigned');
});
