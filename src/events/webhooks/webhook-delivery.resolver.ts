import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { find } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { orArchived, RefusesArchived, ReportsArchived, reportArchived } from '../../platform/read/past/archived.ts';
import { redeliverWebhook, replayWebhooks, testWebhookSubscription } from './deliveries.ts';
import { MANAGES_WEBHOOKS } from './settings.ts';
import { manages } from './subscriptions.ts';
import { ReplayWebhooksInput, WebhookDeliveryConnection, WebhookDeliveryListArgs } from './webhook.inputs.ts';
import { WebhookDelivery } from './webhook-delivery.entity.ts';
import { WebhookSubscription } from './webhook-subscription.entity.ts';

/** The deliveries to subscriptions, sent ones and those that are to be sent. */
@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  @RefusesArchived()
  @Query(() => WebhookDelivery, { description: 'An event on its way to an endpoint, with every try.' })
  @Requires(MANAGES_WEBHOOKS)
  async webhookDelivery(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<WebhookDelivery> {
    manages(ctx);
    const sought = { model: 'WebhookDelivery', table: 'webhook_delivery', id, companyId };
    return orArchived(ctx, sought, () => ctx.read.one(WebhookDelivery, info, { id, companyId }));
  }

  @ReportsArchived()
  @Query(() => WebhookDeliveryConnection, { description: 'The deliveries of a subscription in the last 30 days, and those that wait.' })
  @Requires(MANAGES_WEBHOOKS)
  async webhookDeliveries(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => WebhookDeliveryListArgs) { webhookSubscriptionId, companyId, ...args }: WebhookDeliveryListArgs,
  ): Promise<Connection<WebhookDelivery>> {
    const { id, company } = await find(ctx, WebhookSubscription, webhookSubscriptionId, { companyId });
    manages(ctx);
    await reportArchived(ctx, info, company.id, 'webhook_delivery');
    const sql = (t: string, p: string) => `${t}.subscription_id = ${p}`;
    const where = [{ key: 'ofSubscription', sql, cast: 'uuid', value: id }];
    return (await ctx.read.page(WebhookDelivery, info, { ...args, companyId: company.id, where })) as Connection<WebhookDelivery>;
  }

  @Mutation(() => WebhookDelivery, { description: 'Sends a test to an endpoint, on the way of all events.' })
  @Requires(MANAGES_WEBHOOKS)
  async testWebhookSubscription(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<WebhookDelivery> {
    return ctx.read.one(WebhookDelivery, info, { id: await testWebhookSubscription(ctx, { id, companyId }) });
  }
}

export const WebhookDeliveryMutations = [
  ...mutationsOf(WebhookDelivery, {
    redeliverWebhook: requires([MANAGES_WEBHOOKS], describe('Sends an event again, whatever became of it.', redeliverWebhook)),
  }),
  ...mutationsOf(WebhookSubscription, {
    replayWebhooks: requires(
      [MANAGES_WEBHOOKS],
      withInput(ReplayWebhooksInput, replayWebhooks, 'Sends all events of a time again, those of a record in their order.'),
    ),
  }),
];
