import { Migration } from '@mikro-orm/migrations';

/** Who signed for a driver's day. */
export class SignaturesOfDays extends Migration {
  override up(): void {
    this.addSql(`alter table signature
      alter column job_id drop not null,
      add column driver_day_id uuid references driver_day (id),
      add constraint signature_of_one_check check (num_nonnulls(job_id, driver_day_id) = 1)`);
  }
}
