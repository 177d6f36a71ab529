import { Migration } from '@mikro-orm/migrations';

/** Tickets that came before their order, or before its truck, wait until work comes to which they belong. */
export class LetTicketsWait extends Migration {
  override up(): void {
    this.addSql(`
      create table waiting_ticket (
        ticket_id uuid primary key references ticket (id) on delete cascade,
        company_id uuid not null references company (id),
        -- The report that says what the ticket lacks, which changes when it is linked.
        record_id uuid not null,
        -- What the payload names: one of the three.
        order_id uuid references orders (id),
        order_external_id text,
        dispatch_number text,
        -- The local day of the ticket, on which a job of the dispatch number has to start.
        day date,
        vendor_id uuid references account (id),
        -- The limits of the sender.
        site_ids uuid[],
        person_id uuid
      );
      -- An order that arrives under an external id, or with it changed, asks for the tickets that name it.
      create index waiting_ticket_external_idx on waiting_ticket (company_id, order_external_id) where order_external_id is not null;
      -- An order of a dispatch number asks for the tickets of the days on which its jobs start.
      create index waiting_ticket_number_idx on waiting_ticket (company_id, dispatch_number, day) where dispatch_number is not null;
      -- An order whose jobs get trucks asks for its own tickets.
      create index waiting_ticket_order_idx on waiting_ticket (order_id) where order_id is not null;`);
  }
}
