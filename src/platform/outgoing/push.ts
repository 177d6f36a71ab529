import { signed } from './signature.ts';

export interface Push {
  /** Of the outgoing message: the same when it is sent again, so that a device can drop the double. */
  id: string;
  /** The name of the app on the device, for the push service. */
  token: string;
  /** The kind of the message, such as `start_job_reminder`. */
  kind: string;
  title: string;
  text: string;
  language: string;
  /** The record that the app opens, such as `{ job_id }`. */
  data: Readonly<Record<string, string>>;
}

/** Where messages to devices go. */
export interface Pusher {
  /** Resolves when the service has taken it. @throws DeviceGone if the app is no longer on the device; Error if the service fails */
  send(push: Push): Promise<void>;
}

/** The app was removed from the device, so that nothing needs to be sent to it again. */
export class DeviceGone extends Error {}

/** Milliseconds the service may take. */
const PATIENCE = 15_000;

/**
 * A service of the operator that hands messages on to Apple's and Google's: `POST` of JSON. `X-Haulgate-Signature` is `t=<seconds>,v1=<hex>` with
 * the HMAC-SHA-256 of `<seconds>.<body>` under the secret. 404 and 410 say that the device is gone.
 */
export function httpPusher({ url, secret }: { url: string; secret: string }): Pusher {
  return {
    async send({ id, token, kind, title, text, language, data }) {
      const body = JSON.stringify({ id, token, kind, title, body: text, language, data });
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...signed(secret, body) },
        body,
        // The token goes to the operator's service only.
        redirect: 'error',
        signal: AbortSignal.timeout(PATIENCE),
      });
      await response.body?.cancel();
      if (response.status === 404 || response.status === 410) throw new DeviceGone();
      if (!response.ok) throw new Error(`the push service answered ${response.status}`);
    },
  };
}
