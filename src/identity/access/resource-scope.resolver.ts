import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { ResourceScope } from './resource-scope.entity.ts';
import { CreateResourceScopeInput, ResourceScopeArgs, ResourceScopeConnection } from './resource-scope.inputs.ts';
import { createResourceScope, deleteResourceScope, scopesOf } from './resource-scopes.ts';

@Resolver(() => ResourceScope)
export class ResourceScopeResolver {
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

export const ResourceScopeQueries = queriesOf(ResourceScope, {
  resourceScopes: page(
    AnySignedIn(),
    ResourceScopeConnection,
    ResourceScopeArgs,
    async (args, ctx) => ({ ...args, ...(await scopesOf(ctx, { id: args.userId, companyId: args.companyId })) }),
    { description: 'The sites that a person is limited to; without any, the person is not limited.' },
  ),
});
