import { Migration } from '@mikro-orm/migrations';

export class FindWhatIsPriced extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    for (const name of ['invoice_rate_idx', 'invoice_project_idx', 'add_on_charge_add_on_idx'])
      this.addSql(`drop index concurrently if exists ${name}`);
    this.addSql(`
      -- The invoices that a card prices: whoever changes it learns how many stay as they are, which was looked for among all of the company.
      create index concurrently invoice_rate_idx on invoice (rate_id) where rate_id is not null`);
    this.addSql(`
      -- The same of a schedule of sites, which is a project's.
      create index concurrently invoice_project_idx on invoice (project_id) where project_id is not null`);
    this.addSql(`
      -- The same of a fuel schedule and its prices, by the add-on that charges for it.
      create index concurrently add_on_charge_add_on_idx on add_on_charge (add_on_id)`);
  }
}
