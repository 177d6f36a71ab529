import { Migration } from '@mikro-orm/migrations';

/** A payee who owes more than they get owes it in the next settlement. */
export class CarryBalancesForward extends Migration {
  override up(): void {
    this.addSql(`
      alter table settlement add column carried_forward_at timestamptz(6);
      alter table add_on_charge add column balance_of_id uuid references settlement (id);
      -- What is still to be charged of a payee, when the next settlement is made.
      create index settlement_carried_idx on settlement (company_id, coalesce(vendor_account_id, driver_id)) where carried_forward_at is not null;
      -- Where a balance was charged.
      create index add_on_charge_balance_idx on add_on_charge (balance_of_id) where balance_of_id is not null`);
  }
}
