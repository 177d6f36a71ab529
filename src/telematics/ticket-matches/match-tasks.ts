import { defineConsequence } from '../../platform/commands/consequences.ts';
import { FollowUps } from '../../platform/commands/follow-up-tasks.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { definePurpose } from '../../platform/database/scope.ts';

/** Claims and ends what follows from tickets that were linked, of all companies. What a ticket shows is noted as the company of its job. */
export const TICKET_MATCHES = definePurpose('ticket_matches', { ticket_match_task: ['select', 'update', 'delete'] });

/** Tickets that were linked to a load whose truck was at the pickup. */
export const ticketsToMatch = new FollowUps('ticket_match_task', TICKET_MATCHES);

const ASK = namedStatement(`
insert into ticket_match_task (id, company_id, due_at)
select t.id, t.company_id, now() from ticket t join load l on l.id = t.load_id
where t.id = any($1::uuid[]) and l.state = 'arrived_pickup'
order by t.id
${ticketsToMatch.again}`);

/** Has jobs looked at whose load gets a ticket while its truck is at the pickup; what follows comes after the commit. */
export const matchesOfTickets = defineConsequence(
  'matches of tickets',
  async (tx, changes) => {
    const linked = changes
      .flatMap((records) => records.audits)
      .filter(({ type, event, changes: of }) => type === 'Ticket' && event !== 'destroy' && typeof of.load_id?.[1] === 'string');
    if (linked.length > 0) await tx.query(ASK, [[...new Set(linked.map(({ id }) => id))]]);
  },
  { last: true },
);
