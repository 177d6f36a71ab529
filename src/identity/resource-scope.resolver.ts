import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { User } from '../directory/user.entity.ts';
import { find } from '../platform/authz/fences.ts';
import type { Context } from '../platform/context.ts';
import type { Connection } from '../platform/read/connection.ts';
import { ResourceScope } from './resource-scope.entity.ts';
import { CreateResourceScopeInput, ResourceScopeArgs, ResourceScopeConnection } from './resource-scope.inputs.ts';
import { createResourceScope, deleteResourceScope } from './resource-scopes.ts';

const companyArg = { nullable: true, description: 'Only inside this company; by default anything you may see.' };

@Resolver(() => ResourceScope)
export class ResourceScopeResolver {
  @Query(() => ResourceScopeConnection, { description: 'What a person is limited to; whoever has no scope is not limited.' })
  async resourceScopes(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ResourceScopeArgs) args: ResourceScopeArgs,
  ): Promise<Connection<ResourceScope>> {
    const user = await find(ctx, User, args.userId, { companyId: args.companyId });
    const where = [{ key: 'ofUser', sql: (t: string, p: string) => `${t}.user_id = ${p}`, cast: 'uuid', value: user.id }];
    return ctx.read.page(ResourceScope, info, { ...args, companyId: user.company.id, where });
  }

  @Mutation(() => ResourceScope, { description: 'Limits a person to one more site; it counts at once.' })
  async createResourceScope(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('userId', () => ID) userId: string,
    @Arg('input', () => CreateResourceScopeInput) input: CreateResourceScopeInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ResourceScope> {
    const { id } = await createResourceScope(ctx, { id: userId, companyId }, input);
    return ctx.read.one(ResourceScope, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Takes a site from what a person is limited to; without the last one they see everything.' })
  async deleteResourceScope(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteResourceScope(ctx, { id, companyId });
    return true;
  }
}
