import type { SetTx } from '../../platform/commands/set-tx.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import type { Warning } from '../importer.ts';
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

/** Replaces the warnings of imported records. @param reports with warnings as JSON; nothing is asked if there are none */
export async function warnAnew({ query }: Pick<SetTx, 'query'>, reports: readonly { id: string; warnings: string }[]): Promise<void> {
  if (reports.length > 0) await query(SAY, [reports.map(({ id }) => id), reports.map(({ warnings }) => warnings)]);
}

const SAY = namedStatement(`
update imported_record i set warnings = r.warnings, updated_at = clock_timestamp()
from unnest($1::uuid[], $2::json[]) r(id, warnings), lateral (select ctid as at, tableoid as part from imported_record x where x.id = r.id offset 0) p
where i.ctid = p.at and i.tableoid = p.part and i.id = r.id`);
