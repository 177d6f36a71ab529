import { Migration } from '@mikro-orm/migrations';

/** Has the tickets of an order in the order of service, those that are voided among them. */
export class FindTicketsByService extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists ticket_by_service_idx');
    this.addSql(`
      -- The tickets of an order in the order of service, for the pages of a project's tickets and for running totals of a day: otherwise each reads all of the project's.
      create index concurrently ticket_by_service_idx on ticket (order_id, (case when service_date is null then created_at else service_date end))
        where order_id is not null`);
    // The one before left out those that are voided. It serves until the new one does.
    this.addSql('drop index concurrently if exists ticket_served_idx');
    this.addSql('alter index ticket_by_service_idx rename to ticket_served_idx');
  }
}
