import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { WITH_DISCARDED } from '../../directory/master-data/discarded-filter.ts';
import { User } from '../../directory/people/user.entity.ts';
import { createUser } from '../../identity/people/create-user.ts';
import { deactivateUser } from '../../identity/people/deactivate-user.ts';
import { InvitationChannel } from '../../identity/people/invitation.entity.ts';
import { inviteUser } from '../../identity/people/invite-user.ts';
import { updateUser } from '../../identity/people/update-user.ts';
import { CreateUserInput, UpdateUserInput } from '../../identity/people/user.inputs.ts';
import { UserConnection, UserListArgs } from '../../identity/people/user.lists.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { actingFor, ManagedPath } from './managed-companies.ts';

/** The people of a managed company, for the company that manages it. */
@Resolver()
export class ManagedPeopleResolver {
  @Query(() => UserConnection, { description: 'The people of a managed company.' })
  @AnySignedIn()
  async managedUsers(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('managedCompanyId', () => ID) managedCompanyId: string,
    @Args(() => UserListArgs) { companyId, ...args }: UserListArgs,
  ): Promise<Connection<User>> {
    const acting = await actingFor(ctx, { companyId, managedCompanyId });
    return acting.read.page(User, info, { ...args, filter: { ...args.filter, discarded: args.filter?.discarded ?? false } });
  }

  @Query(() => User)
  @AnySignedIn()
  async managedUser(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
  ): Promise<User> {
    return (await actingFor(ctx, path)).read.one(User, info, { id, where: [WITH_DISCARDED] });
  }

  @Mutation(() => User, { description: 'Adds a person to a managed company.' })
  @Requires('create_user')
  async createManagedUser(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('input', () => CreateUserInput) input: CreateUserInput,
  ): Promise<User> {
    const acting = await actingFor(ctx, path);
    const { id } = await createUser(acting, input, acting.viewer!.companyId);
    return acting.read.one(User, info, { id });
  }

  @Mutation(() => User, { description: 'Changes a person of a managed company; roles have immediate effect.' })
  @Requires('edit_user')
  async updateManagedUser(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateUserInput) input: UpdateUserInput,
  ): Promise<User> {
    const acting = await actingFor(ctx, path);
    await updateUser(acting, { id }, input);
    return acting.read.one(User, info, { id });
  }

  @Mutation(() => User, { description: 'Deactivates a person of a managed company; what they did is kept.' })
  @Requires('delete_user')
  async deactivateManagedUser(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
  ): Promise<User> {
    const acting = await actingFor(ctx, path);
    await deactivateUser(acting, { id });
    return acting.read.one(User, info, { id });
  }

  @Mutation(() => String, { description: 'Invites a person of a managed company to sign up, by mail or text message.' })
  @Requires('create_user')
  async inviteManagedUser(
    @Ctx() ctx: Context,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('userId', () => ID) userId: string,
    @Arg('channel', () => InvitationChannel) channel: InvitationChannel,
  ): Promise<string> {
    await inviteUser(await actingFor(ctx, path), { id: userId }, channel);
    return 'invited';
  }
}
