import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runs } from '../helpers/properties.ts';
import { makeStaffedTenant, ONE_LOAD, readyJob, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { zoneAt } from '../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeStaffedTenant(app, { timeZone: zoneAt(14) });
});
afterAll(() => app.close());

/** A way along the border between Texas and Oklahoma: seconds since the position before, and ten-thousandths of a degree. */
const way = fc.array(
  fc.record({
    wait: fc.integer({ min: 5, max: 1_000 }),
    north: fc.integer({ min: -250, max: 350 }),
    east: fc.integer({ min: -200, max: 200 }),
    /** Which of the requests brings it. */
    batch: fc.nat(3),
  }),
  { minLength: 5, maxLength: 60 },
);
/** Over the border, in steps of 100 s and 1.1 km, all day. */
const NORTH = Array.from({ length: 160 }, (_, i) => ({ wait: 100, north: 100, east: 0, batch: i % 4 }));
/** The records that are approved between two of the requests. */
const approved = fc.constantFrom('nothing', 'loads', 'jobs', 'driver_days');

test('A-I9: distances by area and kind come to those of the day, its jobs and loads, in whatever order positions come and whatever is approved meanwhile', async () => {
  const areas = new Set<string>();
  const seen = { loaded: 0, unloaded: 0, off_job: 0 } as Record<string, number>;
  await fc.assert(
    fc.asyncProperty(way, approved, fc.integer({ min: 0, max: 3 }), async (steps, what, after) => {
      const began = Date.now() - 300 * 60_000;
      const at = (minutes: number) => new Date(began + minutes * 60_000).toISOString();
      const driver = await tenant.person({ roles: ['driver'] });
      const of = { ...tenant, driver };
      const jobs: Json[] = [];
      const { id: dayId } = await driver.must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: at(0) });
      for (const from of [20, 150]) {
        const job = await readyJob(of, {});
        for (const [i, event] of ONE_LOAD.entries())
          await driver.must('PUT', `/v1/jobs/${job.id}/${event}`, { occurred_at: at(from + i * 15) });
        await driver.must('PUT', `/v1/jobs/${job.id}/complete`, { occurred_at: at(from + 100) });
        jobs.push(job);
      }
      await driver.must('PUT', '/v1/users/me/driver_day/off_duty', { occurred_at: at(290) });
      const place = { minute: 0, lat: 33.7, lon: -97.15 };
      const positions = steps.flatMap(({ wait, north, east, batch }) => {
        place.minute += wait / 60;
        place.lat += north / 10_000;
        place.lon += east / 10_000;
        const location = { occurred_at: at(place.minute), lat: place.lat.toFixed(6), lon: place.lon.toFixed(6), accuracy: 8, job_id: null };
        return place.minute < 290 ? [{ batch, location }] : [];
      });
      const loads: Json[] = (await Promise.all(jobs.map(({ id }) => tenant.must('GET', `/v1/jobs/${id}/loads`)))).flat();
      const ids: Record<string, string[]> = {
        driver_days: [dayId],
        jobs: jobs.map(({ id }) => id),
        loads: loads.map(({ id }) => id),
      };
      for (const batch of [2, 0, 3, 1]) {
        const locations = positions.filter((one) => one.batch === batch).map(({ location }) => location);
        if (locations.length > 0) await driver.must('POST', '/v1/users/me/locations', { device_id: 'phone', locations });
        await app.orm.em.execute('update position_task set due_at = now()');
        await app.settled();
        if (batch === after && what !== 'nothing')
          for (const id of ids[what]!) await tenant.admin.must('PUT', `/v1/${what}/${id}/approve`, {});

        const parts = async (path: string): Promise<[string, number][]> =>
          (await tenant.must('GET', tenant.path(`/${path}/travelled_distances`))).map((one: Json) => {
            areas.add(one.administrative_area);
            return [one.travelled_distance_type, Number(one.travelled_distance_meters)];
          });
        /** In tenths of a metre, as they are kept. */
        const sum = (ones: readonly [string, number][]) => ones.reduce((all, [, metres]) => all + Math.round(metres * 10), 0);
        const said = (metres: string | null) => Math.round(Number(metres ?? 0) * 10);
        const ofDay = await parts(`driver_days/${dayId}`);
        for (const [kind, metres] of ofDay) seen[kind] = Math.max(seen[kind] ?? 0, metres);
        const day = await tenant.must('GET', `/v1/driver_days/${dayId}`);
        expect(['day', sum(ofDay)]).toEqual(['day', said(day.travelled_distance_meters)]);
        const ofJobs = await Promise.all(jobs.map(({ id }) => parts(`jobs/${id}`)));
        for (const [i, { id }] of jobs.entries()) {
          const summary = await tenant.must('GET', `/v1/jobs/${id}/summary`);
          expect(['job', sum(ofJobs[i]!)]).toEqual(['job', said(summary.travelled_distance_meters)]);
        }
        for (const job of jobs)
          for (const { id, load_summary } of await tenant.must('GET', `/v1/jobs/${job.id}/loads`))
            expect(['load', sum(await parts(`loads/${id}`))]).toEqual(['load', said(load_summary.travelled_distance_meters)]);
        // An approved record stays, so that day and jobs may have figures of different times.
        if (what === 'nothing') expect(sum(ofJobs.flat())).toBe(sum(ofDay.filter(([kind]) => kind !== 'off_job')));
      }
    }),
    { numRuns: runs(3), endOnFailure: true, examples: [[NORTH, 'nothing', 0]] },
  );
  expect([...areas].sort()).toEqual(expect.arrayContaining(['Oklahoma', 'Texas']));
  for (const [kind, metres] of Object.entries(seen)) expect([kind, metres > 0]).toEqual([kind, true]);
}, 600_000);
