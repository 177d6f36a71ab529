import { Migration } from '@mikro-orm/migrations';

/** What a vendor bills for a load that nobody knows yet is found by the load, too, when that comes (src/billing/matching). */
export class FindBilledLoads extends Migration {
  override up(): void {
    this.addSql(`
      -- As the vendor names it: there need not be such a load.
      alter table load_match add column billed_load_id uuid;
      -- The lines that wait for a load.
      create index load_match_billed_idx on load_match (billed_load_id) where load_id is null and billed_load_id is not null`);
  }
}
