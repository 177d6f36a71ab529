import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { CompanyShare } from '../../../src/directory/shares/company-share.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { untilWaiting } from '../../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const off = (userId: string, rest = '') => `/v1/users/${userId}/scheduled_time_offs${rest}`;
const drivers = async (query: string) =>
  (await tenant.must('GET', tenant.path(`/drivers?${query}`))).map((one: { id: string }) => one.id) as string[];
const june = { start_date: '2036-06-07T05:00:00.000Z', end_date: '2036-06-09T05:00:00.000Z' };

test('a planned time off is listed, counts in availability on its days, and is deleted', async () => {
  const { user } = await tenant.person({ roles: ['driver'] });
  const made = await tenant.must('POST', off(user.id), june);
  expect(made).toEqual({ id: made.id, ...june });
  await tenant.must('POST', off(user.id), { start_date: '2036-07-01T05:00:00.000Z', end_date: '2036-07-02T05:00:00.000Z' });
  expect((await tenant.must('GET', off(user.id))).map((one: { start_date: string }) => one.start_date.slice(5, 10))).toEqual([
    '07-01',
    '06-07',
  ]);
  const free = async (date: string) => (await drivers(`filter[availability]=true&filter[date]=${date}`)).includes(user.id);
  const booked = async (date: string) => (await drivers(`filter[availability]=false&filter[date]=${date}`)).includes(user.id);
  // Two days in Chicago: from midnight of the 7th to midnight of the 9th.
  expect(await Promise.all(['2036-06-06', '2036-06-07', '2036-06-08', '2036-06-09'].map(free))).toEqual([true, false, false, true]);
  expect(await booked('2036-06-07')).toBe(true);
  expect((await tenant.http('DELETE', off(user.id, `/${made.id}`))).status).toBe(204);
  expect([await free('2036-06-07'), await booked('2036-06-07')]).toEqual([true, false]);
});

test('time off until further notice begins and ends once, and keeps planned ones', async () => {
  const { user } = await tenant.person({ roles: ['driver'] });
  const plan = await tenant.must('POST', off(user.id), june);
  for (const _ of [1, 2]) expect(await tenant.must('PUT', off(user.id, '/unavailable'), {})).toEqual({ id: user.id, schedule_on: true });
  const [, open] = await tenant.must('GET', off(user.id));
  expect([open.end_date, (await tenant.must('GET', off(user.id))).length]).toEqual([null, 2]);
  expect(await drivers('filter[availability]=true')).not.toContain(user.id);
  expect((await tenant.http('PUT', off(user.id, '/available'), {})).status).toBe(202);
  expect(await drivers('filter[availability]=true')).toContain(user.id);
  const list = await tenant.must('GET', off(user.id));
  expect([list[0].id, list[1].end_date === null, list.length]).toEqual([plan.id, false, 2]);
  expect((await tenant.must('GET', `/v1/users/${user.id}`)).schedule_on).toBe(false);
});

test.each(['available', 'unavailable'])('of two concurrent requests to be %s, the later one sees the result of the other', async (to) => {
  const { user } = await tenant.person({ roles: ['driver'] });
  let asked: ReturnType<typeof tenant.http> | undefined;
  await app.orm.em.fork().transactional(async (em) => {
    const run = (sql: string) => em.execute(sql, [user.id]);
    await run('select 1 from app_user where id = ? for update');
    asked = tenant.http('PUT', off(user.id, `/${to}`), {});
    await untilWaiting(app);
    await run(`insert into scheduled_time_off (id, company_id, user_id, start_date)
      select gen_random_uuid(), company_id, id, date_trunc('milliseconds', clock_timestamp()) from app_user where id = ?`);
  });
  expect((await asked!).status).toBeLessThan(300);
  const list: { end_date: string | null }[] = await tenant.must('GET', off(user.id));
  expect(list.map(({ end_date }) => end_date === null)).toEqual([to === 'unavailable']);
});

test('people enter their own time off; others require the permission, and strangers find nobody', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const { token: mate } = await tenant.person({ roles: ['driver'] });
  const made = await tenant.must('POST', off(user.id), june, token);
  expect((await tenant.http('POST', off(user.id), june, mate)).status).toBe(403);
  expect((await tenant.http('PUT', off(user.id, '/unavailable'), {}, mate)).status).toBe(403);
  expect((await tenant.http('DELETE', off(user.id, `/${made.id}`), undefined, mate)).status).toBe(403);
  const stranger = await makeTenant(app);
  for (const [method, rest] of [
    ['GET', ''],
    ['PUT', '/available'],
    ['DELETE', `/${made.id}`],
  ] as const)
    expect((await stranger.http(method, off(user.id, rest), method === 'PUT' ? {} : undefined)).status).toBe(404);
  // Nor is it found under somebody else.
  expect((await tenant.http('DELETE', off(tenant.driver.id, `/${made.id}`))).status).toBe(404);
  const audited = await app.orm.em
    .getConnection()
    .execute("select event from audit_entry where subject_type = 'ScheduledTimeOff' and subject_id = ?", [made.id]);
  expect(audited).toEqual([{ event: 'create' }]);
});

test('a time off ends after it starts', async () => {
  const wrong = await tenant.http('POST', off(tenant.driver.id), { start_date: june.end_date, end_date: june.start_date });
  expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['end_date']]);
  expect(fieldsOf(await tenant.http('POST', off(tenant.driver.id), { start_date: june.start_date }))).toEqual(['end_date']);
  expect(fieldsOf(await tenant.http('POST', off(tenant.driver.id), { ...june, start_date: 'Monday' }))).toEqual(['start_date']);
  expect(await tenant.must('GET', off(tenant.driver.id))).toEqual([]);
});

test('a company with which a driver is shared sees when they are off', async () => {
  const receiver = await makeTenant(app);
  await tenant.save(CompanyShare, {
    companyId: tenant.company.id,
    senderCompany: ref(tenant.company),
    receiverCompany: ref(receiver.company),
    companyShareableType: 'User',
    companyShareableId: tenant.driver.id,
    dispatchable: true,
  });
  const listed = async () => {
    const list: { id: string }[] = await receiver.must('GET', receiver.path('/drivers?filter[availability]=true&filter[shared]=true'));
    return list.map((one) => one.id);
  };
  expect(await listed()).toEqual([tenant.driver.id]);
  await tenant.must('PUT', off(tenant.driver.id, '/unavailable'), {});
  expect(await listed()).toEqual([]);
});
