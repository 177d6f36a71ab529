import { Migration } from '@mikro-orm/migrations';

/** When the provider of a fleet was asked last, so that it is never asked more often than it lets us, whoever begins anew. */
export class NoteWhenFleetsWereAsked extends Migration {
  override up(): void {
    this.addSql('alter table telematics_fleet add column last_asked_at timestamptz(6)');
  }
}
