import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { SiteType } from '../../directory/sites/site.entity.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { AsOf, GraphqlOnly, QuantityRange, TimeRange } from '../../platform/read/time-range.ts';
import { DateOrInstant } from '../../platform/scalars.ts';
import { InvoiceState } from '../fields/invoice-enums.ts';
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

/** Filters work by an invoice of it, for those who read invoices. */
@InputType()
export class JobInvoiceFilter {
  @Field(() => [InvoiceState], optional) states?: InvoiceState[] | null;
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
  @Field(() => JobInvoiceFilter, { nullable: true, description: 'By what the customer owes for it, in your books.' })
  receivableInvoice?: JobInvoiceFilter | null;
  @Field(() => JobInvoiceFilter, { nullable: true, description: 'By what is owed to the vendor or the driver, in your books.' })
  payableInvoice?: JobInvoiceFilter | null;
  @Field(() => TimeRange, { nullable: true, description: 'Only jobs that start in this span.' })
  @GraphqlOnly()
  jobStartAt?: TimeRange | null;
  @Field(() => QuantityRange, { nullable: true, description: 'Only jobs of this much, in the unit that each has.' })
  @GraphqlOnly()
  quantity?: QuantityRange | null;
  @Field(() => [JobField], { nullable: true, description: 'Only jobs that have none of these.' })
  @GraphqlOnly()
  without?: JobField[] | null;
}

@InputType()
export class JobSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, optional) jobStartAt?: SortDirection | null;
  @Field(() => SortDirection, optional) priority?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the last change.' }) @GraphqlOnly() updatedAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the quantity; jobs without one are the least.' })
  @GraphqlOnly()
  quantity?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: "By the driver's last name and first name." })
  @GraphqlOnly()
  driverName?: SortDirection | null;
}

@ArgsType()
export class JobListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Only the jobs of this order.' }) orderId?: string | null;
  @Field(() => [ID], optional) ids?: string[] | null;
  @Field(() => JobFilter, optional) filter?: JobFilter | null;
  @Field(() => JobSort, optional) sort?: JobSort | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
  @AsOf() asOf?: Date | null;
}

@InputType()
export class LoadTicketFilter {
  @Field(() => Boolean, optional) flagged?: boolean | null;
  @Field(() => [ID], { nullable: true, description: 'Only loads with one of these tickets.' }) @GraphqlOnly() ids?: string[] | null;
  @Field(() => [String], { nullable: true, description: 'Only loads with a ticket of one of these numbers.' })
  @GraphqlOnly()
  ticketNumbers?: string[] | null;
}

/** Fields of a load that may be empty. */
export const LoadField = stringEnum('LoadField', ['ticket', 'material', 'quantity', 'unloadedAt', 'completedAt', 'driver']);
export type LoadField = keyof typeof LoadField;
/** Fields of a job that may be empty. */
export const JobField = stringEnum('JobField', ['driver', 'vendor', 'equipment', 'material', 'project', 'quantity']);
export type JobField = keyof typeof JobField;

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
  @Field(() => [ID], { nullable: true, description: 'Only loads of these drivers.' }) @GraphqlOnly() driverIds?: string[] | null;
  @Field(() => [ID], { nullable: true, description: 'Only loads with a stop at one of these sites.' })
  @GraphqlOnly()
  siteIds?: string[] | null;
  @Field(() => TimeRange, { nullable: true, description: 'Only loads that were unloaded in this span.' })
  @GraphqlOnly()
  unloadedAt?: TimeRange | null;
  @Field(() => TimeRange, { nullable: true, description: 'Only loads that were completed in this span.' })
  @GraphqlOnly()
  completedAt?: TimeRange | null;
  @Field(() => QuantityRange, { nullable: true, description: 'Only loads of this much, in the unit that each has.' })
  @GraphqlOnly()
  quantity?: QuantityRange | null;
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True: only loads of your company that somebody should look at, because a geofence was not quite certain, the review found something or somebody flagged its ticket. Approved for billing, a load is looked at.',
  })
  needsReview?: boolean | null;
  @Field(() => [LoadField], { nullable: true, description: 'Only loads that have none of these.' })
  @GraphqlOnly()
  without?: LoadField[] | null;
}

@InputType()
export class LoadSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the time of unloading; loads without one are the earliest.' })
  @GraphqlOnly()
  unloadedAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the time of completion; loads without one are the earliest.' })
  @GraphqlOnly()
  completedAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: "By the driver's last name and first name." })
  @GraphqlOnly()
  driverName?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the name of the first pickup.' })
  @GraphqlOnly()
  pickupSiteName?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the number of the newest ticket.' })
  @GraphqlOnly()
  ticketNumber?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the last change.' }) @GraphqlOnly() updatedAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the quantity; loads without one are the least.' })
  @GraphqlOnly()
  quantity?: SortDirection | null;
}

@ArgsType()
export class LoadListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Only the loads of this order.' }) orderId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Only the loads of this job.' }) jobId?: string | null;
  @Field(() => LoadFilter, optional) filter?: LoadFilter | null;
  @Field(() => LoadSort, optional) sort?: LoadSort | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
  @AsOf() asOf?: Date | null;
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
