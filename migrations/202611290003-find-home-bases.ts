import { Migration } from '@mikro-orm/migrations';

/** Finds the home bases of a company without reading its other sites. */
export class FindHomeBases extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists site_home_base_idx');
    this.addSql(`
      -- Looked for whenever positions of a driver came: a few among thousands of sites.
      create index concurrently site_home_base_idx on site (company_id, id) where site_type = 'EquipmentHomeBase' and discarded_at is null`);
  }
}
