import { Migration } from '@mikro-orm/migrations';

/**
 * An invoice names the settlement that has it: when one takes it or lets it go, the invoice changes, too. The other columns of the row are of the
 * settlement alone. Rows are compared by a hash, as by the other triggers (`join_changes_by_hash`).
 */
export class NoteSettledInvoices extends Migration {
  override up(): void {
    this.addSql(`
      create function note_settled_invoices() returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$ begin
        if tg_op = 'INSERT' then
          insert into change_pending (company_id, subject_type, subject_id, kind) select r.company_id, 'Invoice', r.invoice_id, 'update' from new_rows r;
        else
          insert into change_pending (company_id, subject_type, subject_id, kind) select r.company_id, 'Invoice', r.invoice_id, 'update'
            from new_rows r join old_rows o on o.settlement_id = r.settlement_id and o.invoice_id = r.invoice_id where r.live <> o.live;
        end if;
        return null; end $$;
      create trigger note_settled_invoices_insert after insert on settlement_invoice referencing new table as new_rows
        for each statement execute function note_settled_invoices();
      create trigger note_settled_invoices_update after update on settlement_invoice referencing old table as old_rows new table as new_rows
        for each statement execute function note_settled_invoices()`);
  }
}
