import { Migration } from '@mikro-orm/migrations';

/** Drivers read the charges of what they are paid, as they read its lines. */
export class ShowChargesToDrivers extends Migration {
  override up(): void {
    this.addSql(`
      alter table add_on_charge add column payee_driver_id uuid references app_user (id);
      update add_on_charge c set payee_driver_id = p.driver_id
      from (select id, payee_driver_id as driver_id from invoice where payee_driver_id is not null
        union all select id, driver_id from settlement where driver_id is not null) p
      where c.add_on_applicable_id = p.id`);
  }
}
