import type { TxContext } from '../../platform/commands/transact.ts';
import { Invalid } from '../../platform/errors.ts';

/**
 * Refuses to delete work that a ticket proves: the ticket has to be voided or moved to another load first. Work that was reviewed, signed for or
 * invoiced is refused, too; drafts of invoices are deleted with their job.
 */
export async function refuseProven(tx: TxContext, model: string, column: 'job_id' | 'load_id', id: string): Promise<void> {
  const invalid = (key: string) => new Invalid([{ model, field: '', key }]);
  const [ticket] = await tx.em.execute(`select 1 from ticket where ${column} = ? limit 1`, [id]);
  if (ticket) throw invalid('ticketed_not_deletable');
  const loads = column === 'load_id' ? '= ?' : 'in (select l.id from load l where l.job_id = ?)';
  const [review] = await tx.em.execute(`select 1 from ai_review where load_id ${loads} limit 1`, [id]);
  if (review) throw invalid('reviewed_not_deletable');
  const signed = column === 'job_id' ? 'job_id = ?' : `signable_type = 'Load' and signable_id = ?`;
  const [signature] = await tx.em.execute(`select 1 from signature where ${signed} limit 1`, [id]);
  if (signature) throw invalid('signed_not_deletable');
  const invoiced = column === 'job_id' ? 'i.job_id = ?' : 'i.id in (select n.invoice_id from invoice_line_item n where n.load_id = ?)';
  const [invoice] = await tx.em.execute(`select 1 from invoice i where ${invoiced} and i.billing_approved_at is not null limit 1`, [id]);
  if (invoice) throw invalid('invoiced_not_deletable');
}
