import { Migration } from '@mikro-orm/migrations';

/** A charge says by which assignment it came, also after that was deleted: it is not a request that was withdrawn. */
export class KeepAssignmentsOfCharges extends Migration {
  override up(): void {
    this.addSql('alter table add_on_charge add column assigned_id uuid');
  }
}
