import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { jobOf, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app, { timeZone: zoneAt(12) });
});
afterAll(() => app.close());

const STEPS = ['enroute', 'arrive', 'complete', 'cancel', 'on_duty', 'off_duty', 'hand_over', 'reassign'] as const;
const step = fc.record({
  what: fc.constantFrom(...STEPS, 'enroute' as const, 'enroute' as const),
  who: fc.nat(1),
  which: fc.nat(2),
});

test('A-I3: a job hangs on one day at most, of its driver, and a day counts the jobs that hang on it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const drivers = [await tenant.person({ roles: ['driver'] }), await tenant.person({ roles: ['driver'] })];
      const jobs: string[] = [];
      for (let n = 0; n < 3; n++) jobs.push((await jobOf(tenant, { driver_id: drivers[n % 2]!.id, recurring_loads: true })).id);
      for (const { what, who, which } of steps) {
        const [driver, job] = [drivers[who]!, jobs[which]!];
        if (what === 'hand_over') {
          const input = { id: job, driver: driver.id };
          const { data } = await tenant.gql('mutation ($id: ID!, $driver: ID!) { handOverJob(id: $id, driverId: $driver) { id } }', input);
          if (data?.handOverJob) jobs.push(data.handOverJob.id);
          continue;
        }
        const { status } =
          what === 'on_duty' || what === 'off_duty'
            ? await driver.http('PUT', `/v1/users/me/driver_day/${what}`, {})
            : what === 'reassign'
              ? await tenant.dispatcher.http('PATCH', `/v1/jobs/${job}`, { driver_id: driver.id })
              : await tenant.http('PUT', `/v1/jobs/${job}/${what}`, {});
        expect([what, status < 500]).toEqual([what, true]);
      }
      const hung = await app.orm.em.fork().execute<Json[]>(
        `select j.id, j.state, j.driver_id as driver, j.driver_day_id as day, d.driver_id as "dayDriver",
           exists (select from job_event e where e.job_id = j.id and e.event_name = 'ToPickup') as "hasLeft"
         from job j left join driver_day d on d.id = j.driver_day_id where j.id = any(?)`,
        [`{${jobs.join(',')}}`],
      );
      for (const { driver, day, dayDriver, hasLeft } of hung) {
        if (hasLeft && driver) expect(day).not.toBeNull();
        if (day) expect(dayDriver).toBe(driver);
      }
      for (const { id } of drivers)
        for (const day of await tenant.must('GET', tenant.path(`/driver_days?filter[driver_ids][]=${id}`))) {
          const counted = hung.filter((one) => one.day === day.id && one.state !== 'canceled');
          expect(day.jobs_count).toBe(counted.length);
          const listed = await tenant.must('GET', `/v1/driver_days/${day.id}/jobs?page[limit]=100`);
          expect(listed.map((one: Json) => one.id).sort()).toEqual(hung.flatMap((one) => (one.day === day.id ? [one.id] : [])).sort());
        }
    }),
    { numRuns: runs(5) },
  );
}, 120_000);
