import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { seesMoney, unseenKeys } from '../../identity/access/money.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import { AuditEntry } from '../../platform/commands/audit.entity.ts';
import type { Context } from '../../platform/context.ts';
import { Missing } from '../../platform/errors.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { ReportsArchived, reportArchived } from '../../platform/read/past/archived.ts';
import type { Where } from '../../platform/read/reader.ts';
import { isOwnersSide } from '../access/order.policy.ts';
import { Order } from '../model/order.entity.ts';

export const TimelineConnection = connectionOf('TimelineEntry', () => AuditEntry);

@ArgsType()
class TimelineArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

/** The changes of a record, with their authors, newest first. They are visible to the owner's side only: a vendor gets none. */
@Resolver()
export class TimelineResolver {
  @ReportsArchived()
  @Query(() => TimelineConnection)
  @AnySignedIn()
  async orderTimeline(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('orderId', () => ID) orderId: string,
    @Args(() => TimelineArgs) args: TimelineArgs,
  ): Promise<Connection<AuditEntry>> {
    const order = await find(ctx, Order, orderId, { companyId: args.companyId });
    if (!isOwnersSide(viewerOf(ctx), order)) throw new Missing();
    return timeline(ctx, info, args, 'Order', order);
  }
}

/**
 * SQL of whether an entry has something to show to a viewer from whom the keys that `p` matches are hidden. The database decides it, so that pages are full
 * and their cursors right.
 */
const SHOWS = (t: string, p: string): string => `exists (select from jsonb_object_keys(${t}.object_changes) k where k !~ ${p})`;

async function timeline(
  ctx: Context,
  info: GraphQLResolveInfo,
  args: TimelineArgs,
  type: string,
  subject: { id: string; company: { id: string } },
): Promise<Connection<AuditEntry>> {
  const is = (column: string, cast: string, value: string): Where => ({ key: column, sql: (t, p) => `${t}.${column} = ${p}`, cast, value });
  const where = [is('company_id', 'uuid', subject.company.id), is('subject_type', 'text', type), is('subject_id', 'uuid', subject.id)];
  const viewer = viewerOf(ctx);
  const unseen = unseenKeys(viewer, type);
  if (unseen !== undefined) where.push({ key: 'shown', sql: SHOWS, cast: 'text', value: unseen });
  await reportArchived(ctx, info, subject.company.id, 'audit_entry');
  const page = await ctx.read.page(AuditEntry, info, { ...args, companyId: undefined, where });
  for (const entry of [...(page.nodes ?? []), ...(page.edges ?? []).map((edge) => edge.node)]) {
    if (!entry?.objectChanges) continue;
    entry.objectChanges = Object.fromEntries(Object.entries(entry.objectChanges).filter(([field]) => seesMoney(viewer, field, type)));
  }
  return page;
}
