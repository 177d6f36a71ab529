import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { User } from '../directory/user.entity.ts';
import type { Context } from '../platform/context.ts';
import type { Connection } from '../platform/read/connection.ts';
import { UserConnection, UserListArgs, UserTypeaheadArgs } from './user.lists.ts';

const companyArg = { nullable: true, description: 'Only inside this company; by default anything you may see.' };

@Resolver(() => User)
export class UserResolver {
  @Query(() => User)
  user(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<User> {
    return ctx.read.one(User, info, { id, companyId });
  }

  @Query(() => UserConnection, { description: 'The people of one company; those who were deactivated only when asked for.' })
  users(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Args(() => UserListArgs) args: UserListArgs): Promise<Connection<User>> {
    return ctx.read.page(User, info, { ...args, filter: { ...args.filter, discarded: args.filter?.discarded ?? false } });
  }

  @Query(() => UserConnection, { description: 'People to choose from while somebody types.' })
  userTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => UserTypeaheadArgs) args: UserTypeaheadArgs,
  ): Promise<Connection<User>> {
    const sort = { lastName: 'asc', firstName: 'asc' };
    return ctx.read.page(User, info, { ...args, sort, filter: { ...args.filter, discarded: false } });
  }
}
