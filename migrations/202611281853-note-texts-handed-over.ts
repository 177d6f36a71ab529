import { Migration } from '@mikro-orm/migrations';

/** Of texts that are sent once at most: since when the service may have one. Null, which takes no room, of all others. */
export class NoteTextsHandedOver extends Migration {
  override up(): void {
    this.addSql('alter table outgoing_message add column handed_over_at timestamptz(6)');
  }
}
