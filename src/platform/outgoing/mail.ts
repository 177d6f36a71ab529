import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';

/** A file that goes with a mail. */
export interface MailAttachment {
  name: string;
  /** Such as `application/pdf`. */
  type: string;
  content: Buffer;
}

/** The server of the recipient refuses the mail for good: it does not know the address, or does not take such mails. */
export class MailRefused extends Error {}

export interface Mail {
  /** Of the outgoing message: the same when it is sent again, so that a mailbox can drop the double. */
  id: string;
  to: string;
  subject: string;
  text: string;
  language: string;
  /** Where answers go; by default, to the sender of all mails. */
  replyTo?: string;
  attachments?: readonly MailAttachment[];
}

/** Where mails go. */
export interface Mailer {
  /** Resolves when the next server, or the disk, has taken it. @throws MailRefused if trying again is of no use */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Milliseconds a mail server may be silent. */
const PATIENCE = 15_000;

/** Milliseconds by which a connection may be silent for longer, so that a missing greeting is named as the reason. */
const AFTER_GREETING = 1_000;

/**
 * The way to a mail server. What its URL says of times goes before `patience`.
 * @param url `smtp://user:password@host:587` or `smtps://...`
 * @param patience milliseconds it may be silent
 */
export const smtpTransport = (url: string, patience: number) =>
  createTransport({
    url,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience + AFTER_GREETING,
  });

/** @param url as of `smtpTransport` */
export function smtpMailer(url: string, from: string, patience = PATIENCE): Mailer {
  const transport = smtpTransport(url, patience);
  return {
    async send(mail) {
      await transport.sendMail(partsOf(mail, from)).catch((error: SmtpError) => {
        throw isRefusal(error) ? new MailRefused(error.response, { cause: error }) : error;
      });
    },
    close: () => transport.close(),
  };
}

interface SmtpError extends Error {
  command?: string;
  responseCode?: number;
  response?: string;
}
/** About the recipient or the mail, and final (RFC 5321, 4.2.1). What it says of us, such as of our password, is ours to correct. */
const isRefusal = ({ command = '', responseCode = 0 }: SmtpError): boolean => responseCode >= 500 && ['RCPT TO', 'DATA'].includes(command);

/** For installations without a mail server: each mail becomes a file `.eml` that mail programs open. `wrote` gets its path. */
export function folderMailer(folder: string, from: string, wrote: (path: string) => void): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(partsOf(mail, from));
      wrote(await writeWhole(folder, `${mail.id}.eml`, message as Buffer));
    },
    close: () => transport.close(),
  };
}

/** Writes a file that is either not there or complete. @returns its path */
export async function writeWhole(folder: string, name: string, content: string | Buffer): Promise<string> {
  // Links in here open sessions: for the owner alone.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  await writeFile(`${path}.part`, content, { mode: 0o600 });
  await rename(`${path}.part`, path);
  return path;
}

function partsOf({ id, to, subject, text, language, replyTo, attachments = [] }: Mail, from: string): SendMailOptions {
  const host = /@([^\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  // An address given as an object is taken as it is: a text could name several.
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
    attachments: attachments.map(({ name, type, content }) => ({ filename: name, contentType: type, content })),
    messageId: `<${id}@${host}>`,
    headers: { 'Content-Language': language, 'Auto-Submitted': 'auto-generated' },
  };
}
