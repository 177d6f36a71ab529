import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JobState } from '../../../src/dispatch/model/states.ts';
import { type Crossing, decide, type Work } from '../../../src/telematics/fences/decide.ts';
import { runs } from '../../helpers/properties.ts';

const HOUR = 3_600_000;
/** Work on which every crossing that fits its state moves the job. Times in milliseconds; the crossing is at 10 hours. */
const usual: Work = {
  ...{ job: 'accepted', paused: false, startsAt: 10 * HOUR, order: 'in_progress', onDuty: true, busyElsewhere: false, hasNextLoad: true },
  load: { state: 'to_pickup', approved: false, arrivedPickupAt: 9 * HOUR, hasTicket: false },
  ...{ last: { at: 9 * HOUR, event: 'ToPickup' }, noted: [], insidePickup: false, completesItself: false },
};
const after = (crossing: Crossing, more: Partial<Work>, at = 10 * HOUR): string => {
  const decision = decide(crossing, at, { ...usual, ...more });
  return 'steps' in decision ? decision.steps.join(' ') : `${decision.proposed ? 'proposed ' : ''}${decision.skip}`;
};

test.each<[Crossing, Partial<Work>, string]>([
  ['enter pickup', {}, 'enroute arrive'],
  ['enter pickup', { job: 'sent' }, 'not_accepted'],
  ['enter pickup', { job: 'assigned' }, 'not_accepted'],
  ['enter pickup', { startsAt: 13 * HOUR }, 'enroute arrive'],
  ['enter pickup', { startsAt: 13 * HOUR + 1 }, 'too_early'],
  ['enter pickup', { onDuty: false }, 'off_duty'],
  ['enter pickup', { busyElsewhere: true }, 'other_job_under_way'],
  ['enter pickup', { order: 'pending_request' }, 'order_not_accepted'],
  ['enter pickup', { hasNextLoad: false }, 'no_next_load'],
  ['enter pickup', { job: 'to_pickup' }, 'arrive'],
  ['enter pickup', { job: 'to_pickup', order: 'hold' }, 'order_on_hold'],
  ['enter pickup', { job: 'to_pickup', order: 'weather_hold' }, 'order_on_hold'],
  ['enter pickup', { job: 'load_completed' }, 'enroute arrive'],
  ['enter pickup', { job: 'load_completed', hasNextLoad: false }, 'no_next_load'],
  ['enter pickup', { job: 'loaded' }, 'state'],
  ['exit pickup', { job: 'arrived_pickup' }, 'load_material enroute'],
  ['exit pickup', { job: 'accepted' }, 'state'],
  ['exit pickup', { job: 'loaded', noted: [{ event: 'Loaded', source: 'ticket_match' }] }, 'enroute'],
  ['exit pickup', { job: 'loaded', noted: [{ event: 'Loaded', source: 'web' }] }, 'done_by_hand'],
  ['enter drop_off', { job: 'loaded' }, 'enroute arrive'],
  ['enter drop_off', { job: 'to_dropoff' }, 'arrive'],
  ['enter drop_off', { job: 'arrived_pickup' }, 'infer_load enroute arrive'],
  ['enter drop_off', { job: 'arrived_pickup', insidePickup: true }, 'proposed overlap'],
  ['enter drop_off', { job: 'arrived_pickup', insidePickup: true, confirmed: true }, 'infer_load enroute arrive'],
  ['exit drop_off', { job: 'arrived_dropoff' }, 'unload_material complete_load'],
  // The job itself is completed only if its company wants that, and the next load waits for its pickup.
  ['exit drop_off', { job: 'arrived_dropoff', hasNextLoad: false }, 'unload_material complete_load'],
  ['exit drop_off', { job: 'arrived_dropoff', hasNextLoad: false, completesItself: true }, 'unload_material complete_load complete'],
  ['exit drop_off', { job: 'arrived_dropoff', hasNextLoad: true, completesItself: true }, 'unload_material complete_load'],
  ['exit drop_off', { job: 'to_dropoff' }, 'state'],
])('%s of %j: %s', (crossing, more, expected) => {
  expect(after(crossing, more)).toBe(expected);
});

test('leaving the pickup within a minute waits for a person, unless there is a ticket', () => {
  const within = (more: object) => ({
    job: 'arrived_pickup' as const,
    last: { at: 10 * HOUR - 59_000, event: 'AtPickup' as const },
    load: { ...usual.load!, arrivedPickupAt: 10 * HOUR - 59_000, ...more },
  });
  expect(after('exit pickup', within({}))).toBe('proposed too_short');
  expect(after('exit pickup', within({ hasTicket: true }))).toBe('load_material enroute');
  expect(after('exit pickup', { ...within({}), confirmed: true })).toBe('load_material enroute');
  expect(after('exit pickup', within({ arrivedPickupAt: 10 * HOUR - 60_000 }))).toBe('load_material enroute');
});

test('what a person noted goes first, and what comes after its time changes nothing', () => {
  const noted = [{ event: 'AtPickup' as const, source: 'web' as const }];
  expect(after('enter pickup', { job: 'arrived_pickup', noted })).toBe('done_by_hand');
  expect(after('enter pickup', { job: 'arrived_pickup', noted: [{ ...noted[0]!, source: 'geofence' }] })).toBe('state');
  expect(after('enter pickup', { job: 'arrived_pickup' }, 8 * HOUR)).toBe('late');
  expect(after('exit drop_off', { job: 'arrived_dropoff', last: { at: 11 * HOUR, event: 'AtDropoff' } })).toBe('late');
});

const crossings: readonly Crossing[] = ['enter pickup', 'exit pickup', 'enter drop_off', 'exit drop_off'];
const UNDER_WAY: readonly JobState[] = ['to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'load_completed'];

test('nothing moves what is paused, over or approved, and no crossing goes back in time (A-I6)', () => {
  const works = fc.record({
    job: fc.constantFrom(...(Object.keys(JobState) as JobState[])),
    ...{ paused: fc.boolean(), onDuty: fc.boolean(), busyElsewhere: fc.boolean(), hasNextLoad: fc.boolean(), insidePickup: fc.boolean() },
    approved: fc.boolean(),
    lastAt: fc.integer({ min: 0, max: 20 }),
  });
  fc.assert(
    fc.property(fc.constantFrom(...crossings), fc.integer({ min: 0, max: 20 }), works, (crossing, hour, { approved, lastAt, ...more }) => {
      const last = { at: lastAt * HOUR, event: 'AtPickup' as const };
      const decision = decide(crossing, hour * HOUR, { ...usual, ...more, last, load: { ...usual.load!, approved } });
      if (!('steps' in decision)) return;
      expect(more.paused).toBe(false);
      expect([...UNDER_WAY, 'accepted']).toContain(more.job);
      expect(approved && more.job !== 'load_completed').toBe(false);
      expect(decision.at).toBeGreaterThanOrEqual(last.at);
    }),
    { numRuns: runs(200) },
  );
});
