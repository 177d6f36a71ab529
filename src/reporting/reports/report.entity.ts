import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Flag, Instant, One, RecordBase, Text } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { type Definition, ReportDefinition } from './definition.ts';

/** The categories by which reports are sorted. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class ReportCategory extends RecordBase {
  /** None of what is built in. */
  @One(() => Company) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Flag({ required: true, description: 'It is built in, the same for every company.' }) system: boolean = false;
  @Instant() discardedAt?: Date | null;
}

/** A question to the catalogue of metrics that is kept under a name. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Report extends RecordBase {
  /** None of what is built in. */
  @One(() => Company) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Flag({ required: true, description: 'It is built in, the same for every company.' }) system: boolean = false;
  @One(() => ReportCategory, { required: true }) reportCategory!: Ref<ReportCategory>;
  @Text({ required: true, description: 'The built-in dashboard that it shows; `custom` if it shows what `definition` says.' })
  dashboardId!: string;
  @Property({ type: 'json', columnType: 'jsonb', nullable: true })
  @Field(() => ReportDefinition, { nullable: true, description: 'Its contents; null of one that shows a built-in dashboard.' })
  definition?: Definition | null;
  @Instant() discardedAt?: Date | null;
}
