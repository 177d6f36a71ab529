import { defineConsequence } from '../../platform/commands/consequences.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { growsOnly } from '../../platform/database/scope.ts';

/** The product adds to the histories of tickets, and changes nothing of them. */
export const historyGrowsOnly = growsOnly('ticket_history', 'ticket_amendment');

// The content is computed once: `offset 0` keeps it a subquery of its own.
const CHAIN = namedStatement(`
insert into ticket_history (ticket_id, number, company_id, written_at, content, hash)
select t.id, l.number, t.company_id, $2::timestamptz, c.content, ticket_link_hash(l.before, l.number, $2::timestamptz, c.content)
from ticket t, lateral (select ticket_content(t) as content offset 0) c,
  lateral (select coalesce(max(h.number), 0) + 1 as number, coalesce((array_agg(h.hash))[1], uuid_send(t.id)) as before
    from (select x.number, x.hash from ticket_history x where x.ticket_id = t.id order by x.number desc limit 1) h) l
where t.id = any($1::uuid[])`);

// New tickets have no link before.
const BEGIN = namedStatement(`
insert into ticket_history (ticket_id, number, company_id, written_at, content, hash)
select t.id, 1, t.company_id, $2::timestamptz, c.content, ticket_link_hash(uuid_send(t.id), 1, $2::timestamptz, c.content)
from ticket t, lateral (select ticket_content(t) as content offset 0) c where t.id = any($1::uuid[])`);

/** Writes the first link of new tickets that no command made. */
export const beginHistories = (tx: SetTx, ids: readonly string[]): Promise<unknown> => tx.query(BEGIN, [ids, tx.now.toISOString()]);

/** Adds a link to the histories of tickets that a statement over many has changed, which writes no audit rows of them. */
export const continueHistories = (tx: SetTx, ids: readonly string[]): Promise<unknown> => tx.query(CHAIN, [ids, tx.now.toISOString()]);

/**
 * Adds a link to the history of each ticket that a transaction has made or changed, in that transaction and in one statement. The changes are
 * read from the audit rows, which every path that writes tickets has. It is drawn last, because other consequences link tickets to loads.
 */
export const historyOfTickets = defineConsequence(
  'the history of tickets',
  async (tx, changes) => {
    const audits = changes.flatMap((records) => records.audits.filter(({ type, event }) => type === 'Ticket' && event !== 'destroy'));
    if (audits.length === 0) return;
    const changed = new Set(audits.map(({ id }) => id));
    const made = audits.filter(({ event }) => event === 'create').length;
    await tx.query(made === changed.size ? BEGIN : CHAIN, [[...changed], tx.now.toISOString()]);
  },
  { last: true },
);
