import { Migration } from '@mikro-orm/migrations';

/** Material is bought from a vendor, to whom it is owed. */
export class PaySuppliersOfMaterial extends Migration {
  override up(): void {
    this.addSql(`
      alter table material_rate add column supplier_account_id uuid references account (id);
      alter table orders add column material_rate_supplier_account_id uuid references account (id);
      alter table job add column material_rate_supplier_account_id uuid references account (id);
      alter table load add column material_rate_supplier_account_id uuid references account (id);
      alter table invoice add column of_material boolean not null default false`);
  }
}
