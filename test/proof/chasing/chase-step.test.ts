import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isQuiet } from '../../../src/dispatch/notifications/quiet-hours.ts';
import { localDate, localMinutes } from '../../../src/platform/time.ts';
import { type ChaseFacts, MOST_REMINDERS, stepOf } from '../../../src/proof/chasing/chase-step.ts';
import { runs } from '../../helpers/properties.ts';

const HOUR = 3_600_000;
const ZONES = ['America/Chicago', 'America/Vancouver', 'America/St_Johns', 'Australia/Lord_Howe', 'Etc/GMT+12', 'Pacific/Kiritimati'];
const wall = (at: Date, zone: string) => {
  const minutes = localMinutes(at, zone);
  return `${localDate(at, zone)} ${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
};

/** Lets a worker look whenever a step is due, until nothing is. @returns when it reminded, by the wall clock, and how it ended */
function chased(begin: string, zone: string): { reminders: string[]; opened: string; ended: string } {
  const missing = [new Date(begin)];
  const reminders: Date[] = [];
  let [now, opened, ended] = [new Date(begin), '', ''];
  let chase: ChaseFacts['chase'] = null;
  while (!ended) {
    const step = stepOf({ now, zone, wanted: true, jobOver: false, missing, chase });
    if (step.do === 'wait') now = step.until;
    if (step.do === 'open') [opened, chase] = [wall(now, zone), { reminders, askedAt: null, ticketed: false }];
    if (step.do === 'remind') reminders.push(now);
    if (step.do === 'end') ended = `${step.state} ${wall(now, zone)}`;
  }
  return { opened, reminders: reminders.map((at) => wall(at, zone)), ended };
}

test('a driver is reminded half an hour after the load, after four hours, in the next morning and a day later', () => {
  expect(chased('2026-11-23T18:00:00Z', 'America/Chicago')).toEqual({
    opened: '2026-11-23 12:30',
    reminders: ['2026-11-23 12:30', '2026-11-23 16:30', '2026-11-24 09:00', '2026-11-25 09:00'],
    ended: 'given_up 2026-11-26 09:00',
  });
});

test('what is due in the quiet hours waits until 06:00 of the person, also when clocks change in that night', () => {
  // Clocks go back at 02:00.
  expect(chased('2026-11-01T04:50:00Z', 'America/Chicago').reminders).toEqual([
    ...['2026-11-01 06:00', '2026-11-01 10:00', '2026-11-02 09:00', '2026-11-03 09:00'],
  ]);
  // The second one would be at 23:10 before clocks go forward.
  expect(chased('2027-03-14T00:40:00Z', 'America/Chicago').reminders).toEqual([
    ...['2027-03-13 19:10', '2027-03-14 06:00', '2027-03-15 09:00', '2027-03-16 09:00'],
  ]);
  const edge = (at: string) => isQuiet(new Date(at), 'America/Chicago');
  expect([edge('2026-11-24T02:59:59Z'), edge('2026-11-24T03:00:00Z'), edge('2026-11-24T11:59:59Z'), edge('2026-11-24T12:00:00Z')]).toEqual([
    ...[false, true, true, false],
  ]);
});

test('whoever asks again reminds at once, but neither in quiet hours nor a fifth time', () => {
  const at = (time: string) => new Date(`2026-11-23T${time}:00Z`);
  const step = (now: string, reminders: Date[], askedAt: Date | null) =>
    stepOf({
      ...{ now: at(now), zone: 'Etc/UTC', wanted: true, jobOver: true, missing: [at('09:00')] },
      chase: { reminders, askedAt, ticketed: false },
    });
  expect(step('11:00', [at('10:00')], null)).toEqual({ do: 'wait', until: at('14:00') });
  expect(step('11:00', [at('10:00')], at('11:00'))).toEqual({ do: 'remind', number: 2 });
  // It was answered by the second reminder, and the third comes in its own time.
  expect(step('12:00', [at('10:00'), at('11:00')], at('11:00'))).toMatchObject({ do: 'wait' });
  expect(step('22:00', [at('10:00')], at('22:00'))).toEqual({ do: 'wait', until: new Date('2026-11-24T06:00:00Z') });
  expect(step('11:00', Array(4).fill(at('10:00')), at('11:00'))).toMatchObject({ do: 'wait' });
});

/** The events of a job: time passes, the ticket comes or goes, the order wants it or not, a worker looks, or dies before it commits. */
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 40 * 60 }) }) },
  { weight: 8, arbitrary: fc.constant({ look: true } as const) },
  { weight: 2, arbitrary: fc.constant({ die: true } as const) },
  { weight: 1, arbitrary: fc.record({ ticket: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ wanted: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ over: fc.boolean() }) },
);

test('A4: whatever happens, a chase reminds four times at most, never in quiet hours, and never after the answer', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
      fc.array(happening, { maxLength: 120 }),
      (zone, begin, happenings) => {
        let now = begin;
        const given = { wanted: true, over: false, ticket: false };
        let chase: { reminders: Date[]; askedAt: null; ticketed: boolean } | null = null;
        let givenUp = false;
        for (const one of happenings) {
          if ('pass' in one) now = new Date(now.getTime() + one.pass * 60_000);
          else if (!('look' in one) && !('die' in one)) Object.assign(given, one);
          else {
            const missing = given.ticket || givenUp || !given.wanted ? [] : [begin];
            const facts = { now, zone, wanted: given.wanted, jobOver: given.over, missing };
            const step = stepOf({ ...facts, chase: chase && { ...chase, ticketed: given.ticket } });
            expect(stepOf({ ...facts, chase: chase && { ...chase, ticketed: given.ticket } })).toEqual(step);
            if (step.do === 'wait') expect(step.until.getTime()).toBeGreaterThan(now.getTime());
            // A worker that dies has done nothing: the step, the reminder and the text are one transaction.
            if ('die' in one) continue;
            if (step.do === 'open') {
              expect(chase).toBeNull();
              if (!given.over) expect(now.getTime() - begin.getTime()).toBeGreaterThanOrEqual(HOUR / 2);
              chase = { reminders: [], askedAt: null, ticketed: false };
            } else if (step.do === 'remind') {
              expect([given.ticket, given.wanted, isQuiet(now, zone)]).toEqual([false, true, false]);
              chase!.reminders.push(now);
              expect(step.number).toBe(chase!.reminders.length);
              expect(chase!.reminders.length).toBeLessThanOrEqual(MOST_REMINDERS);
              const [last, before] = chase!.reminders.slice(-2).reverse();
              if (before) expect(last!.getTime() - before.getTime()).toBeGreaterThanOrEqual(4 * HOUR);
            } else if (step.do === 'end') {
              if (step.state === 'given_up') [givenUp] = [true, expect(chase!.reminders).toHaveLength(MOST_REMINDERS)];
              if (step.state === 'answered') expect(given.ticket).toBe(true);
              chase = null;
            }
          }
        }
      },
    ),
    { numRuns: runs(400) },
  );
});
