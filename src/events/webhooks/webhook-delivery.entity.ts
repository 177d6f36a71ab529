import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Choice, Instant, One, RecordBase, stringEnum, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Many, Tenant } from '../../platform/model/decorators.ts';
import { Json } from '../../platform/scalars.ts';
import { WebhookSubscription } from './webhook-subscription.entity.ts';

export const WebhookDeliveryState = stringEnum(
  'WebhookDeliveryState',
  ['pending', 'delivered', 'failed'],
  'How far the delivery of an event is.',
);
export type WebhookDeliveryState = keyof typeof WebhookDeliveryState;

/** One try to deliver an event: what was sent, and what was answered. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'One try to deliver an event: what was sent, and what was answered.' })
export class WebhookAttempt extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Uuid({ required: true, hidden: true }) deliveryId!: string;
  @Whole({ required: true, description: 'Which try of the delivery it was, from 1 on.' }) attempt!: number;
  @Instant({ required: true, description: 'When it was sent.' }) startedAt!: Date;
  @Whole({ required: true, description: 'Milliseconds until the answer was complete, or we gave up.' }) durationMs!: number;
  @Property({ type: 'jsonb' })
  @Field(() => Json, { description: 'The headers that were sent. The values of those that you added are hidden.' })
  requestHeaders!: Record<string, string>;
  @Text({ required: true, description: 'The body that was sent.' }) requestBody!: string;
  @Whole({ description: 'The status of the answer; null if there was none.' }) responseStatus?: number | null;
  @Property({ type: 'jsonb', nullable: true })
  @Field(() => Json, { nullable: true, description: 'The headers of the answer.' })
  responseHeaders?: Record<string, string> | null;
  @Text({ description: 'The first 64 KB of the answer.' }) responseBody?: string | null;
  @Text({ description: 'Why there was no answer.' }) error?: string | null;
}

/** An event on its way to a subscription. The worker writes it by statements; what people do to it is audited. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'An event on its way to an endpoint.' })
export class WebhookDelivery extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => WebhookSubscription, { required: true, description: 'The subscription to which it is sent.' })
  subscription!: Ref<WebhookSubscription>;
  @Uuid({ required: true, description: 'The `event_id`, which is the same for all subscriptions.' }) eventId!: string;
  @Instant({ required: true, description: 'When it happened.' }) eventTime!: Date;
  @Text({ required: true, description: 'Topic and event, such as `Order::create`.' }) trigger!: string;
  @Uuid({ required: true, description: 'The company to which the record belongs.' }) sourceCompanyId!: string;
  @Uuid({ required: true, description: 'The record.' }) subjectId!: string;
  @Property({ type: 'bigint' })
  @Field(() => String, { description: 'Which event of the record it is, from 1 on.' })
  sequence!: string;
  @Choice(() => WebhookDeliveryState, { required: true, description: 'How far it is.' }) state: WebhookDeliveryState = 'pending';
  @Whole({ required: true, description: 'How often it was tried.' }) attempts: number = 0;
  @Whole({ required: true, hidden: true }) triesFrom: number = 0;
  @Instant({ description: 'When it is tried next; null when it is done.' }) dueAt?: Date | null;
  @Instant({ description: 'When the endpoint took it.' }) deliveredAt?: Date | null;
  @Many(() => WebhookAttempt, { local: 'id', foreign: 'deliveryId' }) tries!: WebhookAttempt[];
}

/**
 * SQL: a delivery waits, and is of the same subscription and record as a row. It is written in the form that only `webhook_delivery_waiting_idx` fits, which has
 * what waits of a record: as long as nothing waited when the table was analysed, PostgreSQL expects one row of any index, and took the one of what is due for the
 * subscription. It then read all that waited for an endpoint, for each delivery. Use it in a subquery with `offset 0`, which does not become a join, and compare
 * `due_at` only as `coalesce(due_at, ...)` next to it.
 * @param delivery the alias of `webhook_delivery`
 * @param row has `subscription_id`
 * @param record has `subject_id`; by default the same row
 */
export const waitsOf = (delivery: string, row: string, record = row): string =>
  `${delivery}.subject_id = ${record}.subject_id and ${delivery}.state = 'pending' and (${delivery}.subscription_id = ${row}.subscription_id) is true`;
