import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { type Ref, ref } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { Audited } from '../../../platform/commands/audit.ts';
import { Decimal } from '../../../platform/decimal.ts';
import { One } from '../../../platform/model/columns.ts';
import { Tenant } from '../../../platform/model/decorators.ts';
import { DateTime } from '../../../platform/scalars.ts';
import { Company } from '../company.entity.ts';
import { DriverPayBy } from './driver-pay-by.ts';
import { FuelDate } from './fuel-date.ts';
import { Count, OneOf, Portion, Switch } from './setting.ts';

const DAY = 1_440;
/** Of weeks that end on Saturdays: Monday and Tuesday at 18:00. */
const MONDAY_EVENING = 1_080 + DAY;
const TUESDAY_EVENING = 1_080 + 2 * DAY;
/** The latest that a review begins: four weeks. */
const LATEST = 28 * DAY;

/**
 * The settings by which a company has its work judged and handled: one record for each company, one line for each setting. A company that changed nothing has no row.
 */
@Entity({ tableName: 'company_settings' })
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'How a company wants its work to be judged and handled.' })
export class CompanySettings {
  /** The company's. */
  @PrimaryKey({ type: 'uuid' })
  @Field(() => ID, { description: 'The id of the company.' })
  id!: string;
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Property({ type: 'timestamptz', length: 6, nullable: true, onUpdate: () => new Date() })
  @Field(() => DateTime, { nullable: true, description: 'When a setting last changed; null if none ever did.' })
  updatedAt: Date | null = null;

  // When somebody should look at a driver day (PROOF A3).
  @Switch(false, 'Whether breaks are paid.') breaksPaid: boolean = false;
  @Count(300, { from: 1, to: DAY }, 'Minutes on duty after which a driver should have had a break.') breakDueAfterMinutes: number = 300;
  @Count(20, { from: 1, to: 240 }, 'Minutes that a break must last to count as one.') shortestBreakMinutes: number = 20;
  @Count(480, { from: 1, to: DAY }, 'Paid minutes of a day beyond which work is overtime.') overtimeAfterMinutes: number = 480;
  @Count(840, { from: 1, to: DAY }, 'Minutes after which a shift is a long one.') longShiftMinutes: number = 840;
  @Count(60, { from: 0, to: DAY }, 'Minutes that a shift may begin before its first job.') earlyStartMinutes: number = 60;
  @Count(120, { from: 0, to: DAY }, 'Minutes that a shift may end after its last load.') lateEndMinutes: number = 120;
  @Count(15, { from: 0, to: DAY }, 'Minutes by which the logged start may differ from what the truck shows.')
  startToleranceMinutes: number = 15;

  // The findings of a review of a load (PROOF A4).
  @Count(10, { from: 0, to: 1_000 }, 'Per cent by which a quantity may exceed what the truck holds.') reviewOverCapacityPercent: number =
    10;
  @Count(4, { from: 1, to: 100 }, 'Median deviations beyond which a quantity is unlike those of its order.')
  reviewOutlierDeviations: number = 4;
  @Count(5, { from: 0, to: DAY }, 'Minutes within which equal quantities of a truck are one ticket written twice.')
  reviewNearDuplicateMinutes: number = 5;
  @Count(2, { from: 0, to: DAY }, 'Minutes that a truck is at a site at least.') reviewShortestOnSiteMinutes: number = 2;
  @Count(90, { from: 1, to: DAY }, 'Minutes that a truck is at a site at most.') reviewLongestOnSiteMinutes: number = 90;
  @Count(70, { from: 0, to: 100 }, 'Per cent of confidence below which a load is flagged.') reviewFlagBelowPercent: number = 70;
  @Count(95, { from: 0, to: 100 }, 'Per cent of confidence from which on a reading fills empty fields of a ticket.')
  readingFillsFromPercent: number = 95;

  @Switch(false, 'Whether a load in whose review nothing was found is approved for billing at once.') autoApproveReviewed: boolean = false;

  // The steps of jobs that happen by themselves (PROOF A5).
  @Switch(false, 'Whether a job is completed when its truck leaves the last site with no load left, unless it is counted in hours.')
  autoCompleteJob: boolean = false;
  @Switch(false, 'Whether the app of a driver may be used for new jobs only if the telephone allows everything that it needs.')
  driverRequireAllPermissions: boolean = false;

  // The pay of drivers (BILLING B3).
  @OneOf(() => DriverPayBy, 'job', 'Whether drivers who are paid by time are paid for each job, or for their day.')
  driverPayBy: DriverPayBy = 'job';

  @Switch(false, 'Whether drivers who are paid by the hour get one and a half times their rate for overtime.') overtimePaid: boolean =
    false;

  // The charges for trucks that were ordered and not used (BILLING B3).
  @Switch(true, 'Whether the show-up minimum is requested for jobs that are canceled too late.') stackOutsRequested: boolean = true;
  @Count(120, { from: 0, to: 10_080 }, 'Minutes before its start within which a job is canceled too late.') cancelNoticeMinutes: number =
    120;

  // The billing of customers and vendors (BILLING B2.2, B8, B11).
  @Switch(true, 'Whether the loads or the job of an invoice have to be approved for billing before it is approved.')
  approvalBeforeInvoice: boolean = true;
  @OneOf(() => FuelDate, 'order', 'Whether fuel is charged by the price of the date of the order, or of the start of the job.')
  fuelDate: FuelDate = 'order';
  @Count(5, { from: 0, to: 100 }, 'Per cent of what a customer pays for a job below which what is left of it is pointed out.')
  thinMarginPercent: number = 5;
  @Count(0, { from: 0, to: 365 }, 'Days after which a settlement is due; 0 for at once.') paymentTermsDays: number = 0;
  @Count(0, { from: 0, to: 6 }, 'Day of the week on which periods of the books begin, from 0 for Sunday to 6 for Saturday.')
  periodStartsOn: number = 0;

  // Up to when work and money of a period are changed before its books are closed (BILLING B10).
  @Switch(
    false,
    'Whether weeks are reviewed before their books are closed: from some time after its end on, a week is not changed any more.',
  )
  periodsReviewed: boolean = false;
  @Count(MONDAY_EVENING, { from: DAY, to: LATEST }, 'Minutes after the end of a week up to which dispatchers change its work.')
  workReviewMinutes: number = MONDAY_EVENING;
  @Count(
    TUESDAY_EVENING,
    { from: DAY, to: LATEST },
    'Minutes after the end of a week up to which billers change its work and its invoices.',
  )
  billingReviewMinutes: number = TUESDAY_EVENING;

  // The tolerances between tickets, reports, scales and positions (BILLING B10).
  @Portion('1', { from: 0, to: 100 }, 'Per cent of what was reported by which a ticket may differ from it.')
  matchReportPercent: Decimal = new Decimal(1);
  @Portion('0.05', { from: 0, to: 1_000 }, 'By how much a ticket may differ from what was reported at least, in the unit that is billed.')
  matchReportLeast: Decimal = new Decimal('0.05');
  @Portion('1', { from: 0, to: 100 }, 'Per cent of a ticket by which another scale may differ from it.')
  matchScalePercent: Decimal = new Decimal(1);
  @Portion('10', { from: 0, to: 100 }, 'Per cent of the minutes of positions by which billed hours may differ from them.')
  matchTimePercent: Decimal = new Decimal(10);
  @Switch(false, 'Whether an invoice is kept from being approved while tickets of its loads contradict something else.')
  ticketConflictBlocks: boolean = false;

  // The reports of telephones and trucks on where they are (PROOF A6, A7).
  @Count(30, { from: 1, to: 3_600 }, 'Seconds between two positions of a telephone at work.') positionIntervalSeconds: number = 30;
  @Count(400, { from: 30, to: 1_825 }, 'Days for which positions are kept; distances and summaries stay.')
  positionRetentionDays: number = 400;
  @Switch(false, 'Whether positions of people are kept who are neither on duty nor on a job.') trackOffDuty: boolean = false;
  @Switch(false, 'Whether positions are archived before they are deleted, where the operator keeps archives; each month leaves as a whole.')
  archivePositions: boolean = false;

  // The time for which the books of past work are at hand. What is older is in archives, if the operator keeps some.
  @Count(0, { from: 0, to: 30 }, 'Years for which the audit log stays at hand; 0 for as long as the operator decides, by default for ever.')
  auditRetentionYears: number = 0;
  @Count(
    0,
    { from: 0, to: 30 },
    'Years for which imported records stay at hand; 0 for as long as the operator decides, by default for ever.',
  )
  importRetentionYears: number = 0;

  // After how long archives themselves are deleted: the law may want records for years, and the privacy of people an end.
  @Count(
    0,
    { from: 0, to: 100 },
    'Years after which archives of the audit log are deleted, counted from the end of their month; 0 for as many as the operator decides, by default never.',
  )
  auditDeletedAfterYears: number = 0;
  @Count(
    0,
    { from: 0, to: 100 },
    'Years after which archives of imported records are deleted, counted from the end of their month; 0 for as many as the operator decides, by default never.',
  )
  importsDeletedAfterYears: number = 0;
  @Count(
    0,
    { from: 0, to: 36_500 },
    'Days after which archives of positions are deleted, counted from the end of their month; 0 for as many as the operator decides, by default never.',
  )
  positionsDeletedAfterDays: number = 0;
}

/** The settings of a company that changed none. */
export function usualSettings(company: Company): CompanySettings {
  return Object.assign(new CompanySettings(), { id: company.id, company: ref(company) });
}
