import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { subscribed } from '../events/subscribed.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { jobOfChain, makeChain, ONE_LOAD, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { zoneAt } from '../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let chain: Awaited<ReturnType<typeof makeChain>>;
let owner: StaffedTenant;
let middle: StaffedTenant;
let last: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  chain = await makeChain(app, { timeZone: zoneAt(12) });
  ({ owner, middle, last } = chain);
});
afterAll(() => app.close());

const base = Date.now();
const at = (minutes: number) => new Date(base - minutes * 60_000).toISOString();
const ago = (minutes: number) => ({ occurred_at: at(minutes) });

/** Waits until everything that follows from positions, which is due at once, is done. */
async function followed() {
  await app.orm.em.execute('update position_task set due_at = now()');
  await app.settled();
}

/** A job of the owner that a driver of the last company accepted. */
async function hiredJob() {
  const { id, token, go } = await jobOfChain(chain);
  const send = async (locations: object[]) =>
    expect((await last.http('POST', '/v1/users/me/locations', { device_id: 'phone', locations }, token)).status).toBe(204);
  /** Completes the job, as if it had been reported some minutes ago. */
  const complete = async (minutes: number) => {
    await go('complete');
    await app.orm.em.execute(`update job_event set occurred_at = ? where job_id = ? and event_name = 'JobCompleted'`, [at(minutes), id]);
  };
  return { id, token, go, send, complete };
}
const duty = (token: string, state: string, body: object) => last.must('PUT', `/v1/users/me/driver_day/${state}`, body, token);

test('what a truck drove is measured for its day, job, load and order, and each company reads its part', async () => {
  const { id, token, go, send, complete } = await hiredJob();
  const day = await duty(token, 'on_duty', ago(190));
  const times = [180, 150, 140, 135, 110, 100, 90];
  for (const [i, event] of ONE_LOAD.entries()) await go(event, ago(times[i]!));
  await complete(80);
  // North at 0.005 degrees, 556 m, a minute, from before the job to after it.
  const positions = Array.from({ length: 121 }, (_, i) => ({
    ...ago(185 - i),
    lat: 30 + i * 0.005,
    lon: -97.5,
    job_id: null,
    accuracy: 8,
  }));
  const triggers = ['Job::update', 'Load::update'];
  const subscription = await subscribed(owner, ...triggers);
  // The billed time is compared with the measured one.
  const isCompared = async () => (await app.orm.em.execute('delete from invoice_task where id = ? returning id', [id])).length > 0;
  await isCompared();
  await send(positions.slice(60));
  await send(positions.slice(0, 70));
  await followed();
  expect(await isCompared()).toBe(true);
  const deliveries = await subscription.deliveries();
  expect(new Set(deliveries.map(({ trigger }: Json) => trigger))).toEqual(new Set(triggers));
  await owner.must('DELETE', `/v1/webhook_subscriptions/${subscription.id}`);

  const leg = 555.975;
  const distances = async (company: StaffedTenant, path: string) =>
    (await company.must('GET', company.path(`/${path}/travelled_distances`))).map((one: Json) => [
      one.administrative_area,
      one.travelled_distance_type,
      Number(one.travelled_distance_meters),
    ]);
  const sorted = (rows: Json[]) => rows.toSorted((a, b) => (a[1] < b[1] ? -1 : 1));
  const ofJob = [
    ['Texas', 'loaded', expect.closeTo(40 * leg, -1)],
    ['Texas', 'unloaded', expect.closeTo(60 * leg, -1)],
  ];
  expect(sorted(await distances(last, `driver_days/${day.id}`))).toEqual([
    ofJob[0],
    ['Texas', 'off_job', expect.closeTo(20 * leg, -1)],
    ofJob[1],
  ]);
  for (const company of [owner, last]) expect(sorted(await distances(company, `jobs/${id}`))).toEqual(ofJob);
  const [load] = await last.must('GET', `/v1/jobs/${id}/loads`);
  expect(sorted(await distances(owner, `loads/${load.id}`))).toEqual([ofJob[0], ['Texas', 'unloaded', expect.closeTo(50 * leg, -1)]]);
  const { order } = await last.must('GET', `/v1/jobs/${id}`);
  expect(sorted(await distances(owner, `orders/${order.id}`))).toEqual(ofJob);

  expect(load.load_summary).toMatchObject({ has_gps_data: true, gps_minutes: 90 });
  for (const company of [owner, middle, last]) {
    const summary = await company.must('GET', `/v1/jobs/${id}/summary`);
    expect(summary).toMatchObject({ has_gps_data: true, gps_active_period_minutes: 100, gps_total_pings: 101, gps_expected_pings: 200 });
    expect(summary.gps_confidence_level).toBe('medium');
    expect(Number(summary.travelled_distance_meters)).toBeCloseTo(100 * leg, -1);
  }
  const read = await last.must('GET', `/v1/driver_days/${day.id}`);
  expect(read.total_gps_minutes).toBe(120);
  const total = (await last.must('GET', last.path(`/driver_days/${day.id}/travelled_distances`)))
    .map((one: Json) => Number(one.travelled_distance_meters))
    .reduce((a: number, b: number) => a + b);
  expect(Number(read.travelled_distance_meters)).toBeCloseTo(total, 3);
  // The same positions again, and the figures are what they were.
  await send(positions);
  await app.orm.em.execute('update travelled_distance set updated_at = created_at where company_id = ?', [last.company.id]);
  await followed();
  const rows = await app.orm.em.execute<object[]>('select from travelled_distance where company_id = ? and updated_at <> created_at', [
    last.company.id,
  ]);
  expect(rows).toEqual([]);
  expect(await isCompared()).toBe(false);

  // The way of the day, for who drove it and the office; the owner of the job reads what was driven for it.
  const path = (company: StaffedTenant) => company.path(`/driver_days/${day.id}/location_histories?page[limit]=100`);
  expect((await last.must('GET', path(last))).length).toBe(100);
  expect((await last.http('GET', path(last), undefined, token)).status).toBe(200);
  // Of their people, the office that assigns jobs reads it.
  const biller = await last.person({ roles: ['biller'] });
  const mate = await last.person({ roles: ['driver'] });
  expect((await biller.http('GET', path(last))).status).toBe(404);
  expect((await mate.http('GET', path(last))).status).toBe(404);
  expect((await last.dispatcher.must('GET', path(last))).length).toBe(100);
  expect((await owner.http('GET', path(owner))).status).toBe(404);

  // The approved figures stay, and it is seen that positions came later.
  await duty(token, 'off_duty', ago(3));
  await last.must('PUT', last.path(`/driver_days/${day.id}/approve`), {});
  await owner.must('PUT', `/v1/jobs/${id}/approve`, {});
  const approved = async () => {
    const { exceptions, unmeasuredDistanceMeters } = (
      await last.gql('query ($id: ID!) { driverDay(id: $id) { exceptions unmeasuredDistanceMeters } }', { id: day.id })
    ).data.driverDay;
    const { total_gps_minutes, travelled_distance_meters } = await last.must('GET', `/v1/driver_days/${day.id}`);
    const { gps_total_pings } = await last.must('GET', `/v1/jobs/${id}/summary`);
    return {
      total_gps_minutes,
      travelled_distance_meters,
      gps_total_pings,
      unmeasuredDistanceMeters,
      stale: exceptions.includes('stale_after_approval'),
    };
  };
  const before = await approved();
  expect(before).toMatchObject({ total_gps_minutes: 120, unmeasuredDistanceMeters: '0', stale: false });
  await send(Array.from({ length: 50 }, (_, i) => ({ ...ago(60 - i), lat: 30.7 + i * 0.005, lon: -97.5, job_id: null, accuracy: 8 })));
  await send(Array.from({ length: 50 }, (_, i) => ({ ...ago(150.5 - i), lat: 30.1, lon: -97.5, job_id: id, accuracy: 8 })));
  await followed();
  expect(await approved()).toEqual({ ...before, stale: true });
});

// M6 of the specification: 470 minutes at 30 seconds are 940 positions, 799 are 85 %.
test.each([
  ['high', 8, 17, 5],
  ['medium', 1, 41, 100],
])('M6: 799 of 940 positions are of %s confidence, with %d gaps of %d positions', async (level, gaps, missing, singles) => {
  const { id, token, go, send, complete } = await hiredJob();
  await duty(token, 'on_duty', ago(490));
  const times = [480, 400, 300, 200, 100, 50, 10];
  for (const [i, event] of ONE_LOAD.entries()) await go(event, ago(times[i]!));
  await complete(10);
  const left = new Set<number>();
  for (let gap = 0; gap < gaps; gap++) for (let i = 0; i < missing; i++) left.add(60 + gap * 60 + i);
  for (let i = 0; i < singles; i++) left.add(941 - 4 - 3 * i);
  const kept = Array.from({ length: 940 }, (_, i) => i + 1).filter((i) => !left.has(i));
  expect(kept.length).toBe(799);
  await send(kept.map((i) => ({ ...ago(480 - i / 2), lat: 30, lon: -97.5, job_id: id, accuracy: 8 })));
  await followed();
  expect(await last.must('GET', `/v1/jobs/${id}/summary`)).toMatchObject({
    ...{ gps_active_period_minutes: 470, gps_expected_pings: 940, gps_total_pings: 799, gps_confidence_level: level },
    gps_offline_pings: expect.any(Number),
  });
});

test('the newest position of each job under way is for the companies of the job, its telephone only for the own one', async () => {
  const { id, token, go, send } = await hiredJob();
  await duty(token, 'on_duty', ago(30));
  await send([{ ...ago(25), lat: 30.1, lon: -97.5, job_id: id, accuracy: 8 }]);
  const latest = async (company: StaffedTenant, query = '', as?: string) =>
    (await company.must('GET', company.path(`/location_histories/latest${query}`), undefined, as)).filter((one: Json) => one.job_id === id);
  expect(await latest(owner)).toEqual([]);
  await go('enroute', ago(20));
  await app.orm.em.execute('update job set job_start_at = now() where id = ?', [id]);
  // A telephone that names no job is under way with the one that it hauls.
  await send(
    [10, 5].map((minutes) => ({ ...ago(minutes), lat: 30.2, lon: -97.5 - minutes / 100, job_id: minutes === 5 ? null : id, accuracy: 8 })),
  );
  const [there] = await latest(owner);
  expect(there).toMatchObject({ lat: '30.2', lon: '-97.55', device_id: null, accuracy: null, job_id: id, load_state: 'to_pickup' });
  expect(there.driver.id).toBeDefined();
  expect(await latest(last)).toEqual([expect.objectContaining({ id: there.id, device_id: 'phone', accuracy: '8' })]);
  const { order } = await owner.must('GET', `/v1/jobs/${id}`);
  expect(there.order_id).toBe(order.order_id);
  for (const filter of [`order_id]=${order.id}`, `order_id]=${order.order_id}`, `job_id]=${id}`])
    expect((await latest(owner, `?filter[${filter}`)).length).toBe(1);
  expect(await latest(owner, `?filter[job_id]=${order.id}`)).toEqual([]);
  expect((await latest(last, '', token)).length).toBe(1);
  expect(await latest(last, '', (await last.person({ roles: ['driver'] })).token)).toEqual([]);
  for (const event of [...ONE_LOAD.slice(1), 'complete']) await go(event);
  expect(await latest(owner)).toEqual([]);
});

test('A7: who reads where somebody else was is in the audit log, also as a sheet or as lines', async () => {
  const { id, token, go, send } = await hiredJob();
  const day = await duty(token, 'on_duty', ago(30));
  const driver = (await last.must('GET', '/v1/users/me', undefined, token)).id;
  await go('enroute', ago(20));
  await send(Array.from({ length: 8 }, (_, i) => ({ ...ago(19 - i), lat: 30, lon: -97.5 - i / 100, job_id: id, accuracy: 8 })));
  const admin = await last.person({ roles: ['company_admin'] });
  const noted = (of: StaffedTenant = last) =>
    app.orm.em.execute<Json[]>(
      `select created_by_id as by, object_changes as of from audit_entry where event = 'read' and company_id = ? and subject_type = 'User' and subject_id = ?
       order by created_at, id`,
      [of.company.id, driver],
    );
  const ofPerson = last.path(`/users/${driver}/location_histories`);
  const ask = (path: string, accept: string, as = admin.token) => app.http('GET', path, { token: as, headers: { Accept: accept } });

  // A person who was there reads it unnoticed, and a refused request is no reading.
  for (const path of [`/driver_days/${day.id}/location_histories`, `/jobs/${id}/location_histories`])
    expect((await last.must('GET', last.path(path), undefined, token)).length).toBe(8);
  expect((await last.http('GET', ofPerson, undefined, (await last.person({ roles: ['biller'] })).token)).status).toBe(403);
  expect((await last.http('GET', ofPerson, undefined, token)).status).toBe(403);
  expect((await owner.http('GET', owner.path(`/users/${driver}/location_histories`))).status).toBe(404);
  expect((await ask(`${ofPerson}?start_at=yesterday`, 'application/json')).status).toBe(422);
  expect([await noted(), await noted(owner)]).toEqual([[], []]);

  expect((await ask(`${ofPerson}?page[limit]=5`, 'application/json')).body.data.length).toBe(5);
  const lines = String((await ask(`${ofPerson}?start_at=${at(15)}`, 'application/x-ndjson')).body).trim();
  expect(lines.split('\n').map((line) => JSON.parse(line).occurred_at)).toEqual([15, 14, 13, 12].map(at));
  for (let times = 0; times < 2; times++)
    expect(
      String((await ask(ofPerson, 'text/csv')).body)
        .trim()
        .split('\n').length,
    ).toBe(9);
  await last.dispatcher.must('GET', last.path(`/driver_days/${day.id}/location_histories`));
  await owner.must('GET', `/v1/jobs/${id}/location_histories`);
  // Whoever asks where the truck of one job is asks where its driver is; who asks for all does not.
  const newest = async (of: StaffedTenant, query: string, as = of.dispatcher.token) =>
    (await of.must('GET', of.path(`/location_histories/latest${query}`), undefined, as)).map(({ job_id }: Json) => job_id);
  for (const times of [1, 2]) expect([times, await newest(last, `?filter[job_id]=${id}`)]).toEqual([times, [id]]);
  expect([await newest(last, `?filter[job_id]=${id}`, token), await newest(owner, `?filter[job_id]=${id}`)]).toEqual([[id], [id]]);
  expect([await newest(middle, `?filter[job_id]=${day.id}`), await newest(owner, '')]).toEqual([[], expect.arrayContaining([id])]);
  const [read, exported] = [
    [null, 'read'],
    [null, 'exported'],
  ];
  expect(await noted()).toEqual([
    { by: admin.user.id, of: { positions: read } },
    { by: admin.user.id, of: { positions: exported, start_at: [null, at(15)] } },
    // The second sheet within the hour is not noted again.
    { by: admin.user.id, of: { positions: exported } },
    { by: last.dispatcher.user.id, of: { positions: read, driver_day_id: [null, day.id] } },
    { by: last.dispatcher.user.id, of: { positions: read, job_id: [null, id] } },
  ]);
  expect(await noted(owner)).toEqual(
    [null, owner.dispatcher.user.id].map((by) => ({ by: by ?? expect.any(String), of: { positions: read, job_id: [null, id] } })),
  );
  // The administrators read it in their log.
  const log = await admin.must('GET', `/v1/audit_entries?filter[subject_id]=${driver}&filter[events][]=read`);
  expect(log.length).toBe(5);
  await duty(token, 'off_duty', {});
});

test('the positions of a person are forgotten, with a row of the audit log, and figures stay', async () => {
  const { id, token, go, send, complete } = await hiredJob();
  const day = await duty(token, 'on_duty', ago(60));
  const times = [50, 45, 40, 35, 30, 25, 20];
  for (const [i, event] of ONE_LOAD.entries()) await go(event, ago(times[i]!));
  await complete(20);
  const positions = Array.from({ length: 30 }, (_, i) => ({ ...ago(50 - i), lat: 30 + i * 0.005, lon: -97.5, job_id: id, accuracy: 8 }));
  await send(positions);
  await followed();
  const figures = async () => {
    const { driver: _whoseTelephoneIsConnected, ...ofDay } = await last.must('GET', `/v1/driver_days/${day.id}`);
    return [await last.must('GET', `/v1/jobs/${id}/summary`), ofDay];
  };
  const before = await figures();
  expect(before[0]).toMatchObject({ gps_total_pings: 30, has_gps_data: true });

  const driver = (await last.must('GET', '/v1/users/me', undefined, token)).id;
  const forget = (tenant: StaffedTenant, as?: string) => tenant.gql('mutation($id: ID!) { forgetPositions(id: $id) }', { id: driver }, as);
  const codeOf = ({ errors }: Json) => errors[0].extensions.code;
  expect(codeOf(await forget(owner))).toBe('object_not_found');
  expect(codeOf(await forget(last, token))).toBe('forbidden');
  const admin = (await last.person({ roles: ['company_admin'] })).token;
  expect((await forget(last, admin)).data.forgetPositions).toBe(30);
  expect(await last.must('GET', last.path(`/jobs/${id}/location_histories`))).toEqual([]);
  expect((await forget(last, admin)).data.forgetPositions).toBe(0);
  const rows = await app.orm.em.execute<object[]>(
    `select created_by_type as by, object_changes -> 'positions' as positions from audit_entry
     where subject_id = ? and event = 'update' and object_changes -> 'positions' is not null order by created_at`,
    [driver],
  );
  expect(rows).toEqual([
    { by: 'User', positions: [30, 0] },
    { by: 'User', positions: [0, 0] },
  ]);

  // A position that the telephone sends again stays forgotten, and later ones shorten no figure.
  await send(positions);
  expect(await last.must('GET', last.path(`/jobs/${id}/location_histories`))).toEqual([]);
  await send([{ occurred_at: new Date().toISOString(), lat: 31, lon: -97.5, job_id: null, accuracy: 8 }]);
  await followed();
  expect(await figures()).toEqual(before);
  const counted = await app.orm.em.execute<object[]>('select from location_history where user_id = ?', [driver]);
  expect(counted.length).toBe(1);
});
