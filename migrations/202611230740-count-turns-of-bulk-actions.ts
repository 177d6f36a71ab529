import { Migration } from '@mikro-orm/migrations';

/** Turns of a bulk action that began since one was completed, so that an action that takes its processes down is given up. */
export class CountTurnsOfBulkActions extends Migration {
  override up(): void {
    this.addSql(`alter table bulk_action add column attempts integer not null default 0`);
  }
}
