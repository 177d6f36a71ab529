import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { companyOf, viewerOf } from '../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../platform/authz/field-permissions.ts';
import type { Context } from '../platform/context.ts';
import { companyArg } from '../platform/graphql/record-mutations.ts';
import { extendEntity } from '../platform/model/decorators.ts';
import type { Connection } from '../platform/read/connection.ts';
import type { Where } from '../platform/read/reader.ts';
import { isSandbox } from '../platform/worlds/sandbox-ids.ts';
import { ofSandbox } from './sandbox.access.ts';
import { Sandbox } from './sandbox.entity.ts';
import {
  CreateSandboxInput,
  MoveSandboxClockInput,
  SandboxConnection,
  SandboxListArgs,
  SandboxMessageConnection,
} from './sandbox.inputs.ts';
import { SandboxMessage } from './sandbox-message.entity.ts';
import { createSandbox, endSandbox, KEEPS_SANDBOXES, type MadeSandbox, mayKeep, moveSandboxClock } from './sandboxes.ts';

const SHOWN_ONCE = 'what is shown once of sandboxes';

export const sandboxExtension = extendEntity(Sandbox, { password: { columns: ['id'] }, clientSecret: { columns: ['id'] } });

/** Those of the caller's companies, or of one of these, and the one that the caller is in. @throws Missing for another company */
const theirs = (ctx: Context, companyId?: string | null): Where => ({
  key: 'sandboxes',
  sql: THERE,
  cast: 'uuid[]',
  value: companyId ? [companyOf(ctx, companyId)] : viewerOf(ctx).companyIds,
});
/** One that is empty is gone for everybody. */
const THERE = (t: string, companies: string): string => `${ofSandbox(t, companies)} and ${t}.emptied_at is null`;

@Resolver(() => Sandbox)
export class SandboxResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: "The administrator's password; only when the sandbox is made, otherwise null.",
  })
  password(@Root() { id }: Sandbox, @Ctx() ctx: Context): string | null {
    return shownOf(ctx).get(id)?.password ?? null;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "The machine client's secret; only when the sandbox is made, otherwise null.",
  })
  clientSecret(@Root() { id }: Sandbox, @Ctx() ctx: Context): string | null {
    return shownOf(ctx).get(id)?.clientSecret ?? null;
  }

  @Query(() => Sandbox, { description: 'A sandbox of a company of yours, or the one that you are in.' })
  @Requires(KEEPS_SANDBOXES)
  async sandbox(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('id', () => ID) id: string): Promise<Sandbox> {
    return read(ctx, info, id);
  }

  @Query(() => SandboxConnection, { description: 'The sandboxes of your companies, or of one of them; within a sandbox, that one.' })
  @Requires(KEEPS_SANDBOXES)
  sandboxes(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SandboxListArgs) args: SandboxListArgs,
  ): Promise<Connection<Sandbox>> {
    mayKeep(ctx);
    return ctx.read.page(Sandbox, info, { ...args, family: true, where: [theirs(ctx, args.companyId)] });
  }

  @Query(() => Sandbox, { nullable: true, description: 'The sandbox that you are in; null in a real company.' })
  @AnySignedIn()
  async currentSandbox(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo): Promise<Sandbox | null> {
    const { companyId } = viewerOf(ctx);
    if (!isSandbox(companyId)) return null;
    const where: Where = { key: 'current', sql: (t, p) => `world_of(${t}.id) = world_of(${p})`, cast: 'uuid', value: companyId };
    const [found] = await ctx.read.list(Sandbox, info, { where: [where], most: 1 });
    return (found as Sandbox | undefined) ?? null;
  }

  @Query(() => SandboxMessageConnection, { description: 'Mails, texts and pushes that your sandbox would have sent.' })
  @Requires(KEEPS_SANDBOXES)
  sandboxMessages(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SandboxListArgs) args: SandboxListArgs,
  ): Promise<Connection<SandboxMessage>> {
    mayKeep(ctx);
    return ctx.read.page(SandboxMessage, info, args);
  }

  @Mutation(() => Sandbox, { description: 'Makes a company to try things in. Password and secret are returned only here.' })
  @Requires(KEEPS_SANDBOXES)
  async createSandbox(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateSandboxInput) input: CreateSandboxInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Sandbox> {
    const made = await createSandbox(ctx, input, companyId);
    shownOf(ctx).set(made.id, made);
    return read(ctx, info, made.id);
  }

  @Mutation(() => Sandbox, { description: 'Moves the clock of a sandbox forward.' })
  @Requires(KEEPS_SANDBOXES)
  async moveSandboxClock(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => MoveSandboxClockInput) input: MoveSandboxClockInput,
  ): Promise<Sandbox> {
    await moveSandboxClock(ctx, id, input);
    return read(ctx, info, id);
  }

  @Mutation(() => Boolean, {
    description: 'Ends a sandbox: everybody is signed out of it at once, and it is deleted with everything in it.',
  })
  @Requires(KEEPS_SANDBOXES)
  async endSandbox(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<boolean> {
    await endSandbox(ctx, id);
    return true;
  }
}

/** Foreign ids are missing before anything is denied. */
async function read(ctx: Context, info: GraphQLResolveInfo, id: string): Promise<Sandbox> {
  const found = (await ctx.read.one(Sandbox, info, { id, where: [theirs(ctx)] })) as Sandbox;
  mayKeep(ctx);
  return found;
}

function shownOf(ctx: Context): Map<string, MadeSandbox> {
  const shown = (ctx.memo.get(SHOWN_ONCE) as Map<string, MadeSandbox> | undefined) ?? new Map<string, MadeSandbox>();
  ctx.memo.set(SHOWN_ONCE, shown);
  return shown;
}
