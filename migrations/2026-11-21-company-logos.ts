import { Migration } from '@mikro-orm/migrations';

/** Logos lie in the storage; nobody could give one before. */
export class CompanyLogos extends Migration {
  override up(): void {
    this.addSql('alter table company drop column logo_url, add column logo_key uuid, add column logo_type text');
    // Whoever shows a logo names its key; the sweeper of stored files asks the same.
    this.addSql('create unique index company_logo_key on company (logo_key) where logo_key is not null');
  }
}
