import { ChangeResolver } from './changes/change.resolver.ts';
import { changesMessages } from './changes/changes.messages.ts';
import { ENDED_SHARES } from './changes/ended-shares.ts';
import { LiveResolver } from './changes/live.resolver.ts';
import { changePendingReserved, FEEDS } from './changes/move-changes.ts';
import { OLD_CHANGES } from './changes/retention.ts';
import { NOTING_WEBHOOKS, webhooksOfChanges } from './webhooks/note-changes.ts';
import { OLD_WEBHOOKS } from './webhooks/retention.ts';
import { SWITCHED_OFF, switchedOffMails, webhooksOfEndedCompanies } from './webhooks/switched-off.ts';
import { webhookMessages } from './webhooks/webhook.messages.ts';
import { WebhookSubscriptionMutations, WebhookSubscriptionResolver, webhookSubscriptionExtension } from './webhooks/webhook.resolver.ts';
import { WebhookAttempt, WebhookDelivery } from './webhooks/webhook-delivery.entity.ts';
import { WebhookDeliveryMutations, WebhookDeliveryResolver } from './webhooks/webhook-delivery.resolver.ts';
import { WEBHOOK_SECRETS, webhookSecretsReserved } from './webhooks/webhook-secrets.ts';
import { WebhookSubscription } from './webhooks/webhook-subscription.entity.ts';
import { WEBHOOK_DELIVERIES } from './webhooks/webhook-worker.ts';

/** The entities of the room. */
export const entities = [WebhookSubscription, WebhookDelivery, WebhookAttempt];

/** Fields of entities that resolvers answer. */
export const extensions = [webhookSubscriptionExtension];

/** Tasks across companies. */
export const purposes = [
  WEBHOOK_SECRETS,
  webhookSecretsReserved,
  NOTING_WEBHOOKS,
  WEBHOOK_DELIVERIES,
  SWITCHED_OFF,
  OLD_WEBHOOKS,
  FEEDS,
  changePendingReserved,
  OLD_CHANGES,
  ENDED_SHARES,
];

/** The room's messages. */
export const messages = [webhookMessages, changesMessages];

/** The writers of the room's mails. */
export const composers = [switchedOffMails];

/** The consequences of changes of records, in the same transaction. */
export const consequences = [webhooksOfChanges, webhooksOfEndedCompanies];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  LiveResolver,
  WebhookSubscriptionResolver,
  ...WebhookSubscriptionMutations,
  WebhookDeliveryResolver,
  ...WebhookDeliveryMutations,
  ChangeResolver,
];
