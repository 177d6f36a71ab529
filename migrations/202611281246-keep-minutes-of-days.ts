import { Migration } from '@mikro-orm/migrations';

/** By which minutes of a job the others of its driver's day are paid that have other owners: they are compared anew when these change. */
export class KeepMinutesOfDays extends Migration {
  override up(): void {
    this.addSql('alter table invoice add column day_minutes int');
  }
}
