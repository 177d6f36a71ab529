import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, Info, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { User } from '../../directory/people/user.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Public } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { Missing } from '../../platform/errors.ts';
import { About } from '../../platform/model/about.ts';
import { DateTime } from '../../platform/scalars.ts';
import { permissionNames } from '../access/permissions.ts';
import type { IdentifiedViewer } from '../access/viewer.ts';
import { logIn } from '../sign-in/log-in.ts';
import { signingIn } from '../sign-in/sign-in-purpose.ts';

@InputType()
@About('Session')
export class LoginInput {
  @Field() email!: string;
  @Field() password!: string;
}

@ObjectType({ description: 'A session of a person.', simpleResolvers: true })
export class Session {
  @Field({ description: 'Send it as Authorization: Bearer.' }) sessionJwt!: string;
  @Field(() => DateTime) expiresAt!: Date;
  @Field({ description: 'Can be exchanged once for a new session token and refresh token. Keep it secret.' }) refreshToken!: string;
  @Field(() => DateTime, { description: 'When the session ends unless it is refreshed before.' }) refreshExpiresAt!: Date;
}

@ObjectType({ simpleResolvers: true })
export class IamPermission {
  @Field() name!: string;
}

@Resolver()
export class SessionResolver {
  @Mutation(() => Session, { description: 'Log in with e-mail and password. Requires no token.' })
  @Public()
  login(@Ctx() ctx: Context, @Arg('input', () => LoginInput) input: LoginInput): Promise<Session> {
    return signingIn(() => logIn(ctx, input));
  }

  @Query(() => User, { description: 'The calling person; an error for machine clients.' })
  @AnySignedIn()
  me(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo): Promise<User> {
    const viewer = viewerOf(ctx);
    if (viewer.type !== 'User' && viewer.type !== 'Impersonation') throw new Missing();
    return ctx.read.one(User, info, { id: viewer.id }) as Promise<User>;
  }

  @Query(() => [IamPermission], { description: 'The permissions of the calling person or client, by name.' })
  @AnySignedIn()
  myPermissions(@Ctx() ctx: Context): IamPermission[] {
    const { grants } = viewerOf(ctx) as IdentifiedViewer;
    return permissionNames(grants).map((name) => ({ name }));
  }
}
