import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import { untilReadersEnd } from '../../platform/commands/earlier-readers.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { worldTime } from '../../platform/database/time/sandbox-time.ts';
import { Conflict, Denied, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { checkUrl, readHeaders, readName, readTriggers } from './endpoint-rules.ts';
import { sendWaiting } from './replays.ts';
import { MANAGES_WEBHOOKS } from './settings.ts';
import {
  type CreateWebhookSubscriptionInput,
  type RotateWebhookSecretInput,
  type UpdateWebhookSubscriptionInput,
  USUAL_OVERLAP,
} from './webhook.inputs.ts';
import { keepSecrets, newKeyPair, newWebhookSecret, secretsOf } from './webhook-secrets.ts';
import { WebhookSubscription } from './webhook-subscription.entity.ts';

/** Subscriptions of a company: each is asked for what is due to it, and each event is written once for each that wants it. */
const MOST_SUBSCRIPTIONS = 50;

/** A subscription and the secret that its commands made, which is shown only in their answer. */
export interface Made {
  id: string;
  /** Undefined for a repeated request. */
  secret?: string;
}

/** Subscribes an endpoint to events of a company. @throws Denied, Missing, Invalid with every wrong field, Conflict if the company has too many */
export async function createWebhookSubscription(
  ctx: Context,
  input: CreateWebhookSubscriptionInput & { companyId?: string | null },
): Promise<Made> {
  const companyId = companyOf(ctx, input.companyId);
  manages(ctx);
  let secret: string | undefined;
  const id = await transact(ctx, async (tx) => {
    const items: ErrorItem[] = [];
    const name = readName(input.name, items);
    checkUrl(tx.em, input.url, items);
    const triggerNames = readTriggers(input.triggers, items);
    const headers = readHeaders(input.headers ?? [], items);
    if (items.length > 0) throw new Invalid(items);
    // Waits for what others of the company make now, so that all are counted.
    await find(tx, Company, companyId, { lock: true });
    const known = await queryIn(tx.em, 'select from webhook_subscription where company_id = $1 limit $2', [companyId, MOST_SUBSCRIPTIONS]);
    if (known.length === MOST_SUBSCRIPTIONS)
      throw new Conflict([
        { model: 'WebhookSubscription', field: '', key: 'too_many_webhook_subscriptions', params: { max: MOST_SUBSCRIPTIONS } },
      ]);
    const { publicKey, privateKey } = newKeyPair();
    const subscription = Object.assign(new WebhookSubscription(), {
      company: ref(Company, companyId),
      name,
      url: input.url,
      triggerNames,
      includeChildren: input.includeChildren ?? false,
      headerNames: Object.keys(headers),
      publicKey,
      secretMadeAt: tx.tx.now,
    });
    tx.em.persist(subscription);
    await tx.em.flush();
    secret = newWebhookSecret();
    await keepSecrets(tx, subscription.id, { secret, privateKey, headers });
    emitEvent(tx, 'webhook_subscription.created', subscription);
    return subscription.id;
  });
  await untilAllKnow(ctx);
  return { id, secret };
}

/** Changes a subscription; absent fields are kept. What waits is sent to the new address. @throws Missing, Denied, Invalid */
export async function updateWebhookSubscription(ctx: Context, path: RecordPath, input: UpdateWebhookSubscriptionInput): Promise<void> {
  await transact(ctx, async (tx) => {
    const subscription = await lockSubscription(tx, path);
    const items: ErrorItem[] = [];
    if (input.name !== undefined) subscription.name = readName(input.name, items);
    const { url: before } = subscription;
    if (input.url !== undefined) {
      checkUrl(tx.em, input.url ?? '', items);
      subscription.url = input.url ?? '';
    }
    if (input.triggers !== undefined) subscription.triggerNames = readTriggers(input.triggers, items);
    if (input.includeChildren !== undefined) subscription.includeChildren = input.includeChildren ?? false;
    const headers = input.headers === undefined ? undefined : readHeaders(input.headers ?? [], items);
    if (items.length > 0) throw new Invalid(items);
    if (headers) {
      subscription.headerNames = Object.keys(headers);
      await keepSecrets(tx, subscription.id, { ...(await secretsOf(tx, subscription.id)), headers });
    }
    // How the old address answered says nothing of the new one.
    if (subscription.url !== before) {
      subscription.failingSince = null;
      await sendWaiting(tx, subscription.id, true);
    }
    emitEvent(tx, 'webhook_subscription.updated', subscription);
  });
  if (input.triggers !== undefined || input.includeChildren !== undefined) await untilAllKnow(ctx);
}

/** Waits for the commands that asked who subscribed before this was committed, so that changes which are committed after the answer are sent. */
const untilAllKnow = (ctx: Context): Promise<void> => untilReadersEnd(ctx, 'webhook_subscription');

/** Sends nothing until `resumeWebhookSubscription`; what happens waits. @throws Missing, Denied */
export function pauseWebhookSubscription(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const subscription = await lockSubscription(tx, path);
    subscription.pausedAt ??= tx.tx.now;
    emitEvent(tx, 'webhook_subscription.paused', subscription);
  });
}

/** Sends what has waited, also of a subscription that was switched off, and what waits to be tried again. @throws Missing, Denied */
export function resumeWebhookSubscription(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const subscription = await lockSubscription(tx, path);
    Object.assign(subscription, { pausedAt: null, disabledAt: null, disabledReason: null, notifiedAt: null, failingSince: null });
    await sendWaiting(tx, subscription.id);
    emitEvent(tx, 'webhook_subscription.resumed', subscription);
  });
}

/**
 * Gives a subscription a new secret. Until the overlap has passed the one before signs, too.
 * @throws Missing, Denied, Conflict while two sign already, unless both are to end
 */
export async function rotateWebhookSecret(ctx: Context, path: RecordPath, input: RotateWebhookSecretInput): Promise<Made> {
  let secret: string | undefined;
  const id = await transact(ctx, async (tx) => {
    const subscription = await lockSubscription(tx, path);
    const { secret: before, previous: _, previousUntil: __, ...kept } = await secretsOf(tx, subscription.id);
    const overlap = input.overlapSeconds ?? USUAL_OVERLAP;
    const now = worldTime(tx.tx);
    // A receiver may still know the oldest of them alone, and would refuse everything from now on.
    if (overlap > 0 && (subscription.previousSecretExpiresAt ?? now) > now)
      throw new Conflict([
        {
          model: 'WebhookSubscription',
          field: 'overlapSeconds',
          key: 'webhook_rotation_is_running',
          params: { until: subscription.previousSecretExpiresAt!.toISOString() },
        },
      ]);
    const until = overlap > 0 ? new Date(now.getTime() + overlap * 1000) : null;
    secret = newWebhookSecret();
    await keepSecrets(tx, subscription.id, {
      ...{ ...kept, secret },
      ...(until ? { previous: before, previousUntil: until.toISOString() } : {}),
    });
    Object.assign(subscription, { secretMadeAt: tx.tx.now, previousSecretExpiresAt: until });
    emitEvent(tx, 'webhook_subscription.secret_rotated', subscription);
    return subscription.id;
  });
  return { id, secret };
}

/** Ends a subscription: its log and what waits for it are deleted with it. @throws Missing, Denied */
export function deleteWebhookSubscription(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const subscription = await lockSubscription(tx, path);
    emitEvent(tx, 'webhook_subscription.deleted', subscription);
    tx.em.remove(subscription);
  });
}

/** The locked subscription of a path, for a caller who may manage them. @throws Missing, Denied */
export async function lockSubscription(tx: TxContext, { id, companyId }: RecordPath): Promise<WebhookSubscription> {
  const subscription = await find(tx, WebhookSubscription, id, { companyId, lock: true });
  manages(tx);
  return subscription;
}

/**
 * Passes for who may manage subscriptions. What is sent is what an administrator sees, so a caller who is limited to sites may not have it sent.
 * @throws Denied
 */
export function manages(ctx: Context): void {
  if (allow(ctx, MANAGES_WEBHOOKS).siteIds) throw new Denied(MANAGES_WEBHOOKS, 'permission_beyond_sites');
}
