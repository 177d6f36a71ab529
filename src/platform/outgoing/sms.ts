import { writeWhole } from './mail.ts';

export interface Sms {
  id: string;
  /** E.164. */
  to: string;
  text: string;
}

/** Where text messages go. */
export interface Texter {
  send(sms: Sms): Promise<void>;
}

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
