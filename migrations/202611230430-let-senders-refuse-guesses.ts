import { Migration } from '@mikro-orm/migrations';

/** A sender may ask that a payload fails instead of being guessed at. */
export class LetSendersRefuseGuesses extends Migration {
  override up(): void {
    this.addSql('alter table import_batch add column strict boolean not null default false;');
  }
}
