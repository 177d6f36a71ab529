import type { EntityManager } from '@mikro-orm/postgresql';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { claimSql, type Leased } from '../../platform/queue/lease-queue.ts';

/** Claims and ends reviews of all companies. A review itself runs as the company of the load. */
export const REVIEWS = definePurpose('reviews', { load_review_task: ['select', 'update', 'delete'] });

export interface ReviewTask extends Leased {
  /** The load. */
  id: string;
  companyId: string;
  /** How often something happened to the load for which it is to be reviewed. */
  asked: number;
}

const OF_TICKET = new Set([
  ...['load_id', 'quantity', 'unit_of_measure', 'ticket_number', 'service_date', 'material_id', 'equipment_id', 'voided_at'],
  ...['gross_quantity', 'tare_quantity', 'image_id', 'image_url', 'ocr_processed'],
]);

// One look at the companies before anything is asked about their loads: most do not want reviews.
const ASK = namedStatement(`
with c as materialized (select id from company where id = any($3::uuid[]) and ai_review_loads)
insert into load_review_task (id, company_id, due_at)
select l.id, l.company_id, now() from load l
where (select count(*) from c) > 0 and l.company_id in (select id from c)
  and (l.id = any($2::uuid[]) or l.id = any(array(select t.load_id from ticket t where t.id = any($1::uuid[]))))
order by l.id
on conflict (id) do update set due_at = now(), attempts = 0, asked = load_review_task.asked + 1`);

/** Has loads reviewed that are completed, whose quantity changes, or whose ticket does; the review comes after the commit. */
export const reviewsOfLoads = defineConsequence(
  'reviews of loads',
  async (tx, changes) => {
    const audits = changes.flatMap((records) => records.audits);
    const tickets = audits.filter(
      ({ type, event, changes: of }) => type === 'Ticket' && event !== 'destroy' && Object.keys(of).some((column) => OF_TICKET.has(column)),
    );
    const loads = audits.filter(
      ({ type, changes: of }) => type === 'Load' && (of.state?.[1] === 'completed' || 'quantity' in of || 'unit_of_measure' in of),
    );
    const left = audits.flatMap(({ type, changes: of }) =>
      type === 'Ticket' && typeof of.load_id?.[0] === 'string' ? [of.load_id[0]] : [],
    );
    if (tickets.length + loads.length + left.length === 0) return;
    const ids = (list: AuditRecord[]) => [...new Set(list.map(({ id }) => id))];
    const companies = new Set([...tickets, ...loads].map(({ companyId }) => companyId));
    await tx.query(ASK, [ids(tickets), [...new Set([...ids(loads), ...left])], [...companies]]);
  },
  { last: true },
);

const COLUMNS = { due: 'due_at', attempts: 'attempts' };
const ask = async <R extends object>(em: EntityManager, sql: string, values: unknown[]): Promise<R[]> =>
  runAsPurpose(REVIEWS, async () => (await (await poolOf(em)).query<R>(sql, values)).rows);

/** Claims at most `most` due reviews for `seconds`. */
export const claimReviews = (em: EntityManager, most: number, seconds: number): Promise<ReviewTask[]> =>
  ask<ReviewTask>(em, claimSql('load_review_task', COLUMNS, 'id, company_id as "companyId", asked, attempts'), [most, seconds]);

/** Ends a review, unless the load was to be reviewed again meanwhile. */
export const endReview = (em: EntityManager, { id, asked }: ReviewTask): Promise<object[]> =>
  ask(em, 'delete from load_review_task where id = $1 and asked = $2', [id, asked]);

/** Makes a review due again after `seconds`. */
export const postponeReview = (em: EntityManager, { id }: ReviewTask, seconds: number): Promise<object[]> =>
  ask(em, `update load_review_task set due_at = now() + $2 * interval '1 second' where id = $1`, [id, seconds]);
