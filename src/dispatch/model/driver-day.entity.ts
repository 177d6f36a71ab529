import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Choice, Day, Flag, Instant, One, RecordBase, stringEnum, Text, Whole } from '../../platform/model/columns.ts';
import { Computed, Single, Tenant } from '../../platform/model/decorators.ts';
import { ofOrderAtSites } from '../access/at-sites.ts';
import { booksOfOwner, DAY_HOLDS, dayHoldSql } from '../access/held-work.ts';
import { jobOfPerson } from '../access/own-work.sql.ts';
import { DriverStateEvent } from './driver-state.entity.ts';

/** The one who ended a shift: the driver, the office for them, or the system because they forgot it. */
export const ShiftEndReason = stringEnum('ShiftEndReason', ['driver', 'office', 'auto']);
export type ShiftEndReason = keyof typeof ShiftEndReason;

export const ShiftAdjustmentType = stringEnum('ShiftAdjustmentType', ['break', 'breakdown', 'lunch', 'wait_time']);
export type ShiftAdjustmentType = keyof typeof ShiftAdjustmentType;

/** The totals of a day in minutes, as they were when it was approved. */
export interface ApprovedTotals {
  onDuty: number;
  break: number;
  shift: number;
  payable: number;
  /** Whether breaks were paid then; absent of days that were approved before this was kept. */
  breaksPaid?: boolean;
}

/** The hours of a day that a customer approves, in minutes: the paid part of them is the affair of the driver's company. */
export type HoursOfCustomer = Pick<ApprovedTotals, 'onDuty' | 'break' | 'shift'>;

/** A driver's shift of one date, in the time zone of their company: the timesheet (DOMAIN 1.6). */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: "A driver's shift of one date: the timesheet." })
export class DriverDay extends RecordBase {
  /** The driver's company. */
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @One(() => User, { required: true }) driver!: Ref<User>;
  /** The former driver whose shift it was, if the one who stayed when both were merged had another one on the date: two shifts are two timesheets. */
  @Property({ type: 'uuid', nullable: true }) mergedDriverId?: string | null;
  @Day({ required: true, description: 'The date on which the shift began, in the time zone of the company.' }) driverDayDate!: string;
  @Text({ required: true, description: 'Friendly number.' }) driverDayId!: string;
  /**
   * The instants between which the date lasts, end exclusive. They are stored so that days stay as they were when a company moves to
   * another time zone.
   */
  @Instant({ required: true, hidden: true }) startsAt!: Date;
  @Instant({ required: true, hidden: true }) endsAt!: Date;

  @Instant({ description: 'When the driver first went on duty; a correction has a field of its own.' }) startedShiftAt?: Date | null;
  @Instant({ description: 'When the driver last went off duty; null while the shift lasts.' }) endedShiftAt?: Date | null;
  @Choice(() => ShiftEndReason) endReason?: ShiftEndReason | null;
  @Instant({ description: 'The corrected start; the logged one stays as it is.' }) adjustedStartedShiftAt?: Date | null;
  @Instant({ description: 'The corrected end; the logged one stays as it is.' }) adjustedEndedShiftAt?: Date | null;
  @Whole({ required: true, description: 'Added to the shift: negative for an unpaid break, positive for paid waiting.' })
  shiftAdjustmentMinutes: number = 0;
  @Choice(() => ShiftAdjustmentType) shiftAdjustmentType?: ShiftAdjustmentType | null;
  @Text() externalId?: string | null;
  @Flag({ required: true, description: 'Whether the driver may correct the times; what the company decided when the day began.' })
  timesEditable: boolean = false;
  /** Work was reported although the day was approved, so nobody was put on duty for it. */
  @Flag({ required: true, hidden: true }) workedAfterApproval: boolean = false;
  /** Positions that came after the approval would have changed what was measured; what was approved stays (PROOF A2). */
  @Flag({ required: true, hidden: true }) measuredAfterApproval: boolean = false;
  @Instant({ description: 'When the truck first left its home base.' }) firstHomebaseExitAt?: Date | null;
  @Instant({ description: 'When the truck last came back to its home base.' }) lastHomebaseEntryAt?: Date | null;

  @Instant({ hidden: true }) approvedAt?: Date | null;
  @Instant({ hidden: true }) billingApprovedAt?: Date | null;
  @Instant({ hidden: true }) fieldApprovedAt?: Date | null;
  @Flag({ required: true, hidden: true }) billerApproved: boolean = false;
  @Flag({ required: true, hidden: true }) companyAdminApproved: boolean = false;
  @Flag({ required: true, hidden: true }) driverApproved: boolean = false;
  @Flag({ required: true, hidden: true }) foremanApproved: boolean = false;
  @Property({ type: 'jsonb', nullable: true }) approvedTotals?: ApprovedTotals | null;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  /** The part of it that approved invoices hold, as a number of `DAY_HOLDS`. */
  @Computed({ sql: (t) => dayHoldSql(t, booksOfOwner(t)) }) invoiceHold!: number;
  /**
   * The times and the adjustment may be corrected: the shift is over, its company has not approved it for billing, and nothing of it is in a live
   * settlement or a closed period.
   */
  @Field(() => Boolean)
  @Computed({
    columns: ['endedShiftAt', 'billingApprovedAt', 'invoiceHold'],
    compute: (row) => row.endedShiftAt !== null && row.billingApprovedAt === null && row.invoiceHold !== DAY_HOLDS.times,
  })
  editable!: boolean;

  @Single(() => DriverStateEvent, { on: (e, d) => `${e}.driver_day_id = ${d}.id and ${e}.ended_at is null` })
  currentDriverStateEvent?: DriverStateEvent | null;
  /** The viewer's account of the driver's company; null for drivers of their own. */
  @Single(() => Account, {
    on: (a, d, companies) => `${a}.connected_company_id = ${d}.company_id and ${a}.company_id = any(${companies})
      and ${d}.company_id <> all(${companies})`,
  })
  vendorAccount?: Account | null;
}

export const driverDayKey = defineUnique('driver_day_shift_key', { model: 'DriverDay', field: 'driverDayDate' });
export const driverDayExternalIdKey = defineUnique('driver_day_external_id_key', { model: 'DriverDay', field: 'externalId' });

/** The condition that a job belongs to a day: its driver first left for it on that shift. @param d alias of a day */
export const jobOfDay = (j: string, d: string): string => `(${j}.driver_day_id = ${d}.id)`;

/** The condition that somebody of its company has to decide about a day. An index has these days. */
export const isDayToReview = (d: string): string =>
  `(${d}.ended_shift_at is not null and (${d}.billing_approved_at is null or ${d}.worked_after_approval))`;

/** The condition for a day with a job at one of the sites. */
export const dayAtSites = (d: string, p: string): string =>
  `exists (select 1 from job aj where ${jobOfDay('aj', d)} and ${ofOrderAtSites('aj.order_id', p)})`;

/** The condition for a day of the person, or one with a job that they may read. */
export const dayOfPerson = (d: string, p: string): string =>
  `(${d}.driver_id = ${p} or exists (select 1 from job dj where ${jobOfDay('dj', d)} and ${jobOfPerson('dj', p)}))`;

/**
 * SQL of the ids of days that companies see as the customer of a link: they passed a job of the day on to the driver's company, and approve its
 * hours. Nobody sees a day two links away.
 */
export const daysOfHired = (companies: string): string =>
  `select j.driver_day_id from job_assignment a join job j on j.id = a.job_id join driver_day d on d.id = j.driver_day_id
    where a.customer_company_id = any(${companies}) and a.vendor_company_id = d.company_id`;
