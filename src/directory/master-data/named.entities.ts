import { ref } from '@mikro-orm/core';
import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Flag, Instant, Numeric, One, RecordBase, Text, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { Company } from '../companies/company.entity.ts';
import { ActivityState } from './activity-state.ts';
import { TicketSource } from './source.ts';

/** The type of a material until somebody says otherwise: `Other`. The same in every installation. */
const OTHER_MATERIAL = '018cc251-f400-7000-8000-0a0000000000';
/** The id of a built-in type of materials, by its place in the list. */
export const materialTypeId = (ordinality: number): string => `018cc251-f400-7000-8000-0a00${ordinality.toString(16).padStart(8, '0')}`;
const HAULAGE = '018cc251-f400-7000-8000-0b0000000001';

/** A type by which materials are sorted. Built in, the same for every company. */
@Entity()
@ObjectType({ simpleResolvers: true })
export class MaterialType extends RecordBase {
  @Text({ required: true }) name!: string;
  /** Place in a list of types; `Other` comes last. */
  @Whole({ required: true, hidden: true }) ordinality!: number;

  @Field(() => Boolean) @Computed({ columns: [], compute: () => true }) system!: boolean;
  @Field(() => TicketSource) @Computed({ columns: [], compute: () => 'web' }) source!: TicketSource;
  @Field(() => String, { nullable: true }) @Computed({ columns: [], compute: () => null }) externalId?: string | null;
}

/** The way in which a service is sold. Built in, the same for every company. */
@Entity()
@ObjectType({ simpleResolvers: true })
export class ServiceType extends RecordBase {
  @Text({ required: true }) name!: string;
  @Text({ required: true }) key!: string;
}

/** A material that is hauled. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Material extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Text() externalId?: string | null;
  @One(() => MaterialType, { required: true }) materialType: Ref<MaterialType> = ref(MaterialType, OTHER_MATERIAL);
  @Numeric({ description: 'Tonnes of a cubic metre, by which weight is converted to volume and back; null if nobody said it.' })
  density?: Decimal | null;
  @Flag({ required: true }) system: boolean = false;
  @Choice(() => ActivityState, { required: true }) state: ActivityState = 'active';
  @Instant() discardedAt?: Date | null;
}

/** A service that is sold: haulage by the load, by the hour, traffic control. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Service extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Flag({ required: true }) system: boolean = false;
  @Flag({ required: true, default: true }) visible: boolean = true;
  @One(() => ServiceType, { required: true }) serviceType: Ref<ServiceType> = ref(ServiceType, HAULAGE);
  /** Place in a list of services, from 0. */
  @Whole({ required: true }) ordinality: number = 0;
  @Instant() discardedAt?: Date | null;
}

/** A record of a company that is no more than a name. */
@ObjectType({ simpleResolvers: true })
abstract class NamedRecord extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Instant() discardedAt?: Date | null;
}

/** A class of service that accounting distinguishes. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class ServiceClass extends NamedRecord {}

/** A plan that leads traffic past a construction site. It is drawn elsewhere, and named here. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class TrafficControlPlan extends NamedRecord {}

@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Department extends NamedRecord {}
