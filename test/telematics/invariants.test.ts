import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { deleteOldPositions } from '../../src/telematics/positions/retention.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runs } from '../helpers/properties.ts';
import { jobOfChain, makeChain, ONE_LOAD } from '../helpers/staffed-tenant.ts';
import { makeTenant, type Person, type Tenant } from '../helpers/tenant.ts';
import { zoneAt } from '../helpers/zones.ts';
import { agePositions } from './aged.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let chain: Awaited<ReturnType<typeof makeChain>>;
let stranger: Tenant;
let mate: Person;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  chain = await makeChain(app, { timeZone: zoneAt(22) });
  stranger = await makeTenant(app);
  mate = await chain.last.person({ roles: ['driver'] });
});
afterAll(() => app.close());

const at = (base: number, minutesAgo: number) => new Date(base - minutesAgo * 60_000).toISOString();
const sql = (text: string, values: unknown[] = []) => app.orm.em.fork().execute<Json[]>(text, values);

/** A shift of a driver of the last company of the chain, who hauls a job of the first one from one minute to another, and reports where they are. */
async function hauled(drawn: { shift: number; left: number; done: number; pings: number[] }) {
  const { last } = chain;
  const base = Date.now();
  const job = await jobOfChain(chain);
  const must = (method: string, path: string, body?: object) => last.must(method, path, body, job.token);
  const [left, done] = [drawn.shift - drawn.left, drawn.shift - drawn.left - drawn.done];
  const day = await must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: at(base, drawn.shift) });
  for (const [i, event] of ONE_LOAD.entries()) await job.go(event, { occurred_at: at(base, left - ((left - done) * i) / ONE_LOAD.length) });
  await job.go('complete');
  await sql(`update job_event set occurred_at = ? where job_id = ? and event_name = 'JobCompleted'`, [at(base, done), job.id]);
  const locations = drawn.pings.map((minutes, i) => ({
    ...{ occurred_at: at(base, minutes), lat: 30.25 + i * 0.004, lon: -97.75, accuracy: 8 },
    job_id: minutes <= left && minutes >= done ? job.id : null,
  }));
  // Some of those outside of the job name it as well.
  if (locations[0]) locations[0].job_id = job.id;
  await must('POST', '/v1/users/me/locations', { device_id: 'phone', locations });
  return { ...job, base, dayId: day.id as string, window: [at(base, left), at(base, done)] as const, locations, must };
}

const drawn = fc.record({
  shift: fc.integer({ min: 60, max: 200 }),
  left: fc.integer({ min: 5, max: 25 }),
  done: fc.integer({ min: 5, max: 30 }),
  pings: fc.uniqueArray(fc.integer({ min: 1, max: 230 }), { minLength: 4, maxLength: 30 }),
});

test('A-I10: nobody reads a position outside of their company, their own person and a job of the link that is under way', async () => {
  const { owner, middle, last } = chain;
  await fc.assert(
    fc.asyncProperty(drawn, async (one) => {
      const { id, token, dayId, base, window, locations, must } = await hauled(one);
      const own: string[] = locations.map(({ occurred_at }) => occurred_at).filter((time) => time >= at(base, one.shift));
      const read = async (of: Tenant, path: string, as?: string): Promise<Json[]> => {
        const { status, body } = await of.http('GET', of.path(`${path}${path.includes('?') ? '&' : '?'}page[limit]=100`), undefined, as);
        expect([200, 404]).toContain(status);
        return status === 200 ? body.data : [];
      };
      const times = (rows: Json[]) => rows.map(({ occurred_at }) => occurred_at).sort();
      const ofJob = `/jobs/${id}/location_histories`;
      const ofDay = `/driver_days/${dayId}/location_histories`;
      // Off duty is nobody's business, not even the own company's.
      expect(times(await read(last, ofDay))).toEqual(own.toSorted());
      expect(times(await read(last, ofDay, token))).toEqual(own.toSorted());
      const inside = own.filter((time) => time >= window[0] && time <= window[1]).toSorted();
      expect(times(await read(owner, ofJob))).toEqual(inside);
      expect(JSON.stringify(await read(owner, ofJob))).not.toContain('phone');
      for (const [who, as] of [[stranger], [middle], [last, mate.token]] as [Tenant, string?][])
        for (const path of [ofJob, ofDay]) expect(await read(who, path, as)).toEqual([]);
      expect(await read(owner, ofDay)).toEqual([]);
      // Nor by a calculation from what a position of that time shows.
      const shape = { type: 'circle', circle_center: { lat: 30.31, lon: -97.75 }, circle_radius: 20_000 };
      const asked = { strategy: 'naive', delay_seconds: 0, geofences: [{ geofence: shape, tag: 'site' }] };
      const { status: calculated, body: triggers } = await owner.http('POST', owner.path(`/jobs/${id}/geofence_triggers`), asked);
      expect([calculated, times(triggers.data.map(({ triggered_location }: Json) => triggered_location))]).toEqual([
        200,
        inside.slice(0, 1),
      ]);
      // A job that is over is followed no more, also if it is one of today.
      await sql('update job set job_start_at = now() where id = ?', [id]);
      for (const who of [owner, middle, stranger]) {
        const { status, body } = await who.http('GET', `/v1/location_histories/latest?filter[job_id]=${id}`);
        expect([status, body.data]).toEqual([200, []]);
      }
      const mine = async (as: string) =>
        (await last.gql('{ myLocationHistories(first: 100) { nodes { occurredAt } } }', {}, as)).data.myLocationHistories.nodes.map(
          ({ occurredAt }: Json) => occurredAt,
        );
      expect([await mine(token), await mine(mate.token)]).toEqual([own.toSorted(), []]);
      await must('PUT', '/v1/users/me/driver_day/off_duty', {});
    }),
    { numRuns: runs(3) },
  );
}, 120_000);

test('A-I12: a purge of positions changes no summary, no distance and no approved figure', async () => {
  const { owner, last } = chain;
  const biller = await last.person({ roles: ['biller'] });
  await last.gql('mutation { updateCompanySettings(input: { positionRetentionDays: 30 }) { id } }');
  const figures = async (jobId: string, dayId: string) => {
    return {
      day: await last.must('GET', `/v1/driver_days/${dayId}`),
      distances: await Promise.all(
        [`driver_days/${dayId}`, `jobs/${jobId}`].map((path) => last.must('GET', last.path(`/${path}/travelled_distances`))),
      ),
      jobs: await Promise.all([owner, last].map((of) => of.must('GET', `/v1/jobs/${jobId}/summary`))),
      loads: await Promise.all([owner, last].map((of) => of.must('GET', `/v1/jobs/${jobId}/loads`))),
      totals: await sql('select approved_totals, gps_minutes, gps_distance_meters from driver_day where id = ?', [dayId]),
    };
  };
  await fc.assert(
    fc.asyncProperty(drawn, fc.boolean(), async (one, approved) => {
      const { id, dayId, must } = await hauled(one);
      await must('PUT', '/v1/users/me/driver_day/off_duty', {});
      const followed = async () => {
        await sql('update position_task set due_at = now()');
        await app.settled();
      };
      await followed();
      if (approved) await biller.must('PUT', `/v1/driver_days/${dayId}/approve`, {});
      const before = await figures(id, dayId);
      expect(before.totals[0].gps_distance_meters).not.toBeNull();
      // All of it becomes longer ago than the company keeps positions.
      expect(await agePositions(app, last.company.id)).toBeGreaterThan(0);
      const errors: unknown[] = [];
      await deleteOldPositions(app.productOrm.em.fork(), (error) => errors.push(error));
      expect(errors).toEqual([]);
      expect(await sql('select from location_history where company_id = ?', [last.company.id])).toEqual([]);
      await followed();
      expect(await figures(id, dayId)).toEqual(before);
    }),
    { numRuns: runs(3) },
  );
}, 120_000);
