import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Resolver, Root, Subscription } from 'type-graphql';
import { type Live, liveChanges, renewed } from '../../events/changes/live.ts';
import { find } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { asked } from './bulk.resolver.ts';
import { BulkAction } from './bulk-action.entity.ts';

/** A bulk action at once, and after each step of it, until it is finished. */
async function* progressOf(ctx: Context, { id }: { id: string }): AsyncGenerator<Live<string>> {
  const { company } = await find(await renewed(ctx), BulkAction, id);
  for await (const { payloads, ctx: now } of liveChanges(ctx, { companyId: company.id, types: ['BulkAction'] })) {
    if (payloads.length > 0 && payloads.every((change) => change.id !== id.toLowerCase())) continue;
    const { finishedAt } = await find(now, BulkAction, id);
    yield { payloads: [id], ctx: now };
    if (finishedAt) return;
  }
}

@Resolver()
export class LiveBulkResolver {
  @Subscription(() => BulkAction, {
    description: 'A bulk action at once, and again as it gets on. It ends when the action is finished.',
    subscribe: ({ args, context }) => progressOf(context as Context, args as { id: string }) as never,
  })
  @AnySignedIn()
  bulkActionProgressed(
    @Root() id: string,
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { description: 'The bulk action.' }) _id: string,
  ): Promise<BulkAction> {
    return ctx.read.one(BulkAction, info, { id, where: asked(ctx) });
  }
}
