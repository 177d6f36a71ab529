import { Migration } from '@mikro-orm/migrations';

/** Dispatch numbers are in the feed of changes, like every record that is found by its id. */
export class NoteDispatchNumbers extends Migration {
  override up(): void {
    this.addSql(
      `select watch_changes('dispatch_number', $sql$'DispatchNumber'$sql$, '(select r.id)', 'r.company_id', null, true, array[]::text[])`,
    );
  }
}
