import { Migration } from '@mikro-orm/migrations';

/**
 * A ticket on a load repeats what the load says: its job, that job's order, the order's company, none of which ever changes. Checking the copies
 * too was a third of what the keys of an imported ticket cost. So each is guarded where nothing nearer guards it: the job of a
 * ticket without a load, the order of one without a job, the company of one without an order.
 */
export class KeysOfTickets extends Migration {
  override up(): void {
    this.addSql(`alter table ticket
      drop constraint ticket_company_id_fkey,
      drop constraint ticket_order_id_fkey,
      drop constraint ticket_job_id_fkey,
      add column loose_job_id uuid generated always as (case when load_id is null then job_id end) stored references job (id),
      add column loose_order_id uuid generated always as (case when job_id is null then order_id end) stored references orders (id),
      add column loose_company_id uuid generated always as (case when order_id is null then company_id end) stored references company (id),
      add constraint ticket_load_of_job check (load_id is null or job_id is not null),
      add constraint ticket_job_of_order check (job_id is null or order_id is not null)`);
    // Of the foreign key: jobs without work are deleted. Orders and companies never are.
    this.addSql('create index ticket_loose_job_idx on ticket (loose_job_id) where loose_job_id is not null');
  }
}
