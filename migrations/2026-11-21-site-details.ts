import { Migration } from '@mikro-orm/migrations';

/** What an office notes of a place, and which department it belongs to. */
export class SiteDetails extends Migration {
  override up(): void {
    this.addSql('alter table site add column notes text, add column department_id uuid references department (id)');
  }
}
