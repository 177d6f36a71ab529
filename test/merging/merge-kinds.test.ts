import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { User } from '../../src/directory/people/user.entity.ts';
import { DriverDay } from '../../src/dispatch/model/driver-day.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { onDuty } from '../helpers/on-duty.ts';
import { connect, makeStaffedTenant, plannedOrder, type StaffedTenant, share } from '../helpers/staffed-tenant.ts';
import { accountOf, errorsOf, type Json, merge, merged, rowsOf, truckOf, undo } from './merging.ts';

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

const driverOf = (of: StaffedTenant, fields: object = {}): Promise<User> =>
  of.save(User, { company: ref(of.company), firstName: 'Dan', lastName: 'Driver', roles: ['driver'], ...fields });
const sql = (text: string, values: unknown[] = []): Promise<Json[]> => app.orm.em.getConnection().execute(text, values);

test('accounts: work, rates and compliance documents follow, a standard rate of the one that stays is kept, and it is both customer and vendor', async () => {
  const of = await makeStaffedTenant(app);
  const kept = await accountOf(of, { name: 'ACME', accountTypes: ['customer'] });
  const former = await accountOf(of, { name: 'Acme Inc', accountTypes: ['vendor'], externalId: 'AC-2' });
  const order = await plannedOrder(of, { account_id: kept.id });
  await of.dispatcher.must('PUT', `/v1/jobs/${order.jobs[0].id}/assign_vendor`, { vendor_id: former.id });
  const rate = (account: { id: string }, more: object = {}) =>
    of.admin.must('POST', '/v1/rates', {
      name: 'Card',
      owner_type: 'vendor',
      account_id: account.id,
      type: 'RateFlatRate',
      flat_amount: 90,
      ...more,
    });
  await rate(former);
  const off = { start_date: '2026-12-24T06:00:00Z', end_date: '2026-12-26T06:00:00Z' };
  await of.admin.must('POST', `/v1/accounts/${former.id}/scheduled_time_offs`, off);
  await of.admin.must('POST', of.path('/compliance_document_types'), { name: 'Insurance', required_vendors: true });
  const [type] = await of.admin.must('GET', of.path('/compliance_document_types'));
  await of.admin.must('POST', of.path(`/accounts/${former.id}/compliance_documents`), { compliance_document_type_id: type.id });
  const before = await rowsOf(of);
  const done = await merged(of, 'accounts', kept.id, [former.id]);
  expect(done.moved.map(({ records }: Json) => records)).toEqual(
    expect.arrayContaining(['rate', 'job_assignment', 'scheduled_time_off', 'compliance_document']),
  );
  expect(await of.admin.must('GET', `/v1/accounts/${former.id}`)).toMatchObject({
    id: kept.id,
    name: 'ACME',
    account_types: ['customer', 'vendor'],
  });
  // The rest of it is in no list, of discarded ones neither.
  for (const discarded of [true, false]) {
    const found: Json[] = await of.admin.must('GET', of.path(`/accounts?filter[discarded]=${discarded}&page[limit]=100`));
    expect(found.filter(({ name }) => name === 'Acme Inc')).toEqual([]);
  }
  await undo(of, done.id);
  expect(await rowsOf(of)).toEqual(before);
});

test('an account that is connected stays, and two that are connected with two companies are not merged', async () => {
  const [of, one, other] = [await makeStaffedTenant(app), await makeStaffedTenant(app), await makeStaffedTenant(app)];
  const [first, second] = [await connect(of, one), await connect(of, other)];
  const plain = await accountOf(of, { name: 'Plain' });
  expect(errorsOf(await merge(of, 'accounts', plain.id, [first.id]))).toEqual([
    '422',
    'other_ids.0: is connected with a company: merge the others into this account',
  ]);
  expect(errorsOf(await merge(of, 'accounts', first.id, [second.id]))).toEqual([
    '422',
    'other_ids.0: is connected with another company than the account that stays',
  ]);
  expect((await merge(of, 'accounts', first.id, [plain.id])).status).toBe(200);
});

test('drivers: jobs and shifts follow, and who the other was signs in no more until it is undone', async () => {
  const of = await makeStaffedTenant(app);
  const kept = await driverOf(of, { firstName: 'Bo', phone: '+15125550171' });
  const person = await of.person({ roles: ['driver'], firstName: 'Bob', externalId: 'D-7' });
  const { jobs } = await plannedOrder(of, {});
  await of.dispatcher.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: person.id });
  await onDuty(of, person.id, { startedAt: new Date('2026-11-20T12:00:00Z'), endedAt: new Date('2026-11-20T20:00:00Z') });
  const before = await rowsOf(of);
  expect((await person.http('GET', '/v1/users/me')).status).toBe(200);
  const done = await merged(of, 'users', kept.id, [person.id]);
  expect((await of.dispatcher.must('GET', `/v1/jobs/${jobs[0].id}`)).driver.id).toBe(kept.id);
  expect((await person.http('GET', '/v1/users/me')).status).toBe(401);
  // A reference to the former driver is one to the driver who stays.
  const { jobs: more } = await plannedOrder(of, {});
  expect((await of.dispatcher.must('PATCH', `/v1/jobs/${more[0].id}`, { driver_id: person.id })).driver.id).toBe(kept.id);
  await of.dispatcher.must('PATCH', `/v1/jobs/${more[0].id}`, { driver_id: null });
  await sql('delete from job_event where job_id = ?', [more[0].id]);
  await undo(of, done.id);
  const after = await rowsOf(of);
  for (const table of ['app_user', 'credential', 'user_session', 'driver_state_event'])
    expect([table, after[table]]).toEqual([table, before[table]]);
  expect((await of.dispatcher.must('GET', `/v1/jobs/${jobs[0].id}`)).driver.id).toBe(person.id);
  expect((await person.http('GET', '/v1/users/me')).status).toBe(200);
});

test('lists that have discarded records, too, have nothing that is left of merged ones, for whoever sees them by a share neither', async () => {
  const [of, partner] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  await connect(of, partner);
  const [kept, former, gone] = [
    await driverOf(of, { lastName: 'Kept' }),
    await driverOf(of, { lastName: 'Former' }),
    await driverOf(of, { lastName: 'Gone' }),
  ];
  for (const { id } of [kept, former, gone]) await share(of, partner, 'User', id);
  const vendor = (name: string) => accountOf(of, { name, accountTypes: ['vendor'] });
  const [stays, double, ended] = [await vendor('Stays Inc'), await vendor('Double Inc'), await vendor('Ended Inc')];
  await of.admin.must('DELETE', `/v1/users/${gone.id}`);
  await of.admin.must('DELETE', `/v1/accounts/${ended.id}`);
  const list = async (from: StaffedTenant, path: string, of: readonly string[]): Promise<string[]> =>
    (await from.admin.must('GET', from.path(`${path}filter[show_all]=true&page[limit]=100`)))
      .map(({ name, last_name }: Json) => name ?? last_name)
      .filter((name: string) => of.includes(name))
      .sort();
  const people = ['Kept', 'Former', 'Gone'];
  const vendors = ['Stays Inc', 'Double Inc', 'Ended Inc'];
  const seen = async () => [
    await list(of, '/drivers?', people),
    await list(partner, '/drivers?', people),
    await list(of, '/drivers/typeahead?', people),
    await list(of, '/accounts/capacity/typeahead?date=2026-12-01&', vendors),
  ];
  const before = await seen();
  expect(before).toEqual([people.toSorted(), before[1], people.toSorted(), vendors.toSorted()]);
  expect(before[1]).toEqual(expect.arrayContaining(['Former', 'Kept']));
  const done = [await merged(of, 'users', kept.id, [former.id]), await merged(of, 'accounts', stays.id, [double.id])];
  const without = (name: string) => (all: string[]) => all.filter((one) => one !== name);
  expect(await seen()).toEqual([...before.slice(0, 3).map(without('Former')), without('Double Inc')(before[3]!)]);
  for (const { id } of done.toReversed()) expect((await undo(of, id)).status).toBe(200);
  expect(await seen()).toEqual(before);
});

test('drivers who were on shift at the same time are not merged', async () => {
  const of = await makeStaffedTenant(app);
  const [kept, other] = [await driverOf(of), await driverOf(of)];
  await onDuty(of, kept.id, { startedAt: new Date('2026-11-20T12:00:00Z'), endedAt: new Date('2026-11-20T20:00:00Z') });
  await onDuty(of, other.id, { startedAt: new Date('2026-11-20T19:59:00Z') });
  const day = {
    company: ref(of.company),
    driverDayDate: '2026-11-20',
    startsAt: new Date('2026-11-20T06:00:00Z'),
    endsAt: new Date('2026-11-21T06:00:00Z'),
    startedShiftAt: new Date('2026-11-20T12:00:00Z'),
  };
  for (const [i, driver] of [kept, other].entries()) await of.save(DriverDay, { ...day, driver: ref(driver), driverDayId: `DD-${i}` });
  const before = await rowsOf(of);
  expect(errorsOf(await merge(of, 'users', kept.id, [other.id]))).toEqual([
    '422',
    'other_ids.0: has a timesheet of 2026-11-20 in the hours of that of the driver who stays: nobody is on two shifts at a time',
    'other_ids.0: was on a shift at 2026-11-20T19:59Z, as the driver who stays was: nobody is on two shifts at a time',
  ]);
  expect(await rowsOf(of)).toEqual(before);
});

test('only drivers are merged, and nobody loses what somebody else may do', async () => {
  const kept = await driverOf(tenant);
  expect(errorsOf(await merge(tenant, 'users', kept.id, [tenant.dispatcher.id]))).toEqual([
    '422',
    'other_ids.0: cannot be merged: both people must be drivers',
  ]);
  const both = await driverOf(tenant, { roles: ['driver', 'foreman'] });
  expect(errorsOf(await merge(tenant, 'users', kept.id, [both.id]))).toEqual([
    '422',
    'other_ids.0: has other roles than driver: take them away first, or keep this person',
  ]);
  expect((await merge(tenant, 'users', both.id, [kept.id])).status).toBe(200);
});

test('trucks: jobs, drivers and trailers follow, also in the books of a company with which one is shared', async () => {
  const [of, partner] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  await connect(of, partner);
  const [kept, former] = [await truckOf(of, { name: 'T-1', externalId: 'T1' }), await truckOf(of, { name: 'T 1', externalId: 'T-1' })];
  await share(of, partner, 'Equipment', former.id, { dispatchable: true });
  const { jobs } = await plannedOrder(of, {});
  await of.dispatcher.must('PATCH', `/v1/jobs/${jobs[0].id}`, { equipment_id: former.id });
  const { jobs: theirs } = await plannedOrder(partner, {});
  await partner.dispatcher.must('PATCH', `/v1/jobs/${theirs[0].id}`, { equipment_id: former.id });
  const before = [await rowsOf(of), await rowsOf(partner)];
  const done = await merged(of, 'equipment', kept.id, [former.id]);
  expect((await of.dispatcher.must('GET', `/v1/jobs/${jobs[0].id}`)).equipment.id).toBe(kept.id);
  expect((await partner.dispatcher.must('GET', `/v1/jobs/${theirs[0].id}`)).equipment.id).toBe(kept.id);
  // The partner has the truck that stays, also by its former id.
  expect(await partner.dispatcher.must('GET', `/v1/equipment/${former.id}`)).toMatchObject({ id: kept.id, name: 'T-1' });
  await undo(of, done.id);
  expect([await rowsOf(of), await rowsOf(partner)]).toEqual(before);
});

test('positions of drivers and trucks follow, however many, and come back; one that both have stays', async () => {
  const COUNT = 20_500;
  const of = await makeStaffedTenant(app);
  const [kept, former] = [await driverOf(of), await driverOf(of)];
  const [truck, twin] = [await truckOf(of, { name: 'T1' }), await truckOf(of, { name: 'T2' })];
  const start = new Date(Date.now() - 100 * 86_400_000).toISOString();
  for (const days of [0, 1, 2, 3, 4]) await sql(`select keep_position_month(now() - ? * interval '25 days')`, [days]);
  const add = (count: number, [person, machine]: (string | null)[], device = 'phone') =>
    sql(
      `insert into location_history (id, company_id, user_id, equipment_id, device_id, occurred_at, lat, lon)
       select gen_random_uuid(), ?, ?::uuid, ?::uuid, ?, ?::timestamptz + n * interval '100 days' / ?, 30, -97 from generate_series(0, ? - 1) n`,
      [of.company.id, person, machine, device, start, COUNT, count],
    );
  // Two pages of each driver, over several months; the truck has measured by itself, too.
  await add(COUNT, [former.id, twin.id]);
  await add(20_000, [kept.id, truck.id], 'tablet');
  await add(2, [kept.id, truck.id]);
  await add(3, [null, twin.id]);
  await add(1, [null, truck.id]);
  const all = async () =>
    (
      await sql(
        `select md5(string_agg(concat_ws(',', id, user_id, equipment_id, occurred_at), ';' order by id)) as rows, count(*) filter (where user_id = ?)::int as driver,
         count(*) filter (where equipment_id = ?)::int as truck from location_history where company_id = ?`,
        [kept.id, truck.id, of.company.id],
      )
    )[0];
  const before = await all();
  const done: Json[] = [];
  for (const [path, stays, other] of [
    ['users', kept, former],
    ['equipment', truck, twin],
  ] as const) {
    done.push(await merged(of, path, stays.id, [other.id]));
  }
  expect(done.map(({ moved }) => moved.find(({ records }: Json) => records === 'location_history'))).toEqual([
    { records: 'location_history', moved: COUNT - 2, put_aside: 2 },
    { records: 'location_history', moved: COUNT + 2, put_aside: 1 },
  ]);
  expect(await all()).toMatchObject({ driver: COUNT + 20_000, truck: COUNT + 20_005 });
  for (const { id } of done.toReversed()) {
    expect((await undo(of, id)).status).toBe(200);
  }
  expect(await all()).toEqual(before);
  // Compared each with all of the other, they take a minute in place of three seconds.
}, 30_000);
