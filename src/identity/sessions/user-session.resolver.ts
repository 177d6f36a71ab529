import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, InputType, Mutation, Query, Resolver, Root } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Public, Requires, self } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { About } from '../../platform/model/about.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import type { IdentifiedViewer } from '../access/viewer.ts';
import { signingIn } from '../sign-in/sign-in-purpose.ts';
import { endSession, endSessions, logOut, sessionOwner } from './end-sessions.ts';
import { refreshSession } from './refresh-session.ts';
import { Session } from './session.resolver.ts';
import { UserSession } from './user-session.entity.ts';

export const UserSessionConnection = connectionOf('UserSession', () => UserSession);

export const userSessionExtension = extendEntity(UserSession, { current: { columns: ['id'] } });

@InputType()
@About('Session')
export class RefreshSessionInput {
  @Field() refreshToken!: string;
}

@ArgsType()
class UserSessionArgs extends PageArgs {
  @Field(() => ID) userId!: string;
}

/** Of this person, neither revoked nor over. */
const openOf = (id: string): Where => ({
  key: 'openOf',
  sql: (t, p) => `${t}.user_id = ${p} and ${t}.revoked_at is null and ${t}.expires_at > now()`,
  cast: 'uuid',
  value: id,
});

@Resolver(() => UserSession)
export class UserSessionResolver {
  @FieldResolver(() => Boolean, { description: 'Whether it is the session of this request.' })
  current(@Ctx() ctx: Context, @Root() session: UserSession): boolean {
    return (viewerOf(ctx) as IdentifiedViewer).sessionId === session.id;
  }

  @Query(() => UserSessionConnection, {
    description: 'The sessions of a person: your own, or those of somebody whom you may edit and who has no permission that you lack.',
  })
  @Requires('edit_user', self('userId'))
  async userSessions(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => UserSessionArgs) args: UserSessionArgs,
  ): Promise<Connection<UserSession>> {
    const user = await sessionOwner(ctx, args.userId);
    return ctx.read.page(UserSession, info, { ...args, companyId: user.company.id, where: [openOf(user.id)] });
  }

  @Query(() => UserSession)
  @Requires('edit_user', self('userId'))
  async userSession(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('userId', () => ID) userId: string,
    @Arg('id', () => ID) id: string,
  ): Promise<UserSession> {
    const user = await sessionOwner(ctx, userId);
    return ctx.read.one(UserSession, info, { id, where: [openOf(user.id)] });
  }

  @Mutation(() => Session, {
    description: 'Exchanges a refresh token, which can be used once, for a new session token. Requires no session token.',
  })
  @Public()
  refreshSession(@Ctx() ctx: Context, @Arg('input', () => RefreshSessionInput) input: RefreshSessionInput): Promise<Session> {
    return signingIn(() => refreshSession(ctx, input));
  }

  @Mutation(() => Boolean, { description: 'Ends the session of this request.' })
  @AnySignedIn()
  async logOut(@Ctx() ctx: Context): Promise<boolean> {
    await logOut(ctx);
    return true;
  }

  @Mutation(() => [ID], {
    description:
      'Ends every session of a person, your own, or those of somebody whom you may edit and who has no permission that you lack, and returns their ids.',
  })
  @Requires('edit_user', self('userId'))
  endUserSessions(@Ctx() ctx: Context, @Arg('userId', () => ID) userId: string): Promise<string[]> {
    return endSessions(ctx, userId);
  }

  @Mutation(() => Boolean, { description: 'Ends one session of a person.' })
  @Requires('edit_user', self('userId'))
  async endUserSession(@Ctx() ctx: Context, @Arg('userId', () => ID) userId: string, @Arg('id', () => ID) id: string): Promise<boolean> {
    await endSession(ctx, { userId, id });
    return true;
  }
}
