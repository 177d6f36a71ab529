import { Ctx, Extensions, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { Context } from '../../platform/context.ts';
import { DateTime } from '../../platform/scalars.ts';
import { OrderState } from '../model/states.ts';
import { DayBoard } from './day-board.ts';
import { countLoads, countOrders } from './day-counts.ts';

@ObjectType({ simpleResolvers: true, description: 'Orders of a day that are in one state.' })
export class DayOrders {
  @Field(() => OrderState) state!: OrderState;
  @Field(() => Int) count!: number;
}

@ObjectType({ simpleResolvers: true, description: 'An hour of a day.' })
export class DayHour {
  @Field(() => DateTime, { description: 'The first moment of the hour.' }) startsAt!: Date;
  @Field(() => Int, { description: 'How many loads were unloaded in it.' }) count!: number;
}

const STATES = Object.keys(OrderState) as OrderState[];

/** The counts that a chart of a day needs, made by the database: a day of any size is answered. */
@Resolver(() => DayBoard)
export class DayCountsResolver {
  @Extensions({ rows: STATES.length })
  @FieldResolver(() => [DayOrders], {
    description: 'How many orders load on the day or have a job on it, in the order of states. `ordersByPage` has them.',
  })
  async ordersByState(@Ctx() ctx: Context, @Root() board: DayBoard): Promise<DayOrders[]> {
    const counts = await countOrders(ctx, board);
    return STATES.flatMap((state) => (counts.has(state) ? [{ state, count: counts.get(state)! }] : []));
  }

  @Extensions({ rows: 25 })
  @FieldResolver(() => [DayHour], { description: 'How many loads were unloaded in each hour of the day, from its midnight.' })
  loadsByHour(@Ctx() ctx: Context, @Root() board: DayBoard): Promise<DayHour[]> {
    return countLoads(ctx, board);
  }
}
