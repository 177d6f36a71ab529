import { Migration } from '@mikro-orm/migrations';

/**
 * Records that people try again, or send again corrected. `attempts` of a task is the fence that keeps a lost worker out, so it only
 * ever grows; `tries_from` is where the present series of tries began.
 */
export class ImportReplay extends Migration {
  override up(): void {
    this.addSql('alter table import_task add column tries_from integer not null default 0');
    this.addSql('alter table imported_record add column resubmitted_from uuid');
  }
}
