import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { ResourceScope } from '../../identity/access/resource-scope.entity.ts';
import { CreateResourceScopeInput, ResourceScopeArgs, ResourceScopeConnection } from '../../identity/access/resource-scope.inputs.ts';
import { createResourceScope, deleteResourceScope, scopesOf } from '../../identity/access/resource-scopes.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { actingFor, ManagedPath } from './managed-companies.ts';

/** The site limits of the people of a managed company, for the company that manages it. */
@Resolver()
export class ManagedScopeResolver {
  @Query(() => ResourceScopeConnection, { description: 'The sites that a person of a managed company is limited to.' })
  @AnySignedIn()
  async managedResourceScopes(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('managedCompanyId', () => ID) managedCompanyId: string,
    @Args(() => ResourceScopeArgs) { companyId, ...args }: ResourceScopeArgs,
  ): Promise<Connection<ResourceScope>> {
    const acting = await actingFor(ctx, { companyId, managedCompanyId });
    return acting.read.page(ResourceScope, info, { ...args, ...(await scopesOf(acting, { id: args.userId })) });
  }

  @Mutation(() => ResourceScope, { description: 'Limits a person of a managed company to one more site, with immediate effect.' })
  @Requires('create_resource_scope')
  async createManagedResourceScope(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('userId', () => ID) userId: string,
    @Arg('input', () => CreateResourceScopeInput) input: CreateResourceScopeInput,
  ): Promise<ResourceScope> {
    const acting = await actingFor(ctx, path);
    const { id } = await createResourceScope(acting, { id: userId }, input);
    return acting.read.one(ResourceScope, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Removes a site from those that a person of a managed company is limited to.' })
  @Requires('delete_resource_scope')
  async deleteManagedResourceScope(
    @Ctx() ctx: Context,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
  ): Promise<boolean> {
    await deleteResourceScope(await actingFor(ctx, path), { id });
    return true;
  }
}
