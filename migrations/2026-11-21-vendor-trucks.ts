import { Migration } from '@mikro-orm/migrations';

/** What vendors call their trucks is noted when a ticket names one, and matched with a shared truck by people. */
export class VendorTrucks extends Migration {
  override up(): void {
    // Without a truck it waits for one; a share that ends leaves the name, and the truck is found no more.
    this.addSql(`alter table account_external_truck_identifier
      alter column equipment_id drop not null,
      add column company_share_id uuid references company_share (id) on delete set null,
      add column last_ticket_received_at timestamptz(6)`);
    // Lists of a company, newest first.
    this.addSql(
      'create index account_external_truck_identifier_page_idx on account_external_truck_identifier (company_id, created_at, id)',
    );
    // The foreign key's own: shares end.
    this.addSql(
      'create index account_external_truck_identifier_share_idx on account_external_truck_identifier (company_share_id) where company_share_id is not null',
    );
  }
}
