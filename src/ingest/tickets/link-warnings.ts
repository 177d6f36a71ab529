import type { Records } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import type { Warning } from '../importer.ts';
import { repeatWarnings } from '../ledger/repeat-warnings.ts';
import { isNoted } from '../payload/noted.ts';
import type { ImportWarningCode } from '../warning-codes.ts';

/** The warnings that say what a ticket lacks to be linked. */
const OF_LINK: ReadonlySet<ImportWarningCode> = new Set([
  'no_order_named',
  'unknown_order',
  'unknown_dispatch_number',
  'unknown_truck',
  'truck_not_on_order',
  'no_load_left',
]);

/** Returns whether a warning is answered once the ticket has a load. */
export const isOfLink = ({ code, pointer }: Warning): boolean =>
  OF_LINK.has(code) || (code === 'ambiguous_match' && pointer === '/dispatch_number');

/** An imported record, and what it warns of now. */
export interface Said {
  id: string;
  warnings: Warning[];
  /** In whose name it is said. */
  records: Records;
}

/** Replaces the warnings of imported records of a company, and of the elements that equal them in their requests. Subscribers are informed. */
export async function warnAnew({ query }: Pick<SetTx, 'query'>, companyId: string, said: readonly Said[]): Promise<void> {
  if (said.length === 0) return;
  const reports = said.map(({ id, warnings }) => ({ id, warnings: JSON.stringify(warnings) }));
  await query(SAY, [reports.map(({ id }) => id), reports.map(({ warnings }) => warnings)]);
  const twins = await repeatWarnings(query, { companyId, kind: 'ticket' }, reports);
  const recordsOf = new Map(said.map(({ id, records }) => [id, records]));
  for (const { id, of } of [...reports.map((report) => ({ id: report.id, of: report.id })), ...twins])
    recordsOf.get(of)!.events.push({ name: 'imported_ticket.updated', type: 'ImportedTicket', id, companyId });
}

const SAY = namedStatement(`
update imported_record i set warnings = r.warnings, updated_at = clock_timestamp()
from unnest($1::uuid[], $2::json[]) r(id, warnings), lateral (select ctid as at, tableoid as part from imported_record x where x.id = r.id offset 0) p
where i.ctid = p.at and i.tableoid = p.part and i.id = r.id`);

/** A ticket whose import warns of something else now. */
export interface Report {
  ticketId: string;
  recordId: string;
  warnings: Warning[];
  records: Records;
}

/**
 * Replaces the warnings of the imports of tickets of a company. The newest equal payloads of the last days say the same, each with what came with its own payload: a
 * sender who sends everything every night reads only the last one.
 */
export async function reportAnew(tx: Pick<SetTx, 'query'>, companyId: string, reports: readonly Report[]): Promise<void> {
  if (reports.length === 0) return;
  const byTicket = new Map(reports.map((report) => [report.ticketId, report]));
  const again = await tx.query<{ id: string; ticket_id: string; warnings: Warning[] }>(AGAIN, [
    companyId,
    reports.map(({ recordId }) => recordId),
    reports.map(({ ticketId }) => ticketId),
  ]);
  const repeated = again.map(({ id, ticket_id, warnings }): Said => {
    const { warnings: said, records } = byTicket.get(ticket_id)!;
    return { id, records, warnings: [...warnings.filter(({ code }) => isNoted(code)), ...said.filter(({ code }) => !isNoted(code))] };
  });
  await warnAnew(tx, companyId, [...reports.map(({ recordId, warnings, records }) => ({ id: recordId, warnings, records })), ...repeated]);
}

/** Imports of a ticket, other than the first one, that say so. */
const NEWEST = 10;
// By the number under which the ticket was sent, of which an index has the imports in their order. Of the days that lists show by themselves, and the newest of
// these: hundreds of tickets may have waited, and been sent again every quarter of an hour, and somebody waits for the order.
const AGAIN = namedStatement(`
select i.id, n.ticket_id, i.warnings from unnest($2::uuid[], $3::uuid[]) n(record_id, ticket_id),
  lateral (select x.imported_for, x.sequence from imported_record x where x.id = n.record_id offset 0) r,
  lateral (select y.id, y.warnings from imported_record y
    where y.company_id = $1 and y.kind = 'ticket' and y.imported_for = r.imported_for and y.sequence > r.sequence and y.result_id = n.ticket_id
      and y.import_received_at > now() - interval '7 days'
    order by y.sequence desc limit ${NEWEST}) i
order by i.id`);
