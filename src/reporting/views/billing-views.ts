import { settlementNumberSql } from '../../dispatch/fields/settlement-number.ts';
import type { PublishedView } from '../../platform/database/published.ts';
import { as, ofSide, record, view } from './columns.ts';
import { mayAll, ofCompany } from './scope.ts';

/** The rate of an invoice. By the percentage of a commission and its amount one finds out what the customer pays (src/billing/invoices/invoice.access.ts). */
const RATE = `case when (i.side = 'payable' and i.rate_type = 'RateCommission') is not true or ${mayAll('view_customer_rates')} then i.rate_value end`;

/** What the settlement of an invoice says of it, if that bills it anew at another rate. */
const rebilled = (column: string): string =>
  `(select x.${column} from settlement_invoice x where x.invoice_id = i.id and x.live and x.rebill_rate_value is not null)`;

/** The bills for it, for whoever sees settlements. */
export const billingViews: readonly PublishedView[] = [
  view(
    'invoices',
    'The invoices in the books of your company; none without view_settlements.',
    `from invoice i ${ofCompany('i')} and ${mayAll('view_settlements')}`,
    {
      ...record('i', 'invoice'),
      invoice_number: as('i.invoice_id', 'Friendly number.'),
      side: as('i.side', '`receivable`: a customer owes it; `payable`: your company owes it.'),
      state: as('i.state', 'The state.'),
      day: as('i.service_date', 'The day of its work, in the zone of your company.'),
      job_id: as('i.job_id', 'Id of the job.'),
      driver_day_id: as('i.driver_day_id', 'Id of the driver day, if it is for a day.'),
      order_id: as('i.order_id', 'Id of the order.'),
      project_id: as('i.project_id', 'Id of the project.'),
      customer_id: as('i.customer_account_id', 'Id of the account of the customer.'),
      vendor_id: as('i.vendor_account_id', 'Id of the account of the vendor.'),
      driver_id: as('i.driver_id', 'Id of the driver who drove.'),
      payee_driver_id: as('i.payee_driver_id', 'Id of the driver who is paid by it.'),
      equipment_id: as('i.equipment_id', 'Id of the truck.'),
      material_id: as('i.material_id', 'Id of the material.'),
      pickup_site_id: as('i.pickup_site_id', 'Id of the site of the first pickup.'),
      dropoff_site_id: as('i.dropoff_site_id', 'Id of the site of the last drop-off.'),
      currency: as('i.currency', 'The currency of the amounts.'),
      of_material: as('i.of_material', 'Whether it pays a supplier for material.'),
      part: as('i.part', '1, and one more for each further invoice of the same work on the same side.'),
      reason: as('i.reason', 'Why there is this part.'),
      rate_value: ofSide(
        'i',
        'i.payee_driver_id',
        RATE,
        'The rate; the percentage of a commission that is paid for those alone who see what customers pay.',
      ),
      rate_type: ofSide('i', 'i.payee_driver_id', 'i.rate_type', 'The unit that the rate is paid for.'),
      lines_amount: ofSide('i', 'i.payee_driver_id', 'i.invoice_line_items_total_amount', 'The sum of its lines.'),
      add_on_charges_amount: ofSide('i', 'i.payee_driver_id', 'i.add_on_charges_total_amount', 'What its add-on charges add up to.'),
      tax_amount: ofSide('i', 'i.payee_driver_id', 'i.tax_total_amount', 'The tax.'),
      total_amount: ofSide('i', 'i.payee_driver_id', 'i.total_amount', 'The total, with tax.'),
      rebill_tax_amount: ofSide(
        'i',
        'i.payee_driver_id',
        rebilled('rebill_tax_total_amount'),
        'The tax that its settlement bills instead.',
      ),
      rebill_total_amount: ofSide(
        'i',
        'i.payee_driver_id',
        rebilled('rebill_total_amount'),
        'The total that its settlement bills instead, because it bills it anew at another rate.',
      ),
      billing_approved_at: as('i.billing_approved_at', 'When it was approved.'),
      sent_at: as('i.sent_at', "When it was sent to the customer's company."),
      exported_at: as('i.exported_at', 'When accounting got it by itself.'),
      settlement_id: as(
        '(select x.settlement_id from settlement_invoice x where x.invoice_id = i.id and x.live)',
        'Id of the settlement that it is in.',
      ),
    },
  ),
  view(
    'invoice_lines',
    'The lines of the invoices of your company; none without view_settlements.',
    `from invoice_line_item n join invoice i on i.id = n.invoice_id ${ofCompany('n')} and ${mayAll('view_settlements')}`,
    {
      ...record('n', 'line'),
      invoice_id: as('n.invoice_id', 'Id of the invoice.'),
      load_id: as('n.load_id', 'Id of the load.'),
      ordinality: as('n.ordinality', 'Its place among lines of its type.'),
      line_item_type: as('n.line_item_type', 'The kind of line.'),
      name: as('n.name', 'Its name.'),
      delivered_quantity: as('n.delivered_quantity', 'The quantity before minimum and increment.'),
      quantity: as('n.quantity', 'The quantity that is billed.'),
      unit_of_measure: as('n.unit_of_measure', 'The unit of the quantities.'),
      rate: ofSide('i', 'n.payee_driver_id', 'n.rate', 'The rate.'),
      rate_type: ofSide('i', 'n.payee_driver_id', 'n.rate_type', 'The unit that the rate is paid for.'),
      total_amount: ofSide('i', 'n.payee_driver_id', 'n.total_amount', 'The amount.'),
      currency: as('i.currency', 'The currency of the amount.'),
      edited: as('n.edited_by_id is not null', 'Whether somebody set a part of it by hand.'),
    },
  ),
  view(
    'settlements',
    'The settlements of your company; none without view_settlements.',
    `from settlement s ${ofCompany('s')} and ${mayAll('view_settlements')}`,
    {
      ...record('s', 'settlement'),
      settlement_number: as(settlementNumberSql('s'), 'Friendly number.'),
      side: as('s.side', '`receivable`: a customer owes it; `payable`: your company owes it.'),
      state: as('s.state', 'The state.'),
      customer_id: as('s.customer_account_id', 'Id of the account of the customer.'),
      vendor_id: as('s.vendor_account_id', 'Id of the account of the vendor.'),
      driver_id: as('s.driver_id', 'Id of the driver who is paid by it.'),
      starts_on: as('s.starts_on', 'The first day of its work.'),
      ends_on: as('s.ends_on', 'The last day of its work.'),
      jobs_count: as('s.jobs_count', 'How many jobs it is for.'),
      currency: as('s.currency', 'The currency of the amounts.'),
      invoices_amount: ofSide('s', 's.driver_id', 's.invoices_total_amount', 'What its invoices add up to, with tax.'),
      tax_amount: ofSide('s', 's.driver_id', 's.invoices_tax_total_amount', 'The tax in it.'),
      add_on_charges_amount: ofSide('s', 's.driver_id', 's.add_on_charges_total_amount', 'What its add-on charges add up to.'),
      total_amount: ofSide('s', 's.driver_id', 's.total_amount', 'The total.'),
      rebill_tax_amount: ofSide(
        's',
        's.driver_id',
        's.rebill_invoices_tax_total_amount',
        'Of one that bills anew: the tax in what it bills.',
      ),
      rebill_total_amount: ofSide(
        's',
        's.driver_id',
        's.rebill_total_amount',
        'Of one that bills anew: what it bills instead of `total_amount`, which is what it comes to at the rates of its invoices.',
      ),
      original_settlement_id: as('s.original_settlement_id', 'Id of the voided settlement that it replaces.'),
      billing_approved_at: as('s.billing_approved_at', 'When it was approved.'),
      exported_at: as('s.exported_at', 'When it was exported.'),
      voided_at: as('s.voided_at', 'When it was voided.'),
    },
  ),
];
