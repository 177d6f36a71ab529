import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { Material, Service, ServiceClass } from '../../directory/master-data/named.entities.ts';
import { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { GpsStatus } from '../../directory/people/gps-status.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Decimal, DecimalScalar, DecimalType } from '../../platform/decimal.ts';
import { Choice, Flag, Instant, Numeric, One, Text, Uuid, Uuids, Whole } from '../../platform/model/columns.ts';
import { Computed, Many, Paged, type PlannedRow, Single, Tenant } from '../../platform/model/decorators.ts';
import { INVOICE_FIGURES } from '../access/held-work.ts';
import {
  APPROVAL_STATUS,
  APPROVED,
  ApprovalStatus,
  MATERIAL_RATE,
  MATERIAL_RATE_ONES,
  MaterialRateAssignment,
  materialRateOf,
  materialRateSiteIdSql,
  materialRateSupplierIdSql,
} from './approval.ts';
import { jobMachine } from './job.machine.ts';
import { JobAssignment } from './job-assignment.entity.ts';
import { JobEvent } from './job-event.entity.ts';
import { JobSummary, jobSummarySql } from './job-summary.ts';
import { Load } from './load.entity.ts';
import { LOAD_FIGURES } from './load-figures.ts';
import { Order } from './order.entity.ts';
import { Phase } from './phase.entity.ts';
import { Project } from './project.entity.ts';
import { Waypoint } from './route.entity.ts';
import { JobState, JobStateEvent } from './states.ts';
import { Crewed } from './work-terms.ts';

/** SQL of whether the owner of a job has approved what it owes for the work of the job, apart from material: for the job itself, or with the day of its driver. */
export const payableApprovedSql = (t: string): string =>
  `exists (select 1 from invoice i where (i.job_id = ${t}.id or (i.driver_day_id = ${t}.driver_day_id and not exists (
      select 1 from invoice o where o.job_id = ${t}.id and o.company_id = ${t}.company_id and o.side = 'payable' and not o.of_material and o.state <> 'voided'))) and i.company_id = ${t}.company_id and i.side = 'payable' and not i.of_material and i.state <> 'voided'
    and i.billing_approved_at is not null)`;

/** SQL of whether a job has a vendor that does not use the platform. Such a vendor passes nothing on here, so that it is the one who hauls. */
export const hauledOutsideSql = (t: string): string =>
  `exists (select 1 from job_assignment a where a.job_id = ${t}.id and a.vendor_company_id is null)`;

/** One driver's (or vendor's) work on an order. */
@Entity()
// The driver's commission that billing notes follows from its invoice, which has entries of its own.
@Audited({ except: ['driverCommissionRateValue', 'driverCommissionRateType'] })
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Job extends Crewed {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @One(() => Order, { required: true }) order!: Ref<Order>;
  @One(() => Project) project?: Ref<Project> | null;
  @Whole({ required: true, hidden: true }) number!: number;
  /** Friendly number: the order's, a dash, and the truck's place in it. */
  @Text({ required: true }) jobId!: string;
  @Choice(() => JobState, { required: true }) state: JobState = 'created';
  @Instant() stateChangedAt?: Date | null;
  @Instant({ required: true }) jobStartAt!: Date;
  @Text() notes?: string | null;
  @Text() externalId?: string | null;
  @Numeric() quantity?: Decimal | null;
  @Choice(() => UnitOfMeasure) unitOfMeasure?: UnitOfMeasure | null;
  @Choice(() => UnitOfMeasure) loadUnitOfMeasure?: UnitOfMeasure | null;
  @One(() => Service) service?: Ref<Service> | null;
  @One(() => ServiceClass) serviceClass?: Ref<ServiceClass> | null;
  @One(() => Material) material?: Ref<Material> | null;
  @One(() => Equipment) equipment?: Ref<Equipment> | null;
  @Uuids({ hidden: true }) additionalEquipmentIds: string[] = [];
  @One(() => User) driver?: Ref<User> | null;
  /** The driver's day on which they first left for it. */
  @Uuid({ hidden: true }) driverDayId?: string | null;
  @One(() => Phase) phase?: Ref<Phase> | null;
  @Whole({ required: true }) priority: number = 0;
  /** The billable hours while `billableHoursOverridden` is set. */
  @Property({ type: DecimalType, fieldName: 'billable_hours' }) overridingHours!: Decimal;
  @Flag({ required: true }) billableHoursOverridden: boolean = false;
  @Text() requestedEquipmentTypeName?: string | null;
  /** The name in the owner's books. */
  @Text() requestedEquipmentTypeAccountingId?: string | null;
  @Whole() requestedLoadsCount?: number | null;
  /** The highest place of a deleted load, whose number is not used again. */
  @Whole({ hidden: true }) lastLoadNumber?: number | null;
  @Numeric() equipmentTypeGrossCapacity?: Decimal | null;
  @Choice(() => UnitOfMeasure) equipmentTypeGrossCapacityUnitOfMeasure?: UnitOfMeasure | null;
  @Flag({ required: true }) recurringLoads: boolean = false;
  /** Minutes. */
  @Whole() jobTime?: number | null;
  @Instant() pausedAt?: Date | null;
  @Text({ hidden: true }) rejectReason?: string | null;
  @Field(() => Boolean, { description: "Whether drivers may correct the times of their work; the job's company decides it." })
  @Computed({
    columns: ['company.permissionToggles'],
    compute: (row) => Boolean((row['company.permissionToggles'] as string[] | null)?.includes('driver_edits_times')),
  })
  timesEditable!: boolean;
  @Flag({ required: true }) driverRequireAllPermissions: boolean = false;
  @Numeric() driverCommissionRateValue?: Decimal | null;
  @Choice(() => RateType) driverCommissionRateType?: RateType | null;
  @Instant({ hidden: true }) adjustedLoggingStartedAt?: Date | null;
  @Instant({ hidden: true }) adjustedLoggingEndedAt?: Date | null;
  /** The minutes that billing uses instead of the worked ones. */
  @Whole({ hidden: true }) approvedWorkTimeMinutes?: number | null;
  @Instant() approvedAt?: Date | null;
  @Instant() billingApprovedAt?: Date | null;
  @Instant() fieldApprovedAt?: Date | null;
  @Flag({ required: true, hidden: true }) billerApproved: boolean = false;
  @Flag({ required: true, hidden: true }) companyAdminApproved: boolean = false;
  @Flag({ required: true, hidden: true }) driverApproved: boolean = false;
  @Flag({ required: true, hidden: true }) foremanApproved: boolean = false;
  @Numeric({ hidden: true }) materialSellPrice?: Decimal | null;
  @Numeric({ hidden: true }) materialBuyPrice?: Decimal | null;
  @Choice(() => UnitOfMeasure, { hidden: true }) materialRateUnitOfMeasure?: UnitOfMeasure | null;
  @One(() => Site, { hidden: true }) materialRateSite?: Ref<Site> | null;
  @One(() => Account, { hidden: true }) materialRateSupplierAccount?: Ref<Account> | null;
  @Uuid({ required: true, hidden: true }) routeId!: string;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  @Many(() => Waypoint, { local: 'routeId', foreign: 'routeId', order: { ordinality: 'asc' } }) waypoints!: Waypoint[];
  @Many(() => Equipment, { ids: 'additionalEquipmentIds' }) additionalEquipment!: Equipment[];
  /** The links that the viewer's companies made or received. All links would show the owner's side whom its vendors hire. */
  @Many(() => JobAssignment, {
    on: (a, job, companies) =>
      `${a}.job_id = ${job}.id and (${a}.customer_company_id = any(${companies}) or ${a}.vendor_company_id = any(${companies}))`,
  })
  jobAssignments!: JobAssignment[];
  @Paged(() => Load, { foreign: 'job' }) loads!: unknown;
  @Paged(() => JobEvent, { foreign: 'job' }) jobEvents!: unknown;

  @Computed({ path: 'order.state' }) orderState!: string;
  @Computed({ path: 'driver.lastPingAt' }) driverLastPingAt!: string | null;
  @Computed({ path: 'driver.stillSince' }) driverStillSince!: string | null;
  @Computed({ sql: (t) => `exists (select 1 from job_assignment a where a.job_id = ${t}.id)` }) hasVendor!: boolean;
  /** By a vendor that does not use the platform, who chooses a driver that nobody here knows. */
  @Computed({ sql: hauledOutsideSql }) hauledOutside!: boolean;
  @Computed({ figures: LOAD_FIGURES, column: 'waiting' }) hasWaitingLoad!: boolean;
  @Computed({ figures: LOAD_FIGURES, column: 'started' }) loadStarted!: boolean;
  @Computed({ figures: LOAD_FIGURES, column: 'unapproved' }) hasUnapprovedLoad!: boolean;
  @Computed({ figures: LOAD_FIGURES, column: 'approved' }) hasApprovedLoad!: boolean;

  @Computed({ figures: INVOICE_FIGURES, column: 'payable' }) payableApproved!: boolean;
  /** An approved invoice in the reader's books rests on the job. */
  @Computed({ figures: INVOICE_FIGURES, column: 'held' }) invoiceApproved!: boolean;
  @Computed({ figures: INVOICE_FIGURES, column: 'settled' }) invoiceSettled!: boolean;

  /** Events that are possible now (DOMAIN 1.0). */
  @Field(() => [JobStateEvent])
  @Computed({
    columns: [
      'state',
      'orderState',
      'driverId',
      'hasVendor',
      'hauledOutside',
      'hasWaitingLoad',
      'recurringLoads',
      'loadStarted',
      'hasUnapprovedLoad',
      'hasApprovedLoad',
      'pausedAt',
      'payableApproved',
      'invoiceSettled',
    ],
    compute: (row) =>
      jobMachine.open(row as unknown as Job, {
        orderOpen: row.orderState === 'accepted' || row.orderState === 'in_progress',
        hasAssignee: row.driverId !== null || row.hasVendor === true,
        hasDriver: row.driverId !== null || row.hauledOutside === true,
        hasNextLoad: row.hasWaitingLoad === true || row.recurringLoads === true,
        loadStarted: row.loadStarted === true,
        loadsApproved: !row.hasUnapprovedLoad,
        anyLoadApproved: row.hasApprovedLoad === true,
        payableApproved: row.payableApproved === true,
        settled: row.invoiceSettled === true,
      }),
  })
  stateEvents!: JobStateEvent[];

  /** Nothing of it is settled for good (DOMAIN 1.2). */
  @Field(() => Boolean)
  @Computed({
    columns: ['state', 'invoiceApproved'],
    compute: (row) => row.state !== 'paid' && row.state !== 'canceled' && !row.invoiceApproved,
  })
  editable!: boolean;
  /** No load has started (DOMAIN 1.2). */
  @Field(() => Boolean)
  @Computed({ columns: ['loadStarted'], compute: (row) => !row.loadStarted })
  deletable!: boolean;
  @Field(() => Boolean)
  @Computed({ columns: [], compute: () => true })
  copyable!: boolean;
  @Field(() => Boolean, { description: 'Whether its last load is done, so that somebody may complete it; never of one counted in hours.' })
  @Computed({
    columns: ['state', 'pausedAt', 'hasWaitingLoad', 'recurringLoads', 'unitOfMeasure'],
    compute: (row) =>
      row.state === 'load_completed' && !row.pausedAt && !row.hasWaitingLoad && !row.recurringLoads && row.unitOfMeasure !== 'Hour',
  })
  completable!: boolean;

  @Field(() => Int)
  @Computed({ figures: LOAD_FIGURES, column: 'loads' })
  loadsCount!: number;
  @Field(() => Int)
  @Computed({ figures: LOAD_FIGURES, column: 'completed' })
  completedLoadsCount!: number;
  @Field(() => Int, { description: 'Quantity of all tickets of the job, with or without a load; voided ones are not counted.' })
  @Computed({ sql: (t) => `(select count(*)::int from ticket k where k.job_id = ${t}.id and k.voided_at is null)` })
  ticketsCount!: number;
  /** Mean of the minutes from arrival to arrival at the pickup, over consecutive loads; 0 without any (DOMAIN section 4 "LoadCycle"). */
  @Field(() => Int)
  @Computed({ figures: LOAD_FIGURES, column: 'cycle' })
  loadCycleAvg!: number;

  @Field(() => GpsStatus)
  @Computed({
    columns: ['driverLastPingAt', 'driverStillSince'],
    compute: (row) => GpsStatus.of(row.driverLastPingAt as string | null, row.driverStillSince as string | null),
  })
  gpsStatus!: GpsStatus;

  @Field(() => ApprovalStatus)
  @Computed(APPROVAL_STATUS)
  approvalStatus!: ApprovalStatus;
  @Field(() => Boolean)
  @Computed(APPROVED)
  approved!: boolean;
  /** The work is finished and nobody has approved it yet (DOMAIN 1.4). */
  @Field(() => Boolean)
  @Computed({
    columns: ['state', 'approvedAt'],
    compute: (row) => row.approvedAt === null && ['completed', 'ended', 'in_review'].includes(String(row.state)),
  })
  approvable!: boolean;
  /** It is approved, and neither signed off nor on an approved invoice. */
  @Field(() => Boolean)
  @Computed({
    columns: ['state', 'approvedAt', 'invoiceApproved'],
    compute: (row) => row.approvedAt !== null && !['signed_off', 'paid'].includes(String(row.state)) && !row.invoiceApproved,
  })
  unapprovable!: boolean;

  @Computed({ sql: materialRateSiteIdSql }) materialRateSiteKey!: string | null;
  @Computed({ sql: materialRateSupplierIdSql }) materialRateSupplierKey!: string | null;

  @Field(() => MaterialRateAssignment, { nullable: true })
  @Computed({ columns: MATERIAL_RATE, compute: materialRateOf, ones: MATERIAL_RATE_ONES })
  materialRateAssignment?: MaterialRateAssignment | null;

  /** Exists once the job is completed (DOMAIN section 4 "JobSummary"). */
  @Field(() => JobSummary, { nullable: true })
  @Computed({ sql: jobSummarySql })
  jobSummary?: JobSummary | null;

  @Field(() => DecimalScalar, {
    description:
      'Billable hours: as overridden, otherwise the approved or worked minutes of the summary in hours; 0 until the job is finished.',
  })
  @Computed({ columns: ['overridingHours', 'billableHoursOverridden', 'jobSummary'], compute: billableHoursOf })
  billableHours!: Decimal;

  /** The link by which the viewer's company passed the job on. */
  @Single(() => JobAssignment, { on: (a, job, companies) => `${a}.job_id = ${job}.id and ${a}.customer_company_id = any(${companies})` })
  vendorJobAssignment?: JobAssignment | null;
  /** The link by which the viewer's company got the job. */
  @Single(() => JobAssignment, { on: (a, job, companies) => `${a}.job_id = ${job}.id and ${a}.vendor_company_id = any(${companies})` })
  customerJobAssignment?: JobAssignment | null;
}

/** DOMAIN 3.4 "RatePerHour": the hours a person set, otherwise those that were approved, otherwise those that were worked. */
function billableHoursOf(row: PlannedRow): Decimal {
  return row.billableHoursOverridden ? new Decimal(String(row.overridingHours)) : summarizedHours(row.jobSummary as JobSummary | null);
}

/** Returns the billable hours of a job of which nobody has set any, with four decimals; 0 without a summary. */
export const summarizedHours = (summary: JobSummary | null): Decimal =>
  new Decimal(summary?.approvedWorkTimeMinutes ?? summary?.workTimeMinutes ?? 0).div(60).toDecimalPlaces(4, Decimal.ROUND_HALF_UP);
