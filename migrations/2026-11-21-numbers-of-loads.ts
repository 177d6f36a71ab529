import { Migration } from '@mikro-orm/migrations';

/** Numbers of deleted loads are not given again: they were said over the radio, and the audit tells of them. */
export class NumbersOfLoads extends Migration {
  override up(): void {
    // Null while no load of the job was deleted.
    this.addSql('alter table job add column last_load_number integer');
  }
}
