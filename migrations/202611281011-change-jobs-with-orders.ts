import { Migration } from '@mikro-orm/migrations';

/** Columns of an order that its jobs show (`OrderTerms`). */
const SHOWN = [
  ...['order_id', 'dispatch_number_id', 'account_id', 'job_time', 'equipment_type_id', 'name', 'po_job_number', 'zone', 'notes'],
  ...['charge_to_account', 'state', 'geofence_delay_seconds', 'default_digital_ticket_view'],
];
const of = (row: string): string => `(${SHOWN.map((column) => `${row}.${column}`).join(', ')})`;

/** A job shows terms of its order: when these change, it changes. A new order has no jobs yet, and one that is deleted none any more. */
export class ChangeJobsWithOrders extends Migration {
  override up(): void {
    this.addSql(`
      create function note_order_of_jobs() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
        insert into change_pending (company_id, subject_type, subject_id, kind)
          select r.company_id, 'Job', j.id, 'update' from new_rows r join old_rows o on o.id = r.id join job j on j.order_id = r.id
          where ${of('r')} is distinct from ${of('o')};
        return null; end $$;
      create trigger note_order_of_jobs after update on orders referencing old table as old_rows new table as new_rows
        for each statement execute function note_order_of_jobs()`);
  }
}
