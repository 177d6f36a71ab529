import { type GraphQLResolveInfo, Kind } from 'graphql';
import { Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { DEFAULT_PAGE } from '../../platform/read/lists.ts';
import { ChangeArgs, ChangePage } from './change.types.ts';
import { type Patience, waitForChanges } from './wait-for-changes.ts';

@Resolver()
export class ChangeResolver {
  @Query(() => ChangePage, {
    description: 'The changes of the records of a company that you may see: every change, in one order that stays as it is.',
  })
  @AnySignedIn()
  async changes(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ChangeArgs) { companyId, after, types, first, wait }: ChangeArgs,
  ): Promise<ChangePage> {
    const asked = { companyId, after, types, limit: first ?? DEFAULT_PAGE };
    const { changes, position, more } = await waitForChanges(ctx, asked, wait ? { wait, ...patienceOf(ctx, info) } : { wait: 0 });
    return { nodes: changes, position, hasMore: more };
  }
}

/**
 * A request that waits keeps no other one of the same caller waiting, unless other fields of theirs are answered meanwhile. The rights with which the records are
 * read afterwards are those of the beginning: had they changed, the position would not be read on.
 */
function patienceOf(ctx: Context, { operation }: GraphQLResolveInfo): Omit<Patience, 'wait'> {
  const { selections } = operation.selectionSet;
  const alone = selections.length === 1 && selections[0]!.kind === Kind.FIELD;
  return {
    signal: ctx.ended,
    pausing: () => alone && ctx.turn?.end(),
    renew: async () => {
      const now = (await ctx.renew?.()) ?? ctx;
      await ctx.turn?.take();
      return now;
    },
  };
}
