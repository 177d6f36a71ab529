import { Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { Public } from '../../platform/authz/field-permissions.ts';

/** Oldest release of the drivers' app that these interfaces still serve; raised when something it uses is removed. */
const MINIMUM_SUPPORTED_VERSION = 1;

@ObjectType({ description: "The settings that the drivers' app reads before the sign-in.", simpleResolvers: true })
export class MobileContext {
  @Field(() => Int) minimumSupportedVersion!: number;
}

@Resolver()
export class MobileResolver {
  @Query(() => MobileContext, { description: 'Whether the installed app is still supported. Requires no token.' })
  @Public()
  mobileContext(): MobileContext {
    return { minimumSupportedVersion: MINIMUM_SUPPORTED_VERSION };
  }
}
