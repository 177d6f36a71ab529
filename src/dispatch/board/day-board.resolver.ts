import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Extensions, Field, FieldResolver, ID, Info, Int, Query, Resolver, Root } from 'type-graphql';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { type Connection, SortDirection } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { fieldsOf } from '../../platform/read/selection.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { DRIVERS } from '../drivers/people.resolver.ts';
import { JobConnection, JobFilter, JobSort } from '../jobs/job.lists.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { JobState } from '../model/states.ts';
import { OrderConnection, OrderFilter, OrderSort } from '../orders/order.lists.ts';
import {
  DayBoard,
  DayDriver,
  DayDriverConnection,
  DayJobs,
  DayTruck,
  DayTruckConnection,
  type DayWork,
  dayBoard,
  driversAround,
  jobsOfDay,
  MOST_OF_A_DAY,
  ordersOfDay,
  personOf,
  showable,
  trucksAround,
  workOfDrivers,
  workOfTrucks,
} from './day-board.ts';
import { countJobs } from './day-counts.ts';

/** The number of records of one kind on a busy day, from which the cost of a document is estimated. */
const A_DAY = { rows: 500 };
const most = MOST_OF_A_DAY + 1;
const WHOLE = 'The list is read whole, up to 5,000:';
const KEPT: Where = { key: 'kept', sql: (t, p) => `(${t}.discarded_at is null) = ${p}`, cast: 'boolean', value: true };

const STATES = Object.keys(JobState) as JobState[];

@ArgsType()
class DayPageArgs {
  @Field(() => Int, { nullable: true }) first?: number | null;
  @Field(() => String, { nullable: true }) after?: string | null;
  @Field(() => Int, { nullable: true }) last?: number | null;
  @Field(() => String, { nullable: true }) before?: string | null;
}

@ArgsType()
class DayJobArgs extends DayPageArgs {
  @Field(() => JobFilter, { nullable: true }) filter?: JobFilter | null;
  @Field(() => JobSort, { nullable: true }) sort?: JobSort | null;
}

@ArgsType()
class DayOrderArgs extends DayPageArgs {
  @Field(() => OrderFilter, { nullable: true }) filter?: OrderFilter | null;
  @Field(() => OrderSort, { nullable: true }) sort?: OrderSort | null;
}

/** Whether a field is selected below another one, in fragments too. */
const selects = ({ fieldNodes, fragments, variableValues }: GraphQLResolveInfo, name: string): boolean =>
  [...fieldsOf(fieldNodes, { fragments, variables: variableValues }).values()].some((field) => field.name === name);

/** Everything that a dispatcher looks at in a day, in one statement for each kind of record. */
@Resolver(() => DayBoard)
export class DayBoardResolver {
  @Query(() => DayBoard, { description: "A company's day: its orders, jobs by state, drivers and trucks." })
  @AnySignedIn()
  dayBoard(
    @Ctx() ctx: Context,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    @Arg('date', () => LocalDate, { nullable: true, description: 'In the time zone of the company; by default, today.' }) date?: string,
  ): Promise<DayBoard> {
    return dayBoard(ctx, companyId, date);
  }

  @Extensions(A_DAY)
  @FieldResolver(() => [Order], { description: 'Orders that load on the day or have a job on it, by loading time.' })
  async orders(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Root() board: DayBoard): Promise<Order[]> {
    const { companyId } = board;
    const order = { key: 'loadAt', sql: (t: string) => `${t}.load_at` };
    return showable(await ctx.read.list(Order, info, { companyId, where: [ordersOfDay(board)], order, most }));
  }

  @Extensions(A_DAY)
  @FieldResolver(() => [DayJobs], { description: 'Jobs that start on the day, in the order of states.' })
  async jobsByState(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Root() board: DayBoard): Promise<DayJobs[]> {
    const { companyId } = board;
    if (!selects(info, 'jobs')) {
      const counts = await countJobs(ctx, board);
      return STATES.flatMap((state) => (counts.has(state) ? [{ state, count: counts.get(state)!, jobs: [] }] : []));
    }
    const order = { key: 'jobStartAt', sql: (t: string) => `${t}.job_start_at` };
    const at = { below: 'jobs', columns: ['state'] };
    const jobs = showable(await ctx.read.list(Job, info, { companyId, where: [jobsOfDay(board)], order, most, at }));
    const byState = Map.groupBy(jobs, ({ state }) => state);
    return STATES.flatMap((state) => {
      const found = byState.get(state);
      return found ? [{ state, count: found.length, jobs: found }] : [];
    });
  }

  @FieldResolver(() => JobConnection, { description: 'The same jobs page by page, by start.' })
  jobsByPage(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Root() board: DayBoard,
    @Args(() => DayJobArgs) args: DayJobArgs,
  ): Promise<Connection<Job>> {
    const sort = args.sort ?? { jobStartAt: SortDirection.asc };
    return ctx.read.page(Job, info, { ...args, sort, companyId: board.companyId, where: [jobsOfDay(board)] });
  }

  @FieldResolver(() => OrderConnection, { description: 'The same orders page by page, by loading time.' })
  ordersByPage(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Root() board: DayBoard,
    @Args(() => DayOrderArgs) args: DayOrderArgs,
  ): Promise<Connection<Order>> {
    const sort = args.sort ?? { loadAt: SortDirection.asc };
    return ctx.read.page(Order, info, { ...args, sort, companyId: board.companyId, where: [ordersOfDay(board)] });
  }

  @Extensions(A_DAY)
  @FieldResolver(() => [DayDriver], {
    description: `Drivers of the company and those shared with it, by name. ${WHOLE} \`driversByPage\` has no such end.`,
  })
  async drivers(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Root() board: DayBoard): Promise<DayDriver[]> {
    const order = { key: 'name', sql: (t: string) => `lower(${t}.last_name || ' ' || ${t}.first_name)` };
    const drivers = await ctx.read.list(User, info, { ...driversOf(ctx, board), order, most, at: { below: 'driver', columns: [] } });
    return withDriver(ctx, board, showable(drivers));
  }

  @FieldResolver(() => DayDriverConnection, { description: 'The same drivers page by page.' })
  async driversByPage(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Root() board: DayBoard,
    @Args(() => DayPageArgs) args: DayPageArgs,
  ): Promise<Connection<DayDriver>> {
    const sort = { name: SortDirection.asc };
    const page = await ctx.read.page(User, info, { ...args, ...driversOf(ctx, board), sort, below: 'driver' });
    return withNodes(page, await withDriver(ctx, board, page.nodes));
  }

  @Extensions(A_DAY)
  @FieldResolver(() => [DayTruck], {
    description: `Trucks of the company and those shared with it, by name. ${WHOLE} \`trucksByPage\` has no such end.`,
  })
  async trucks(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Root() board: DayBoard): Promise<DayTruck[]> {
    const order = { key: 'name', sql: (t: string) => `lower(${t}.name)` };
    const trucks = await ctx.read.list(Equipment, info, { ...trucksOf(ctx, board), order, most, at: { below: 'truck', columns: [] } });
    return withTruck(ctx, board, showable(trucks));
  }

  @FieldResolver(() => DayTruckConnection, { description: 'The same trucks page by page.' })
  async trucksByPage(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Root() board: DayBoard,
    @Args(() => DayPageArgs) args: DayPageArgs,
  ): Promise<Connection<DayTruck>> {
    const sort = { name: SortDirection.asc };
    const page = await ctx.read.page(Equipment, info, { ...args, ...trucksOf(ctx, board), sort, below: 'truck' });
    return withNodes(page, await withTruck(ctx, board, page.nodes));
  }
}

const around = (ctx: Context, board: DayBoard, limit: (board: DayBoard, personId: string) => Where): Where[] => {
  const person = personOf(ctx);
  return person ? [limit(board, person)] : [];
};
const driversOf = (ctx: Context, board: DayBoard) => ({
  companyId: board.companyId,
  where: [DRIVERS, KEPT, ...around(ctx, board, driversAround)],
  shared: true,
});
const trucksOf = (ctx: Context, board: DayBoard) => ({
  companyId: board.companyId,
  where: [KEPT, ...around(ctx, board, trucksAround)],
  shared: true,
});

const IDLE: DayWork = { availability: 'available', jobsCount: 0 };
const idsOf = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id);

async function withDriver(ctx: Context, board: DayBoard, drivers: readonly User[]): Promise<DayDriver[]> {
  const work = await workOfDrivers(ctx, board, idsOf(drivers));
  return drivers.map((driver) => ({ driver, ...(work.get(driver.id) ?? IDLE) }));
}

async function withTruck(ctx: Context, board: DayBoard, trucks: readonly Equipment[]): Promise<DayTruck[]> {
  const work = await workOfTrucks(ctx, board, idsOf(trucks));
  return trucks.map((truck) => ({ truck, ...(work.get(truck.id) ?? IDLE) }));
}

/** The same page of other nodes, in the same order. */
const withNodes = <T>({ edges, ...page }: Connection<unknown>, nodes: T[]): Connection<T> => ({
  ...page,
  nodes,
  edges: edges?.map(({ cursor }, at) => ({ node: nodes[at]!, cursor })),
});
