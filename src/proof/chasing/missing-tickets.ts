import type { SetTx } from '../../platform/commands/set-tx.ts';

/** SQL: whether order `o` wants the tickets of its loads. */
export const wantsTickets = (o: string): string => `${o}.chase_missing_tickets and ${o}.unit_of_measure is distinct from 'Hour'`;
const closedFor = (job: string, load: string, states: string): string =>
  `exists (select from ticket_chase w where w.job_id = ${job} and w.state in (${states}) and ${load} = any(w.load_ids))`;
/** SQL: whether somebody has said that the ticket of a load will not come. */
export const isWaived = (job: string, load: string): string => closedFor(job, load, "'waived'");

/**
 * SQL: the loads `l` of a job that lack their ticket: completed, of an order that wants tickets chased and is not counted in hours, without a live
 * ticket, and neither waived nor given up.
 * @param job an SQL expression for the job's id
 * @param evenGivenUp also those of which nobody is reminded any more, and whose tickets are still welcome
 */
export const missingOf = (job: string, evenGivenUp = false): string => `load l join orders o on o.id = l.order_id
  where l.job_id = ${job} and l.state = 'completed' and ${wantsTickets('o')}
    and not exists (select from ticket k where k.load_id = l.id and k.voided_at is null)
    and not ${closedFor('l.job_id', 'l.id', `'waived'${evenGivenUp ? '' : ", 'given_up'"}`)}`;

/** Returns the loads of a job whose tickets are missing, in their order, also those of which nobody is reminded any more. */
export async function loadsWithoutTicket({ query }: SetTx, jobId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(`select l.id from ${missingOf('$1::uuid', true)} order by l.ordinality`, [jobId]);
  return rows.map(({ id }) => id);
}
