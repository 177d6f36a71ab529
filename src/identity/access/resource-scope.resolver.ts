import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { ResourceScope } from './resource-scope.entity.ts';
import { CreateResourceScopeInput, ResourceScopeArgs, ResourceScopeConnection } from './resource-scope.inputs.ts';
import { createResourceScope, deleteResourceScope, scopesOf } from './resource-scopes.ts';

@Resolver(() => ResourceScope)
export class ResourceScopeResolver {
  @Query(() => ResourceScopeConnection, { description: 'The sites that a person is limited to; without any, the person is not limited.' })
  @AnySignedIn()
  async resourceScopes(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ResourceScopeArgs) args: ResourceScopeArgs,
  ): Promise<Connection<ResourceScope>> {
    return ctx.read.page(ResourceScope, info, { ...args, ...(await scopesOf(ctx, { id: args.userId, companyId: args.companyId })) });
  }

  @Mutation(() => ResourceScope, { description: 'Limits a person to one more site, with immediate effect.' })
  @Requires('create_resource_scope')
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

  @Mutation(() => Boolean, {
    description: 'Removes a site from those that a person is limited to; without the last one the person sees everything.',
  })
  @Requires('delete_resource_scope')
  async deleteResourceScope(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteResourceScope(ctx, { id, companyId });
    return true;
  }
}
