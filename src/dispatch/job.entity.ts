import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Company } from '../directory/company.entity.ts';
import { Equipment } from '../directory/equipment.entity.ts';
import { Material, Service, ServiceClass } from '../directory/named.entities.ts';
import { Site } from '../directory/site.entity.ts';
import { UnitOfMeasure } from '../directory/units.ts';
import { User } from '../directory/user.entity.ts';
import { Choice, Flag, Instant, Numeric, One, Text, Uuid, Uuids, Whole } from '../platform/database/columns.ts';
import type { Decimal } from '../platform/decimal.ts';
import { Many, Masked, Paged, Tenant } from '../platform/read/decorators.ts';
import { JobAssignment } from './job-assignment.entity.ts';
import { JobEvent } from './job-event.entity.ts';
import { Load } from './load.entity.ts';
import { Order } from './order.entity.ts';
import { Phase } from './phase.entity.ts';
import { Project } from './project.entity.ts';
import { Waypoint } from './route.entity.ts';
import { JobState } from './states.ts';
import { Crewed } from './work-terms.ts';

/** One driver's (or vendor's) work on an order. */
@Entity()
@Tenant({ passedOn: (t, p) => `exists (select 1 from job_assignment a where a.job_id = ${t}.id and a.vendor_company_id = any(${p}))` })
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
  @One(() => Phase) phase?: Ref<Phase> | null;
  @Whole({ required: true }) priority: number = 0;
  @Numeric({ required: true }) billableHours!: Decimal;
  @Flag({ required: true }) billableHoursOverridden: boolean = false;
  @Text() requestedEquipmentTypeName?: string | null;
  @Text() requestedEquipmentTypeAccountingId?: string | null;
  @Whole() requestedLoadsCount?: number | null;
  @Numeric() equipmentTypeGrossCapacity?: Decimal | null;
  @Choice(() => UnitOfMeasure) equipmentTypeGrossCapacityUnitOfMeasure?: UnitOfMeasure | null;
  @Flag({ required: true }) recurringLoads: boolean = false;
  /** Minutes. */
  @Whole() jobTime?: number | null;
  @Instant() pausedAt?: Date | null;
  @Text({ hidden: true }) rejectReason?: string | null;
  @Flag({ required: true }) timesEditable: boolean = false;
  @Flag({ required: true }) driverRequireAllPermissions: boolean = false;
  @Numeric() @Masked('view_driver_rates') driverCommissionRateValue?: Decimal | null;
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
  @Uuid({ required: true, hidden: true }) routeId!: string;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  @Many(() => Waypoint, { local: 'routeId', foreign: 'routeId', order: { ordinality: 'asc' } }) waypoints!: Waypoint[];
  @Many(() => Equipment, { ids: 'additionalEquipmentIds' }) additionalEquipment!: Equipment[];
  @Many(() => JobAssignment, { local: 'id', foreign: 'job', order: { link: 'asc' } }) jobAssignments!: JobAssignment[];
  @Paged(() => Load, { foreign: 'job' }) loads!: unknown;
  @Paged(() => JobEvent, { foreign: 'job' }) jobEvents!: unknown;
}
