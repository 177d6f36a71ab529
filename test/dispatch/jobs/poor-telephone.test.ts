import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { jobOf, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
/** Where it is about ten at night, so that the day is of one date. */
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app, { timeZone: zoneAt(22) });
});
afterAll(() => app.close());

const base = Date.now();
/** Minutes between two things that the driver does, and before now when the first one was. */
const [STEP, BEGAN] = [20, 500];
const LOAD = ['enroute', 'load_material', 'enroute', 'unload_material', 'complete_load'];
const STAMPS = ['arrived_pickup_at', 'loaded_at', 'arrived_dropoff_at', 'unloaded_at', 'load_completed_at'];

const drawn = fc.record({
  loads: fc.integer({ min: 1, max: 2 }),
  /** After how many events of the job the driver has a break. */
  rest: fc.nat(10),
  /** From which of its two queues the telephone sends next, and what it sends once more. */
  sends: fc.array(fc.record({ states: fc.boolean(), again: fc.option(fc.nat(30)) }), { minLength: 20, maxLength: 20 }),
});

test('in whatever order a telephone sends its states and the events of its job, and what it sends again, the day and the loads are as they were', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async ({ loads, rest, sends }) => {
      const driver = await tenant.person({ roles: ['driver'] });
      const job = await jobOf(tenant, { driver_id: driver.id, loads_per_truck: loads });
      const events = Array.from({ length: loads }, () => LOAD)
        .flat()
        .map((name) => `/v1/jobs/${job.id}/${name}`);
      const duty = (state: string) => `/v1/users/me/driver_day/${state}`;
      const at = Math.min(rest, events.length);
      const done = [duty('on_duty'), ...events.slice(0, at), duty('break'), duty('on_duty'), ...events.slice(at), duty('off_duty')].map(
        (path, i) => ({
          path,
          body: { id: randomUUID(), occurred_at: new Date(base - (BEGAN - i * STEP) * 60_000).toISOString() },
        }),
      );
      const when = (place: number) => Date.parse(done[place]!.body.occurred_at);
      const send = async ({ path, body }: (typeof done)[number]) => (await driver.http('PUT', path, body)).status;
      const isState = ({ path }: { path: string }) => path.startsWith('/v1/users');
      const queues = { states: done.filter(isState), events: done.filter((one) => !isState(one)) };
      const sent: typeof done = [];
      let leftLast = false;
      for (const { states, again } of sends) {
        const queue = (states && queues.states.length > 0) || queues.events.length === 0 ? queues.states : queues.events;
        const next = queue.shift();
        if (!next) break;
        if (next.path === events[0] && queues.states.length === 0) leftLast ||= sent.every((one) => one.path !== next.path);
        expect([next.path, await send(next)]).toEqual([next.path, 200]);
        sent.push(next);
        if (again !== null) expect(await send(sent[again % sent.length]!)).toBe(200);
      }
      expect([queues.states, queues.events]).toEqual([[], []]);

      const [day, ...others] = await tenant.must('GET', tenant.path(`/driver_days?filter[driver_ids][]=${driver.id}`));
      expect(others).toEqual([]);
      expect([Date.parse(day.started_shift_at), Date.parse(day.ended_shift_at)]).toEqual([when(0), when(done.length - 1)]);
      const minutes = (done.length - 1) * STEP;
      expect([day.total_on_duty_minutes, day.total_break_minutes, day.jobs_count]).toEqual([minutes - STEP, STEP, 1]);
      const { state } = await tenant.must('GET', `/v1/jobs/${job.id}`);
      // Who left for it after they were off duty, by what was sent, has it open still.
      expect(state).toBe(leftLast ? 'load_completed' : 'ended');
      const read: Json[] = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
      const times = done.flatMap((one, i) => (isState(one) ? [] : [when(i)]));
      expect(
        read
          .sort((a, b) => a.ordinality - b.ordinality)
          .map((load) => [load.state, ...STAMPS.map((name) => Date.parse(load.load_summary[name]))]),
      ).toEqual(
        Array.from({ length: loads }, (_, n) => {
          const [, loaded, , unloaded, completed] = times.slice(n * LOAD.length, (n + 1) * LOAD.length);
          return ['completed', loaded, loaded, unloaded, unloaded, completed];
        }),
      );
      if (leftLast) return;
      // The job lasted until its driver went off duty.
      const summary = await tenant.must('GET', `/v1/jobs/${job.id}/summary`);
      const [began, ended] = [times[0]!, when(done.length - 1)];
      expect([Date.parse(summary.logging_started_at), Date.parse(summary.logging_ended_at)]).toEqual([began, ended]);
      const rested = when(at + 1) >= began && when(at + 2) <= ended ? STEP : 0;
      expect([summary.break_time_minutes, summary.work_time_minutes]).toEqual([rested, (ended - began) / 60_000 - rested]);
    }),
    { numRuns: runs(4) },
  );
}, 240_000);
