/**
 * SQL: the loads `l` of a job that lack their ticket: completed, of an order that wants tickets chased and is not counted in hours, without a live
 * ticket, and neither waived nor given up.
 * @param job an SQL expression for the job's id
 * @param evenGivenUp also those of which nobody is reminded any more, and whose tickets are still welcome
 */
export const missingOf = (job: string, evenGivenUp = false): string => `load l join orders o on o.id = l.order_id
  where l.job_id = ${job} and l.state = 'completed' and o.chase_missing_tickets and o.unit_of_measure is distinct from 'Hour'
    and not exists (select from ticket k where k.load_id = l.id and k.voided_at is null)
    and not exists (select from ticket_chase w where w.job_id = l.job_id and w.state in ('waived'${evenGivenUp ? '' : ", 'given_up'"}) and l.id = any(w.load_ids))`;
