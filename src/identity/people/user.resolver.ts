import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { WITH_DISCARDED } from '../../directory/master-data/discarded-filter.ts';
import { User } from '../../directory/people/user.entity.ts';
import { AnySignedIn, Requires, self } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import { oneAsOf, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { createUser } from './create-user.ts';
import { deactivateUser, reactivateUser } from './deactivate-user.ts';
import { InvitationChannel } from './invitation.entity.ts';
import { inviteUser } from './invite-user.ts';
import { updateUser } from './update-user.ts';
import { CreateUserInput, UpdateUserInput } from './user.inputs.ts';
import { UserConnection, UserListAsOfArgs, UserTypeaheadArgs } from './user.lists.ts';

@Resolver(() => User)
export class UserResolver {
  @Query(() => UserConnection, { description: 'Suggestions of people while somebody types.' })
  @AnySignedIn()
  userTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => UserTypeaheadArgs) args: UserTypeaheadArgs,
  ): Promise<Connection<User>> {
    const sort = { lastName: 'asc', firstName: 'asc' };
    return ctx.read.page(User, info, { ...args, ranked: true, sort, filter: { ...args.filter, discarded: false } });
  }

  @Mutation(() => User, { description: 'Adds a person to a company.' })
  @Requires('create_user')
  async createUser(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateUserInput) input: CreateUserInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<User> {
    const { id } = await createUser(ctx, input, companyId);
    return ctx.read.one(User, info, { id });
  }

  @Mutation(() => String, { description: 'Invites a person to sign up, by mail or text message.' })
  @Requires('create_user')
  async inviteUser(
    @Ctx() ctx: Context,
    @Arg('userId', () => ID) userId: string,
    @Arg('channel', () => InvitationChannel) channel: InvitationChannel,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<string> {
    await inviteUser(ctx, { id: userId, companyId }, channel);
    return 'invited';
  }
}

/** Commands on one user. */
export const UserMutations = mutationsOf(User, {
  updateUser: requires(['edit_user', self('id')], withInput(UpdateUserInput, updateUser, 'Changes a person; roles count at once.')),
  deactivateUser: requires(
    ['delete_user'],
    describe('Deactivates a person, and frees their e-mail address and telephone number. What they did is kept.', deactivateUser),
  ),
  reactivateUser: requires(['delete_user'], describe('Reactivates a person, with the roles they had.', reactivateUser)),
});

export const UserQueries = queriesOf(User, {
  user: oneAsOf(AnySignedIn(), () => ({ where: [WITH_DISCARDED] })),
  users: page(
    AnySignedIn(),
    UserConnection,
    UserListAsOfArgs,
    (args) => ({ ...args, filter: { ...args.filter, discarded: args.filter?.discarded ?? false } }),
    { description: 'The people of one company; deactivated ones only if the filter asks for them.' },
  ),
});
