import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { Contact } from '../../directory/contacts/contact.entity.ts';
import { EquipmentType } from '../../directory/equipment/equipment-type.entity.ts';
import { ActivityState } from '../../directory/master-data/activity-state.ts';
import { Material } from '../../directory/master-data/named.entities.ts';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Choice, Flag, Instant, Numeric, One, RecordBase, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Computed, Many, Paged, Tenant } from '../../platform/model/decorators.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { DispatchNumber } from './dispatch-number.entity.ts';
import { Order } from './order.entity.ts';
import { Phase } from './phase.entity.ts';
import { Waypoint } from './route.entity.ts';
import { WorkTerms } from './work-terms.ts';

/** The wage for an hour of a classification of work on a public project (BILLING B3 "prevailing wage"). */
@ObjectType({ simpleResolvers: true })
export class ProjectWage {
  @Field(() => String, { description: 'As in `wageClassification` of drivers.' }) classification!: string;
  @Field(() => DecimalScalar, { description: 'For an hour; one and a half times for overtime.' }) base!: string;
  @Field(() => DecimalScalar, { description: 'Benefits for an hour, also of overtime.' }) fringe!: string;
  @Field(() => DecimalScalar, { description: 'The amount that the company pays for benefits otherwise, for an hour.' }) credit!: string;
}

/** The contract under which orders are placed. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Project extends WorkTerms {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Whole({ required: true, hidden: true }) number!: number;
  /** Friendly number, such as `P-17`. */
  @Text({ required: true }) projectId!: string;
  @Text({ required: true }) name!: string;
  @One(() => Account, { required: true }) account!: Ref<Account>;
  @Choice(() => ActivityState, { required: true }) state: ActivityState = 'active';
  @Instant() effectiveAt?: Date | null;
  @Instant() expiresAt?: Date | null;
  @One(() => Contact) contact?: Ref<Contact> | null;
  @One(() => Site) site?: Ref<Site> | null;
  @One(() => EquipmentType) equipmentType?: Ref<EquipmentType> | null;
  @One(() => DispatchNumber) dispatchNumber?: Ref<DispatchNumber> | null;
  @Numeric() orderQuantity?: Decimal | null;
  @Choice(() => UnitOfMeasure) orderUnitOfMeasure?: UnitOfMeasure | null;
  @Flag({
    required: true,
    description: 'Whether drivers are paid by the hour at the wage of their classification, whatever is agreed on otherwise.',
  })
  prevailingWage: boolean = false;
  @Property({ type: 'json', columnType: 'jsonb' })
  @Field(() => [ProjectWage], {
    nullable: true,
    description: 'The wages that the project prescribes; null for who may not see what drivers are paid.',
  })
  wages: ProjectWage[] = [];
  @Uuid({ hidden: true }) routeId?: string | null;
  @Instant() discardedAt?: Date | null;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  @Many(() => Waypoint, { local: 'routeId', foreign: 'routeId', order: { ordinality: 'asc' }, site: 'site' }) waypoints!: Waypoint[];
  @Many(() => Phase, { local: 'id', foreign: 'projectId', order: { createdAt: 'asc' } }) phases!: Phase[];
  @Many(() => ProjectMaterial, { local: 'id', foreign: 'projectId', order: { createdAt: 'asc' } })
  projectMaterialTotals!: ProjectMaterial[];
  @Paged(() => Order, { foreign: 'project' }) orders!: unknown;

  /** SPEC "Project (list sample)": ids in addition to the embedded records. */
  @Field(() => ID)
  @Computed({ sql: (t) => `${t}.company_id` })
  companyId!: string;
  @Field(() => ID)
  @Computed({ sql: (t) => `${t}.account_id` })
  customerId!: string;

  /** SPEC "Project (list sample)": the dates of the contract in the company's zone. */
  @Field(() => LocalDate, { nullable: true })
  @Computed({
    sql: (t) => `to_char(${t}.effective_at at time zone (select c.time_zone from company c where c.id = ${t}.company_id), 'YYYY-MM-DD')`,
  })
  startsOn?: string | null;
  @Field(() => LocalDate, { nullable: true })
  @Computed({
    sql: (t) => `to_char(${t}.expires_at at time zone (select c.time_zone from company c where c.id = ${t}.company_id), 'YYYY-MM-DD')`,
  })
  endsOn?: string | null;
}

/** The quantity of a material that a project is about. */
@Entity()
@ObjectType({ simpleResolvers: true })
export class ProjectMaterial extends RecordBase {
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Uuid({ required: true, hidden: true }) projectId!: string;
  @One(() => Material, { required: true }) material!: Ref<Material>;
  @Numeric() totalQuantity?: Decimal | null;
  @Choice(() => UnitOfMeasure) unitOfMeasure?: UnitOfMeasure | null;
}
