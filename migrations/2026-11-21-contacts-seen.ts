import { Migration } from '@mikro-orm/migrations';

/** Whom to call at a company is told to those it is connected with. */
export class ContactsSeen extends Migration {
  override up(): void {
    // The policy of contacts asks whose primary contact one is.
    this.addSql('create index company_primary_contact_idx on company (primary_contact_id) where primary_contact_id is not null');
  }
}
