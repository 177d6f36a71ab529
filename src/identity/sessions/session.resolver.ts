import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, createUnionType, Field, Info, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { User } from '../../directory/people/user.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Public } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { Missing } from '../../platform/errors.ts';
import { narrowed } from '../../platform/graphql/fields.ts';
import { About } from '../../platform/model/about.ts';
import { DateTime } from '../../platform/scalars.ts';
import { permissionNames } from '../access/permissions.ts';
import type { IdentifiedViewer } from '../access/viewer.ts';
import { M2MClient } from '../machine-clients/machine-client.entity.ts';
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
  @Field({ description: 'Whether it holds for own records only.' }) own!: boolean;
}

const Caller = createUnionType({
  name: 'Caller',
  description: 'A person or a machine client.',
  types: () => [User, M2MClient] as const,
  resolveType: (_caller, ctx: Context) => (viewerOf(ctx).type === 'M2MClient' ? M2MClient : User),
});

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

  @Query(() => Caller, { description: 'The caller: a person, or a machine client.' })
  @AnySignedIn()
  caller(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo): Promise<User | M2MClient> {
    const { type, id } = viewerOf(ctx);
    const selecting = (name: string): GraphQLResolveInfo => ({ ...info, fieldNodes: narrowed(info, name) });
    if (type === 'M2MClient') return ctx.read.one(M2MClient, selecting('M2MClient'), { id });
    return this.me(ctx, selecting('User'));
  }

  @Query(() => [IamPermission], { description: 'The permissions of the calling person or client, by name.' })
  @AnySignedIn()
  myPermissions(@Ctx() ctx: Context): IamPermission[] {
    const { grants } = viewerOf(ctx) as IdentifiedViewer;
    return permissionNames(grants).map((name) => ({ name, own: !grants.has(name) }));
  }
}
