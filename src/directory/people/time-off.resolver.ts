import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { AnySignedIn, Requires, self } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { CreateTimeOffInput, ScheduledTimeOff, TimeOffConnection, UserTimeOffArgs } from './time-off.entity.ts';
import { createTimeOff, deleteTimeOff, makeAvailable, makeUnavailable, timesOffOf } from './time-off.ts';
import { User } from './user.entity.ts';

/** When people are not to be planned with. */
@Resolver(() => ScheduledTimeOff)
export class TimeOffResolver {
  @Mutation(() => ScheduledTimeOff, { description: 'Plans time off for a person. People may do so for themselves, too.' })
  @Requires('edit_user', self('userId'))
  async createUserTimeOff(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('userId', () => ID) userId: string,
    @Arg('input', () => CreateTimeOffInput) input: CreateTimeOffInput,
  ): Promise<ScheduledTimeOff> {
    const { id } = await createTimeOff(ctx, 'User', userId, input);
    return ctx.read.one(ScheduledTimeOff, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Deletes a time off.' })
  @Requires('edit_user', self('userId'))
  async deleteUserTimeOff(@Ctx() ctx: Context, @Arg('userId', () => ID) userId: string, @Arg('id', () => ID) id: string): Promise<boolean> {
    await deleteTimeOff(ctx, 'User', userId, id);
    return true;
  }

  @Mutation(() => User, { description: 'Ends the present time off of a person.' })
  @Requires('edit_user', self('userId'))
  async makeUserAvailable(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('userId', () => ID) userId: string): Promise<User> {
    const { id } = await makeAvailable(ctx, 'User', userId);
    return ctx.read.one(User, info, { id });
  }

  @Mutation(() => User, { description: 'Sets a person off from now until further notice.' })
  @Requires('edit_user', self('userId'))
  async makeUserUnavailable(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('userId', () => ID) userId: string): Promise<User> {
    const { id } = await makeUnavailable(ctx, 'User', userId);
    return ctx.read.one(User, info, { id });
  }
}

export const TimeOffQueries = queriesOf(ScheduledTimeOff, {
  userTimeOffs: page(
    AnySignedIn(),
    TimeOffConnection,
    UserTimeOffArgs,
    async ({ userId, ...args }, ctx) => ({ ...args, ...(await timesOffOf(ctx, 'User', userId)) }),
    { description: 'Times when a person is off, including past ones.' },
  ),
});
