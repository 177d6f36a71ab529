import { Migration } from '@mikro-orm/migrations';

/** After how long archives are deleted, which a company may say, and which ones were. Nobody has said it yet: they stay. */
export class EndArchives extends Migration {
  override up(): void {
    this.addSql(`
      alter table company_settings
        add column audit_deleted_after_years integer not null default 0 check (audit_deleted_after_years between 0 and 100),
        add column imports_deleted_after_years integer not null default 0 check (imports_deleted_after_years between 0 and 100),
        add column positions_deleted_after_days integer not null default 0 check (positions_deleted_after_days between 0 and 36500)`);
    this.addSql(`
      -- The row stays: it says what there was, and the interface says by it since when records are at hand.
      alter table archive_piece add column deleted_at timestamptz(6)`);
  }
}
