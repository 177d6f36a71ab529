import { createHmac } from 'node:crypto';

/**
 * Returns the header that proves to a service of the operator that we send: `t=<seconds>,v1=<hex>`, with the HMAC-SHA-256 of the seconds since
 * 1970 and the parts, with dots between them, under the secret that both know.
 */
export function signed(secret: string, ...parts: (string | Uint8Array)[]): { 'X-Haulgate-Signature': string } {
  const seconds = Math.floor(Date.now() / 1000);
  const hmac = createHmac('sha256', secret).update(String(seconds));
  for (const part of parts) hmac.update('.').update(part);
  return { 'X-Haulgate-Signature': `t=${seconds},v1=${hmac.digest('hex')}` };
}
