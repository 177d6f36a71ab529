import { Migration } from '@mikro-orm/migrations';

/** Runs of scheduled exports take turns by company, and deleted schedules keep no key of a storage. */
export class ShareExportSlots extends Migration {
  override up(): void {
    this.addSql(`
      alter table export_run add column claimed_at timestamptz(6), add column is_claimed boolean not null default false;
      -- Which company had its turn longest ago, and which one has a run at work.
      create index export_run_turn_idx on export_run (company_id, claimed_at desc) where claimed_at is not null;
      delete from export_secret x using export_schedule s where s.id = x.export_schedule_id and s.discarded_at is not null`);
  }
}
