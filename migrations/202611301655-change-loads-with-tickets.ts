import { Migration } from '@mikro-orm/migrations';

/** A load shows its ticket: when that is made, changed, moved to another load or voided, the load changes. */
export class ChangeLoadsWithTickets extends Migration {
  override up(): void {
    this.addSql(`select watch_changes('ticket', $sql$'Load'$sql$, '(select r.load_id)', 'r.company_id', null, false, array[]::text[])`);
    this.addSql('select join_changes_by_hash()');
  }
}
