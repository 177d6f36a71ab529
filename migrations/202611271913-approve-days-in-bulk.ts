import { Migration } from '@mikro-orm/migrations';

/** Days of drivers are approved in bulk: an item of a bulk action may be about a day. */
export class ApproveDaysInBulk extends Migration {
  override up(): void {
    this.addSql(`
      alter table bulk_action_item
        -- As was asked for: it may name no day, which is the outcome then.
        add column driver_day_id uuid,
        drop constraint bulk_action_item_subject_check,
        add constraint bulk_action_item_subject_check
          check (num_nonnulls(job_id, customer_account_id, vendor_account_id, driver_id, driver_day_id) = 1)`);
  }
}
