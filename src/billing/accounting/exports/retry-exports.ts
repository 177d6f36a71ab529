import type { TxContext } from '../../../platform/commands/transact.ts';
import { wakeWorkers } from '../../../platform/commands/wake-workers.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { shareBooks } from '../../periods/books.ts';

/** States in which a settlement or an invoice does not change any more, and is not exported by itself yet. */
export const EXPORTABLE: readonly string[] = ['approved', 'paid', 'customer_pending', 'customer_approved', 'customer_paid'];

// Settlements and invoices are locked before their exports, as whoever asks for an export does.
const RETRY_SETTLEMENTS = `with due as materialized (
    select s.id, s.state from settlement s where s.id in (select e.settlement_id from settlement_export e where e.linked_account_id = $1 and e.state = 'failed')
      and (s.state = 'voided' or (s.state = any($2::text[]) and s.exported_at is null)) order by s.id for no key update),
  again as (
    update settlement_export e set state = 'pending', next_at = now(), attempts = 0, updated_at = now() from due
    where e.settlement_id = due.id and e.state = 'failed' and e.reverses = (due.state = 'voided') returning e.settlement_id, e.reverses)
  update settlement s set export_state = 'pending', exported_before_pay = exported_before_pay and s.state <> 'paid', updated_at = now()
  from again where s.id = again.settlement_id and not again.reverses`;

// Whoever settles an invoice holds it, and does not change it: only a statement that begins when it is locked sees the settlement.
const LOCK_INVOICES = `select i.id from invoice i
  where i.id in (select e.invoice_id from settlement_export e where e.linked_account_id = $1 and e.state = 'failed') order by i.id for no key update`;
// An invoice that somebody has settled meanwhile goes with its settlement.
const RETRY_INVOICES = `with due as materialized (
    select i.id, i.state from invoice i where i.id = any($3::uuid[])
      and (i.state = 'voided' or (i.state = any($2::text[]) and i.exported_at is null
        and not exists (select from settlement_invoice x where x.invoice_id = i.id and x.live)))),
  again as (
    update settlement_export e set state = 'pending', next_at = now(), attempts = 0, updated_at = now() from due
    where e.invoice_id = due.id and e.linked_account_id = $1 and e.state = 'failed' and e.reverses = (due.state = 'voided')
    returning e.invoice_id, e.reverses)
  update invoice i set export_state = 'pending', updated_at = now() from again where i.id = again.invoice_id and not again.reverses`;

/** Sends again what a system did not get: something else is mapped now (BILLING B12). */
export async function retryExports(tx: TxContext, { id, companyId }: { id: string; companyId: string }): Promise<void> {
  await shareBooks(tx, companyId);
  await queryIn(tx.em, RETRY_SETTLEMENTS, [id, EXPORTABLE]);
  const invoices = await queryIn<{ id: string }>(tx.em, LOCK_INVOICES, [id]);
  if (invoices.length > 0) await queryIn(tx.em, RETRY_INVOICES, [id, EXPORTABLE, invoices.map((invoice) => invoice.id)]);
  wakeWorkers(tx);
}
