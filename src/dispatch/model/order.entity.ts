import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../directory/equipment/equipment-type.entity.ts';
import { Material } from '../../directory/master-data/named.entities.ts';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Flag, Instant, Numeric, One, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Computed, Many, Paged, Tenant } from '../../platform/model/decorators.ts';
import { DispatchNumber } from './dispatch-number.entity.ts';
import { Job } from './job.entity.ts';
import { billingApprovedSql, orderMachine } from './order.machine.ts';
import { Phase } from './phase.entity.ts';
import { Project } from './project.entity.ts';
import { Waypoint } from './route.entity.ts';
import { HAULING, NOT_STARTED, OrderState, OrderStateEvent, RequestedQuantityType } from './states.ts';
import { WorkTerms } from './work-terms.ts';

const list = (states: readonly string[]) => states.map((state) => `'${state}'`).join(', ');

/** The transport that a customer ordered for a day. Each of its trucks is a job. */
@Entity({ tableName: 'orders' })
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Order extends WorkTerms {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  /** Running number within the company; `orderId` is its friendly spelling. */
  @Whole({ required: true, hidden: true }) number!: number;
  @Text({ required: true }) orderId!: string;
  @Choice(() => OrderState, { required: true }) state: OrderState = 'created';
  /** The state to which the order returns from hold or weather hold. */
  @Choice(() => OrderState, { hidden: true }) heldFrom?: OrderState | null;
  @One(() => Account, { required: true }) account!: Ref<Account>;
  @One(() => Project) project?: Ref<Project> | null;
  @Text() name?: string | null;
  @Text() zone?: string | null;
  @Instant({ required: true }) loadAt!: Date;
  @Instant() jobStartAt?: Date | null;
  /** Minutes between two groups of `trucksPerDelay` trucks. */
  @Whole({ required: true }) truckDelay: number = 0;
  @Whole({ required: true }) trucksPerDelay: number = 1;
  @Numeric() quantity?: Decimal | null;
  @Choice(() => UnitOfMeasure) unitOfMeasure?: UnitOfMeasure | null;
  @Choice(() => RequestedQuantityType) requestedQuantityType?: RequestedQuantityType | null;
  @One(() => Material) material?: Ref<Material> | null;
  @One(() => Equipment) equipment?: Ref<Equipment> | null;
  @One(() => EquipmentType) equipmentType?: Ref<EquipmentType> | null;
  @One(() => DispatchNumber) dispatchNumber?: Ref<DispatchNumber> | null;
  /** The driver or vendor to whom new jobs are assigned (SPEC: a driver takes precedence). */
  @One(() => User, { hidden: true }) driver?: Ref<User> | null;
  /** The same for a driver whom another company shares: each job hires the companies along the shares. */
  @One(() => User, { hidden: true }) sharedDriver?: Ref<User> | null;
  @One(() => Account, { hidden: true }) vendor?: Ref<Account> | null;
  @Whole() geofenceDelaySeconds?: number | null;
  @Whole() pickupOnsiteMinutes?: number | null;
  @Whole() dropoffOnsiteMinutes?: number | null;
  @Whole() pickupToDropoffTimeMinutes?: number | null;
  @Numeric() pickupToDropoffDistanceMeters?: Decimal | null;
  @Whole() expectedTotalLoads?: number | null;
  @Whole() cycleTimeMinutes?: number | null;
  @One(() => Site) materialRateSite?: Ref<Site> | null;
  @One(() => Account, { description: 'The vendor who sells the material.' }) materialRateSupplierAccount?: Ref<Account> | null;
  @Choice(() => UnitOfMeasure) materialRateUnitOfMeasure?: UnitOfMeasure | null;
  @Numeric() materialRateSellPrice?: Decimal | null;
  @Numeric() materialRateBuyPrice?: Decimal | null;
  @Flag({ required: true }) materialRateItemized: boolean = false;
  @Text() rejectReason?: string | null;
  /** Name of the person who rejected the order. */
  @Text() rejectedBy?: string | null;
  @Instant() rejectedAt?: Date | null;
  @Uuid({ required: true, hidden: true }) routeId!: string;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  @Many(() => Waypoint, { local: 'routeId', foreign: 'routeId', order: { ordinality: 'asc' } }) waypoints!: Waypoint[];
  @Many(() => Phase, { local: 'id', foreign: 'orderId', order: { createdAt: 'asc' } }) phases!: Phase[];
  @Paged(() => Job, { foreign: 'order' }) jobs!: unknown;

  /** The accounts that sent this order to the viewer's companies, as these know them. Other links of the chain are not visible. */
  @Many(() => Account, {
    on: (account, order, companies) =>
      `${account}.id in (select a.customer_account_id from job_assignment a join job j on j.id = a.job_id
        where j.order_id = ${order}.id and a.vendor_company_id = any(${companies}))`,
  })
  sendingAccounts!: Account[];

  @Computed({ sql: (t) => `exists (select 1 from job j where j.order_id = ${t}.id and j.state not in (${list(NOT_STARTED)}))` })
  jobsStarted!: boolean;
  @Computed({ sql: (t) => `exists (select 1 from job j where j.order_id = ${t}.id and j.state in (${list(HAULING)}))` })
  jobsHauling!: boolean;
  @Computed({ sql: billingApprovedSql })
  billingApproved!: boolean;
  @Computed({ path: 'account.discardedAt' }) accountDiscardedAt!: string | null;

  /** Events that are possible now (DOMAIN 1.0). */
  @Field(() => [OrderStateEvent])
  @Computed({
    columns: ['state', 'heldFrom', 'jobsStarted', 'jobsHauling', 'billingApproved', 'accountDiscardedAt'],
    compute: (row) =>
      orderMachine.open(row as unknown as Order, {
        jobsStarted: row.jobsStarted as boolean,
        jobsHauling: row.jobsHauling as boolean,
        billingApproved: row.billingApproved as boolean,
        accountDiscarded: row.accountDiscardedAt !== null,
      }),
  })
  stateEvents!: OrderStateEvent[];

  @Field(() => Boolean)
  @Computed({ columns: ['state'], compute: (row) => !orderMachine.isTerminal(row as { state: string }) })
  editable!: boolean;

  /** Any order can be copied (DOMAIN 1.1). */
  @Field(() => Boolean)
  @Computed({ columns: [], compute: () => true })
  copyable!: boolean;

  /** Somebody has to decide: a request waits, or an accepted order has jobs without a driver (DOMAIN 1.1). */
  @Field(() => Boolean)
  @Computed({
    sql: (t) =>
      `(${t}.state = 'pending_request' or (${t}.state in ('accepted', 'in_progress') and exists (select 1 from job j where j.order_id = ${t}.id and (j.state = 'rejected' or (j.state = 'created' and ${t}.state = 'accepted')))))`,
  })
  actionRequired!: boolean;

  @Field(() => Phase, { nullable: true, deprecationReason: 'Use phases with primary true.' })
  @Computed({
    sql: (t) =>
      `(select json_build_object('id', p.id, 'name', p.name, 'code', p.code, 'primary', p."primary", 'createdAt', p.created_at, 'updatedAt', p.updated_at) from phase p where p.order_id = ${t}.id and p."primary" order by p.created_at limit 1)`,
  })
  phase?: Phase | null;
}
