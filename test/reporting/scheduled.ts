import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { localMinutes } from '../../src/platform/time.ts';
import { type Email, parseEmail } from '../helpers/emails.ts';

let made = 0;
/** An address of a mailbox that nobody else has. */
export const address = () => `reader${++made}@example.com`;
/** Half past six in the morning of Chicago, or in the evening while that morning is near: no schedule is due by itself while a test lasts. */
export const LOCAL_TIME = Math.abs(localMinutes(new Date(), 'America/Chicago') - 390) < 60 ? '18:30' : '06:30';
/** A schedule of orders, every day at that time, to a mailbox of its own. */
export const schedule = (more: object = {}) => ({
  ...{ name: 'Orders of the week', list: 'orders', format: 'csv', frequency: 'daily', local_time: LOCAL_TIME, recipients: [address()] },
  ...more,
});

/** A mail, as its recipient reads it. */
export interface Received {
  subject: string;
  text: string;
  /** Of the attachment. */
  file?: { name: string; type: string; content: string; bytes: Buffer | undefined };
}

export function partsOf({ headers, subject, text }: Email): Received {
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1];
  const parts = boundary
    ? text
        .split(`--${boundary}`)
        .slice(1, -1)
        .map((part) => parseEmail(part.trimStart()))
    : [];
  const attached = parts.find((part) => part.headers['content-disposition']?.includes('filename'));
  const name = /filename="?([^";]+)/.exec(attached?.headers['content-disposition'] ?? '')?.[1];
  const type = attached?.headers['content-type']?.split(';')[0];
  const file = attached && { name: name!, type: type!, content: attached.text, bytes: attached.bytes };
  return { subject, text: parts[0]?.text ?? text, file };
}

export const linesOf = (text: string): string[] =>
  text
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/);

/** A service with the protocol of S3, which keeps what it is sent. */
export async function bucket(status = 200) {
  const kept: { method: string; path: string; type: string; signed: boolean; body: string; bytes: Buffer }[] = [];
  const server = createServer((req, res) => {
    void buffer(req).then((bytes) => {
      const url = new URL(req.url!, 'http://bucket');
      const signed =
        /^AKIATEST\/\d{8}\/eu-west-1\/s3\/aws4_request$/.test(url.searchParams.get('X-Amz-Credential') ?? '') &&
        url.searchParams.has('X-Amz-Signature');
      kept.push({ method: req.method!, path: url.pathname, type: req.headers['content-type']!, signed, body: bytes.toString(), bytes });
      res.writeHead(status).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const storage = {
    bucket: 'haulage',
    region: 'eu-west-1',
    endpoint,
    prefix: 'sheets/',
    access_key_id: 'AKIATEST',
    secret_access_key: 'hidden-key',
    path_style: true,
  };
  return { kept, storage, close: () => new Promise((closed) => server.close(closed)) };
}
