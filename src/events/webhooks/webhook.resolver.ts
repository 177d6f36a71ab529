import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { companyOf } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { MANAGES_WEBHOOKS } from './settings.ts';
import {
  createWebhookSubscription,
  deleteWebhookSubscription,
  type Made,
  manages,
  pauseWebhookSubscription,
  resumeWebhookSubscription,
  rotateWebhookSecret,
  updateWebhookSubscription,
} from './subscriptions.ts';
import {
  CreateWebhookSubscriptionInput,
  RotateWebhookSecretInput,
  UpdateWebhookSubscriptionInput,
  WebhookSubscriptionConnection,
  WebhookSubscriptionListArgs,
} from './webhook.inputs.ts';
import { WebhookSubscription } from './webhook-subscription.entity.ts';

const SECRETS = 'webhook secrets';

export const webhookSubscriptionExtension = extendEntity(WebhookSubscription, { secret: { columns: ['id'] } });

@Resolver(() => WebhookSubscription)
export class WebhookSubscriptionResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'The secret that signs; returned only when the subscription or a new secret is created, otherwise null.',
  })
  secret(@Root() { id }: WebhookSubscription, @Ctx() ctx: Context): string | null {
    return secretsShown(ctx).get(id) ?? null;
  }

  @Query(() => WebhookSubscription, { description: 'A subscription to events.' })
  @Requires(MANAGES_WEBHOOKS)
  webhookSubscription(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<WebhookSubscription> {
    return read(ctx, info, id, companyId);
  }

  @Query(() => WebhookSubscriptionConnection, { description: 'The subscriptions of a company to events.' })
  @Requires(MANAGES_WEBHOOKS)
  webhookSubscriptions(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => WebhookSubscriptionListArgs) args: WebhookSubscriptionListArgs,
  ): Promise<Connection<WebhookSubscription>> {
    companyOf(ctx, args.companyId);
    manages(ctx);
    return ctx.read.page(WebhookSubscription, info, args);
  }

  @Mutation(() => WebhookSubscription, {
    description: 'Subscribes an endpoint to events of the records of a company. The secret is returned only here.',
  })
  @Requires(MANAGES_WEBHOOKS)
  async createWebhookSubscription(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateWebhookSubscriptionInput) input: CreateWebhookSubscriptionInput,
    @Arg('companyId', () => ID, { nullable: true, description: 'By default, your own company.' }) companyId?: string,
  ): Promise<WebhookSubscription> {
    return answerOf(ctx, info, await createWebhookSubscription(ctx, { ...input, companyId }));
  }

  @Mutation(() => WebhookSubscription, {
    description: 'Creates a new secret, which is returned only here. The one before signs, too, for the overlap.',
  })
  @Requires(MANAGES_WEBHOOKS)
  async rotateWebhookSecret(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => RotateWebhookSecretInput, { nullable: true }) input?: RotateWebhookSecretInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<WebhookSubscription> {
    return answerOf(ctx, info, await rotateWebhookSecret(ctx, { id, companyId }, input ?? {}));
  }

  @Mutation(() => Boolean, { description: 'Ends a subscription. Its log, and what waits for it, is deleted.' })
  @Requires(MANAGES_WEBHOOKS)
  async deleteWebhookSubscription(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteWebhookSubscription(ctx, { id, companyId });
    return true;
  }
}

export const WebhookSubscriptionMutations = mutationsOf(WebhookSubscription, {
  updateWebhookSubscription: requires(
    [MANAGES_WEBHOOKS],
    withInput(UpdateWebhookSubscriptionInput, updateWebhookSubscription, 'Changes a subscription. What waits is sent to the new address.'),
  ),
  pauseWebhookSubscription: requires(
    [MANAGES_WEBHOOKS],
    describe('Sends nothing more until it is resumed. What happens waits.', pauseWebhookSubscription),
  ),
  resumeWebhookSubscription: requires(
    [MANAGES_WEBHOOKS],
    describe('Sends what has waited, also of a subscription that was switched off.', resumeWebhookSubscription),
  ),
});

/** Foreign ids are missing before anything is denied. */
async function read(ctx: Context, info: GraphQLResolveInfo, id: string, companyId?: string): Promise<WebhookSubscription> {
  const subscription = (await ctx.read.one(WebhookSubscription, info, { id, companyId })) as WebhookSubscription;
  manages(ctx);
  return subscription;
}

/** The answer that contains the secret. */
function answerOf(ctx: Context, info: GraphQLResolveInfo, { id, secret }: Made): Promise<WebhookSubscription> {
  if (secret) secretsShown(ctx).set(id, secret);
  return read(ctx, info, id);
}

function secretsShown(ctx: Context): Map<string, string> {
  const secrets = (ctx.memo.get(SECRETS) as Map<string, string> | undefined) ?? new Map<string, string>();
  ctx.memo.set(SECRETS, secrets);
  return secrets;
}
