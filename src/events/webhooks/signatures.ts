import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { WebhookSecrets } from './webhook-secrets.ts';

/** A message that is signed. */
export interface Message {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  /** The raw body. */
  body: string;
}

/**
 * The headers that prove where a message comes from: the HMAC of the raw body (DOMAIN section 6), and those of Standard Webhooks. While a
 * secret is replaced both sign, so that a receiver may change over at any time.
 */
export function signatureHeaders({ id, timestamp, body }: Message, secrets: WebhookSecrets, now: Date): Record<string, string> {
  const content = `${id}.${timestamp}.${body}`;
  const previous = secrets.previousUntil && new Date(secrets.previousUntil) > now ? secrets.previous : undefined;
  const hmac = (secret: string) => createHmac('sha256', secret).update(body).digest('hex');
  const signatures = [
    ...[secrets.secret, ...(previous ? [previous] : [])].map((secret) => `v1,${standard(secret, content)}`),
    `v1a,${sign(null, Buffer.from(content), keyOf(secrets.privateKey)).toString('base64')}`,
  ];
  return {
    'X-Haulgate-Hmac-sha256': hmac(secrets.secret),
    ...(previous ? { 'X-Haulgate-Hmac-sha256-Previous': hmac(previous) } : {}),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/** To read a key takes longer than to sign with it. */
const keys = new Map<string, KeyObject>();
const MOST_KEYS = 500;

/** @param text PKCS #8 in base64 */
function keyOf(text: string): KeyObject {
  let key = keys.get(text);
  if (!key) {
    key = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
    if (keys.size >= MOST_KEYS) keys.delete(keys.keys().next().value!);
    keys.set(text, key);
  }
  return key;
}

/** The key of Standard Webhooks is what the secret is the base64 of. */
const standard = (secret: string, content: string): string =>
  createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(content)
    .digest('base64');
