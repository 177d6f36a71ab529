import type { EntityManager } from '@mikro-orm/postgresql';
import { automationFailed } from '../../events/webhooks/happened.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { asSystem } from '../../platform/commands/system-context.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose } from '../../platform/database/scope.ts';
import { queryAs } from '../../platform/database/sql.ts';
import { claimSql, type Leased } from '../../platform/queue/lease-queue.ts';
import { ticketReader } from './ticket-reader.ts';

/** Claims and postpones readings of all companies. What was recognised is written as the company of the ticket. */
export const READINGS = definePurpose('readings', {
  ticket_reading: ['select (id, company_id, ticket_id, due_at, attempts)', 'update (state, due_at, attempts, error)'],
});

export interface ReadingTask extends Leased {
  /** Of the picture. */
  id: string;
  companyId: string;
  ticketId: string;
}

/** Has the picture of a ticket read after the commit, if there is a reader. */
export async function readLater(tx: TxContext, ticket: { id: string; company: { id: string } }, imageId: string): Promise<void> {
  if (!ticketReader.of(tx.em)) return;
  await setTxOf(tx).query('insert into ticket_reading (id, company_id, ticket_id) values ($1, $2, $3)', [
    imageId,
    ticket.company.id,
    ticket.id,
  ]);
}

const ask = async <R extends object>(em: EntityManager, sql: string, values: unknown[]): Promise<R[]> =>
  queryAs<R>(READINGS, em, sql, values);

/** Claims at most `most` due readings for `seconds`. */
export const claimReadings = (em: EntityManager, most: number, seconds: number): Promise<ReadingTask[]> =>
  ask<ReadingTask>(
    em,
    claimSql('ticket_reading', { due: 'due_at', attempts: 'attempts' }, 'id, company_id as "companyId", ticket_id as "ticketId", attempts'),
    [most, seconds],
  );

/** Makes a reading due again after `seconds`. */
export const postponeReading = (em: EntityManager, { id }: ReadingTask, seconds: number): Promise<object[]> =>
  ask(em, `update ticket_reading set due_at = now() + $2 * interval '1 second' where id = $1 and due_at is not null`, [id, seconds]);

const FAIL = `update ticket_reading set state = 'failed', due_at = null, error = $2 where id = $1 and due_at is not null returning id`;

/** Ends a reading of a picture that the ticket has no more. */
export const dropReading = (em: EntityManager, { id }: ReadingTask): Promise<object[]> =>
  ask(em, FAIL, [id, 'the ticket has another picture']);

/** Ends a reading without a result, which those learn who wait for failures of tickets. @param reason why */
export const failReading = (em: EntityManager, { id, companyId, ticketId }: ReadingTask, reason: string): Promise<void> =>
  asSystem(em, companyId, async (tx) => {
    const ended = await setTxOf(tx).query(FAIL, [id, reason]);
    if (ended.length === 0) return;
    tx.tx.events.push(automationFailed('Ticket', { id: ticketId, companyId }, { automation: 'ticket_reading', reason }));
  });
