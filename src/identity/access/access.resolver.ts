import { Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { AccessName, accessOf } from './access.ts';

@ObjectType({ description: 'A feature that a user interface offers.', simpleResolvers: true })
export class Access {
  @Field(() => AccessName) name!: AccessName;
}

@Resolver()
export class AccessResolver {
  @Query(() => [Access], { description: 'The features that a user interface offers to the calling person or client.' })
  @AnySignedIn()
  myAccess(@Ctx() ctx: Context): Access[] {
    return accessOf(viewerOf(ctx)).map((name) => ({ name }));
  }
}
