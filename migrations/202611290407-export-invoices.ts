import { Migration } from '@mikro-orm/migrations';

/**
 * An invoice by itself goes to accounting as a settlement does, and is taken back there by a document of its own. A process of the version before knows no
 * export without a settlement: it fails with it, and one of this version sends it.
 */
export class ExportInvoices extends Migration {
  override up(): void {
    this.addSql(`
      alter table invoice add column export_state text not null default 'not_exported',
        -- Of an exported one that was voided: the day on which it is taken back.
        add column reversal_date date`);
    this.addSql(`
      alter table settlement_export alter column settlement_id drop not null,
        -- What is exported instead of a settlement.
        add column invoice_id uuid references invoice (id)`);
    this.addSql(`
      select watch_changes('settlement_export', $sql$'Invoice'$sql$, '(select r.invoice_id)', 'r.company_id', null, false, array[]::text[])`);
  }
}
