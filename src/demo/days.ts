import { ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { User } from '../directory/people/user.entity.ts';
import { DriverDay } from '../dispatch/model/driver-day.entity.ts';
import { type DriverState, DriverStateEvent } from '../dispatch/model/driver-state.entity.ts';
import type { Job } from '../dispatch/model/job.entity.ts';
import { idOfDay } from '../dispatch/shifts/driver-days.ts';
import { dayBounds, localDate } from '../platform/time.ts';
import { type ApprovableType, ApprovalAssignment } from '../proof/approvals/approval-assignment.entity.ts';
import type { DemoCompany } from './demo-company.ts';
import type { WorkedJob } from './worked.ts';

const MINUTE = 60_000;
/** Minutes on duty before the first job and after the last, and of a break. */
const BEFORE = 20;
const AFTER = 15;
const BREAK = 30;
/** Hours of a shift from which on drivers take a break. */
const LONG = 4;

/** States of jobs that approving a day approves, or that were approved before they came so far. */
const DONE = new Set(['completed', 'ended', 'in_review', 'signed_off', 'paid']);

interface Shift {
  driver: User;
  stretches: Stretch[];
}

/** A time at work without an end lasts. */
interface Stretch {
  from: Date;
  to: Date | null;
  jobs: WorkedJob[];
}

/** The demo's days, and what refers to them and to people by id only: it can be written once these are. */
export interface DemoDays {
  count: number;
  /** Persists the states of the drivers, and puts the jobs on their days. */
  begin(): void;
}

/**
 * Persists the days of the demo's drivers, in every state: approved by the office, by a foreman or by the driver, open with exceptions, ended by
 * the system, and under way. The caller flushes.
 */
export function makeDemoDays(em: EntityManager, demo: DemoCompany, worked: readonly WorkedJob[], now: Date): DemoDays {
  const { parent } = demo;
  const states: DriverStateEvent[] = [];
  const of = new Map<Job, string>();
  const shifts = shiftsOf(worked, parent.timeZone, now);
  const dateOf = ({ stretches }: Shift) => localDate(stretches[0]!.from, parent.timeZone);
  const ended = [...new Set(shifts.filter(({ stretches }) => stretches.at(-1)!.to).map(dateOf))].sort().reverse();
  const made = new Map<string, number>();
  const nths = shifts.map((shift) => {
    const nth = made.get(dateOf(shift)) ?? 0;
    made.set(dateOf(shift), nth + 1);
    return nth;
  });
  // At any time of the day one shift was forgotten, and one with a break was approved by its driver.
  const newest = [...shifts.entries()].filter(([, { stretches }]) => stretches.at(-1)!.to).reverse();
  const approving = newest.find(([index, shift]) => spansOf(shift, nths[index]!, now).length > shift.stretches.length)?.[0];
  const forgotten = newest.find(([index]) => index !== approving)?.[0];
  const chosen = new Map<number | undefined, Decided['waits']>([
    [approving, 'driver'],
    [forgotten, 'auto'],
  ]);
  for (const [index, shift] of shifts.entries()) {
    const { driver } = shift;
    const { from } = shift.stretches[0]!;
    const { to } = shift.stretches.at(-1)!;
    const jobs = shift.stretches.flatMap((stretch) => stretch.jobs);
    const date = dateOf(shift);
    const nth = nths[index]!;
    const { start, end } = dayBounds(date, parent.timeZone);
    const day = Object.assign(new DriverDay(), {
      ...{ id: idOfDay(driver.id, date), company: ref(parent), driver: ref(driver), driverDayDate: date, driverDayId: `D-${index + 1}` },
      ...{ startsAt: start, endsAt: end, startedShiftAt: from, endedShiftAt: to, endReason: to && 'driver', createdAt: from },
    });
    em.persist(day);
    const be = (state: DriverState, startedAt: Date, endedAt: Date | null) =>
      states.push(
        Object.assign(new DriverStateEvent(), {
          ...{ company: ref(parent), userId: driver.id, driverDayId: day.id, state, startedAt, endedAt, createdAt: startedAt },
        }),
      );
    for (const { job } of jobs) of.set(job, day.id);
    const spans = spansOf(shift, nth, now);
    const next = shifts.slice(index + 1).find((one) => one.driver === driver);
    for (const [i, [state, startedAt, endedAt]] of spans.entries()) {
      be(state, startedAt, endedAt);
      const following = spans[i + 1]?.[1] ?? next?.stretches[0]?.from ?? null;
      if (endedAt && endedAt.getTime() !== following?.getTime()) be('off_duty', endedAt, following);
    }
    if (!to) continue;
    const age = ended.indexOf(date);
    const usual = nth % 2 === 0 ? 'auto' : 'driver';
    const waits = chosen.get(index) ?? (age > 0 ? undefined : usual);
    decide(em, demo, { day, driver, jobs, spans, end: to, nth, age, waits, now });
  }
  return {
    count: shifts.length,
    begin() {
      for (const [job, id] of of) job.driverDayId = id;
      em.persist(states);
    },
  };
}

/**
 * One shift for each driver and date, around the jobs; in the order of their begin. Before noon, work of today may have begun yesterday: a driver who
 * was off duty meanwhile was called back.
 */
function shiftsOf(worked: readonly WorkedJob[], zone: string, now: Date): Shift[] {
  const shifts: Shift[] = [];
  for (const [driver, jobs] of Map.groupBy(worked, (one) => one.driver)) {
    const byDate = Map.groupBy(stretchesOf(jobs, now), ({ from }) => localDate(from, zone));
    for (const stretches of byDate.values()) shifts.push({ driver, stretches });
  }
  return shifts.sort(
    (a, b) => a.stretches[0]!.from.getTime() - b.stretches[0]!.from.getTime() || a.driver.lastName.localeCompare(b.driver.lastName),
  );
}

/** When a driver was at work, and for which jobs. What begins while something lasts is part of it. */
function stretchesOf(jobs: readonly WorkedJob[], now: Date): Stretch[] {
  const whole = (ms: number) => new Date(Math.floor(ms / MINUTE) * MINUTE);
  const stretches: Stretch[] = [];
  for (const one of [...jobs].sort((a, b) => a.left.getTime() - b.left.getTime())) {
    const { job, loads, left } = one;
    const done = Math.max(...loads.map(({ loadSummary }) => loadSummary.loadCompletedAt?.getTime() ?? 0)) + AFTER * MINUTE;
    const over = (DONE.has(job.state) || job.state === 'flagged') && done <= now.getTime();
    const from = whole(left.getTime() - BEFORE * MINUTE);
    const last = stretches.at(-1);
    if (!last || (last.to && from > last.to)) stretches.push({ from, to: over ? whole(done) : null, jobs: [one] });
    else Object.assign(last, { to: last.to && over ? whole(Math.max(last.to.getTime(), done)) : null, jobs: [...last.jobs, one] });
  }
  return stretches;
}

type Span = readonly [state: DriverState, from: Date, to: Date | null];

/** On duty and breaks of a shift: the first driver of a date never takes one, and the third is on one if the shift lasts. */
function spansOf({ stretches }: Shift, nth: number, now: Date): Span[] {
  return stretches.flatMap(({ from, to }): Span[] => {
    const until = to ?? now;
    const minutes = Math.floor((until.getTime() - from.getTime()) / MINUTE);
    const after = (some: number) => new Date(from.getTime() + some * MINUTE);
    if (!to && nth === 2)
      return [
        ['on_duty', from, after(minutes - 10)],
        ['break', after(minutes - 10), null],
      ];
    if (minutes < LONG * 60 || nth === 0) return [['on_duty', from, to]];
    const middle = Math.floor(minutes / 2);
    return [
      ['on_duty', from, after(middle)],
      ['break', after(middle), after(middle + BREAK)],
      ['on_duty', after(middle + BREAK), to],
    ];
  });
}

interface Decided {
  day: DriverDay;
  driver: User;
  jobs: WorkedJob[];
  spans: Span[];
  end: Date;
  /** Which driver of the date it is. */
  nth: number;
  /** The number of newer dates with shifts that are over. */
  age: number;
  /** That it is not approved yet: the system ended it, or its driver alone has approved it. */
  waits?: 'auto' | 'driver';
  now: Date;
}

/** Older days were approved; the newest that are over wait for somebody. */
function decide(em: EntityManager, demo: DemoCompany, { day, driver, jobs: work, spans, end, nth, age, waits, now }: Decided): void {
  const person = (role: string) => demo.users.find(({ roles }) => (roles as string[]).includes(role))!;
  const after = (hours: number) => new Date(Math.min(end.getTime() + hours * 60 * MINUTE, now.getTime()));
  const approve = (type: 'driver' | 'foreman' | 'biller', by: User, at: Date) => {
    const loads = work.flatMap((one) => one.loads.filter(({ state }) => state === 'completed'));
    const jobs = work.flatMap(({ job }) => (DONE.has(job.state) ? [job] : []));
    const records: [ApprovableType, Flags & { id: string }][] = [
      ['DriverDay', day],
      ...jobs.map((job): [ApprovableType, Flags & { id: string }] => ['Job', job]),
      ...loads.map((load): [ApprovableType, Flags & { id: string }] => ['Load', load]),
    ];
    for (const [approvableType, record] of records) {
      flag(record, type, at);
      em.persist(
        Object.assign(new ApprovalAssignment(), {
          ...{ company: ref(demo.parent), approvableType, approvableId: record.id, approvalAction: 'approve' as const, approvalType: type },
          ...{ approvalCategory: type === 'biller' ? ('billing' as const) : ('field' as const) },
          ...{ approverType: 'User', approverId: by.id, approverName: `${by.firstName} ${by.lastName}`, createdAt: at },
        }),
      );
    }
  };
  if (!waits) {
    approve('foreman', person('foreman'), after(2));
    if (age === 1 && nth % 2 === 1) return;
    approve('biller', person('biller'), after(20));
    day.approvedTotals = totalsOf(spans);
  } else if (waits === 'auto') day.endReason = 'auto';
  else {
    approve('driver', driver, after(0.1));
    if (spans.length > 1) Object.assign(day, { shiftAdjustmentMinutes: -BREAK, shiftAdjustmentType: 'lunch' });
  }
}

type Flags = Pick<
  DriverDay,
  'approvedAt' | 'billingApprovedAt' | 'fieldApprovedAt' | 'billerApproved' | 'driverApproved' | 'foremanApproved'
>;

function flag(record: Flags, type: 'driver' | 'foreman' | 'biller', at: Date): void {
  if (type === 'driver') record.driverApproved = true;
  else if (type === 'foreman') Object.assign(record, { foremanApproved: true, fieldApprovedAt: at });
  else Object.assign(record, { billerApproved: true, billingApprovedAt: at, approvedAt: at });
}

/** The minutes of a shift without an adjustment, of a company that does not pay breaks. */
function totalsOf(spans: readonly Span[]): NonNullable<DriverDay['approvedTotals']> {
  const sum = (state: DriverState) =>
    spans.reduce((all, [of, from, to]) => all + (of === state ? Math.floor((to!.getTime() - from.getTime()) / MINUTE) : 0), 0);
  const [onDuty, breaks] = [sum('on_duty'), sum('break')];
  return { onDuty, break: breaks, shift: onDuty + breaks, payable: onDuty, breaksPaid: false };
}
