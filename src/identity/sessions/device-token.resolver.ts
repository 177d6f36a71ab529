import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { readingWithin } from '../../platform/database/sql.ts';
import { Length } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { DeviceToken } from './device-token.entity.ts';
import { registerDevice } from './register-device.ts';

/** Characters; push services promise no length, and give out up to some hundred. */
const TOKEN = 4_096;

@InputType()
@About('DeviceToken')
export class CreateDeviceTokenInput {
  @Field({ description: "The push service's token for the app on this telephone." }) @Length(1, TOKEN) token!: string;
}

@Resolver()
export class DeviceTokenResolver {
  @Mutation(() => DeviceToken, { description: 'Registers a device for push messages to the calling person, until they sign out.' })
  @AnySignedIn()
  createMyDeviceToken(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateDeviceTokenInput) input: CreateDeviceTokenInput,
  ): Promise<DeviceToken> {
    return registerDevice(ctx, input.token, (tx, { id }) =>
      ctx.read.within({ ...tx, em: readingWithin(tx.em) }).one(DeviceToken, info, { id }),
    );
  }
}
