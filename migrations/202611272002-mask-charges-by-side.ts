import { Migration } from '@mikro-orm/migrations';

/** The money of a charge is seen by those who see the money of what it is on. */
export class MaskChargesBySide extends Migration {
  override up(): void {
    this.addSql(`
      alter table add_on_charge add column receivable_company_id uuid, add column vendor_company_id uuid, add column driver_company_id uuid;
      update add_on_charge set receivable_company_id = company_id where add_on_applicable_id is null;
      update add_on_charge c set receivable_company_id = b.receivable_company_id, vendor_company_id = b.vendor_company_id,
          driver_company_id = b.driver_company_id,
          -- What is paid is one rate: that of the customer is nobody's business there.
          revenue_rate_value = case when b.side = 'payable' then coalesce(c.cost_rate_value, c.revenue_rate_value) else c.revenue_rate_value end,
          cost_rate_value = case when b.side = 'payable' then null else c.cost_rate_value end
        from (select id, side, receivable_company_id, vendor_company_id, driver_company_id from invoice
          union all select id, side, receivable_company_id, vendor_company_id, driver_company_id from settlement) b
        where b.id = c.add_on_applicable_id`);
  }
}
