import { Migration } from '@mikro-orm/migrations';

/** A company has one scheduled export at work, however many processes look for the next one at once. */
export class BoundExportTurns extends Migration {
  override up(): void {
    // Of several that are at work, as could happen before, the one that began first goes on with the turn; the others end without one.
    this.addSql(`
      update export_run r set is_claimed = false where r.is_claimed and exists (
        select from export_run o where o.company_id = r.company_id and o.is_claimed and (o.claimed_at, o.id) < (r.claimed_at, r.id))`);
    this.addSql(`
      -- One run at work for each company; whoever claims also finds by it those whose lease is over.
      create unique index export_run_at_work_key on export_run (company_id) where is_claimed`);
  }
}
