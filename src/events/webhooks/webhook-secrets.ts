import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { seal, unseal } from '../../identity/tokens/sealing.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';

/** Stores the secrets of subscriptions, apart from these, which everybody reads who manages them. */
export const WEBHOOK_SECRETS = definePurpose('webhook_secrets', {
  webhook_secret: ['select (subscription_id, sealed)', 'insert', 'update (sealed)'],
});
export const webhookSecretsReserved = reserveForPurposes('webhook_secret', 'webhook_record');

/** The secrets that sign for a subscription, and the values of its headers. */
export interface WebhookSecrets {
  /** `whsec_` and the key in base64 (Standard Webhooks). */
  secret: string;
  /** While a secret is replaced, the one before. @see previousUntil */
  previous?: string;
  /** ISO 8601. */
  previousUntil?: string;
  /** Ed25519, PKCS #8 in base64. */
  privateKey: string;
  headers: Record<string, string>;
}

/** Makes a secret of 256 random bits. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Makes a pair of Ed25519 keys. @returns the public one as Standard Webhooks writes it */
export function newKeyPair(): { publicKey: string; privateKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const jwk = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({ format: 'jwk' });
  return {
    publicKey: `whpk_${Buffer.from(jwk.x!, 'base64url').toString('base64')}`,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  };
}

/** Keeps the secrets of a subscription, sealed. */
export async function keepSecrets(tx: TxContext, subscriptionId: string, secrets: WebhookSecrets): Promise<void> {
  const sealed = await seal(tx.em, JSON.stringify(secrets), subscriptionId);
  await runAsPurpose(WEBHOOK_SECRETS, () =>
    queryIn(
      tx.em,
      `insert into webhook_secret (subscription_id, sealed) values ($1, $2)
       on conflict (subscription_id) do update set sealed = excluded.sealed`,
      [subscriptionId, sealed],
    ),
  );
}

/** The secrets of a subscription that the caller has locked. */
export async function secretsOf(tx: TxContext, subscriptionId: string): Promise<WebhookSecrets> {
  const [row] = await runAsPurpose(WEBHOOK_SECRETS, () =>
    queryIn<{ sealed: string }>(tx.em, 'select sealed from webhook_secret where subscription_id = $1', [subscriptionId]),
  );
  return openSecrets(tx.em, row!.sealed, subscriptionId);
}

/** @throws Error when the key with which they were sealed is no longer configured */
export const openSecrets = async (em: EntityManager, sealed: string, subscriptionId: string): Promise<WebhookSecrets> =>
  JSON.parse(await unseal(em, sealed, subscriptionId)) as WebhookSecrets;
