import { Migration } from '@mikro-orm/migrations';

/** What a sender says of a whole request, beside what it says of each element. */
export class ImportBatchMetadata extends Migration {
  override up(): void {
    this.addSql('alter table import_batch add column metadata json');
  }
}
