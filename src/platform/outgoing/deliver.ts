import type { EntityManager } from '@mikro-orm/postgresql';
import { runAsPurpose } from '../database/scope.ts';
import { poolOf } from '../database/sql.ts';
import { startSweeper } from '../queue/sweeper.ts';
import type { Mailer } from './mail.ts';
import { composerOf, DELIVERIES, type DueMessage, deliveriesWaker } from './outgoing.ts';
import type { Texter } from './sms.ts';

export interface DeliveryOptions {
  em: EntityManager;
  mailer: Mailer;
  texter: Texter;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Milliseconds between two looks without a wake. */
  every?: number;
}

export interface Deliveries {
  /** Resolves when nothing is due. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Messages taken at a time. */
const BATCH = 10;
/** Seconds until the next try, by tries made; the first is also how long a process that died keeps its messages. */
const DELAYS = [30, 60, 180, 600, 1_800];

// Tried again while it is worth it; the lease is longer than a try may take.
const CLAIM = `update outgoing_message m set attempts = attempts + 1,
    next_at = now() + ($2::int[])[least(attempts + 1, cardinality($2::int[]))] * interval '1 second'
  where id = any (array(select id from outgoing_message where next_at <= now() order by next_at limit $1 for update skip locked))
  returning id, channel, kind, recipient, language, params, request_id as "requestId", attempts, give_up_at <= now() as late`;

/** Sends what `sendLater` has left, oldest first, at least once. Several processes may do so concurrently. */
export function startDeliveries(options: DeliveryOptions): Deliveries {
  let running: Promise<void> = Promise.resolve();
  const round = () => {
    running = running
      .then(() => runAsPurpose(DELIVERIES, () => drain(options)))
      .catch((error) => options.log.warn({ err: error }, 'mails and texts wait'));
    return running;
  };
  const sweeper = startSweeper(options.every ?? 1_000, round, () => {});
  const waker = deliveriesWaker.of(options.em);
  waker.listen(() => void round());
  return {
    idle: round,
    async stop() {
      await waker.close();
      await sweeper.stop();
      await running;
      options.mailer.close();
    },
  };
}

type Claimed = DueMessage & { attempts: number; late: boolean };

async function drain(options: DeliveryOptions): Promise<void> {
  const pool = await poolOf(options.em);
  for (;;) {
    const { rows } = await pool.query<Claimed>(CLAIM, [BATCH, DELAYS]);
    await Promise.all(rows.map((message) => deliver(options, message)));
    if (rows.length < BATCH) return;
  }
}

async function deliver(options: DeliveryOptions, message: Claimed): Promise<void> {
  const { id, kind, channel, attempts, requestId } = message;
  const pool = await poolOf(options.em);
  const forget = () => pool.query('delete from outgoing_message where id = $1', [id]);
  if (message.late) {
    options.log.warn({ id, kind, attempts, requestId }, `a ${channel} was given up`);
    await forget();
    return;
  }
  try {
    const composed = await composerOf(kind)(options.em.fork({ clear: true }), message);
    const to = composed?.to ?? message.recipient;
    if (composed && !to) throw new Error(`nobody said where messages of kind ${kind} go`);
    if (composed && channel === 'mail')
      await options.mailer.send({ id, to, subject: composed.subject ?? '', text: composed.text, language: message.language });
    else if (composed) await options.texter.send({ id, to, text: composed.text });
    await forget();
  } catch (error) {
    options.log.warn({ err: error, id, kind, attempts, requestId }, `a ${channel} was not taken; it is tried again`);
    await pool.query('update outgoing_message set last_error = $2 where id = $1', [id, String(error).slice(0, 500)]);
  }
}
