import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { AtMost, Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { DateTime } from '../../platform/scalars.ts';
import { TRIGGERS } from './triggers.ts';
import { WebhookDelivery } from './webhook-delivery.entity.ts';
import { WebhookSubscription } from './webhook-subscription.entity.ts';

export const WebhookSubscriptionConnection = connectionOf('WebhookSubscription', () => WebhookSubscription);
export const WebhookDeliveryConnection = connectionOf('WebhookDelivery', () => WebhookDelivery);

const URL_LENGTH = 2_000;
const MOST_HEADERS = 20;

@InputType()
export class WebhookHeaderInput {
  @Field(() => String, { description: 'Such as `Authorization`; none of those that we send, and none of a connection.' })
  @Length(1, 100)
  name!: string;
  @Field(() => String, { description: 'It is kept encrypted, and not shown again.' }) @Length(0, 2_000) value!: string;
}

@InputType()
export class CreateWebhookSubscriptionInput {
  @Field(() => String, { nullable: true, description: 'The name by which people know it.' }) @Length(1, 200) name?: string | null;
  @Field(() => String, { description: 'Where events are sent: `https`, on a public address.' }) @Length(1, URL_LENGTH) url!: string;
  @Field(() => [String], { description: 'The events of which it is informed, such as `Order::create`.' })
  @AtMost(TRIGGERS.length)
  triggers!: string[];
  @Field(() => Boolean, { nullable: true, description: 'Whether it is informed of the records of the companies below, too.' })
  includeChildren?: boolean | null;
  @Field(() => [WebhookHeaderInput], { nullable: true, description: 'Headers to send in addition to our own.' })
  @AtMost(MOST_HEADERS)
  headers?: WebhookHeaderInput[] | null;
}

@ArgsType()
export class WebhookSubscriptionListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

@InputType()
export class UpdateWebhookSubscriptionInput {
  @Field(() => String, { nullable: true, description: 'The name by which people know it.' }) @Length(1, 200) name?: string | null;
  @Field(() => String, { nullable: true, description: 'Where events are sent: `https`, on a public address.' })
  @Length(1, URL_LENGTH)
  url?: string | null;
  @Field(() => [String], { nullable: true, description: 'The events of which it is informed: the complete list.' })
  @AtMost(TRIGGERS.length)
  triggers?: string[] | null;
  @Field(() => Boolean, { nullable: true, description: 'Whether it is informed of the records of the companies below, too.' })
  includeChildren?: boolean | null;
  @Field(() => [WebhookHeaderInput], { nullable: true, description: 'Headers to send in addition to our own: the complete list.' })
  @AtMost(MOST_HEADERS)
  headers?: WebhookHeaderInput[] | null;
}

const DAY = 86_400;
/** A day suffices to bring a new secret to every server of a careful integrator. */
export const USUAL_OVERLAP = DAY;

@InputType()
@About('WebhookSubscription')
export class RotateWebhookSecretInput {
  @Field(() => Int, { nullable: true, description: 'Seconds for which both secrets sign; by default a day. 0 ends the old one at once.' })
  @Range(0, 30 * DAY)
  overlapSeconds?: number | null;
}

@InputType()
@About('WebhookSubscription')
export class ReplayWebhooksInput {
  @Field(() => DateTime, { description: 'Events from this time on are sent again.' }) from!: Date;
  @Field(() => DateTime, { nullable: true, description: 'Events before this time are; by default all until now.' }) to?: Date | null;
}

@ArgsType()
export class WebhookDeliveryListArgs extends PageArgs {
  @Field(() => ID, { description: 'The subscription.' }) webhookSubscriptionId!: string;
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}
