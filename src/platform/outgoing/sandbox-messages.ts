import type { EntityManager } from '@mikro-orm/postgresql';
import { poolOf } from '../database/sql.ts';
import { newId } from '../ids.ts';
import type { MailAttachment } from './mail.ts';
import type { OutgoingMessage } from './outgoing.ts';

const OF_SANDBOX = 'discarded_at is null and not unclaimed and is_sandbox(company_id)';
/** The company of a recipient who is a person of a sandbox. An address or a number signs in one person of all companies. */
const RECIPIENT = {
  mail: `select company_id as company from app_user where match_email = fold_text($1) and ${OF_SANDBOX} limit 1`,
  sms: `select company_id as company from app_user where phone = $1 and ${OF_SANDBOX} limit 1`,
  push: `select u.company_id as company from device_token d join app_user u on u.id = d.user_id where d.id::text = $1 and is_sandbox(u.company_id)`,
} as const;

/** The sandbox of the person to whom a message goes that none asked for, such as a link to sign in; undefined for real people. */
export async function sandboxOf(em: EntityManager, channel: OutgoingMessage['channel'], recipient: string): Promise<string | undefined> {
  const { rows } = await (await poolOf(em)).query<{ company: string }>(RECIPIENT[channel], [recipient]);
  return rows[0]?.company;
}

/** A message that would have been sent. */
interface Kept extends Pick<OutgoingMessage, 'channel' | 'kind' | 'recipient'> {
  subject?: string;
  text: string;
  attachments: readonly MailAttachment[];
}

const KEEP = `insert into sandbox_message (id, company_id, channel, kind, recipient, subject, text, attachments, created_at, updated_at)
  select $1, s.id, $3, $4, $5, $6, $7, $8::text[], company_now(s.id), company_now(s.id) from sandbox s where world_of(s.id) = world_of($2::uuid)`;

/** Writes a message to the log of the sandbox, in place of sending it (src/sandbox). */
export async function keepMessage(em: EntityManager, companyId: string, kept: Kept): Promise<void> {
  const { channel, kind, recipient, subject, text, attachments } = kept;
  const names = attachments.map(({ name }) => name);
  await (await poolOf(em)).query(KEEP, [newId(), companyId, channel, kind, recipient, subject || null, text, names]);
}
