import { Readable } from 'node:stream';
import type { EntityManager } from '@mikro-orm/postgresql';
import { BY_SYSTEM, insertJobEvents } from '../../dispatch/jobs/job-effects.ts';
import type { JobState } from '../../dispatch/model/states.ts';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { worldTime } from '../../platform/database/time/sandbox-time.ts';
import { newId } from '../../platform/ids.ts';
import { keepReceived, receive } from '../../platform/storage/incoming.ts';
import { Ticket } from '../ticket.entity.ts';
import { createTicket } from '../ticket-commands.ts';
import { fillTicket } from './fill-ticket.ts';
import { linkByTime } from './link-by-time.ts';
import type { Reading } from './reader-answer.ts';

/** Stores a picture again, once for each further ticket in it: each ticket has its own bytes, which go when it is deleted. @returns their keys */
export async function storeCopies(em: EntityManager, image: Buffer, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, () => newId());
  for (const key of keys) await keepReceived(em, key, await receive(em, Readable.from([image])), 'image/jpeg');
  return keys;
}

const READ = `insert into ticket_reading (id, company_id, ticket_id, state, provider, fields, full_text, confidence, due_at)
  values ($1, $2, $3, 'read', $4, $5::jsonb, $6, $7::numeric, null)`;

/** The picture of a ticket, and the further tickets that a reader found in it. */
export interface Split {
  ticket: Ticket;
  readings: readonly Reading[];
  /** Of the copies of the picture, one for each reading. */
  keys: readonly string[];
  provider: string;
  /** Per cent from which on a field is filled. */
  threshold: number;
}

/** Makes a ticket of each further one that a reader found in a picture, of the same job, with its own copy of the picture (PROOF A4). */
export async function addAgentTickets(tx: TxContext, { ticket, readings, keys, provider, threshold }: Split): Promise<void> {
  const set = setTxOf(tx);
  const { unitOfMeasure, imageName, imageSize, imageMimeType } = ticket;
  for (const [i, reading] of readings.entries()) {
    const { id } = await createTicket(tx, { jobId: ticket.job?.id ?? null, unitOfMeasure, source: 'agent' });
    const one = await tx.em.findOneOrFail(Ticket, { id }, { filters: { tenant: false } });
    Object.assign(one, {
      imageId: keys[i],
      imageName,
      imageSize,
      imageMimeType,
      previewDueAt: worldTime(tx.tx),
      ocrProcessed: true,
      aiProcessed: true,
    });
    const least = await fillTicket(set, one, reading, threshold);
    await linkByTime(set, one);
    // The next one finds the number and the load of this one.
    await tx.em.flush();
    await set.query(READ, [keys[i], ticket.company.id, id, provider, JSON.stringify(reading.fields), reading.fullText, least]);
  }
}

const JOBS = `select distinct j.id, j.company_id as "companyId", j.state from ticket t join job j on j.id = t.job_id where t.id = any($1::uuid[]) order by j.id`;

/** Notes on jobs that a program uploaded tickets of them, however these came. */
export const uploadsOfAgents = defineConsequence('tickets of agents', async (tx, changes) => {
  const made = changes
    .flatMap((records) => records.audits)
    .filter(({ type, event, changes: of }) => type === 'Ticket' && event === 'create' && of.source?.[1] === 'agent');
  if (made.length === 0) return;
  const jobs = await tx.query<{ id: string; companyId: string; state: JobState }>(JOBS, [made.map(({ id }) => id)]);
  await insertJobEvents(
    tx,
    jobs.map(({ state, ...job }) => ({ job, state, eventName: 'TicketsUploadedByAgent', author: BY_SYSTEM })),
  );
});
