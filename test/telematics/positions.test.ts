import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { CompanyShare } from '../../src/directory/shares/company-share.entity.ts';
import { Job } from '../../src/dispatch/model/job.entity.ts';
import { JobEvent } from '../../src/dispatch/model/job-event.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { onDuty } from '../helpers/on-duty.ts';
import { runs } from '../helpers/properties.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const MINUTE = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString();
const at = (minutes: number, more: object = {}) => ({ occurred_at: ago(minutes), lat: 30.25, lon: -97.75, job_id: null, ...more });
const kept = (userId: string) =>
  app.orm.em
    .getConnection()
    .execute<Record<string, unknown>[]>('select * from location_history where user_id = ? order by occurred_at', [userId]);
const gps = async (id: string) => (await tenant.must('GET', tenant.path(`/drivers/${id}/device_status`))).gps_status;
/** A driver who has been on duty for some hours. */
const atWork = async (hours = 2) => {
  const driver = await tenant.person({ roles: ['driver'] });
  await onDuty(tenant, driver.user.id, { startedAt: new Date(Date.now() - hours * 60 * MINUTE) });
  return driver;
};
const send = (token: string, device_id: string, ...locations: object[]) =>
  tenant.http('POST', '/v1/users/me/locations', { device_id, locations }, token);

test('a position is stored with the job and the truck, and shows that the driver is connected', async () => {
  const { user, token } = await atWork();
  const [job] = await tenant.must('GET', `/v1/orders/${(await makeOrder(tenant, { driver_id: user.id })).id}/jobs`);
  expect(await gps(user.id)).toEqual({ status: 'no_signal', last_ping_at: null });
  const location = at(0, { job_id: job.id, lat: '30.123456789', accuracy: 8, speed_meters_per_second: -1, bearing_degrees: 370.5 });
  expect((await tenant.http('POST', '/v1/users/me/location', { device_id: 'phone', location }, token)).status).toBe(204);
  expect(await kept(user.id)).toEqual([
    expect.objectContaining({
      company_id: tenant.company.id,
      job_id: job.id,
      lat: '30.123456789000',
      accuracy: 8,
      speed_meters_per_second: null,
      offline_mode: false,
    }),
  ]);
  expect(await gps(user.id)).toEqual({ status: 'online', last_ping_at: location.occurred_at });
  expect((await tenant.must('GET', tenant.path(`/jobs/${job.id}/device_status`))).gps_status.status).toBe('online');
  expect((await tenant.must('GET', `/v1/jobs/${job.id}`)).gps_status.status).toBe('online');
});

test('a position is one statement behind the question who sends it, and one with the job of somebody else is looked at closer', async () => {
  const { user, token } = await atWork();
  const [mine] = await tenant.must('GET', `/v1/orders/${(await makeOrder(tenant, { driver_id: user.id })).id}/jobs`);
  // The month of the positions has its partition.
  await send(token, 'phone', at(3));
  const of = async (job: string, minutes: number) => {
    const { value, statements } = await app.countStatements(() => send(token, 'phone', at(minutes, { job_id: job })));
    // Its transaction begins and ends in its message.
    return [value.status, statements.filter((sql) => !/^(with recursive principal|begin$|commit$)/.test(sql)).length];
  };
  expect(await of(mine.id, 2)).toEqual([204, 1]);
  const office = await tenant.person({ roles: ['dispatcher'] });
  await onDuty(tenant, office.user.id, { startedAt: new Date(ago(60)) });
  const [others] = await tenant.must('GET', `/v1/orders/${(await makeOrder(tenant)).id}/jobs`);
  for (const id of [mine.id, others.id]) {
    expect((await send(office.token, 'phone', at(id === mine.id ? 2 : 1, { job_id: id }))).status).toBe(204);
    expect((await kept(office.user.id)).at(-1)).toMatchObject({ job_id: id, user_id: office.user.id });
  }
  // With a key a repeat is answered without being stored, also when what it says was stored before.
  const body = { device_id: 'phone', locations: [at(0, { job_id: mine.id })] };
  const once = () => app.http('POST', '/v1/users/me/locations', { token, body, headers: { 'idempotency-key': `positions-${user.id}` } });
  expect([(await once()).status, (await once()).status, (await kept(user.id)).length]).toEqual([204, 204, 3]);
});

test('in whatever order and however often positions come, each is stored once and the newest counts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 }), fc.nat(11), async (minutes, cut) => {
      const { user, token } = await atWork();
      const base = Date.now();
      const points = minutes.map((n) => at(0, { occurred_at: new Date(base - n * MINUTE).toISOString() }));
      for (const part of [points.slice(cut), points.slice(0, cut), points]) expect((await send(token, 'phone', ...part)).status).toBe(204);
      const rows = await kept(user.id);
      expect(rows.length).toBe(new Set(minutes).size);
      expect((await gps(user.id)).last_ping_at).toBe(new Date(base - Math.min(...minutes) * MINUTE).toISOString());
      expect(rows.every((row) => row.offline_mode === base - new Date(String(row.occurred_at)).getTime() > 5 * MINUTE - 1)).toBe(true);
    }),
    { numRuns: runs(12) },
  );
});

test('positions of somebody off duty are not kept, and the driver is still connected', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const spans = [
    ['on_duty', 300, 240],
    ['break', 240, 230],
    ['off_duty', 230, 60],
    ['on_duty', 60, 30],
    ['off_duty', 30, null],
  ] as const;
  for (const [state, from, until] of spans)
    await onDuty(tenant, user.id, { state, startedAt: new Date(ago(from)), endedAt: until === null ? null : new Date(ago(until)) });
  const minutes = [310, 290, 235, 150, 45, 20, 1];
  expect((await send(token, 'phone', ...minutes.map((minute) => at(minute)))).status).toBe(204);
  const stored = (await kept(user.id)).map((row) => Math.round((Date.now() - new Date(String(row.occurred_at)).getTime()) / MINUTE));
  expect(stored).toEqual([290, 235, 45]);
  expect((await gps(user.id)).status).toBe('online');
  const [person] = await app.orm.em.execute<object[]>('select last_lat, last_lon from app_user where id = ?', [user.id]);
  expect(person).toEqual({ last_lat: null, last_lon: null });
  // A driver who forgot to go on duty and hauls a job is at work.
  const [job] = await tenant.must('GET', `/v1/orders/${(await makeOrder(tenant, { driver_id: user.id, load_at: ago(0) })).id}/jobs`);
  const departure = { eventName: 'ToPickup', state: 'to_pickup', occurredAt: new Date(ago(15)), createdByType: 'User' } as const;
  await tenant.save(JobEvent, { companyId: tenant.company.id, job: ref(Job, job.id), ...departure });
  expect((await send(token, 'phone', at(16), at(14, { job_id: job.id }))).status).toBe(204);
  expect((await kept(user.id)).length).toBe(4);
});

test('a driver without a job who has not moved for ten minutes is idle, one who moves or hauls is online, and one without a signal offline', async () => {
  const slow = { speed_meters_per_second: 0.2 };
  const statusAfter = async (...points: object[]) => {
    const { user, token } = await tenant.person({ roles: ['driver'] });
    await send(token, 'phone', ...points);
    return (await gps(user.id)).status;
  };
  expect(await statusAfter(at(12, slow), at(6, slow), at(1, slow))).toBe('idle');
  expect(await statusAfter(at(8, slow), at(1, slow))).toBe('online');
  expect(await statusAfter(at(12, slow), at(6, { speed_meters_per_second: 12 }), at(1, slow))).toBe('online');
  expect(await statusAfter(at(12, slow), at(1))).toBe('online');
  expect(await statusAfter(at(12, slow), at(6, slow))).toBe('offline');
  expect(await statusAfter(at(25 * 60, slow))).toBe('no_signal');
});

test('a batch says the same over REST, which reads usual ones faster, and over GraphQL', async () => {
  const moment = new Date(Date.now() - 3 * MINUTE);
  const minute = (n: number) => new Date(moment.getTime() - n * 1000).toISOString();
  const usual = { lat: '30.25', lon: '-97.75', accuracy: 8, speed_meters_per_second: 12.5, bearing_degrees: 90, job_id: null };
  const unusual = [
    { ...usual, occurred_at: minute(0) },
    { occurred_at: minute(1).replace('Z', '+00:00'), lat: 30, lon: -97.123456789 },
    { ...usual, occurred_at: minute(2), lat: ' 30.5 ', lon: '-9.75e1', accuracy: -1, speed_meters_per_second: null },
    { ...usual, occurred_at: minute(3), lat: '30.1234567890125', lon: '+97.75', bearing_degrees: 0.5 },
  ];
  const columns = 'occurred_at, lat, lon, accuracy, speed_meters_per_second, bearing_degrees, job_id, offline_mode, device_id, source';
  const storedBy = async (storing: (token: string) => Promise<unknown>) => {
    const { user, token } = await atWork();
    await storing(token);
    return app.orm.em.execute<object[]>(`select ${columns} from location_history where user_id = ? order by occurred_at`, [user.id]);
  };
  const byGraphql = (locations: object[]) => (token: string) => {
    const query = 'mutation ($input: MobileDeviceLocationsInput!) { recordPositions(input: $input) }';
    const camel = (one: object) =>
      Object.fromEntries(Object.entries(one).map(([k, v]) => [k.replace(/_(\w)/g, (_, c) => c.toUpperCase()), v]));
    return tenant.gql(query, { input: { deviceId: 'phone', locations: locations.map(camel) } }, token);
  };
  for (const locations of [[unusual[0]!], unusual]) {
    const stored = await storedBy((token) => send(token, 'phone', ...locations));
    expect(stored.length).toBe(locations.length);
    expect(stored).toEqual(await storedBy(byGraphql(locations)));
  }
  // More digits than a double has, and a field that nobody knows, which is ignored and named.
  const { user, token } = await atWork();
  const body = `{"device_id":"phone","locations":[{"occurred_at":"${minute(0)}","lat":30.123456789012345678,"lon":-97.75,"altitude":12}]}`;
  const answer = await fetch(`${app.url}/v1/users/me/locations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  });
  expect([answer.status, answer.headers.get('warning')]).toEqual([204, expect.stringContaining('locations.0.altitude')]);
  expect((await kept(user.id)).map(({ lat }) => lat)).toEqual(['30.123456789012']);
});

test('A11 positions: of a batch with an error nothing is stored, and every wrong position is named', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const stranger = await makeTenant(app);
  const [theirs] = await stranger.must('GET', `/v1/orders/${(await makeOrder(stranger)).id}/jobs`);
  const future = new Date(Date.now() + 10 * MINUTE).toISOString();
  const late = await send(token, 'phone', at(3), at(2, { occurred_at: future }), at(1, { job_id: theirs.id }));
  expect([late.status, fieldsOf(late)]).toEqual([422, ['locations.1.occurred_at', 'locations.2.job_id']]);
  const places = await send(token, 'phone', at(1, { lat: 91 }), at(1, { lon: -181 }), at(1, { lat: 'NaN' }));
  expect([places.status, fieldsOf(places)]).toEqual([422, ['locations.0.lat', 'locations.1.lon', 'locations.2.lat']]);
  expect(fieldsOf(await send(token, '', at(1)))).toEqual(['device_id']);
  const flood = Array.from({ length: 1_001 }, () => at(1));
  expect(fieldsOf(await send(token, 'phone', ...flood))).toEqual(['locations']);
  expect(await kept(user.id)).toEqual([]);
  // A machine is nowhere.
  expect((await tenant.http('POST', '/v1/users/me/locations', { device_id: 'phone', locations: [at(1)] })).status).toBe(404);
});

test('the permissions of a telephone are replaced as a whole, and the newest telephone counts', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const say = (device_id: string, ...pairs: [string, string][]) => {
    const device_permissions = pairs.map(([user_device_permission, user_device_permission_state]) => ({
      user_device_permission,
      user_device_permission_state,
    }));
    return tenant.http('PUT', '/v1/users/me/user_device_permissions', { device_id, device_permissions }, token);
  };
  const reported = async () => {
    const status = await tenant.must('GET', tenant.path(`/drivers/${user.id}/device_status`));
    return Object.fromEntries(
      status.user_device_permissions.map((one: Record<string, string>) => [one.device_permission, one.device_permission_state]),
    );
  };
  expect((await say('old', ['notifications', 'granted'], ['location_always', 'denied'])).status).toBe(202);
  expect(await reported()).toEqual({ notifications: 'granted', location_always: 'denied' });
  await say('new', ['location_always', 'granted']);
  expect(await reported()).toEqual({ location_always: 'granted' });
  await say('old', ['location_always', 'restricted']);
  expect(await reported()).toEqual({ location_always: 'restricted' });
  expect((await say('new', ['notifications', 'denied'], ['notifications', 'granted'])).status).toBe(400);
  expect((await say('new', ['notifications', 'perhaps'])).status).toBe(400);
  expect(await reported()).toEqual({ location_always: 'restricted' });
});

test('a company with which a driver is shared sees the telephone, and strangers do not', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const device_permissions = [{ user_device_permission: 'notifications', user_device_permission_state: 'granted' }];
  await tenant.must('PUT', '/v1/users/me/user_device_permissions', { device_id: 'phone', device_permissions }, token);
  const receiver = await makeTenant(app);
  const path = receiver.path(`/drivers/${user.id}/device_status`);
  expect((await receiver.http('GET', path)).status).toBe(404);
  await tenant.save(CompanyShare, {
    companyId: tenant.company.id,
    senderCompany: ref(tenant.company),
    receiverCompany: ref(receiver.company),
    companyShareableType: 'User',
    companyShareableId: user.id,
    dispatchable: true,
  });
  expect((await receiver.must('GET', path)).user_device_permissions).toEqual([
    { device_permission: 'notifications', device_permission_state: 'granted' },
  ]);
  expect((await receiver.http('GET', tenant.path(`/drivers/${user.id}/device_status`))).status).toBe(404);
});

test('a job without a driver has no telephone', async () => {
  const [job] = await tenant.must('GET', `/v1/orders/${(await makeOrder(tenant)).id}/jobs`);
  expect(await tenant.must('GET', tenant.path(`/jobs/${job.id}/device_status`))).toEqual({
    user_device_permissions: [],
    gps_status: { status: 'no_signal', last_ping_at: null },
  });
});

test('positions of a month that nobody had yet get a partition of their own, which only its table leads to', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const partitions = async () => {
    const rows = await app.orm.em.execute<{ name: string; closed: boolean; open: boolean }[]>(
      `select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as closed, has_table_privilege('haulgate_app', c.oid, 'select') as open
       from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'location_history'::regclass`,
    );
    return new Map(rows.map((row) => [row.name, row]));
  };
  // Years ago, and whole months: other tests of this database have positions of the month before, which 60 days ago may be, too.
  const months = [41, 40].map((months) => {
    const today = new Date();
    const occurred_at = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - months, 15, 8)).toISOString();
    return { occurred_at, name: `location_history_${occurred_at.slice(0, 7).replace('-', '_')}` };
  });
  const before = await partitions();
  expect(months.filter(({ name }) => before.has(name))).toEqual([]);
  for (const { occurred_at } of months)
    await onDuty(tenant, user.id, { startedAt: new Date(occurred_at), endedAt: new Date(Date.parse(occurred_at) + MINUTE) });
  const points = months.map(({ occurred_at }) => at(0, { occurred_at }));
  const ancient = at(0, { occurred_at: '1970-01-01T00:00:00Z' });
  // Two telephones at a time: both may have to make the partition.
  const answers = await Promise.all([send(token, 'phone', ...points, ancient), send(token, 'other', ...points)]);
  expect(answers.map(({ status }) => status)).toEqual([204, 204]);
  expect((await kept(user.id)).length).toBe(4);
  const after = await partitions();
  expect(months.map(({ name }) => after.get(name))).toEqual(months.map(({ name }) => ({ name, closed: true, open: false })));
  expect(after.size).toBe(before.size + months.length);
});
