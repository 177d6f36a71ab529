import { Migration } from '@mikro-orm/migrations';

/** What an account shows of the account that the other company has of it. Of everything else of that nobody learns, not even that it was changed. */
const SHOWN = ['discarded_at', 'account_types', 'truck_count', 'auto_accept_orders', 'connected_company_id'];
const OTHER_SIDE = '(select o.id from account o where o.company_id = r.connected_company_id and o.connected_company_id = r.company_id)';

/** An account is shown with what we are to the other company: it changes with that. */
export class NoteConnectedAccounts extends Migration {
  override up(): void {
    this.addSql(`select watch_changes('account', $sql$'Account'$sql$, '${OTHER_SIDE}', 'r.connected_company_id', null, false,
      array(select attname::text from pg_attribute where attrelid = 'account'::regclass and attnum > 0 and not attisdropped
        and attname <> all (array[${SHOWN.map((name) => `'${name}'`).join(', ')}])))`);
    this.addSql('select join_changes_by_hash()');
  }
}
