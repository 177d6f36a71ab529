import { Migration } from '@mikro-orm/migrations';

export class NoteTimelines extends Migration {
  override up(): void {
    this.addSql('create table wal_timeline (id integer primary key, begun_at timestamptz not null)');
  }
}
