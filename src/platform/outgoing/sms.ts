import { writeWhole } from './mail.ts';

export interface Sms {
  id: string;
  /** E.164. */
  to: string;
  text: string;
}

/** Where text messages go. */
export interface Texter {
  /** Resolves when the service has taken it. @throws OutcomeUnknown if it may have taken it; any other Error if it has not */
  send(sms: Sms): Promise<void>;
}

/** A service was given a message and did not answer, so that nobody knows whether it took it. */
export class OutcomeUnknown extends Error {}

/** Why `fetch` fails before anything was sent. */
const NEVER_REACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

const isUnreached = (error: unknown): boolean =>
  error instanceof Error && NEVER_REACHED.has(String((error.cause as { code?: unknown } | undefined)?.code));

export interface TwilioAccount {
  /** `https://api.twilio.com`, or a service that speaks like it. */
  url: string;
  account: string;
  token: string;
  /** Number or sender the messages come from. */
  from: string;
}

/** Milliseconds the service may take. */
const PATIENCE = 15_000;

/** Twilio's `Messages` resource of API version 2010-04-01, which other services speak too. */
export function twilioTexter({ url, account, token, from }: TwilioAccount): Texter {
  const address = `${url.replace(/\/*$/, '')}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`;
  const authorization = `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`;
  return {
    async send({ to, text }) {
      const response = await fetch(address, {
        method: 'POST',
        headers: { Authorization: authorization },
        body: new URLSearchParams({ To: to, From: from, Body: text }),
        signal: AbortSignal.timeout(PATIENCE),
      }).catch((error: unknown) => {
        throw isUnreached(error) ? error : new OutcomeUnknown('the SMS service did not answer', { cause: error });
      });
      // The body may repeat what was sent; the code says which rule of the service was broken.
      if (!response.ok) {
        const { code } = (await response.json().catch(() => ({}))) as { code?: unknown };
        throw new Error(`the SMS service answered ${response.status}${typeof code === 'number' ? `, code ${code}` : ''}`);
      }
      await response.body?.cancel();
    },
  };
}

/** For installations without such a service: each message is a file. */
export function folderTexter(folder: string, wrote: (path: string) => void): Texter {
  return {
    async send({ id, to, text }) {
      wrote(await writeWhole(folder, `${id}.txt`, `To: ${to}\n\n${text}\n`));
    },
  };
}
