import type { EntityManager } from '@mikro-orm/postgresql';
import type { TxContext } from '../commands/transact.ts';
import { wakeWorkers } from '../commands/wake-workers.ts';
import { definePurpose, type Purpose, reserveForPurposes, runAsPurpose } from '../database/scope.ts';
import { queryIn } from '../database/sql.ts';
import { inWorldTime, sandboxInScope } from '../database/time/sandbox-time.ts';
import type { Language } from '../i18n/messages.ts';
import { newId } from '../ids.ts';
import { type Registration, registration } from '../registration.ts';
import { traceParent } from '../tracing/spans.ts';
import type { MailAttachment } from './mail.ts';

/** A mail, text or push that is to be sent once the transaction it is part of is committed. */
export interface OutgoingMessage {
  channel: 'mail' | 'sms' | 'push';
  /** Which composer writes it. */
  kind: string;
  /**
   * The recipient's e-mail address or E.164 number, as it is kept, or the id of a device. Empty if somebody only asked for a message to an
   * address: then it goes to the person whom the composer finds, see `Composed`.
   */
  recipient: string;
  language: Language;
  params?: Record<string, unknown>;
  /** Seconds after which it is no longer worth sending. */
  worthSeconds: number;
  /** When it is to be sent, at the earliest. */
  notBefore?: Date;
}

/** An OutgoingMessage whose turn it is. */
export interface DueMessage extends Required<Omit<OutgoingMessage, 'worthSeconds' | 'notBefore'>> {
  id: string;
  requestId: string;
  /** A company of the sandbox that asked for it. */
  sandboxId: string | null;
}

export interface Composed {
  /** Of mails and pushes. */
  subject?: string;
  text: string;
  /** Of pushes: what the app opens. */
  data?: Readonly<Record<string, string>>;
  /**
   * The kept address or number of the person whom the composer found, which may be written differently from the one that was asked for. Of
   * pushes, the push service's token of the device.
   */
  to?: string;
  /** Of mails: the language that it was written in, if not the one that was asked for. */
  language?: Language;
  /** Of mails: where answers go. */
  replyTo?: string;
  /** Of mails. */
  attachments?: readonly MailAttachment[];
}

/**
 * Writes the text of a message when its turn has come, so that no secret waits in the database: the composer of a link makes its token
 * here. Undefined means that there is nobody to send it to. It is called again when sending failed.
 */
export type Composer = (em: EntityManager, message: DueMessage) => Promise<Composed | undefined>;

/** The consequences of a message of a kind. */
export interface Outcomes {
  /** It was taken. Called again if the process died after that. */
  sent?(em: EntityManager, message: DueMessage): Promise<void>;
  /** The device to which it was to go has the app no more. */
  deviceGone?(em: EntityManager, message: DueMessage): Promise<void>;
  /** Tries at most; by default it is tried while it is worth sending. */
  mostTries?: number;
  /**
   * Of texts, which nobody can take back: if nobody knows whether the service took one, because it did not answer or the process died, it is not sent
   * again. By default it is, since a code that comes twice is better than none.
   */
  onceAtMost?: boolean;
  /** It is not sent any more: refused for good, tried as often as it may be, or worth nothing now. Called again if the process died after that. */
  gaveUp?(em: EntityManager, message: DueMessage, reason: string): Promise<void>;
}

const composers = new Map<string, Outcomes & { compose: Composer }>();
/** The purpose that sends due messages of all companies. */
export const DELIVERIES = definePurpose('deliveries', {
  outgoing_message: ['select', 'update', 'delete'],
  sms_consent: ['select (phone, stopped, created_at)'],
  // A message to a person of a sandbox, or one that such a person asks for, is kept instead.
  app_user: ['select (id, company_id, match_email, phone, unclaimed, discarded_at)'],
  device_token: ['select (id, user_id)'],
  sandbox: ['select (id)'],
  sandbox_message: ['insert'],
});
/** The purpose that leaves a message. It cannot read addresses and texts of other messages. */
export const SENDING = definePurpose('sending', { outgoing_message: ['insert'] });
export const outgoingMessageReserved = reserveForPurposes('outgoing_message');

/** Names the composer of the messages of a kind, the purpose in which it looks up the recipient, and what follows. */
export const composeWith = (kind: string, purpose: Purpose, composer: Composer, outcomes: Outcomes = {}): Registration =>
  registration('composeWith', kind, () => {
    composers.set(kind, { ...outcomes, compose: (em, message) => runAsPurpose(purpose, () => composer(em, message)) });
  });

/** @throws Error for a kind nobody writes, which is a mistake in the code */
export function composerOf(kind: string): Outcomes & { compose: Composer } {
  const composer = composers.get(kind);
  if (!composer) throw new Error(`nobody writes messages of kind ${kind}`);
  return composer;
}

/** Adds a message to the running transaction: it is sent when that commits, however this process ends, and never when it does not. */
export const sendLater = (tx: TxContext, message: OutgoingMessage): Promise<void> => sendAllLater(tx, [message]);

const ADD = `insert into outgoing_message (id, channel, kind, recipient, language, params, request_id, sandbox_id, trace_parent, next_at, give_up_at)
  select r.id, r.channel, r.kind, r.recipient, r.language, r.params, $2, $3::uuid, $4::text, greatest(now(), r.after), greatest(now(), r.after) + r.worth * interval '1 second'
  from jsonb_to_recordset($1::jsonb) as r(id uuid, channel text, kind text, recipient text, language text, params jsonb, after timestamptz, worth integer)`;

/** The same for many messages. */
export async function sendAllLater(tx: TxContext, messages: readonly OutgoingMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const rows = messages.map(({ params = {}, worthSeconds: worth, notBefore: after, ...message }) => {
    composerOf(message.kind);
    return { ...message, id: newId(), params, worth, after: after && inWorldTime(tx.tx, after) };
  });
  const values = [JSON.stringify(rows), tx.requestId, sandboxInScope(), traceParent() ?? null];
  await runAsPurpose(SENDING, () => queryIn(tx.em, ADD, values));
  wakeWorkers(tx);
}
