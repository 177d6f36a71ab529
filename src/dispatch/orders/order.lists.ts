import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { ActivityState } from '../../directory/master-data/activity-state.ts';
import { SiteType } from '../../directory/sites/site.entity.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { AsOf, GraphqlOnly, QuantityRange, TimeRange } from '../../platform/read/time-range.ts';
import { DateOrInstant } from '../../platform/scalars.ts';
import { SearchInput } from '../fields/search.inputs.ts';
import { JobInvoiceFilter } from '../jobs/job.lists.ts';
import { Order } from '../model/order.entity.ts';
import { Project } from '../model/project.entity.ts';
import { JobState, OrderState } from '../model/states.ts';

const optional = { nullable: true };

export const OrderConnection = connectionOf('Order', () => Order);
export const ProjectConnection = connectionOf('Project', () => Project);

@InputType()
class OrderJobSearch {
  @Field(() => String, optional) datagrid?: string | null;
}

/** Finds an order by its own words, or, under `job`, by those of one of its jobs. */
@InputType()
export class OrderSearch extends SearchInput {
  @Field(() => OrderJobSearch, optional) job?: OrderJobSearch | null;
}

@InputType()
export class OrderJobFilter {
  @Field(() => [JobState], optional) states?: JobState[] | null;
  @Field(() => DateOrInstant, optional) startDate?: string | null;
  @Field(() => DateOrInstant, optional) endDate?: string | null;
  @Field(() => [ID], optional) customerAccountIds?: string[] | null;
  @Field(() => [ID], optional) vendorAccountIds?: string[] | null;
  @Field(() => [ID], optional) driverIds?: string[] | null;
  @Field(() => [ID], optional) pickupSiteIds?: string[] | null;
  @Field(() => [ID], optional) dropoffSiteIds?: string[] | null;
  @Field(() => [ID], optional) equipmentIds?: string[] | null;
  @Field(() => [ID], optional) materialIds?: string[] | null;
  @Field(() => [ID], optional) projectIds?: string[] | null;
  @Field(() => [ID], optional) serviceIds?: string[] | null;
  @Field(() => [ID], optional) companyIds?: string[] | null;
  @Field(() => [String], optional) externalIds?: string[] | null;
  @Field(() => [SiteType], optional) siteTypes?: SiteType[] | null;
  @Field(() => [ID], optional) foremanIds?: string[] | null;
  @Field(() => [ID], optional) collaboratorIds?: string[] | null;
  @Field(() => [ID], optional) salespersonIds?: string[] | null;
  @Field(() => JobInvoiceFilter, { nullable: true, description: 'By what the customer owes for it, in your books.' })
  receivableInvoice?: JobInvoiceFilter | null;
  @Field(() => JobInvoiceFilter, { nullable: true, description: 'By what is owed to the vendor or the driver, in your books.' })
  payableInvoice?: JobInvoiceFilter | null;
}

/** Fields of an order that may be empty. */
export const OrderField = stringEnum('OrderField', [
  'project',
  'name',
  'externalId',
  'dispatchNumber',
  'department',
  'requester',
  'material',
  'quantity',
  'equipment',
  'equipmentType',
  'jobStartAt',
]);
export type OrderField = keyof typeof OrderField;

@InputType()
export class OrderFilter {
  @Field(() => [ID], optional) ids?: string[] | null;
  @Field(() => [OrderState], optional) states?: OrderState[] | null;
  @Field(() => DateOrInstant, optional) startDate?: string | null;
  @Field(() => DateOrInstant, optional) endDate?: string | null;
  @Field(() => [ID], optional) requesterIds?: string[] | null;
  @Field(() => [ID], optional) foremanIds?: string[] | null;
  @Field(() => [ID], optional) collaboratorIds?: string[] | null;
  @Field(() => [ID], optional) salespersonIds?: string[] | null;
  @Field(() => [String], { nullable: true, description: 'Department ids; `none` for orders without one.' }) departmentIds?: string[] | null;
  @Field(() => [ID], optional) equipmentTypeIds?: string[] | null;
  @Field(() => [ID], optional) dispatchNumberIds?: string[] | null;
  @Field(() => [ID], optional) projectIds?: string[] | null;
  @Field(() => [String], optional) externalIds?: string[] | null;
  @Field(() => OrderJobFilter, optional) job?: OrderJobFilter | null;
  @Field(() => TimeRange, { nullable: true, description: 'Only orders that load in this span.' })
  @GraphqlOnly()
  loadAt?: TimeRange | null;
  @Field(() => [ID], { nullable: true, description: 'Only orders of these customers.' }) @GraphqlOnly() accountIds?: string[] | null;
  @Field(() => QuantityRange, { nullable: true, description: 'Only orders of this much, in the unit that each has.' })
  @GraphqlOnly()
  quantity?: QuantityRange | null;
  @Field(() => [OrderField], { nullable: true, description: 'Only orders that have none of these.' })
  @GraphqlOnly()
  without?: OrderField[] | null;
}

@InputType()
export class NameSort {
  @Field(() => SortDirection, optional) name?: SortDirection | null;
}
@InputType()
export class LegalNameSort {
  @Field(() => SortDirection, optional) legalName?: SortDirection | null;
}

@InputType()
export class OrderSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, optional) loadAt?: SortDirection | null;
  @Field(() => SortDirection, optional) friendlyOrderId?: SortDirection | null;
  @Field(() => NameSort, optional) dispatchNumber?: NameSort | null;
  @Field(() => NameSort, optional) account?: NameSort | null;
  @Field(() => LegalNameSort, optional) company?: LegalNameSort | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the last change.' }) @GraphqlOnly() updatedAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the quantity; orders without one are the least.' })
  @GraphqlOnly()
  quantity?: SortDirection | null;
}

@ArgsType()
export class OrderListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => [ID], optional) ids?: string[] | null;
  @Field(() => OrderFilter, optional) filter?: OrderFilter | null;
  @Field(() => OrderSort, optional) sort?: OrderSort | null;
  @Field(() => OrderSearch, optional) search?: OrderSearch | null;
  @AsOf() asOf?: Date | null;
}

@InputType()
export class ProjectFilter {
  @Field(() => [ActivityState], optional) states?: ActivityState[] | null;
  @Field(() => [ID], optional) requesterIds?: string[] | null;
  @Field(() => [String], optional) externalIds?: string[] | null;
  @Field(() => [ID], optional) accountIds?: string[] | null;
  @Field(() => ID, optional) accountId?: string | null;
  @Field(() => [String], { nullable: true, description: 'Department ids; `none` for projects without one.' }) departmentIds?:
    | string[]
    | null;
  @Field(() => [ID], optional) dispatchNumberIds?: string[] | null;
  @Field(() => [String], optional) poJobNumbers?: string[] | null;
  @Field(() => [ID], optional) serviceClassIds?: string[] | null;
  @Field(() => [ID], optional) equipmentTypeIds?: string[] | null;
  @Field(() => [ID], optional) foremanIds?: string[] | null;
  @Field(() => [ID], optional) collaboratorIds?: string[] | null;
  @Field(() => [ID], optional) salespersonIds?: string[] | null;
  @Field(() => [ID], optional) pickupSiteIds?: string[] | null;
  @Field(() => [ID], optional) dropoffSiteIds?: string[] | null;
}

@InputType()
export class ProjectSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
}

@ArgsType()
export class ProjectListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ProjectFilter, optional) filter?: ProjectFilter | null;
  @Field(() => ProjectSort, optional) sort?: ProjectSort | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
}

/** Of a list that may be read as it was. */
@ArgsType()
export class ProjectListAsOfArgs extends ProjectListArgs {
  @AsOf() asOf?: Date | null;
}
