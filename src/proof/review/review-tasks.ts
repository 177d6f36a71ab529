import { defineConsequence } from '../../platform/commands/consequences.ts';
import { FollowUps } from '../../platform/commands/follow-up-tasks.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { definePurpose } from '../../platform/database/scope.ts';

/** Claims and ends reviews of all companies. A review itself runs as the company of the load. */
export const REVIEWS = definePurpose('reviews', { load_review_task: ['select', 'update', 'delete'] });

/** Loads that are to be reviewed. */
export const loadsToReview = new FollowUps('load_review_task', REVIEWS);

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
${loadsToReview.again}`);

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
