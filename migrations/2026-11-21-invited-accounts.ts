import { Migration } from '@mikro-orm/migrations';

/** Who brought a company here by an invitation may manage it; connecting alone, which asks nobody, is no longer enough. */
export class InvitedAccounts extends Migration {
  override up(): void {
    this.addSql('alter table account add column invited boolean not null default false');
    this.addSql(`update account a set invited = true where a.managed or exists (
      select 1 from invitation v where v.company_id = a.connected_company_id and v.inviter_company_id = a.company_id)`);
  }
}
