import { Migration } from '@mikro-orm/migrations';

/** The link in a reminder of a missing ticket is for the driver of the job, or for a vendor that hauls it and does not use the platform. */
export class RemindVendorsOfTickets extends Migration {
  override up(): void {
    this.addSql(`
      alter table photo_link alter column driver_id drop not null,
        add column vendor_account_id uuid references account (id) on delete cascade,
        add constraint photo_link_one_person check (num_nonnulls(driver_id, vendor_account_id) = 1)`);
  }
}
