import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { WITH_DISCARDED } from '../../directory/master-data/discarded-filter.ts';
import { User } from '../../directory/people/user.entity.ts';
import { UserConnection } from '../../identity/people/user.lists.ts';
import { actingFor, ManagedPath } from '../../partners/managed/managed-companies.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { DriverListArgs } from './people.lists.ts';
import { DRIVERS, driverPage } from './people.resolver.ts';

/** The drivers of a managed company, for the company that manages it. */
@Resolver()
export class ManagedDriverResolver {
  @Query(() => UserConnection, { description: 'The drivers of a managed company, and those shared with it.' })
  @AnySignedIn()
  async managedDrivers(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('managedCompanyId', () => ID) managedCompanyId: string,
    @Args(() => DriverListArgs) { companyId, ...args }: DriverListArgs,
  ): Promise<Connection<User>> {
    return driverPage(await actingFor(ctx, { companyId, managedCompanyId }), info, args);
  }

  @Query(() => User)
  @AnySignedIn()
  async managedDriver(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
  ): Promise<User> {
    const acting = await actingFor(ctx, path);
    return acting.read.one(User, info, { id, shared: true, where: [DRIVERS, WITH_DISCARDED] });
  }
}
