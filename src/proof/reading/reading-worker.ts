import { buffer } from 'node:stream/consumers';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Company } from '../../directory/companies/company.entity.ts';
import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import { lockOrderRow } from '../../dispatch/orders/order-progress.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { asSystem } from '../../platform/commands/system-context.ts';
import { emitEvent } from '../../platform/commands/transact.ts';
import { asCompanies } from '../../platform/database/scope.ts';
import { inTimeOf } from '../../platform/database/time/sandbox-time.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { fileStorage } from '../../platform/storage/storage.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import { Ticket } from '../ticket.entity.ts';
import { addAgentTickets, storeCopies } from './agent-tickets.ts';
import { fillTicket } from './fill-ticket.ts';
import { linkByTime } from './link-by-time.ts';
import { AnswerRefused, type PictureReading } from './reader-answer.ts';
import { claimReadings, dropReading, failReading, postponeReading, type ReadingTask } from './reading-tasks.ts';
import { type TicketReader, ticketReader } from './ticket-reader.ts';

export interface ReadingWorkerOptions {
  em: EntityManager;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Milliseconds between two looks; 2,000 by default. */
  sweepEvery?: number;
  /** Seconds until a reading is tried again that failed, by tries made; as in `DELAYS` by default. */
  delays?: readonly number[];
}

/** Seconds after which a picture is another process's to read; longer than a reader may take. */
const LEASE = 120;
/** Three more tries after the first (PROOF A4). */
const DELAYS = [30, 300, 3_600];

/** Has the pictures of tickets read in the background by the reader of the installation, two at a time. */
export function startReadingWorker({ em, log, sweepEvery = 2_000, delays = DELAYS }: ReadingWorkerOptions): Drainer {
  const reader = ticketReader.of(em);
  if (!reader) throw new Error('there is no reader of tickets');
  return startLeaseQueue<ReadingTask>({
    name: 'reading',
    tracing: tracing.of(em),
    slots: 2,
    lease: LEASE,
    claim: (most, seconds) => claimReadings(em, most, seconds),
    async work(task) {
      try {
        await read(em, reader, task);
      } catch (error) {
        // The same picture would be answered in the same way.
        if (!(error instanceof AnswerRefused)) throw error;
        await failReading(em, task, error.message);
        log.info({ ticket: task.ticketId, reason: error.message }, 'the answer of the reader of tickets was refused');
      }
    },
    delayAfter: (attempts) => delays[attempts - 1],
    postpone: (task, seconds) => postponeReading(em, task, seconds),
    giveUp: (task) => failReading(em, task, 'the reader did not answer'),
    failed: (error, { ticketId, attempts }, again) => log.warn({ err: error, ticket: ticketId, attempts, again }, 'a ticket was not read'),
    sweepEvery,
    log,
  });
}

async function read(em: EntityManager, reader: TicketReader, task: ReadingTask): Promise<void> {
  const [ticket] = await asCompanies([task.companyId], () =>
    em.fork({ clear: true }).find(Ticket, { id: task.ticketId }, { filters: { tenant: false } }),
  );
  if (ticket?.imageId !== task.id) return void (await dropReading(em, task));
  const image = await buffer(await fileStorage.of(em).read(task.id));
  const hints = { company: task.companyId, order: ticket.order?.id ?? null, job: ticket.job?.id ?? null };
  const { timeZone } = await asCompanies([task.companyId], () =>
    em.fork({ clear: true }).findOneOrFail(Company, task.companyId, { filters: { tenant: false } }),
  );
  const reading = await asCompanies([task.companyId], () => inTimeOf(em, () => reader.read(image, hints, timeZone)));
  // Copies that a crash leaves behind are nobody's, and are swept.
  const keys = reading === 'unreadable' ? [] : await storeCopies(em, image, reading.others.length);
  await note(em, task, reader.provider, reading, keys);
}

const THRESHOLD = `select ${settingSql('cs', 'readingFillsFromPercent')} as percent from company c left join company_settings cs on cs.id = c.id where c.id = $1`;

const NOTE = `update ticket_reading set state = $2, provider = $3, fields = $4::jsonb, full_text = $5, error = null, due_at = null
  where id = $1 and due_at is not null returning id`;

/** Writes down what was recognised, on the reading and on the ticket, in one transaction. */
function note(
  em: EntityManager,
  task: ReadingTask,
  provider: string,
  reading: PictureReading | 'unreadable',
  keys: readonly string[],
): Promise<void> {
  return asSystem(em, task.companyId, async (tx) => {
    const [before] = await tx.em.find(Ticket, { id: task.ticketId }, { filters: { tenant: false } });
    // The order first, as everywhere, because the ticket may be linked to a load.
    if (before?.order) await lockOrderRow(tx, before.order.id);
    const options = { filters: { tenant: false }, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
    const ticket = await tx.em.findOne(Ticket, { id: task.ticketId }, options);
    const set = setTxOf(tx);
    const seen = reading === 'unreadable' ? undefined : reading;
    const state = seen ? 'read' : 'unreadable';
    const noted = await set.query(NOTE, [task.id, state, provider, seen ? JSON.stringify(seen.fields) : null, seen?.fullText ?? null]);
    if (noted.length === 0 || ticket?.imageId !== task.id) return;
    Object.assign(ticket, { ocrProcessed: true, aiProcessed: true });
    if (seen) {
      const [settings] = await set.query<{ percent: number }>(THRESHOLD, [task.companyId]);
      const threshold = settings!.percent;
      const least = await fillTicket(set, ticket, seen, threshold);
      await linkByTime(set, ticket);
      await set.query('update ticket_reading set confidence = $2::numeric where id = $1', [task.id, least]);
      if (seen.others.length > 0) {
        await tx.em.flush();
        await addAgentTickets(tx, { ticket, readings: seen.others, keys, provider, threshold });
      }
    }
    emitEvent(tx, 'ticket.read', ticket, { state });
  });
}
