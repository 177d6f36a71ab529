import { Migration } from '@mikro-orm/migrations';

/** Each kind of work on positions is claimed by itself: one that waits long must not be read before each other one. */
export class ClaimPositionsByKind extends Migration {
  override up(): void {
    this.addSql('drop index position_task_due_idx');
    this.addSql(`
      -- The claim of a kind takes what is due the longest.
      create index position_task_due_idx on position_task (kind, due_at)`);
  }
}
