import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { Account, AccountType } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { Rate, RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { JobAssignment } from '../../dispatch/model/job-assignment.entity.ts';
import { Order } from '../../dispatch/model/order.entity.ts';
import { Project } from '../../dispatch/model/project.entity.ts';
import { SiteRateSchedule } from '../../dispatch/pricing/site-rate-schedule.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { firstKnown } from '../../platform/database/first-known.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Choices, Numeric, One, stringEnum, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { AddOn, AddOnType, ChargeTerms } from '../add-ons/add-on.entity.ts';

export const AutoAddOnAssignmentSourceType = stringEnum('AutoAddOnAssignmentSourceType', ['Settlement']);
export type AutoAddOnAssignmentSourceType = keyof typeof AutoAddOnAssignmentSourceType;

/** SQL of the id of the record to which an assignment belongs; an index begins with it. */
export const parentIdOf = (a: string): string => {
  const [first, ...others] = ['account', 'driver', 'rate', 'project', 'site_rate_schedule', 'order', 'job', 'job_assignment'].map(
    (of) => `${a}.${of}_id`,
  );
  return firstKnown(first!, ...others);
};

/** The columns of the records for whose work an add-on is charged by itself, the most particular first (BILLING B4). */
export const PARENTS = [
  'job_assignment_id',
  'job_id',
  'order_id',
  'site_rate_schedule_id',
  'project_id',
  'rate_id',
  'account_id',
  'driver_id',
] as const;
export type ParentColumn = (typeof PARENTS)[number];

/**
 * An add-on that is charged by itself for the work of a customer, vendor, driver, rate card, project, schedule, order, job or link. Those of one root
 * are one charge: the one of the most particular record applies.
 */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class AutoAddOnAssignment extends ChargeTerms {
  /** In whose books it is: each company of a chain charges for itself. */
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Choice(() => RateOwnerType, { required: true }) side!: RateOwnerType;

  @One(() => Account) account?: Ref<Account> | null;
  @One(() => User) driver?: Ref<User> | null;
  @One(() => Rate, { hidden: true, column: 'rate_id' }) rateCard?: Ref<Rate> | null;
  @One(() => Project) project?: Ref<Project> | null;
  @One(() => SiteRateSchedule, { hidden: true }) siteRateSchedule?: Ref<SiteRateSchedule> | null;
  @One(() => Order) order?: Ref<Order> | null;
  @One(() => Job) job?: Ref<Job> | null;
  @One(() => JobAssignment, { hidden: true }) jobAssignment?: Ref<JobAssignment> | null;

  @One(() => AddOn) addOn?: Ref<AddOn> | null;
  @Text({ required: true }) name!: string;
  /** Where it is charged. */
  @Choices(() => AddOnType) addOnTypes: AddOnType[] = [];
  @Numeric({ required: true }) quantity!: Decimal;
  @Numeric() revenueRateValue!: Decimal;
  @Numeric() costRateValue?: Decimal | null;
  @Numeric() percentage!: Decimal;
  @Whole({ required: true }) totalInstallments: number = 0;
  @Whole({ required: true }) autoAddOnInstallmentsCount: number = 0;
  @Uuid() originalAutoAddOnAssignmentId?: string | null;
  @Choice(() => AutoAddOnAssignmentSourceType) sourceType?: AutoAddOnAssignmentSourceType | null;
  @Uuid() sourceId?: string | null;

  @Field(() => ID, { nullable: true })
  @Computed({ sql: (t) => `${t}.add_on_id` })
  addOnId?: string | null;
  /** As what the account is meant, where the record does not say it; null means drivers. */
  @Field(() => AccountType, { nullable: true })
  @Computed({
    columns: ['side', 'accountId', 'projectId', 'orderId', 'siteRateScheduleId'],
    compute: (row) =>
      row.side !== 'driver' && (row.accountId ?? row.projectId ?? row.orderId ?? row.siteRateScheduleId) ? row.side : null,
  })
  accountType?: AccountType | null;
}

export const autoAddOnRootKey = defineUnique('auto_add_on_assignment_root_key', {
  model: 'AutoAddOnAssignment',
  field: 'originalAutoAddOnAssignmentId',
});
