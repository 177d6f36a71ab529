import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { ResourceUsageLog, ResourceUsageLoggableType } from './resource-usage-log.entity.ts';

const optional = { nullable: true };
const MINUTES = { nullable: true, description: 'The minutes that were worked.' };
const LOGGABLE_TYPE = {
  nullable: true,
  description: 'The kind of the record whose time is divided: a job of the day, a load of the job; without it, the record of the path.',
};
const LOGGABLE_ID = { nullable: true, description: 'The record of that kind.' };
/** Minutes of a day. */
const MOST = 1440;

@InputType()
@About('ResourceUsageLog')
export class UpdateResourceUsageLogInput {
  @Field(() => Int, MINUTES) @Range(1, MOST) usageMinutes?: number | null;
  @Field(() => ID, optional) phaseId?: string | null;
  @Field(() => ID, optional) equipmentId?: string | null;
}

@InputType()
@About('ResourceUsageLog')
export class CreateResourceUsageLogInput {
  @Field(() => ResourceUsageLoggableType, LOGGABLE_TYPE) resourceUsageLoggableType?: ResourceUsageLoggableType | null;
  @Field(() => ID, LOGGABLE_ID) resourceUsageLoggableId?: string | null;
  @Field(() => Int, { description: 'The minutes that were worked.' }) @Range(1, MOST) usageMinutes!: number;
  @Field(() => LocalDate, { description: 'The date of the day, or the next one of a shift over midnight.' }) dateOfUse!: string;
  @Field(() => ID) driverId!: string;
  @Field(() => ID, optional) equipmentId?: string | null;
  @Field(() => ID, optional) phaseId?: string | null;
}

/** One change of a list: without `id` a log is added, with `_destroy` removed, otherwise changed. */
@InputType({ description: 'One change of a list: without `id` a log is added, with `_destroy` removed, otherwise changed.' })
@About('ResourceUsageLog')
export class ResourceUsageLogChange extends UpdateResourceUsageLogInput {
  @Field(() => ID, optional) id?: string | null;
  @Field(() => Int, { nullable: true, description: '1 removes the log.' }) _destroy?: number | null;
  @Field(() => ResourceUsageLoggableType, LOGGABLE_TYPE) resourceUsageLoggableType?: ResourceUsageLoggableType | null;
  @Field(() => ID, LOGGABLE_ID) resourceUsageLoggableId?: string | null;
  @Field(() => LocalDate, { nullable: true, description: 'The date of the day, or the next one of a shift over midnight.' })
  dateOfUse?: string | null;
  @Field(() => ID, optional) driverId?: string | null;
}

export const ResourceUsageLogConnection = connectionOf('ResourceUsageLog', () => ResourceUsageLog);

@ArgsType()
export class UsageLogListArgs extends PageArgs {}
