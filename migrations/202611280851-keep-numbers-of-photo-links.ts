import { Migration } from '@mikro-orm/migrations';

/** A link to send the picture of a ticket keeps the telephone number that it was sent to, and ends when that is corrected. */
export class KeepNumbersOfPhotoLinks extends Migration {
  override up(): void {
    this.addSql('alter table photo_link add column sent_to text');
  }
}
