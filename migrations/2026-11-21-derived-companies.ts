import { Migration } from '@mikro-orm/migrations';

/**
 * Jobs and loads carry the company of their order so that indexes can begin with it. The order's own key vouches for it; checking
 * it again for every row made concurrent imports queue for the lock of one company row (an eighth of an import's database time).
 */
export class DerivedCompanies extends Migration {
  override up(): void {
    this.addSql('alter table job drop constraint job_company_id_foreign');
    this.addSql('alter table load drop constraint load_company_id_foreign');
  }
}
