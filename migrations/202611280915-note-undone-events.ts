import { Migration } from '@mikro-orm/migrations';

export class NoteUndoneEvents extends Migration {
  override up(): void {
    this.addSql('alter table job_event add column undone_at timestamptz(6)');
  }
}
