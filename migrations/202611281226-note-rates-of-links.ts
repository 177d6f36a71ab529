import { Migration } from '@mikro-orm/migrations';

/** What the card of a link says when the work is done is kept with the link. */
export class NoteRatesOfLinks extends Migration {
  override up(): void {
    this.addSql('alter table job_assignment add column rate_noted jsonb');
  }
}
