import { Migration } from '@mikro-orm/migrations';

/**
 * Only roles of ours are made for logins: whoever may write the table could otherwise have the owner give any role a password. And a ticket can be
 * deleted that was compared.
 */
export class GuardLogins extends Migration {
  override up(): void {
    this.addSql(`
      alter table reporting_login add constraint reporting_login_username_check check (username ~ '^haulgate_bi_[a-z0-9_]+$');
      alter table load_match drop constraint load_match_ticket_id_fkey,
        add constraint load_match_ticket_id_fkey foreign key (ticket_id) references ticket (id) on delete set null;
      -- Whose ticket it was, when that is deleted.
      create index load_match_own_ticket_idx on load_match (ticket_id) where ticket_id is not null`);
  }
}
