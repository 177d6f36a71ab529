import { Migration } from '@mikro-orm/migrations';

/** Charges of invoices that nobody requested name the assignment by which they came. */
export class NameAssignmentsOfCharges extends Migration {
  override up(): void {
    this.addSql(`
      alter table add_on_charge add column auto_add_on_assignment_id uuid references auto_add_on_assignment (id) on delete set null;
      -- What came by an assignment, when that is deleted.
      create index add_on_charge_auto_idx on add_on_charge (auto_add_on_assignment_id) where auto_add_on_assignment_id is not null`);
  }
}
