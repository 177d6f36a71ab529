import { Migration } from '@mikro-orm/migrations';

/** What somebody set on lines of invoices by hand, and what the work said then and says now. */
export class EditLinesOfInvoices extends Migration {
  override up(): void {
    this.addSql(`
      alter table invoice_line_item
        add column edited_by_id uuid,
        add column edited_quantity numeric(18,4),
        add column edited_rate numeric(18,4),
        add column edited_pay_start_time timestamptz(6),
        add column edited_pay_end_time timestamptz(6),
        add column seen_quantity numeric(18,4),
        add column seen_rate numeric(18,4),
        add column work_quantity numeric(18,4),
        add column work_rate numeric(18,4),
        add column work_total_amount numeric(18,4);
      alter table invoice add column removed_lines text[] not null default '{}'`);
  }
}
