import { expect, test } from '@jest/globals';
import { subscribed } from '../events/subscribed.ts';
import { ONE_LOAD, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { ago, app, duty, followed, hiredJob, last, middle, owner } from './hired-truck.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

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
