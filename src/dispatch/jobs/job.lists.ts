import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { SiteType } from '../../directory/sites/site.entity.ts';
import { connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { DateOrInstant } from '../../platform/scalars.ts';
import { SearchInput } from '../fields/search.inputs.ts';
import { Job } from '../model/job.entity.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import { Load } from '../model/load.entity.ts';
import { JobState, LoadState } from '../model/states.ts';

const optional = { nullable: true };

export const JobConnection = connectionOf('Job', () => Job);
export const LoadConnection = connectionOf('Load', () => Load);
export const JobEventConnection = connectionOf('JobEvent', () => JobEvent);

@InputType()
export class JobOrderFilter {
  @Field(() => [ID], optional) dispatchNumberIds?: string[] | null;
}

@InputType()
export class JobFilter {
  @Field(() => [ID], optional) ids?: string[] | null;
  @Field(() => [JobState], optional) states?: JobState[] | null;
  @Field(() => DateOrInstant, optional) startDate?: string | null;
  @Field(() => DateOrInstant, optional) endDate?: string | null;
  @Field(() => [ID], optional) projectIds?: string[] | null;
  @Field(() => [ID], optional) vendorAccountIds?: string[] | null;
  @Field(() => [ID], optional) customerAccountIds?: string[] | null;
  @Field(() => [ID], optional) driverIds?: string[] | null;
  @Field(() => [ID], optional) materialIds?: string[] | null;
  @Field(() => [ID], optional) pickupSiteIds?: string[] | null;
  @Field(() => [ID], optional) dropoffSiteIds?: string[] | null;
  @Field(() => [ID], optional) serviceIds?: string[] | null;
  @Field(() => [ID], optional) equipmentIds?: string[] | null;
  @Field(() => [ID], optional) companyIds?: string[] | null;
  @Field(() => [String], optional) externalIds?: string[] | null;
  @Field(() => [SiteType], optional) siteTypes?: SiteType[] | null;
  @Field(() => [ID], optional) foremanIds?: string[] | null;
  @Field(() => [ID], optional) collaboratorIds?: string[] | null;
  @Field(() => [ID], optional) salespersonIds?: string[] | null;
  @Field(() => JobOrderFilter, optional) order?: JobOrderFilter | null;
}

@InputType()
export class JobSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, optional) jobStartAt?: SortDirection | null;
  @Field(() => SortDirection, optional) priority?: SortDirection | null;
}

@ArgsType()
export class JobListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Only the jobs of this order.' }) orderId?: string | null;
  @Field(() => [ID], optional) ids?: string[] | null;
  @Field(() => JobFilter, optional) filter?: JobFilter | null;
  @Field(() => JobSort, optional) sort?: JobSort | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
}

@InputType()
export class LoadTicketFilter {
  @Field(() => Boolean, optional) flagged?: boolean | null;
}

@InputType()
export class LoadJobFilter {
  @Field(() => [JobState], optional) states?: JobState[] | null;
  @Field(() => [ID], optional) driverIds?: string[] | null;
  @Field(() => [ID], optional) materialIds?: string[] | null;
  @Field(() => [ID], optional) pickupSiteIds?: string[] | null;
  @Field(() => [ID], optional) dropoffSiteIds?: string[] | null;
  @Field(() => [ID], optional) vendorAccountIds?: string[] | null;
}

@InputType()
export class LoadFilter {
  @Field(() => [LoadState], optional) states?: LoadState[] | null;
  @Field(() => [ID], optional) materialIds?: string[] | null;
  @Field(() => LoadTicketFilter, optional) ticket?: LoadTicketFilter | null;
  @Field(() => LoadJobFilter, optional) job?: LoadJobFilter | null;
}

@InputType()
export class LoadSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
}

@ArgsType()
export class LoadListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Only the loads of this order.' }) orderId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Only the loads of this job.' }) jobId?: string | null;
  @Field(() => LoadFilter, optional) filter?: LoadFilter | null;
  @Field(() => LoadSort, optional) sort?: LoadSort | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
}

@InputType()
export class JobEventSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, optional) occurredAt?: SortDirection | null;
}

@ArgsType()
export class JobEventListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ID) jobId!: string;
  @Field(() => JobEventSort, optional) sort?: JobEventSort | null;
}
