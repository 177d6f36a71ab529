import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { ResourceUsageLog, ResourceUsageLoggableType } from './resource-usage-log.entity.ts';

const optional = { nullable: true };
/** Minutes of a day. */
const MOST = 1440;

@InputType()
@About('ResourceUsageLog')
export class UpdateResourceUsageLogInput {
  @Field(() => Int, optional) @Range(1, MOST) usageMinutes?: number | null;
  @Field(() => ID, optional) phaseId?: string | null;
  @Field(() => ID, optional) equipmentId?: string | null;
}

@InputType()
@About('ResourceUsageLog')
export class CreateResourceUsageLogInput {
  @Field(() => ResourceUsageLoggableType, { description: 'The record of the path, or one below it: a job of the day, a load of the job.' })
  resourceUsageLoggableType!: ResourceUsageLoggableType;
  @Field(() => ID) resourceUsageLoggableId!: string;
  @Field(() => Int) @Range(1, MOST) usageMinutes!: number;
  @Field(() => LocalDate) dateOfUse!: string;
  @Field(() => ID) driverId!: string;
  @Field(() => ID, optional) equipmentId?: string | null;
  @Field(() => ID, optional) phaseId?: string | null;
}

/** One change of a list: without `id` a log is added, with `_destroy` removed, otherwise changed. */
@InputType()
@About('ResourceUsageLog')
export class ResourceUsageLogChange extends UpdateResourceUsageLogInput {
  @Field(() => ID, optional) id?: string | null;
  @Field(() => Int, { nullable: true, description: '1 removes the log.' }) _destroy?: number | null;
  @Field(() => ResourceUsageLoggableType, optional) resourceUsageLoggableType?: ResourceUsageLoggableType | null;
  @Field(() => ID, optional) resourceUsageLoggableId?: string | null;
  @Field(() => LocalDate, optional) dateOfUse?: string | null;
  @Field(() => ID, optional) driverId?: string | null;
}

export const ResourceUsageLogConnection = connectionOf('ResourceUsageLog', () => ResourceUsageLog);

@ArgsType()
export class UsageLogListArgs extends PageArgs {}
