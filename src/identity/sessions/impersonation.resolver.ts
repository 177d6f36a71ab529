import { Arg, Ctx, Field, FieldResolver, ID, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import { User } from '../../directory/people/user.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import { Principal } from '../../platform/commands/audit.entity.ts';
import type { Context } from '../../platform/context.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { DateTime } from '../../platform/scalars.ts';
import { endImpersonation, impersonate } from './impersonate.ts';

export const impersonatedByExtension = extendEntity(User, { impersonatedBy: { columns: ['id'] } });

@ObjectType({ description: 'A token for acting as somebody else for a while.', simpleResolvers: true })
export class ImpersonationToken {
  @Field({ description: 'Send it as Authorization: Bearer. It cannot be refreshed.' }) sessionJwt!: string;
  @Field(() => DateTime) expiresAt!: Date;
}

@Resolver(() => User)
export class ImpersonationResolver {
  @FieldResolver(() => Principal, { nullable: true, description: 'For the calling person: the administrator who is impersonating them.' })
  impersonatedBy(@Root() user: User, @Ctx() ctx: Context): Principal | null {
    const viewer = viewerOf(ctx);
    return (viewer.id === user.id && viewer.realActor) || null;
  }

  @Mutation(() => ImpersonationToken, { description: 'Impersonates a person for an hour. Everything you read and do is in the audit log.' })
  @Requires('impersonate')
  async impersonate(
    @Ctx() ctx: Context,
    @Arg('userId', () => ID) userId: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<ImpersonationToken> {
    const { token, expiresAt } = await impersonate(ctx, { id: userId, companyId });
    return { sessionJwt: token, expiresAt };
  }

  @Mutation(() => Boolean, { description: 'Ends the impersonation.' })
  @AnySignedIn()
  async endImpersonation(@Ctx() ctx: Context): Promise<boolean> {
    await endImpersonation(ctx);
    return true;
  }
}
