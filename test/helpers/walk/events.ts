import { ref } from '@mikro-orm/core';
import { WebhookDelivery } from '../../../src/events/webhooks/webhook-delivery.entity.ts';
import { WebhookSubscription } from '../../../src/events/webhooks/webhook-subscription.entity.ts';
import { newId } from '../../../src/platform/ids.ts';
import type { Tenant } from '../tenant.ts';
import { of, type Row } from './expectation.ts';

/** The permissions of the root fields of src/events. */
export const EVENTS: Row[] = [
  ...of(undefined, 'company', 'changes'),
  ...of(undefined, 'manage_webhooks', 'webhookSubscriptions', 'createWebhookSubscription'),
  ...of('webhookSubscription', 'manage_webhooks', 'webhookSubscription', 'updateWebhookSubscription', 'deleteWebhookSubscription'),
  ...of('webhookSubscription', 'manage_webhooks', 'pauseWebhookSubscription', 'resumeWebhookSubscription', 'rotateWebhookSecret'),
  ...of('webhookSubscription', 'manage_webhooks', 'testWebhookSubscription', 'replayWebhooks', 'webhookDeliveries'),
  ...of('webhookDelivery', 'manage_webhooks', 'webhookDelivery', 'redeliverWebhook'),
];

/** Saves a record and returns its id. */
type Save = <T extends { id: string }>(type: new () => T, fields: object) => Promise<string>;

/** Makes records of src/events, with ids that the walk uses. The subscription is one to what does not happen in tests of all operations. */
export function eventsMakers(tenant: Tenant, saved: Save) {
  const subscribe = async (): Promise<string> => {
    const body = { url: 'https://hooks.example/walk', triggers: ['ImportedProject::skip'] };
    return (await tenant.must('POST', '/v1/webhook_subscriptions', body)).id;
  };
  return {
    webhookSubscription: subscribe,
    webhookDelivery: async () => {
      const event = {
        eventId: newId(),
        eventTime: new Date(),
        trigger: 'Order::create',
        subjectId: newId(),
        sequence: '1',
        dueAt: new Date(),
      };
      const whose = { company: ref(tenant.company), sourceCompanyId: tenant.company.id };
      return saved(WebhookDelivery, { ...event, ...whose, subscription: ref(WebhookSubscription, await subscribe()) });
    },
  };
}
