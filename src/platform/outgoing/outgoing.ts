import type { EntityManager } from '@mikro-orm/postgresql';
import { perApplication } from '../application.ts';
import { afterCommit, type TxContext } from '../commands/transact.ts';
import { definePurpose, type Purpose, reserveForPurposes, runAsPurpose } from '../database/scope.ts';
import { queryIn } from '../database/sql.ts';
import type { Language } from '../i18n/messages.ts';
import { newId } from '../ids.ts';
import { inProcessWaker } from '../queue/in-process-waker.ts';
import { type Registration, registration } from '../registration.ts';

/** A mail or text that is to be sent once the transaction it is part of is committed. */
export interface OutgoingMessage {
  channel: 'mail' | 'sms';
  /** Which composer writes it. */
  kind: string;
  /**
   * The recipient's e-mail address or E.164 number, as it is kept. Empty if somebody only asked for a message to an address: then it goes
   * to the person whom the composer finds, see `Composed`.
   */
  recipient: string;
  language: Language;
  params?: Record<string, unknown>;
  /** Seconds after which it is no longer worth sending. */
  worthSeconds: number;
}

/** An OutgoingMessage whose turn it is. */
export interface DueMessage extends Required<Omit<OutgoingMessage, 'worthSeconds'>> {
  id: string;
  requestId: string;
}

export interface Composed {
  /** Of mails. */
  subject?: string;
  text: string;
  /** The kept address or number of the person whom the composer found. It may be written differently from the one that was asked for. */
  to?: string;
}

/**
 * Writes the text of a message when its turn has come, so that no secret waits in the database: the composer of a link makes its token
 * here. Undefined means that there is nobody to send it to. It is called again when sending failed.
 */
export type Composer = (em: EntityManager, message: DueMessage) => Promise<Composed | undefined>;

const composers = new Map<string, Composer>();
/** The purpose that sends due messages of all companies. */
export const DELIVERIES = definePurpose('deliveries', { outgoing_message: ['select', 'update', 'delete'] });
/** The purpose that leaves a message. It cannot read addresses and texts of other messages. */
export const SENDING = definePurpose('sending', { outgoing_message: ['insert'] });
export const outgoingMessageReserved = reserveForPurposes('outgoing_message');
/** Wakes the deliveries of this process, if there are any. */
export const deliveriesWaker = perApplication('waker of deliveries', inProcessWaker);

/** Names the composer of the messages of a kind, and the purpose in which it looks up the recipient. */
export const composeWith = (kind: string, purpose: Purpose, composer: Composer): Registration =>
  registration('composeWith', kind, () => void composers.set(kind, (em, message) => runAsPurpose(purpose, () => composer(em, message))));

/** @throws Error for a kind nobody writes, which is a mistake in the code */
export function composerOf(kind: string): Composer {
  const composer = composers.get(kind);
  if (!composer) throw new Error(`nobody writes messages of kind ${kind}`);
  return composer;
}

/** Adds a message to the running transaction: it is sent when that commits, however this process ends, and never when it does not. */
export async function sendLater(tx: TxContext, message: OutgoingMessage): Promise<void> {
  composerOf(message.kind);
  const { channel, kind, recipient, language, params = {}, worthSeconds } = message;
  await runAsPurpose(SENDING, () =>
    queryIn(
      tx.em,
      `insert into outgoing_message (id, channel, kind, recipient, language, params, request_id, give_up_at)
       values ($1, $2, $3, $4, $5, $6::jsonb, $7, now() + $8 * interval '1 second')`,
      [newId(), channel, kind, recipient, language, JSON.stringify(params), tx.requestId, worthSeconds],
    ),
  );
  afterCommit(tx, () => deliveriesWaker.of(tx.em).wake());
}
