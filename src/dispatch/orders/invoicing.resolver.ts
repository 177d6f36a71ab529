import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, InputType, Query, Resolver } from 'type-graphql';
import { RateType } from '../../directory/master-data/units.ts';
import { find } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { UpdatedSince } from '../../platform/read/time-range.ts';
import { DateOrInstant } from '../../platform/scalars.ts';
import { InvoiceableType, InvoiceCategoryFilter, InvoiceState } from '../fields/invoice-enums.ts';
import { SearchInput } from '../fields/search.inputs.ts';
import { JobConnection, JobFilter } from '../jobs/job.lists.ts';
import { companyFor, ofOrder } from '../jobs/job.resolver.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { JOB_FINISHED, OrderState } from '../model/states.ts';
import { OrderConnection, OrderSort } from './order.lists.ts';

const optional = { nullable: true };

/**
 * Filters the finished jobs, each of which yields an invoice on either side (DOMAIN 3.1). What only invoices say is for those who read them, and
 * then all of it is about one invoice.
 */
@InputType()
class InvoicingJobFilter {
  @Field(() => DateOrInstant, optional) startDate?: string | null;
  @Field(() => DateOrInstant, optional) endDate?: string | null;
  @Field(() => [ID], optional) vendorAccountIds?: string[] | null;
  @Field(() => [ID], optional) customerAccountIds?: string[] | null;
  @Field(() => [ID], optional) pickupSiteIds?: string[] | null;
  @Field(() => [ID], optional) dropoffSiteIds?: string[] | null;
  @Field(() => [ID], optional) driverIds?: string[] | null;
  @Field(() => [InvoiceState], optional) states?: InvoiceState[] | null;
  @Field(() => InvoiceCategoryFilter, optional) invoiceCategory?: InvoiceCategoryFilter | null;
  @Field(() => Boolean, { nullable: true, description: 'Whether a live settlement has it.' }) grouped?: boolean | null;
  @Field(() => InvoiceableType, optional) invoiceableType?: InvoiceableType | null;
  @Field(() => [RateType], optional) rateTypes?: RateType[] | null;
  @Field(() => ID, { nullable: true, description: 'In the books of this one of your companies.' }) companyId?: string | null;
}
/** The arguments that only invoices have. */
const OF_INVOICES = ['states', 'invoiceCategory', 'grouped', 'invoiceableType', 'rateTypes', 'companyId'] as const;
@InputType()
class InvoicingOrderFilter {
  @Field(() => [OrderState], optional) states?: OrderState[] | null;
  @Field(() => [String], optional) departmentIds?: string[] | null;
  @Field(() => [ID], optional) collaboratorIds?: string[] | null;
  @Field(() => [ID], optional) salespersonIds?: string[] | null;
  @Field(() => [ID], optional) requesterIds?: string[] | null;
  @Field(() => [ID], optional) projectIds?: string[] | null;
  @Field(() => InvoicingJobFilter, optional) invoice?: InvoicingJobFilter | null;
  @UpdatedSince() updatedSince?: Date | null;
}
@InputType()
class InvoicingJobSearch {
  @Field(() => String, optional) datagrid?: string | null;
}
/** Finds an order by its own words, or, under `invoice`, by those of one of its finished jobs. */
@InputType()
class InvoicingOrderSearch extends SearchInput {
  @Field(() => InvoicingJobSearch, optional) invoice?: InvoicingJobSearch | null;
}
@ArgsType()
class InvoicingOrderArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => InvoicingOrderFilter, optional) filter?: InvoicingOrderFilter | null;
  @Field(() => OrderSort, optional) sort?: OrderSort | null;
  @Field(() => InvoicingOrderSearch, optional) search?: InvoicingOrderSearch | null;
}
@ArgsType()
class InvoicingJobArgs extends PageArgs {
  @Field(() => ID) orderId!: string;
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => JobFilter, optional) filter?: JobFilter | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
}

const finishedJobs: Where = { key: 'finished', sql: (t, p) => `${t}.state = any(${p})`, cast: 'text[]', value: JOB_FINISHED };

/** Finished work, for those who invoice it. */
@Resolver()
export class InvoicingResolver {
  @Query(() => OrderConnection, {
    description: 'Orders with finished jobs. `filter.invoice` and `search.invoice` apply to one of these jobs.',
  })
  @AnySignedIn()
  ordersToInvoice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => InvoicingOrderArgs) { filter, ...args }: InvoicingOrderArgs,
  ): Promise<Connection<Order>> {
    const { invoice, ...rest } = filter ?? {};
    const words = args.search?.invoice?.datagrid;
    const byInvoice = OF_INVOICES.some((name) => invoice?.[name] != null);
    return ctx.read.page(Order, info, {
      ...args,
      filter: {
        ...rest,
        ...(byInvoice ? { invoice } : {}),
        job: { ...(byInvoice ? {} : invoice), ...(words && { words }), states: [...JOB_FINISHED] },
      },
    });
  }

  @Query(() => JobConnection, { description: 'The finished jobs of an order.' })
  @AnySignedIn()
  async jobsToInvoice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => InvoicingJobArgs) { orderId, companyId, ...args }: InvoicingJobArgs,
  ): Promise<Connection<Job>> {
    const order = await find(ctx, Order, orderId, { companyId });
    return ctx.read.page(Job, info, { ...args, companyId: companyFor(ctx, order, companyId), where: [ofOrder(order.id), finishedJobs] });
  }
}
