import type { EntityManager } from '@mikro-orm/postgresql';
import { JOB_OVER } from '../../dispatch/model/states.ts';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { definePurpose } from '../../platform/database/scope.ts';
import { queryAs } from '../../platform/database/sql.ts';
import { claimSql, type Leased } from '../../platform/queue/lease-queue.ts';

/** Claims and postpones looks at jobs of all companies. What follows is done as the company of the job. */
export const CHASES = definePurpose('chases', {
  ticket_chase_task: ['select (id, company_id, due_at, attempts)', 'update (due_at, attempts)'],
  app_user: ['select (id, preferences)'],
  device_token: ['select (id, user_id)'],
});

export interface ChaseTask extends Leased {
  /** The job. */
  id: string;
  companyId: string;
}

// Only of orders that want it, and of jobs that are chased already. Loads are an array: next to `in (select ...)` no index could be used, and
// all jobs would be read.
const LOOK = namedStatement(`
insert into ticket_chase_task (id, company_id, due_at)
select j.id, j.company_id, now() from job j join orders o on o.id = j.order_id
where (j.id = any($1::uuid[]) or j.order_id = any($2::uuid[]) or j.id = any(array(select l.job_id from load l where l.id = any($3::uuid[]))))
  and (o.chase_missing_tickets or exists (select from ticket_chase c where c.job_id = j.id and c.state = 'open'))
order by j.id
on conflict (id) do update set due_at = now(), attempts = 0`);

/** Has jobs looked at that are chased, after the commit. */
export const lookAtJobs = (tx: SetTx, ids: readonly string[]): Promise<unknown> => tx.query(LOOK, [ids, [], []]);

const OVER_STATES = new Set<unknown>(JOB_OVER);
const changedTo = ({ event, changes }: AuditRecord, states: ReadonlySet<unknown>) =>
  event !== 'create' && changes.state !== undefined && states.has(changes.state[1]);
const LOAD_STATES = new Set(['completed', 'canceled']);

/** Has jobs looked at whose loads come to lack a ticket, or lack it no more; reminders follow after the commit. */
export const chasesOfJobs = defineConsequence(
  'chases of missing tickets',
  async (tx, changes) => {
    const audits = changes.flatMap((records) => records.audits);
    const of = (type: string, concerns: (audit: AuditRecord) => boolean) => audits.filter((one) => one.type === type && concerns(one));
    const jobs = of('Job', (one) => changedTo(one, OVER_STATES)).map(({ id }) => id);
    const orders = of('Order', ({ event, changes: set }) => event === 'update' && 'chase_missing_tickets' in set).map(({ id }) => id);
    const loads = of('Load', (one) => changedTo(one, LOAD_STATES)).map(({ id }) => id);
    const tickets = of('Ticket', ({ changes: set }) => 'load_id' in set).flatMap(({ changes: set }) => set.load_id ?? []);
    const named = [...new Set([...loads, ...tickets.filter((id): id is string => typeof id === 'string')])];
    if (jobs.length + orders.length + named.length === 0) return;
    await tx.query(LOOK, [jobs, orders, named]);
  },
  { last: true },
);

const ask = async <R extends object>(em: EntityManager, sql: string, values: unknown[]): Promise<R[]> =>
  queryAs<R>(CHASES, em, sql, values);

/** Claims at most `most` jobs that are to be looked at, for `seconds`. */
export const claimChases = (em: EntityManager, most: number, seconds: number): Promise<ChaseTask[]> =>
  ask<ChaseTask>(em, claimSql('ticket_chase_task', { due: 'due_at', attempts: 'attempts' }, 'id, company_id as "companyId", attempts'), [
    most,
    seconds,
  ]);

/** Has a job looked at again after `seconds`. */
export const postponeChase = (em: EntityManager, { id }: ChaseTask, seconds: number): Promise<object[]> =>
  ask(em, `update ticket_chase_task set due_at = now() + $2 * interval '1 second' where id = $1`, [id, seconds]);
