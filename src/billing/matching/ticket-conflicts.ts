import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Invoice } from '../invoices/invoice.entity.ts';
import { matchNow } from './match-loads.ts';
import { IS_CONFLICT } from './ticket-conflicts.sql.ts';

const BLOCKS = 'select from company_settings where id = $1 and ticket_conflict_blocks';
// A line of time is for all loads of the job.
const CONTRADICTED = `select from load_match m where m.job_id = $1 and m.company_id = $2 and m.side = $3 and ${IS_CONFLICT('m')}
  and exists (select from invoice_line_item li where li.invoice_id = $4 and (li.load_id is null or li.load_id = m.load_id)) limit 1`;

/**
 * Whether a ticket contradicts something else of a locked invoice that is being approved, by what its loads come to now: its blockers say it a moment after
 * the work has changed.
 */
export async function isContradictedNow(tx: TxContext, { id, job, company, side, ofMaterial }: Invoice): Promise<boolean> {
  if (!job || ofMaterial || (await queryIn(tx.em, BLOCKS, [company.id])).length === 0) return false;
  await tx.em.flush();
  await matchNow(tx, [job.id], [company.id]);
  return (await queryIn(tx.em, CONTRADICTED, [job.id, company.id, side, id])).length > 0;
}
