import { defineConsequence } from '../../platform/commands/consequences.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import type { Warning } from '../importer.ts';
import { isOfLink, type Said, warnAnew } from './link-warnings.ts';

/**
 * When a person links a ticket to a load, its import does not warn any more of what it lacked for that. Other warnings stay, such as that of an
 * unknown site. The audit log has the codes before and after, in the name of whoever linked the ticket.
 */
export const warningsOfLinkedTickets = defineConsequence('warnings of tickets that a person linked', async (tx, changes) => {
  const linked = new Map(
    changes.flatMap((records) =>
      records.audits.flatMap(({ event, type, id, changes: of }) =>
        event === 'update' && type === 'Ticket' && of.load_id?.[1] ? [[id, records] as const] : [],
      ),
    ),
  );
  if (linked.size === 0) return;
  const warned = await tx.query<{ ticket_id: string; company_id: string; record_id: string; warnings: Warning[] }>(WARNED, [
    [...linked.keys()],
  ]);
  const answered = warned.filter(({ warnings }) => warnings.some(isOfLink));
  for (const [companyId, records] of Map.groupBy(answered, ({ company_id }) => company_id)) {
    const said = records.map((one): Said => {
      const left = one.warnings.filter((warning) => !isOfLink(warning));
      const codes = [one.warnings, left].map((all) => all.map(({ code }) => code)) as [string[], string[]];
      const own = linked.get(one.ticket_id)!;
      own.audits.push({ event: 'update', type: 'ImportedRecord', id: one.record_id, companyId, changes: { warnings: codes } });
      return { id: one.record_id, warnings: left, records: own };
    });
    await warnAnew(tx, companyId, said);
  }
});

// A ticket keeps the number under which it was sent, by which its imports are found.
const WARNED = namedStatement(`
select t.id as ticket_id, t.company_id, r.id as record_id, r.warnings from ticket t, lateral (
  select i.id, i.warnings from imported_record i
  where i.company_id = t.company_id and i.kind = 'ticket' and i.imported_for = t.external_ticket_number and i.result_id = t.id and i.warnings::text <> '[]' offset 0) r
where t.id = any($1::uuid[]) and t.external_ticket_number is not null
order by r.id`);
