import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Work } from '../../src/telematics/fences/decide.ts';
import { decideMatch } from '../../src/telematics/ticket-matches/decide-match.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runs } from '../helpers/properties.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { makeRoad, type Road } from './fences/road.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const matched = () => until(async () => (await app.orm.em.getConnection().execute('select id from ticket_match_task')).length === 0);
const eventsOf = async (road: Road): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/jobs/${road.jobId}/job_events?page[limit]=100`)).filter(
    ({ event_source }: Json) => event_source === 'ticket_match',
  );
const undo = (id: string) => tenant.gql('mutation ($id: ID!) { undoAutomaticEvent(jobEventId: $id) { state } }', { id });
/** Links a ticket to the first load of a road. */
async function ticket(road: Road, fields: object = {}): Promise<Json> {
  const { id } = await road.load();
  const made = await tenant.must('POST', '/v1/tickets', { load_id: id, unit_of_measure: 'Ton', quantity: 21, ...fields });
  await matched();
  return made;
}
async function atPit(): Promise<Road> {
  const road = await makeRoad(tenant);
  await road.press('enroute', 5);
  await road.press('arrive', 20);
  return road;
}

test('A5 ticket matched: the truck was loaded when the ticket says, and positions carry on from there', async () => {
  const road = await atPit();
  await ticket(road, { service_date: road.at(33) });
  expect((await road.job()).state).toBe('loaded');
  expect((await road.load()).load_summary.loaded_at).toBe(road.at(33));
  expect((await eventsOf(road)).map(({ event_name, occurred_at }) => [event_name, occurred_at]).sort()).toEqual([
    ['Loaded', road.at(33)],
    ['WaypointAction', road.at(33)],
  ]);
  await road.go([34, 0], [36, 0]);
  await road.go([36.5, 300], [40, 3_000]);
  expect((await road.job()).state).toBe('to_dropoff');
});

test('A5 ticket matched: without a time, or with one that a scale got wrong, it is now; another time proves another load', async () => {
  const [unserved, wrong] = [await atPit(), await atPit()];
  await ticket(unserved);
  expect((await unserved.job()).state).toBe('loaded');
  expect(Date.parse((await unserved.load()).load_summary.loaded_at)).toBeGreaterThan(Date.parse(unserved.at(170)));
  await ticket(wrong, { service_date: wrong.at(-60) });
  expect((await wrong.job()).state).toBe('arrived_pickup');
  expect((await eventsOf(wrong)).map(({ event_name, payload }) => [event_name, payload.skip_reason])).toEqual([
    ['LoadUpdated', 'time_outside_visit'],
  ]);
});

test('a matched ticket is undone once, and the times are as before; a truck that is not at its pickup is not moved', async () => {
  const road = await atPit();
  const before = await road.load();
  await ticket(road);
  const [event] = await eventsOf(road);
  const { data } = await undo(event.id);
  expect(data.undoAutomaticEvent.state).toBe('arrived_pickup');
  expect((await road.load()).load_summary).toEqual({ ...before.load_summary, updated_at: expect.any(String) });
  expect((await undo(event.id)).errors[0].extensions.code).toBe('conflict');
  // Of what a person noted nothing is automatic.
  const all: Json[] = await tenant.must('GET', `/v1/jobs/${road.jobId}/job_events?page[limit]=100`);
  const own = all.find(({ event_name, event_source }) => event_name === 'AtPickup' && event_source === 'web');
  expect((await undo(own.id)).errors[0].extensions.code).toBe('conflict');

  const far = await makeRoad(tenant);
  await far.press('enroute', 5);
  await ticket(far);
  expect([(await far.job()).state, await eventsOf(far)]).toEqual(['to_pickup', []]);
});

test('a match is never before the arrival nor in the future, and never of what is paused, approved or on hold', () => {
  const HOUR = 3_600_000;
  const minutes = fc.option(fc.integer({ min: -300, max: 300 }));
  const flag = fc.boolean();
  fc.assert(
    fc.property(
      minutes,
      fc.integer({ min: 0, max: 120 }),
      flag,
      flag,
      fc.constantFrom('in_progress', 'hold'),
      (served, stay, paused, approved, order) => {
        const now = 10 * HOUR;
        const arrivedPickupAt = now - stay * 60_000;
        const load = { state: 'arrived_pickup', approved, arrivedPickupAt, hasTicket: true } as const;
        const work = { paused, order, load, last: { at: arrivedPickupAt, event: 'AtPickup' } } as unknown as Work;
        const servedAt = served === null ? null : arrivedPickupAt + served * 60_000;
        const decision = decideMatch(servedAt, now, work);
        if (paused || approved || order === 'hold') return expect('skip' in decision).toBe(true);
        if ('skip' in decision) return expect(served! < -15 || served! > stay + 15).toBe(true);
        expect(decision.at).toBeGreaterThanOrEqual(arrivedPickupAt);
        expect(decision.at).toBeLessThanOrEqual(now);
      },
    ),
    { numRuns: runs(200) },
  );
});
