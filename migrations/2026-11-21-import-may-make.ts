import { Migration } from '@mikro-orm/migrations';

/** An import makes what its sender may make: the permissions for nested records that a person lacked when the payload came. Null for none. */
export class ImportMayMake extends Migration {
  override up(): void {
    this.addSql('alter table import_batch add column lacking text[]');
  }
}
