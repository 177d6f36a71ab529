import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Resolver, Root, Subscription } from 'type-graphql';
import { User } from '../../directory/people/user.entity.ts';
import { type Live, renewed } from '../../events/changes/live.ts';
import { companyOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';

interface Asked {
  companyId?: string | null;
  driverIds?: string[] | null;
}

/** Milliseconds between two looks: a driver who reports more often is answered once in this time. */
const LOOK_EVERY = 1_000;
const NOW = 'select max(last_ping_at)::text as at from app_user where company_id = $1';
const MOVED = `select id, last_ping_at::text as at from app_user
  where company_id = $1 and last_ping_at > $2::timestamptz and ($3::uuid[] is null or id = any($3::uuid[])) order by last_ping_at, id`;

/** Drivers who reported a position since the last look. Positions are in no feed: each new one makes the one before it worthless. */
async function* moved(begun: Context, { companyId, driverIds }: Asked): AsyncGenerator<Live<string>> {
  let ctx = await renewed(begun);
  const company = companyOf(ctx, companyId);
  const [latest] = await queryOf<{ at: string | null }>(ctx, NOW, [company]);
  let after = latest?.at ?? '-infinity';
  for (; !begun.ended?.aborted; await sleep(LOOK_EVERY, undefined, { ref: false })) {
    ctx = await renewed(begun);
    const rows = await queryOf<{ id: string; at: string }>(ctx, MOVED, [companyOf(ctx, companyId), after, driverIds ?? null]);
    after = rows.at(-1)?.at ?? after;
    for (const { id } of rows) yield { payload: id, ctx };
  }
}

@Resolver()
export class LiveDriversResolver {
  @Subscription(() => User, {
    nullable: true,
    description: 'A driver whose position has changed, at most once a second. Null if you may not see them.',
    subscribe: ({ args, context }) => {
      companyOf(context as Context, (args as Asked).companyId);
      return moved(context as Context, args as Asked) as never;
    },
  })
  @AnySignedIn()
  driverMoved(
    @Root() id: string,
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('companyId', () => ID, { nullable: true, description: 'By default, your own company.' }) companyId?: string,
    @Arg('driverIds', () => [ID], { nullable: true, description: 'Only these drivers.' }) _driverIds?: string[],
  ): Promise<User> {
    return ctx.read.one(User, info, { id, companyId });
  }
}
