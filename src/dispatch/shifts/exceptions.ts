import type { CompanySettings } from '../../directory/companies/settings/company-settings.entity.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import type { ApprovedTotals, ShiftAdjustmentType, ShiftEndReason } from '../model/driver-day.entity.ts';
import { longestBreak, type ShiftTimes, totalsOf } from './shift-totals.ts';

/** Why somebody should look at a day (PROOF A3). */
export const DriverDayException = stringEnum('DriverDayException', [
  'missing_break',
  'overtime',
  'long_shift',
  'outside_dispatch',
  'fence_mismatch',
  'forgotten_shift',
  'break_counted_twice',
  'no_jobs',
  'no_gps',
  'clock_skew',
  'worked_after_approval',
  'stale_after_approval',
  'exceeds_shift',
]);
export type DriverDayException = keyof typeof DriverDayException;

/** The settings of the driver's company that a day is judged by, in minutes. */
export type DayLimits = Pick<
  CompanySettings,
  | 'breakDueAfterMinutes'
  | 'shortestBreakMinutes'
  | 'overtimeAfterMinutes'
  | 'longShiftMinutes'
  | 'earlyStartMinutes'
  | 'lateEndMinutes'
  | 'startToleranceMinutes'
>;

/** The facts by which a day is judged. Times are milliseconds. */
export interface DayFacts {
  limits: DayLimits;
  times: ShiftTimes;
  startedAt: number | null;
  endedAt: number | null;
  endReason: ShiftEndReason | null;
  adjustmentType: ShiftAdjustmentType | null;
  jobs: number;
  /** When the first job was to begin, and when the last load was done. */
  firstPlanned: number | null;
  lastDone: number | null;
  /** When the truck was first seen away from home or at work. */
  firstSeen: number | null;
  approvedTotals: ApprovedTotals | null;
  workedAfterApproval: boolean;
  measuredAfterApproval: boolean;
  loggedMinutes: number;
  /** Whether there are positions of the shift. */
  tracked: boolean;
  /** The telephone reported a time long before it did, and was connected in between: its clock is wrong. */
  clockSkewed: boolean;
}

const MINUTE = 60_000;

/** The exceptions of a day, in the order of the enum. */
export function exceptionsOf(facts: DayFacts): DriverDayException[] {
  const { limits, times, startedAt, endedAt, approvedTotals } = facts;
  const { onDuty, break: breaks, shift, payable } = totalsOf(times);
  const rested = longestBreak(times) >= limits.shortestBreakMinutes * MINUTE;
  const start = times.adjustedStart ?? startedAt;
  const end = times.adjustedEnd ?? endedAt;
  const met: Record<DriverDayException, boolean> = {
    missing_break: (onDuty ?? 0) > limits.breakDueAfterMinutes && !rested,
    overtime: (payable ?? 0) > limits.overtimeAfterMinutes,
    long_shift: (shift ?? 0) > limits.longShiftMinutes,
    outside_dispatch:
      later(facts.firstPlanned, start, limits.earlyStartMinutes) || (endedAt !== null && later(end, facts.lastDone, limits.lateEndMinutes)),
    // The logged times are compared: a correction is a person's answer to them, and does not hide them.
    fence_mismatch:
      later(facts.firstSeen, startedAt, limits.startToleranceMinutes) || later(startedAt, facts.firstSeen, limits.startToleranceMinutes),
    forgotten_shift: facts.endReason === 'auto',
    break_counted_twice: rested && times.adjustmentMinutes < 0 && (facts.adjustmentType === 'lunch' || facts.adjustmentType === 'break'),
    no_jobs: times.ended && facts.jobs === 0,
    no_gps: times.ended && !facts.tracked,
    clock_skew: facts.clockSkewed,
    worked_after_approval: facts.workedAfterApproval,
    stale_after_approval:
      approvedTotals !== null &&
      (isStale(approvedTotals, { onDuty, break: breaks, shift }) || approvedTotals.payable !== payable || facts.measuredAfterApproval),
    exceeds_shift: shift !== null && facts.loggedMinutes > shift,
  };
  return (Object.keys(DriverDayException) as DriverDayException[]).filter((name) => met[name]);
}

type Minutes = { [K in 'onDuty' | 'break' | 'shift']: number | null };

/** Whether the minutes of a day are others than those that were approved. */
export const isStale = (approved: Minutes, now: Minutes): boolean =>
  approved.onDuty !== now.onDuty || approved.break !== now.break || approved.shift !== now.shift;

/** Whether one instant is more than some minutes after another; false while one of them is unknown. */
const later = (at: number | null, than: number | null, minutes: number): boolean =>
  at !== null && than !== null && at - than > minutes * MINUTE;
