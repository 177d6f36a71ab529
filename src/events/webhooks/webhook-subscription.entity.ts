import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Flag, Instant, One, RecordBase, Text, Texts } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { type Trigger, triggerIdOf } from './triggers.ts';

@ObjectType({ simpleResolvers: true, description: 'One of the things of which a subscription is informed.' })
export class WebhookTrigger {
  @Field(() => ID, { description: 'The `trigger_id` of what is sent.' }) id!: string;
  @Field(() => String, { description: 'Topic and event, such as `Order::create`.' }) name!: string;
}

/** An endpoint of a company, to which events are sent (DOMAIN section 6). Its secrets are in `webhook_secret`, sealed. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'An endpoint to which events of the records of a company are sent.' })
export class WebhookSubscription extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ description: 'The name by which people know it.' }) name?: string | null;
  @Text({ required: true, description: 'Where events are sent.' }) url!: string;
  @Texts({ hidden: true }) triggerNames: Trigger[] = [];
  @Flag({ required: true, description: 'Whether it is informed of the records of the companies below, too.' }) includeChildren = false;
  @Texts({ description: 'The headers that are sent in addition to our own. Their values are not shown.' }) headerNames: string[] = [];
  @Text({ required: true, description: 'The key with which `v1a` signatures are verified (Ed25519).' }) publicKey!: string;
  @Instant({ required: true, description: 'When the newest secret was created.' }) secretMadeAt: Date = new Date();
  @Instant({ description: 'Until then the previous secret signs, too; null if there is none.' }) previousSecretExpiresAt?: Date | null;
  @Instant({ description: 'Since when somebody has it paused: what happens waits until it is resumed.' }) pausedAt?: Date | null;
  @Instant({ description: 'When it was switched off because it did not take what was sent.' }) disabledAt?: Date | null;
  @Text({ description: 'Why it was switched off: `failing` for three days, or the endpoint is `gone` (410).' }) disabledReason?:
    | string
    | null;
  @Instant({ hidden: true }) notifiedAt?: Date | null;
  @Instant({ description: 'The first failure since something was delivered; null if the last was delivered.' }) failingSince?: Date | null;
  @Instant({ description: 'When something was last delivered.' }) lastDeliveredAt?: Date | null;

  @Field(() => [WebhookTrigger], { description: 'The events of which it is informed.' })
  @Computed({
    columns: ['id', 'triggerNames'],
    compute: ({ id, triggerNames }) => (triggerNames as string[]).map((name) => ({ id: triggerIdOf(String(id), name), name })),
  })
  triggers!: WebhookTrigger[];
}
