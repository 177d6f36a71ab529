import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { companyOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, allOrOwn, Requires } from '../../platform/authz/field-permissions.ts';
import { answeredBy } from '../../platform/commands/answer-ahead.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, mutationsOf, requires, withInput, withOptionalInput } from '../../platform/graphql/record-mutations.ts';
import { oneAsOf, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { Order } from '../model/order.entity.ts';
import { copyOrder } from './copy-order.ts';
import { createOrder } from './create-order.ts';
import { EstimateOrderInput, estimateOrder, OrderEstimate } from './estimates/estimate-order.ts';
import { CopyOrderInput, CreateOrderInput, RejectOrderInput, UpdateOrderInput } from './order.inputs.ts';
import { OrderConnection, OrderListArgs } from './order.lists.ts';
import {
  acceptOrder,
  cancelOrder,
  completeOrder,
  holdOrder,
  rejectOrder,
  requestOrder,
  startOrder,
  weatherHoldOrder,
} from './order-events.ts';
import { OrderSummary, orderFigures } from './order-summary.ts';
import { updateOrder } from './update-order.ts';

@Resolver(() => Order)
export class OrderResolver {
  @Mutation(() => Order)
  @Requires(...allOrOwn('create_order'))
  async createOrder(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateOrderInput) input: CreateOrderInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Order> {
    const { id } = await answeredBy(ctx, ctx.read.ahead(Order, info), () => createOrder(ctx, input, companyId));
    return ctx.read.one(Order, info, { id });
  }

  @Mutation(() => Order)
  @Requires(...allOrOwn('create_order'))
  async copyOrder(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => CopyOrderInput, { nullable: true }) input?: CopyOrderInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Order> {
    const copy = await copyOrder(ctx, { id, companyId }, input ?? {});
    return ctx.read.one(Order, info, { id: copy.id });
  }

  @Query(() => OrderEstimate, {
    description: 'Estimates the trucks that an amount of work takes, or the work that a number of trucks gets done. Nothing is stored.',
  })
  @AnySignedIn()
  estimateOrder(
    @Ctx() ctx: Context,
    @Arg('input', () => EstimateOrderInput) input: EstimateOrderInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): OrderEstimate {
    companyOf(ctx, companyId);
    return estimateOrder(ctx, input);
  }

  @FieldResolver(() => OrderSummary)
  orderSummary(@Ctx() ctx: Context, @Root() order: Order): Promise<OrderSummary> {
    return orderFigures(ctx).load(order.id);
  }

  @FieldResolver(() => Int, { description: 'Mean minutes of a load cycle.' })
  async loadCycleAvg(@Ctx() ctx: Context, @Root() order: Order): Promise<number> {
    return (await orderFigures(ctx).load(order.id)).loadCycleAvg;
  }

  @FieldResolver(() => Int, { description: 'Mean minutes at the pickup.' })
  async loadsPickupTimeMinutesAvg(@Ctx() ctx: Context, @Root() order: Order): Promise<number> {
    return (await orderFigures(ctx).load(order.id)).loadsPickupTimeMinutesAvg;
  }

  @FieldResolver(() => Int, { description: 'Mean minutes at the drop-off.' })
  async loadsDropoffTimeMinutesAvg(@Ctx() ctx: Context, @Root() order: Order): Promise<number> {
    return (await orderFigures(ctx).load(order.id)).loadsDropoffTimeMinutesAvg;
  }
}

const EDITING = allOrOwn('edit_order');

/** Commands on one order. */
export const OrderMutations = mutationsOf(Order, {
  updateOrder: requires([...allOrOwn('edit_order'), ...allOrOwn('edit_order_pre_accept')], withInput(UpdateOrderInput, updateOrder)),
  requestOrder: requires(EDITING, requestOrder),
  acceptOrder: requires(EDITING, acceptOrder),
  rejectOrder: requires(EDITING, withOptionalInput(RejectOrderInput, rejectOrder)),
  holdOrder: requires(EDITING, holdOrder),
  weatherHoldOrder: requires(EDITING, weatherHoldOrder),
  startOrder: requires(EDITING, startOrder),
  completeOrder: requires(EDITING, completeOrder),
  cancelOrder: requires(EDITING, cancelOrder),
});

export const OrderQueries = queriesOf(Order, {
  order: oneAsOf(AnySignedIn()),
  orders: page(AnySignedIn(), OrderConnection, OrderListArgs, ({ filter, ids, search, ...args }) => {
    const words = search?.job?.datagrid;
    return { ...args, search, filter: { ...filter, ...(ids && { ids }), ...(words && { job: { ...filter?.job, words } }) } };
  }),
});
