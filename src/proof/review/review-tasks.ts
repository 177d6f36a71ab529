import type { Follow } from '../../dispatch/checks/measured-loads.ts';
import { isToReview } from '../../dispatch/model/load.entity.ts';
import { JOB_FINISHED, type JobState } from '../../dispatch/model/states.ts';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import { FollowUps } from '../../platform/commands/follow-up-tasks.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { definePurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';

/** Claims and ends reviews of all companies, and asks whether positions wait to be measured. A review itself runs as the company of the load. */
export const REVIEWS = definePurpose('reviews', {
  load_review_task: ['select', 'update', 'delete'],
  // The driver of a vendor has tasks of the vendor's.
  position_task: ['select (asset_id, kind, since, working_since)'],
});

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
select a.id, a.company_id, now() from (
  select l.id, l.company_id from load l
  where l.id = any($2::uuid[]) or l.id = any(array(select t.load_id from ticket t where t.id = any($1::uuid[])))
  union
  select b.id, b.company_id from load l cross join lateral (
    select p.id, p.company_id, p.state from load p where p.job_id = l.job_id and p.ordinality < l.ordinality and p.state <> 'canceled'
      and p.summary_arrived_pickup_at is not null order by p.ordinality desc limit 1) b
  where l.id = any($4::uuid[]) and b.state = 'completed'
  union
  select l.id, l.company_id from load l join ai_review r on r.load_id = l.id and r.approval_pending where l.job_id = any($5::uuid[])
  union
  select l.id, l.company_id from load l join ai_review r on r.load_id = l.id and r.status = 'duplicate' where l.company_id = any($6::uuid[]) and ${isToReview('l')}) a
where (select count(*) from c) > 0 and a.company_id in (select id from c)
order by a.id
${loadsToReview.again}`);

/**
 * Has loads reviewed that are completed, whose quantity or times change, whose ticket does, or goes, or whose time to the next one is known now, and those
 * whose number was another ticket's that has it no more; the review comes after the commit. When a job is over, no further load shows how long the last one took.
 */
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
    const ending = audits.filter(({ type, changes: of }) => type === 'Load' && endsCycle(of));
    const over = audits.filter(({ type, changes: of }) => type === 'Job' && JOB_FINISHED.includes(of.state?.[1] as JobState));
    const left = audits.filter(({ type, changes: of }) => type === 'Ticket' && typeof of.load_id?.[0] === 'string');
    const freed = audits.filter(freesNumber);
    const all = [...tickets, ...loads, ...ending, ...over, ...left, ...freed];
    if (all.length === 0) return;
    const ids = (list: AuditRecord[]) => [...new Set(list.map(({ id }) => id))];
    const companiesOf = (list: AuditRecord[]) => [...new Set(list.map(({ companyId }) => companyId))];
    const loadIds = [...new Set([...ids(loads), ...left.map(({ changes: of }) => of.load_id![0] as string)])];
    await tx.query(ASK, [ids(tickets), loadIds, companiesOf(all), ids(ending), ids(over), companiesOf(freed)]);
  },
  { last: true },
);

/**
 * True if a number that was a ticket's is that of no live ticket any more. One that was found twice by it can be approved then, and would otherwise wait for a
 * review that nothing brings.
 */
const freesNumber = ({ type, event, changes: of }: AuditRecord): boolean =>
  type === 'Ticket' && event !== 'create' && (typeof of.ticket_number?.[0] === 'string' || Boolean(of.voided_at?.[1]));

/** True if a change of a load may change how long the load before took: it arrives, or does not count any more. */
const endsCycle = (of: AuditRecord['changes']): boolean => 'summary_arrived_pickup_at' in of || of.state?.[1] === 'canceled';

const MEASURED = `insert into load_review_task (id, company_id, due_at)
select l.id, l.company_id, now() from load l join company c on c.id = l.company_id
where l.id = any($1::uuid[]) and l.state = 'completed' and c.ai_review_loads
order by l.id
${loadsToReview.again}`;

/** Positions are measured minutes after a load is completed, and late ones again: the review judges by them, too. */
export const reviewMeasuredLoads: Follow = async (em, loadIds) => {
  await queryIn(em, MEASURED, [loadIds]);
};
