import { AsyncLocalStorage } from 'node:async_hooks';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Resolver, Root, Subscription } from 'type-graphql';
import { User } from '../../directory/people/user.entity.ts';
import { feedReaderOf, requireSameRights } from '../../events/changes/feed-reader.ts';
import { type Live, pause, renewed } from '../../events/changes/live.ts';
import { readableRecords } from '../../events/changes/readable-records.ts';
import { perApplication } from '../../platform/application.ts';
import { companyOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { currentIds } from '../../platform/database/former-ids.ts';
import { asCompanies } from '../../platform/database/scope.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';

interface Asked {
  companyId?: string | null;
  driverIds?: string[] | null;
}

const MOST_DRIVERS = 100;
/** Drivers that are read in one statement. */
const TOGETHER = 100;
/** Milliseconds between two looks: a driver who reports more often is answered once in this time. */
const LOOK_EVERY = 1_000;
// What is left of a merged driver has reported when the driver did, and is nobody.
const PINGS = `select id, last_ping_at::text as at from app_user
  where company_id = $1 and last_ping_at is not null and (discarded_at is null or not is_left_of_merge(id)) order by last_ping_at, id`;

/** Returns the drivers who answer for the ids: for those of merged ones, who stayed. */
async function answering(ctx: Context, ids: readonly string[]): Promise<string[]> {
  const current = ctx.viewer?.hasMerged ? await currentIds(ctx, ids) : new Map<string, string>();
  return ids.map((id) => current.get(id) ?? id);
}

/** When each driver of a company reported last, by id, the latest last. */
type Pings = ReadonlyMap<string, string>;

/** The answers of the last second for a company, for all who follow its drivers in this process. */
const looks = perApplication('looks at drivers', () => new Map<string, Promise<Pings>>());

/** It serves all who follow, so it is part of none of their requests. */
const outside = AsyncLocalStorage.snapshot();

function pingsOf(ctx: Context, company: string): Promise<Pings> {
  const known = looks.of(ctx.em);
  const look =
    known.get(company) ??
    outside(async () => {
      const rows = await asCompanies([company], () => queryOf<{ id: string; at: string }>(ctx, PINGS, [company]));
      return new Map(rows.map(({ id, at }) => [id, at]));
    });
  if (!known.has(company)) {
    known.set(company, look);
    setTimeout(() => known.delete(company), LOOK_EVERY / 2).unref();
  }
  return look;
}

/** @throws Invalid for what is no driver of the company whom the caller may see */
async function requireDrivers(ctx: Context, company: string, ids: readonly string[]): Promise<void> {
  const model = 'User';
  if (ids.length > MOST_DRIVERS) throw new Invalid([{ model, field: 'driverIds', key: 'too_many_items', params: { max: MOST_DRIVERS } }]);
  const problem = (at: number, key: string): ErrorItem => ({ model, field: `driverIds.${at}`, key });
  const malformed = ids.flatMap((id, at) => (isUuid(id) ? [] : [problem(at, 'not_a_uuid')]));
  if (malformed.length > 0) throw new Invalid(malformed);
  const there = await readableRecords.of(ctx.em).visible(ctx, company, model, ids);
  const unknown = ids.flatMap((id, at) => (there.has(id) ? [] : [problem(at, 'must_exist')]));
  if (unknown.length > 0) throw new Invalid(unknown);
}

/**
 * Drivers who reported a position since the last look. Positions are in no feed: each new one makes the one before it worthless. They are compared
 * driver by driver, because what a driver reports late has an earlier time than what others have reported.
 * @throws Unauthenticated when the session ends, Gone when the rights of the subscriber change
 */
async function* moved(begun: Context, { companyId, driverIds }: Asked): AsyncGenerator<Live<string>> {
  let ctx = await renewed(begun);
  const reader = feedReaderOf(ctx, companyId);
  const asked = driverIds && [...new Set(driverIds.map((id) => id.toLowerCase()))];
  if (asked) await requireDrivers(ctx, companyOf(ctx, companyId), await answering(ctx, asked));
  let before = await pingsOf(ctx, companyOf(ctx, companyId));
  for (;;) {
    begun.turn?.end();
    await pause(LOOK_EVERY, begun.ended);
    if (begun.ended?.aborted) return;
    ctx = await renewed(begun);
    requireSameRights(ctx, reader);
    const now = await pingsOf(ctx, companyOf(ctx, companyId));
    // Drivers may be merged, and merges undone, while somebody follows them.
    const wanted = asked && new Set(await answering(ctx, asked));
    const ids = [...now].flatMap(([id, at]) => (before.get(id) !== at && (!wanted || wanted.has(id)) ? [id] : []));
    for (let first = 0; first < ids.length; first += TOGETHER) yield { payloads: ids.slice(first, first + TOGETHER), ids: true, ctx };
    before = now;
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
    @Arg('driverIds', () => [ID], { nullable: true, description: `Only these drivers, at most ${MOST_DRIVERS}.` }) _driverIds?: string[],
  ): Promise<User> {
    return ctx.read.one(User, info, { id, companyId });
  }
}
