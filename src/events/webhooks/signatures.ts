import { createHmac, createPrivateKey, sign } from 'node:crypto';
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
  const key = createPrivateKey({ key: Buffer.from(secrets.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  const signatures = [
    ...[secrets.secret, ...(previous ? [previous] : [])].map((secret) => `v1,${standard(secret, content)}`),
    `v1a,${sign(null, Buffer.from(content), key).toString('base64')}`,
  ];
  return {
    'X-Haulgate-Hmac-sha256': hmac(secrets.secret),
    ...(previous ? { 'X-Haulgate-Hmac-sha256-Previous': hmac(previous) } : {}),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/** The key of Standard Webhooks is what the secret is the base64 of. */
const standard = (secret: string, content: string): string =>
  createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(content)
    .digest('base64');
