import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Choice, Flag, Instant, One, RecordBase, Text } from '../platform/database/columns.ts';
import { Tenant } from '../platform/read/decorators.ts';
import { ActivityState } from './activity-state.ts';
import { Company } from './company.entity.ts';

/** What is hauled. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Material extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Text() externalId?: string | null;
  @Text() materialTypeName?: string | null;
  @Flag({ required: true }) system: boolean = false;
  @Choice(() => ActivityState, { required: true }) state: ActivityState = 'active';
  @Instant() discardedAt?: Date | null;
}

/** What is sold: haulage by the load, by the hour, traffic control. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Service extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Flag({ required: true }) system: boolean = false;
  @Flag({ required: true, default: true }) visible: boolean = true;
  @Instant() discardedAt?: Date | null;
}

/** A class of service that accounting tells apart. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class ServiceClass extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Instant() discardedAt?: Date | null;
}

@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Department extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Instant() discardedAt?: Date | null;
}
