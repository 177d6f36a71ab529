import type DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, InputType, Int, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { AccountConnection, AccountSearch } from '../../directory/accounts/account.lists.ts';
import { WITH_DISCARDED } from '../../directory/master-data/discarded-filter.ts';
import { isOff } from '../../directory/people/time-off.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { RequiresColumns } from '../../platform/model/decorators.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import { defineFilters, type FilterPredicate } from '../../platform/read/grammar.ts';
import { loaderOf } from '../../platform/read/loader.ts';
import { UpdatedSince } from '../../platform/read/time-range.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { endOfDay, startOfDay } from '../model/company-day.ts';
import { Job } from '../model/job.entity.ts';

const optional = { nullable: true };

@InputType()
class AccountCapacityFilter {
  @Field(() => Boolean, { nullable: true, description: 'True: vendors with trucks left on the day that are not off; false: the others.' })
  availability?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'True: discarded vendors, too.' }) showAll?: boolean | null;
  @Field(() => [ID], { nullable: true, description: 'Vendors with any of these labels.' }) labelIds?: string[] | null;
  @UpdatedSince() updatedSince?: Date | null;
}

@ArgsType()
class AccountCapacityArgs extends PageArgs {
  @Field(() => LocalDate, { description: 'A day in the time zone of the company.' }) date!: string;
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => AccountCapacityFilter, optional) filter?: AccountCapacityFilter | null;
  @Field(() => AccountSearch, optional) search?: AccountSearch | null;
}

/** The jobs that a vendor has on a day. A job that it refused or that was canceled takes no truck (`assign_vendor` counts in the same way). */
const assigned = (vendors: string, from: string, to: string): string =>
  `from job_assignment l join job j on j.id = l.job_id where l.vendor_account_id ${vendors} and j.job_start_at >= ${from}
    and j.job_start_at < ${to} and j.state not in ('created', 'rejected', 'canceled')`;
/** Today counts from now on: a driver who was off this morning may be available now. */
const restOf = (p: string) => `case when present_time() between (${p})[1] and (${p})[2] then present_time() else (${p})[1] end`;
const off = (t: string, p: string) => isOff('account_id', t, restOf(p), `(${p})[2]`);
const free = (t: string, p: string, limits: Parameters<FilterPredicate>[2]): string =>
  `(not ${off(t, p)} and (${t}.truck_count = 0 or ${t}.truck_count > (select count(*) ${assigned(`= ${t}.id`, `(${p})[1]`, `(${p})[2]`)}${limits(Job, 'j')})))`;
const day = async (date: unknown, ctx: Context, companyId: string) => [
  await startOfDay(date, ctx, companyId),
  await endOfDay(date, ctx, companyId),
];

export const accountCapacityFilters = defineFilters(Account, {
  date: { sql: (t, p) => `not ${off(t, p)}`, cast: 'timestamptz[]', value: day },
  withTrucks: { sql: free, cast: 'timestamptz[]', value: day },
  withoutTrucks: { sql: (t, p, limits) => `not ${free(t, p, limits)}`, cast: 'timestamptz[]', value: day },
});

/** The number of trucks that vendors can still send on a day. */
@Resolver(() => Account)
export class AccountCapacityResolver {
  @Query(() => AccountConnection, { description: 'Vendors by name while somebody types, with the number of their trucks on a day.' })
  @AnySignedIn()
  accountCapacityTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => AccountCapacityArgs) { date, filter, ...args }: AccountCapacityArgs,
  ): Promise<Connection<Account>> {
    const { availability, showAll, ...meant } = filter ?? {};
    return ctx.read.page(Account, info, {
      ...args,
      sort: { name: 'asc' },
      filter: {
        ...meant,
        accountTypes: ['vendor'],
        discarded: showAll ? undefined : false,
        withTrucks: availability === true ? date : undefined,
        withoutTrucks: availability === false ? date : undefined,
      },
      where: showAll ? [WITH_DISCARDED] : [],
    });
  }

  @FieldResolver(() => Int, { description: 'The number of jobs that the vendor has on the day.' })
  @RequiresColumns(['id', 'companyId'])
  currentAssignedCount(
    @Ctx() ctx: Context,
    @Root() account: Account & { companyId: string },
    @Arg('date', () => LocalDate) date: string,
  ): Promise<number> | number {
    // The capacity that another company agreed with its vendors is not visible.
    if (!viewerOf(ctx).companyIds.includes(account.companyId)) return 0;
    return assignedCounts(ctx, date, account.companyId).load(account.id);
  }
}

/** Loads the counts of all requested vendors for a day in one statement. */
function assignedCounts(ctx: Context, date: string, companyId: string): DataLoader<string, number> {
  return loaderOf(ctx, `assignedCounts:${companyId}:${date}`, async (ids) => {
    const values: unknown[] = [ids, ...(await day(date, ctx, companyId))];
    const limits = limitsFor(viewerOf(ctx), Job, 'j', values);
    const text = `select l.vendor_account_id as id, count(*)::int as count ${assigned('= any($1)', '$2', '$3')}${limits} group by 1`;
    const { rows } = await (await poolOf(ctx.em)).query<{ id: string; count: number }>({
      ...(limits ? {} : { name: 'assigned-counts' }),
      text,
      values,
    });
    const counts = new Map(rows.map(({ id, count }) => [id, count]));
    return ids.map((id) => counts.get(id) ?? 0);
  });
}
