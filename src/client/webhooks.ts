import { createPublicKey, verify } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** Headers as `node:http` has them, or those of a `Request`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The request is not from Haulgate, was changed, or is older than five minutes. */
export class NotVerified extends Error {
  override readonly name = 'NotVerified';
}

const SIGNED = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
/** Seconds that a message may be old, or from the future, as Standard Webhooks has it. */
const TOLERANCE = 300;

/**
 * Verifies what came to a webhook's endpoint, and returns it parsed.
 * @param raw the body as it was received, before it was parsed
 * @param keys `secret` of the subscription, or its `public_key`; while a secret is replaced, both
 * @throws NotVerified
 */
export function verified(raw: string | Uint8Array, headers: WebhookHeaders, keys: string | readonly string[]): unknown {
  const body = typeof raw === 'string' ? raw : new TextDecoder().decode(raw);
  const given = Object.fromEntries(SIGNED.map((name) => [name, headerOf(headers, name)]));
  const reasons: string[] = [];
  for (const key of typeof keys === 'string' ? [keys] : keys) {
    const reason = key.startsWith('whpk_') ? fault(body, given, key) : faultBySecret(body, given, key);
    if (reason === undefined) return JSON.parse(body);
    reasons.push(reason);
  }
  throw new NotVerified(reasons[0] ?? 'There is no key to verify it with.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : (found?.join(' ') ?? '');
}

function faultBySecret(body: string, headers: Record<string, string>, secret: string): string | undefined {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return undefined;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return error.message;
  }
}

/** The library knows secrets only: what the key of an endpoint has signed is verified here. */
function fault(body: string, headers: Record<string, string>, publicKey: string): string | undefined {
  const sent = Number(headers['webhook-timestamp']);
  if (!(Math.abs(Date.now() / 1000 - sent) <= TOLERANCE)) return 'The message is too old, or from the future.';
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  const signatures = (headers['webhook-signature'] ?? '').split(' ').filter((one) => one.startsWith('v1a,'));
  return signatures.some((one) => verify(null, content, key, Buffer.from(one.slice('v1a,'.length), 'base64')))
    ? undefined
    : 'No signature is of this key.';
}
