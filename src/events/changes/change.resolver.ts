import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { DEFAULT_PAGE } from '../../platform/read/lists.ts';
import { ChangeArgs, ChangePage } from './change.types.ts';
import { waitForChanges } from './wait-for-changes.ts';

@Resolver()
export class ChangeResolver {
  @Query(() => ChangePage, {
    description: 'What changed of the records of a company that you may see: every change, in one order that stays as it is.',
  })
  @AnySignedIn()
  async changes(@Ctx() ctx: Context, @Args(() => ChangeArgs) { companyId, after, types, first, wait }: ChangeArgs): Promise<ChangePage> {
    const asked = { companyId, after, types, limit: first ?? DEFAULT_PAGE };
    const { changes, position, more } = await waitForChanges(ctx, asked, { wait: wait ?? 0 });
    return { nodes: changes, position, hasMore: more };
  }
}
