import type { EntityManager } from '@mikro-orm/postgresql';
import { runAsPurpose } from '../database/scope.ts';
import { poolOf, queryAs } from '../database/sql.ts';
import { claimSql, type Leased, startLeaseQueue } from '../queue/lease-queue.ts';
import { inSpan, tracing } from '../tracing/spans.ts';
import { type Mailer, MailRefused } from './mail.ts';
import { composerOf, DELIVERIES, type DueMessage } from './outgoing.ts';
import { DeviceGone, type Pusher } from './push.ts';
import { keepMessage, sandboxOf } from './sandbox-messages.ts';
import { OutcomeUnknown, type Texter } from './sms.ts';
import { wantsNoTexts } from './sms-consent.ts';

export interface DeliveryOptions {
  em: EntityManager;
  mailer: Mailer;
  texter: Texter;
  /** Without one, nothing is pushed to devices. */
  pusher?: Pusher;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Milliseconds between two looks without a wake. */
  every?: number;
}

export interface Deliveries {
  /** Looks for what is due now. */
  sweep(): void;
  /** Resolves when nothing is due. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Messages sent at a time. */
const SLOTS = 10;
/** Seconds that a process which died keeps its messages; longer than a try may take. */
const LEASE = 30;
/** The same of a mail with files, which a slow line may take minutes for. */
const LEASE_OF_FILES = 600;
/** Seconds until the next try, by tries made, and then by the last: a message is tried again while it is worth it. */
const DELAYS = [30, 60, 180, 600, 1_800];
/** Why a message is given up for reasons of ours, or of our mail server. */
const NOT_SENT = 'it could not be sent';
/** Why a text is given up that the service may have. */
const UNKNOWN = 'nobody knows whether the service took it';
/** Characters of a reason that are kept. */
const LONGEST_REASON = 500;

type Claimed = DueMessage & Leased & { late: boolean; handedOver: boolean };

const CLAIM = claimSql(
  'outgoing_message',
  { due: 'next_at', attempts: 'attempts' },
  'id, channel, kind, recipient, language, params, request_id as "requestId", trace_parent as "traceParent", sandbox_id as "sandboxId", attempts, give_up_at <= now() as late, handed_over_at is not null as "handedOver"',
);

/**
 * Sends what `sendLater` has left, oldest first, at least once, and texts of kinds that want it (`onceAtMost`) once at most. Several processes may do so
 * concurrently.
 */
export function startDeliveries(options: DeliveryOptions): Deliveries {
  const { em, log } = options;
  const query = <R extends object>(sql: string, values: unknown[]): Promise<R[]> => queryAs<R>(DELIVERIES, em, sql, values);
  const forget = ({ id }: Claimed) => query('delete from outgoing_message where id = $1', [id]);
  const postpone = ({ id }: Claimed, seconds: number, error?: unknown) =>
    query(`update outgoing_message set next_at = now() + $2 * interval '1 second', last_error = coalesce($3, last_error) where id = $1`, [
      id,
      seconds,
      error === undefined ? null : String(error).slice(0, LONGEST_REASON),
    ]);
  const handOver = async ({ id }: Claimed, hand: () => Promise<void>): Promise<boolean> => {
    const first = await query('update outgoing_message set handed_over_at = now() where id = $1 and handed_over_at is null returning 1', [
      id,
    ]);
    if (first.length === 0) return false;
    await hand().catch(async (error: unknown) => {
      if (!(error instanceof OutcomeUnknown)) await query('update outgoing_message set handed_over_at = null where id = $1', [id]);
      throw error;
    });
    return true;
  };
  const queue = startLeaseQueue<Claimed>({
    name: 'delivery',
    tracing: tracing.of(em),
    slots: SLOTS,
    lease: LEASE,
    claim: (most, seconds) => query<Claimed>(CLAIM, [most, seconds]),
    work: async (message) => {
      const { id, kind, channel, attempts, requestId, late, handedOver } = message;
      const { mostTries = Number.POSITIVE_INFINITY, onceAtMost, gaveUp } = composerOf(kind);
      const giveUp = async (reason: string) => {
        log.warn({ id, kind, attempts, requestId, reason }, `a ${channel} was given up`);
        await gaveUp?.(em, message, reason.slice(0, LONGEST_REASON));
      };
      const lease = { takeLong: () => postpone(message, LEASE_OF_FILES), handOver: (hand: () => Promise<void>) => handOver(message, hand) };
      let ended = true;
      // Processes that died made the tries before.
      if (late || handedOver || attempts > mostTries) await giveUp(handedOver ? UNKNOWN : NOT_SENT);
      else
        ended = await runAsPurpose(DELIVERIES, () =>
          inSpan(
            `send ${channel}`,
            () => ({ kind: 'client', attributes: { 'haulgate.message.id': id, 'haulgate.message.kind': kind } }),
            () => send(options, message, lease),
          ),
        ).catch(async (error: unknown) => {
          const isLost = error instanceof OutcomeUnknown && onceAtMost;
          if (!isLost && !(error instanceof MailRefused) && attempts < mostTries) throw error;
          await giveUp(isLost ? UNKNOWN : error instanceof MailRefused ? error.message : NOT_SENT);
          return true;
        });
      if (ended) await forget(message);
    },
    delayAfter: (attempts) => DELAYS[Math.min(attempts, DELAYS.length) - 1],
    postpone,
    giveUp: forget,
    failed: (error, { id, kind, channel, attempts, requestId }) =>
      log.warn({ err: error, id, kind, attempts, requestId }, `a ${channel} was not taken; it is tried again`),
    sweepEvery: options.every ?? 1_000,
    log,
  });
  return {
    sweep: queue.sweep,
    async idle() {
      queue.look();
      await queue.idle();
    },
    async stop() {
      await queue.stop();
      options.mailer.close();
    },
  };
}

interface MessageLease {
  /** Makes sure that nobody else takes the message for a while. */
  takeLong(): Promise<unknown>;
  /** Notes that the service may have a text from now on, and gives it to the service. @returns false if another process has done so */
  handOver(hand: () => Promise<void>): Promise<boolean>;
}

/** @returns false if another process sends it, which ends it, too */
async function send(
  { em, mailer, texter, pusher }: DeliveryOptions,
  message: Claimed,
  { takeLong, handOver }: MessageLease,
): Promise<boolean> {
  const { id, kind, channel, recipient, language } = message;
  if (channel === 'push' && !pusher && !message.sandboxId) return true;
  const { compose, sent, deviceGone, onceAtMost } = composerOf(kind);
  const composed = await compose(em.fork({ clear: true }), message);
  if (!composed) return true;
  const to = composed.to ?? recipient;
  if (!to) throw new Error(`nobody said where messages of kind ${kind} go`);
  const { subject = '', text, data = {}, replyTo, attachments = [] } = composed;
  const sandbox = message.sandboxId ?? (await sandboxOf(em, channel, channel === 'push' ? recipient : to));
  if (sandbox) {
    await keepMessage(em, sandbox, { ...message, recipient: to, subject: composed.subject, text, attachments });
    await sent?.(em, message);
    return true;
  }
  if (attachments.length > 0) await takeLong();
  if (channel === 'mail') await mailer.send({ id, to, subject, text, language: composed.language ?? language, replyTo, attachments });
  else if (channel === 'push') {
    try {
      await pusher!.send({ id, token: to, kind: String(message.params.about ?? kind), title: subject, text, language, data });
    } catch (error) {
      if (!(error instanceof DeviceGone)) throw error;
      await deviceGone?.(em, message);
      return true;
    }
  } else if (await isStopped(em, to)) return true;
  else {
    const hand = () => texter.send({ id, to, text });
    if (!onceAtMost) await hand();
    else if (!(await handOver(hand))) return false;
  }
  await sent?.(em, message);
  return true;
}

/** Looked up for each text at the last moment, so that a number that was stopped gets none, whoever sends it and however long it has waited. */
async function isStopped(em: EntityManager, phone: string): Promise<boolean> {
  const { rows } = await (await poolOf(em)).query<{ stopped: boolean }>(`select ${wantsNoTexts('$1')} as stopped`, [phone]);
  return rows[0]!.stopped;
}
