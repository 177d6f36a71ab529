import { Migration } from '@mikro-orm/migrations';

export class FindCrossingsByTime extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists geofence_trigger_company_idx');
    this.addSql(`
      -- Lists of a company's crossings, newest first: otherwise each page sorts all that there are.
      create index concurrently geofence_trigger_company_idx on geofence_trigger (company_id, occurred_at, id)`);
    this.addSql('drop index concurrently if exists ticket_served_idx');
    this.addSql(`
      -- The tickets of an order's day, for running totals: otherwise each page of tickets reads all of the project's.
      create index concurrently ticket_served_idx on ticket (order_id, (case when service_date is null then created_at else service_date end))
        where voided_at is null and order_id is not null`);
  }
}
