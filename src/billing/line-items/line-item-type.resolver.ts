import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { EVERYBODYS } from '../../directory/master-data/master-data.resolver.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { LineItemType } from './line-item-type.entity.ts';

const LineItemTypeConnection = connectionOf('LineItemType', () => LineItemType);

@Resolver(() => LineItemType)
export class LineItemTypeResolver {
  @Query(() => LineItemTypeConnection, { description: 'Types of line items; they are the same for every company.' })
  @AnySignedIn()
  lineItemTypes(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PageArgs) args: PageArgs,
  ): Promise<Connection<LineItemType>> {
    viewerOf(ctx);
    return ctx.read.page(LineItemType, info, { ...args, sort: { createdAt: 'asc' }, where: [EVERYBODYS] });
  }
}
