import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { CompanyShare } from '../../../src/directory/shares/company-share.entity.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { onDuty } from '../../helpers/on-duty.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const DAY = '2027-03-14';
const BOARD = `query ($companyId: ID, $date: Date) { dayBoard(companyId: $companyId, date: $date) {
  companyId date timeZone startsAt endsAt
  orders { id state account { name } orderSummary { jobsCount } }
  jobsByState { state count jobs { id jobId state driverRateValue driver { id } equipment { id } waypoints { site { name } } loads(first: 2) { nodes { id } } } }
  drivers { availability jobsCount driver { id lastName gpsStatus { status } lastPosition { lat lon occurredAt } } }
  trucks { availability jobsCount truck { id name equipmentType { name } } } } }`;

let app: TestApp;
let tenant: Tenant;
let child: Tenant;
let foreign: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app, { company: { timeZone: 'America/Chicago' } });
  child = await makeTenant(app, { company: { parentCompany: ref(tenant.company), timeZone: 'Pacific/Auckland' } });
  foreign = await makeTenant(app, { company: { timeZone: 'America/Chicago' } });
});
afterAll(() => app.close());

const HERE = { occurred_at: new Date().toISOString(), lat: '30.25', lon: '-97.75', job_id: null };

const boardOf = async (of: Tenant, more: object = {}, as?: string): Promise<Json> => {
  const answer = await of.gql(BOARD, { date: DAY, ...more }, as);
  if (answer.errors) throw new Error(JSON.stringify(answer.errors));
  return answer.data.dayBoard;
};
const jobsOf = (board: Json): Json[] => board.jobsByState.flatMap(({ jobs }: Json) => jobs);
const truck = async (of: Tenant, name: string, more: object = {}) => {
  const type = await of.save(EquipmentType, { company: ref(of.company), name: 'Tri-axle' });
  return of.save(Equipment, { company: ref(of.company), name, equipmentType: ref(type), ...more });
};

test('a day begins and ends by the wall clock of the company, even on a clock change', async () => {
  const inside = [
    await makeOrder(tenant, { load_at: '2027-03-14T06:00:00Z' }),
    await makeOrder(tenant, { load_at: '2027-03-15T04:59:59Z' }),
  ];
  await makeOrder(tenant, { load_at: '2027-03-14T05:59:59Z' });
  await makeOrder(tenant, { load_at: '2027-03-15T05:00:00Z' });
  await makeOrder(foreign, { load_at: '2027-03-14T12:00:00Z' });
  const board = await boardOf(tenant);
  expect(board).toMatchObject({
    companyId: tenant.company.id,
    date: DAY,
    timeZone: 'America/Chicago',
    startsAt: '2027-03-14T06:00:00.000Z',
    endsAt: '2027-03-15T05:00:00.000Z',
  });
  expect(board.orders.map(({ id }: Json) => id)).toEqual(inside.map(({ id }: Json) => id));
  expect(board.jobsByState).toMatchObject([{ state: 'created', count: 2 }]);
  expect(jobsOf(board)[0].waypoints.map((one: Json) => one.site.name)).toEqual(['Quarry', 'Bridge']);
});

test('an order of the day before is listed because of its job on the day', async () => {
  const date = '2027-05-02';
  const order = await makeOrder(tenant, { load_at: '2027-05-02T04:00:00Z', truck_count: 2, truck_delay: 120 });
  const board = await boardOf(tenant, { date });
  expect(board.orders.map(({ id }: Json) => id)).toEqual([order.id]);
  expect(jobsOf(board).length).toBe(1);
  const before = await boardOf(tenant, { date: '2027-05-01' });
  expect([before.orders.length, jobsOf(before).length]).toEqual([1, 1]);
});

test('drivers and trucks are available, booked or off, and drivers are shown at their last position', async () => {
  const date = '2027-06-01';
  const own = await makeTenant(app);
  const [busy, idle, away] = [
    await own.person({ roles: ['driver'], lastName: 'Busy' }),
    await own.person({ roles: ['driver'], lastName: 'Idle' }),
    await own.person({ roles: ['driver'], lastName: 'Off' }),
  ];
  await own.person({ roles: ['dispatcher'], lastName: 'Nobody' });
  await own.person({ roles: ['driver'], lastName: 'Gone', discardedAt: new Date() });
  const hauler = await truck(own, 'A hauler');
  const trailer = await truck(own, 'B trailer');
  await truck(own, 'C spare');
  await truck(own, 'D broken', { state: 'inactive' });
  await truck(own, 'E sold', { discardedAt: new Date() });
  const order = await makeOrder(own, { load_at: '2027-06-01T15:00:00Z', truck_count: 2 });
  const [first, second] = await own.must('GET', `/v1/orders/${order.id}/jobs`);
  await own.must('PATCH', `/v1/jobs/${first.id}`, {
    driver_id: busy.user.id,
    equipment_id: hauler.id,
    additional_equipment_ids: [trailer.id],
  });
  // Canceled jobs occupy nobody.
  await own.must('PATCH', `/v1/jobs/${second.id}`, { driver_id: idle.user.id });
  await own.must('PUT', `/v1/jobs/${second.id}/cancel`, {});
  const off = { start_date: '2027-05-30T00:00:00Z', end_date: '2027-06-03T00:00:00Z' };
  await own.must('POST', `/v1/users/${away.user.id}/scheduled_time_offs`, off);
  await onDuty(own, idle.user.id, { startedAt: new Date(HERE.occurred_at) });
  expect((await own.http('POST', '/v1/users/me/location', { device_id: 'phone', location: HERE }, idle.token)).status).toBe(204);

  const board = await boardOf(own, { date });
  const drivers = board.drivers.filter(({ driver }: Json) => driver.id !== own.driver.id);
  expect(drivers.map(({ driver, availability, jobsCount }: Json) => [driver.lastName, availability, jobsCount])).toEqual([
    ['Busy', 'booked', 1],
    ['Idle', 'available', 0],
    ['Off', 'off', 0],
  ]);
  expect(drivers.map(({ driver }: Json) => driver.lastPosition)).toEqual([
    null,
    { lat: '30.25', lon: '-97.75', occurredAt: HERE.occurred_at },
    null,
  ]);
  expect(drivers[1].driver.gpsStatus.status).toBe('online');
  expect(board.trucks.map(({ truck, availability, jobsCount }: Json) => [truck.name, availability, jobsCount])).toEqual([
    ['A hauler', 'booked', 1],
    ['B trailer', 'booked', 1],
    ['C spare', 'available', 0],
    ['D broken', 'off', 0],
  ]);
  expect(board.jobsByState.map(({ state, count }: Json) => [state, count])).toEqual([
    ['assigned', 1],
    ['canceled', 1],
  ]);
  expect((await boardOf(own, { date: '2027-06-02' })).drivers.map(({ availability }: Json) => availability)).not.toContain('booked');
});

test('a child company has a day in its own zone, and a foreign company has none', async () => {
  const order = await makeOrder(child, { load_at: '2027-03-13T12:00:00Z' });
  const board = await boardOf(tenant, { companyId: child.company.id });
  expect(board).toMatchObject({ companyId: child.company.id, startsAt: '2027-03-13T11:00:00.000Z', endsAt: '2027-03-14T11:00:00.000Z' });
  expect(board.orders.map(({ id }: Json) => id)).toEqual([order.id]);
  expect(board.drivers.map(({ driver }: Json) => driver.id)).toEqual([child.driver.id]);
  const refused = async (of: Tenant, companyId: string) =>
    (await of.gql(BOARD, { companyId, date: DAY })).errors.map(({ extensions }: Json) => extensions.code);
  expect(await refused(foreign, tenant.company.id)).toEqual(await refused(foreign, foreign.driver.id));
  expect(await refused(child, tenant.company.id)).toEqual(await refused(foreign, foreign.driver.id));
});

test("work that was passed on is on the vendor's day, without the customer's private fields", async () => {
  const date = '2027-07-01';
  const order = await makeOrder(tenant, { load_at: '2027-07-01T15:00:00Z', truck_count: 2 });
  const jobs = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const vendor = await tenant.save(Account, {
    company: ref(tenant.company),
    name: 'Foreign hauler',
    accountTypes: ['vendor'],
    connectedCompany: ref(foreign.company),
  });
  await tenant.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_rate_type: 'RatePerHour', driver_rate_value: '31.50' });
  await tenant.must('PUT', `/v1/jobs/${jobs[0].id}/assign_vendor`, { vendor_id: vendor.id });
  // That a company receives work is remembered for a moment.
  forgetViewers(app.application);
  const seen = await boardOf(foreign, { date });
  expect(jobsOf(seen).map(({ id, driverRateValue }: Json) => [id, driverRateValue])).toEqual([[jobs[0].id, null]]);
  expect(seen.orders.map(({ id }: Json) => id)).toEqual([order.id]);
  expect(jobsOf(await boardOf(tenant, { date })).find(({ id }: Json) => id === jobs[0].id).driverRateValue).toBe('31.5');
});

test('a truck that hauls work which was passed on is booked on the day of its company, and its driver sees it', async () => {
  const date = '2027-07-08';
  const [customer, hauler] = [await makeTenant(app), await makeTenant(app)];
  const [hers] = [await truck(hauler, 'Hers'), await truck(hauler, 'Spare')];
  const order = await makeOrder(customer, { load_at: '2027-07-08T15:00:00Z' });
  const [job] = await customer.must('GET', `/v1/orders/${order.id}/jobs`);
  const vendor = await customer.save(Account, {
    company: ref(customer.company),
    name: 'Hauler',
    accountTypes: ['vendor'],
    connectedCompany: ref(hauler.company),
  });
  await customer.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: vendor.id });
  forgetViewers(app.application);
  const { user, token } = await hauler.person({ roles: ['driver'], equipment: ref(hers) });
  await hauler.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: user.id });
  const trucks = async (of: Tenant, as?: string) =>
    (await boardOf(of, { date }, as)).trucks.map(({ truck, availability, jobsCount }: Json) => [truck.name, availability, jobsCount]);
  expect(await trucks(hauler)).toEqual([
    ['Hers', 'booked', 1],
    ['Spare', 'available', 0],
  ]);
  expect(await trucks(hauler, token)).toEqual([['Hers', 'booked', 1]]);
  // Its customer has no trucks of others on its board.
  expect(await trucks(customer)).toEqual([]);
});

test('a shared driver is on the board, off when they are, and without a position', async () => {
  const { user } = await foreign.person({ roles: ['driver'], lastName: 'Lent', lastPingAt: new Date(), lastLat: '1', lastLon: '2' });
  await foreign.save(CompanyShare, {
    companyId: foreign.company.id,
    senderCompany: ref(foreign.company),
    receiverCompany: ref(tenant.company),
    companyShareableType: 'User',
    companyShareableId: user.id,
    dispatchable: true,
  });
  await foreign.must('POST', `/v1/users/${user.id}/scheduled_time_offs`, {
    start_date: '2027-08-01T00:00:00Z',
    end_date: '2027-08-03T00:00:00Z',
  });
  const lent = async (date: string) => (await boardOf(tenant, { date })).drivers.find(({ driver }: Json) => driver.id === user.id);
  expect(await lent('2027-08-01')).toMatchObject({ availability: 'off', driver: { lastPosition: null, gpsStatus: { status: 'online' } } });
  expect(await lent('2027-08-05')).toMatchObject({ availability: 'available' });
  const own = (await boardOf(foreign, { date: '2027-08-01' })).drivers.find(({ driver }: Json) => driver.id === user.id);
  expect(own.driver.lastPosition).toMatchObject({ lat: '1', lon: '2' });
});

test("a person with own records only sees a board of their work and nobody else's", async () => {
  const date = '2027-10-01';
  const own = await makeTenant(app);
  const other = await own.person({ roles: ['driver'], lastName: 'Axle' });
  const [hers, his] = [await truck(own, 'Hers'), await truck(own, 'His')];
  const jobs: Json[] = [];
  for (const [driver_id, equipment_id] of [
    [own.driver.id, hers.id],
    [other.user.id, his.id],
  ]) {
    const order = await makeOrder(own, { load_at: '2027-10-01T15:00:00Z' });
    const [job] = await own.must('GET', `/v1/orders/${order.id}/jobs`);
    jobs.push(await own.must('PATCH', `/v1/jobs/${job.id}`, { driver_id, equipment_id }));
  }
  await onDuty(own, own.driver.id, { startedAt: new Date(HERE.occurred_at) });
  await own.must('POST', '/v1/users/me/location', { device_id: 'phone', location: HERE }, own.driver.token);
  const board = await boardOf(own, { date }, own.driver.token);
  expect(jobsOf(board).map(({ id }: Json) => id)).toEqual([jobs[0].id]);
  expect(board.orders.length).toBe(1);
  expect(board.drivers.map(({ driver, jobsCount }: Json) => [driver.id, jobsCount, driver.lastPosition])).toEqual([
    [own.driver.id, 1, null],
  ]);
  expect(board.trucks.map(({ truck, availability }: Json) => [truck.name, availability])).toEqual([['Hers', 'booked']]);
  const all = await boardOf(own, { date });
  expect([all.orders.length, jobsOf(all).length, all.drivers.length, all.trucks.length]).toEqual([2, 2, 2, 2]);
  expect(all.drivers.find(({ driver }: Json) => driver.id === own.driver.id).driver.lastPosition).toMatchObject({ lat: '30.25' });
});

test('a day of 500 jobs takes as many statements as a day of one job', async () => {
  const big = await makeTenant(app);
  const date = '2027-09-01';
  const ask = () => app.countStatements(() => boardOf(big, { date }));
  await makeOrder(big, { load_at: '2027-09-01T15:00:00Z', driver_id: big.driver.id });
  await ask();
  const one = await ask();
  for (let at = 0; at < 20; at++) await makeOrder(big, { load_at: '2027-09-01T15:00:00Z', truck_count: 25 });
  for (let at = 0; at < 60; at++)
    await big.save(User, {
      company: ref(big.company),
      firstName: 'D',
      lastName: `${at}`,
      email: `d${at}.${process.pid}@example.com`,
      roles: ['driver'],
    });
  const many = await ask();
  expect([jobsOf(one.value).length, jobsOf(many.value).length, many.value.drivers.length]).toEqual([1, 501, 61]);
  // Orders and their summaries, jobs, drivers and their work, trucks and theirs.
  expect([one.statements.length, many.statements.length]).toEqual([7, 7]);
}, 120_000);

test('counts of a day are of what the caller sees, as its jobs are', async () => {
  const date = '2027-07-01';
  const query = `{ dayBoard(date: "${date}") { counts: jobsByState { state count } whole: jobsByState { state count jobs { id } } } }`;
  const own = await makeTenant(app);
  const order = await makeOrder(own, { load_at: '2027-07-01T15:00:00Z', truck_count: 2 });
  const [mine] = await own.must('GET', `/v1/orders/${order.id}/jobs`);
  await own.must('PATCH', `/v1/jobs/${mine.id}`, { driver_id: own.driver.id });
  for (const [of, as, most] of [
    [own, undefined, 2],
    [own, own.driver.token, 1],
    [foreign, undefined, 1],
  ] as const) {
    const { data } = await of.gql(query, {}, as);
    expect(data.dayBoard.counts).toEqual(data.dayBoard.whole.map(({ state, count }: Json) => ({ state, count })));
    expect(data.dayBoard.counts.reduce((sum: number, { count }: Json) => sum + count, 0)).toBe(most);
  }
});

test('a document that selects too much of every job of a day is refused before it is read', async () => {
  const answer = await tenant.gql(
    `{ dayBoard { jobsByState { jobs { loads(first: 100) { nodes { id loadId state tickets: id a: id b: id } } } } } }`,
  );
  expect(answer.errors[0].message).toBeDefined();
  expect(answer.errors[0].extensions).toMatchObject({ measure: 'cost' });
});
