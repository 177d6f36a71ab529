import { Migration } from '@mikro-orm/migrations';

/** A process whose storage of files is another one than that of the others would archive rows where nobody else finds them, and remove them. */
export class MarkStorages extends Migration {
  override up(): void {
    this.addSql(`
      -- The mark that lies in the storage of this database's files, as haulgate-storage-<id>.
      create table storage_mark (
        one boolean primary key default true check (one),
        id uuid not null,
        marked_at timestamptz(6) not null default now()
      )`);
  }
}
