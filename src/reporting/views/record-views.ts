import { settlementNumberSql } from '../../dispatch/fields/settlement-number.ts';
import type { PublishedColumn, PublishedView } from '../../platform/database/published.ts';
import { HOURS } from '../metrics/catalogue.ts';
import { COMPANY, dayOf, ifMay, mayAll, ofCompany } from './scope.ts';

type Columns = Readonly<Record<string, PublishedColumn>>;

const as = (sql: string, about: string): PublishedColumn => ({ sql, about });
/** A column that only a login with the permission reads. */
const money = (permission: string, sql: string, about: string): PublishedColumn =>
  as(ifMay([permission], sql), `${about} Null without ${permission}.`);

const record = (t: string, what: string): Columns => ({
  id: as(`${t}.id`, `Id of the ${what}.`),
  created_at: as(`${t}.created_at`, 'When it was created.'),
  updated_at: as(`${t}.updated_at`, 'When it was last changed.'),
});
const EXTERNAL = 'Your own id of it.';

/** The rates of a piece of work, each seen with the permission of its side. */
const rates = (t: string): Columns => ({
  customer_rate_value: money('view_customer_rates', `${t}.customer_rate_value`, 'The price that the customer pays for a unit.'),
  customer_rate_type: money('view_customer_rates', `${t}.customer_rate_type`, 'The unit that the rate of the customer is paid for.'),
  vendor_rate_value: money('view_vendor_rates', `${t}.vendor_rate_value`, 'The price that a vendor is paid for a unit.'),
  vendor_rate_type: money('view_vendor_rates', `${t}.vendor_rate_type`, 'The unit that the rate of a vendor is paid for.'),
  driver_rate_value: money('view_driver_rates', `${t}.driver_rate_value`, 'The price that a driver is paid for a unit.'),
  driver_rate_type: money('view_driver_rates', `${t}.driver_rate_type`, 'The unit that the rate of a driver is paid for.'),
});

/** Money of an invoice or a settlement: the side says who may see it (src/billing/invoices/invoice.access.ts). */
const ofSide = (t: string, driver: string, sql: string, about: string): PublishedColumn =>
  as(
    `case when (case when ${t}.side = 'receivable' then ${mayAll('view_customer_rates')} when ${driver} is null then ${mayAll('view_vendor_rates')}
      else ${mayAll('view_driver_rates')} end) then ${sql} end`,
    `${about} Null without view_customer_rates of a receivable, view_vendor_rates of what a vendor gets, view_driver_rates of what a driver gets.`,
  );

const stop = (t: string, type: string, direction: string): string =>
  `(select w.site_id from waypoint w where w.route_id = ${t}.route_id and w.type = '${type}' order by w.ordinality ${direction}, w.id ${direction} limit 1)`;
const stops = (t: string): Columns => ({
  pickup_site_id: as(stop(t, 'pickup', 'asc'), 'Id of the site of the first pickup.'),
  dropoff_site_id: as(stop(t, 'drop_off', 'desc'), 'Id of the site of the last drop-off.'),
});
const approvals = (t: string): Columns => ({
  approved_at: as(`${t}.approved_at`, 'When somebody approved it.'),
  billing_approved_at: as(`${t}.billing_approved_at`, 'When it was approved for billing.'),
});

const view = (name: string, about: string, from: string, columns: Columns): PublishedView => ({ name, about, from, columns });

/** The records of a company. */
export const recordViews: readonly PublishedView[] = [
  view(
    'orders',
    'The orders of your company.',
    `from orders o left join dispatch_number d on d.id = o.dispatch_number_id ${ofCompany('o')}`,
    {
      ...record('o', 'order'),
      order_number: as('o.order_id', 'Friendly number.'),
      state: as('o.state', 'The state.'),
      name: as('o.name', 'The name.'),
      external_id: as('o.external_id', EXTERNAL),
      customer_id: as('o.account_id', 'Id of the account of the customer.'),
      project_id: as('o.project_id', 'Id of the project.'),
      dispatch_number: as('d.name', 'The dispatch number.'),
      po_job_number: as('o.po_job_number', "The customer's number of the purchase or job."),
      day: as(dayOf('o.load_at'), 'The day of `load_at`, in the zone of your company.'),
      load_at: as('o.load_at', 'When the first truck is to load.'),
      material_id: as('o.material_id', 'Id of the material.'),
      quantity: as('o.quantity', 'What was ordered, in `unit_of_measure`.'),
      unit_of_measure: as('o.unit_of_measure', 'The unit of the quantity.'),
      truck_count: as('o.truck_count', 'How many trucks were ordered.'),
      ...stops('o'),
      ...rates('o'),
      material_sell_price: money(
        'view_customer_rates',
        'o.material_rate_sell_price',
        'The price that the customer pays for a unit of the material.',
      ),
      material_buy_price: money('view_vendor_rates', 'o.material_rate_buy_price', 'The price at which a unit of the material is bought.'),
    },
  ),
  view('jobs', 'The jobs of your company.', `from job j ${ofCompany('j')}`, {
    ...record('j', 'job'),
    job_number: as('j.job_id', 'Friendly number.'),
    order_id: as('j.order_id', 'Id of the order.'),
    project_id: as('j.project_id', 'Id of the project.'),
    state: as('j.state', 'The state.'),
    external_id: as('j.external_id', EXTERNAL),
    day: as(dayOf('j.job_start_at'), 'The day on which it starts, in the zone of your company.'),
    job_start_at: as('j.job_start_at', 'When it is planned to start.'),
    driver_id: as('j.driver_id', 'Id of the driver.'),
    driver_day_id: as('j.driver_day_id', 'Id of the driver day on which the driver left for it.'),
    vendor_id: as(
      `(select a.vendor_account_id from job_assignment a where a.job_id = j.id and a.customer_company_id = ${COMPANY} and a.vendor_account_id is not null
        order by a.link limit 1)`,
      'Id of the account of the vendor to whom you passed it on.',
    ),
    equipment_id: as('j.equipment_id', 'Id of the truck.'),
    material_id: as('j.material_id', 'Id of the material, if it is another one than that of the order.'),
    quantity: as('j.quantity', 'What is to be hauled, in `unit_of_measure`.'),
    unit_of_measure: as('j.unit_of_measure', 'The unit of the quantity.'),
    billable_hours: as(
      `coalesce(${HOURS}, 0)`,
      'Billable hours: as overridden, otherwise as approved or worked; 0 until the job is finished.',
    ),
    ...stops('j'),
    ...approvals('j'),
    ...rates('j'),
    material_sell_price: money(
      'view_customer_rates',
      'j.material_sell_price',
      'The price that the customer pays for a unit of the material.',
    ),
    material_buy_price: money('view_vendor_rates', 'j.material_buy_price', 'The price at which a unit of the material is bought.'),
  }),
  view('loads', 'The loads of your company.', `from load l join job j on j.id = l.job_id ${ofCompany('l')}`, {
    ...record('l', 'load'),
    load_number: as('l.load_id', 'Friendly number.'),
    job_id: as('l.job_id', 'Id of the job.'),
    order_id: as('l.order_id', 'Id of the order.'),
    ordinality: as('l.ordinality', 'Its place among the loads of the job, from 1.'),
    state: as('l.state', 'The state.'),
    day: as(dayOf('j.job_start_at'), 'The day of its job, in the zone of your company.'),
    material_id: as('l.material_id', 'Id of the material, if it is another one than that of the job.'),
    quantity: as('l.quantity', 'What was reported, in `unit_of_measure`. `metric_loads` has what counts.'),
    unit_of_measure: as('l.unit_of_measure', 'The unit of the quantity.'),
    arrived_pickup_at: as('l.summary_arrived_pickup_at', 'When it arrived at the pickup.'),
    loaded_at: as('l.summary_loaded_at', 'When it was loaded.'),
    arrived_dropoff_at: as('l.summary_arrived_dropoff_at', 'When it arrived at the drop-off.'),
    unloaded_at: as('l.summary_unloaded_at', 'When it was unloaded.'),
    ...stops('l'),
    ...approvals('l'),
  }),
  view('tickets', 'The tickets of your company.', `from ticket k ${ofCompany('k')}`, {
    ...record('k', 'ticket'),
    ticket_number: as('k.ticket_number', 'The number on the ticket.'),
    order_id: as('k.order_id', 'Id of the order.'),
    job_id: as('k.job_id', 'Id of the job; null while it is not matched.'),
    load_id: as('k.load_id', 'Id of the load.'),
    state: as('k.state', 'The state.'),
    source: as('k.source', 'How it came.'),
    quantity: as('k.quantity', 'The net quantity, in `unit_of_measure`.'),
    gross_quantity: as('k.gross_quantity', 'The weight of the loaded truck.'),
    tare_quantity: as('k.tare_quantity', 'The weight of the empty truck.'),
    unit_of_measure: as('k.unit_of_measure', 'The unit of the quantities.'),
    service_date: as('k.service_date', 'When the material was served.'),
    material_id: as('k.material_id', 'Id of the material.'),
    site_id: as('k.site_id', 'Id of the site where it was written.'),
    equipment_id: as('k.equipment_id', 'Id of the truck.'),
    voided_at: as('k.voided_at', 'When it was voided. A voided ticket proves nothing.'),
  }),
  view('driver_days', 'The shifts of your drivers.', `from driver_day y ${ofCompany('y')}`, {
    ...record('y', 'driver day'),
    driver_day_number: as('y.driver_day_id', 'Friendly number.'),
    driver_id: as('y.driver_id', 'Id of the driver.'),
    day: as('y.driver_day_date', 'The date on which the shift began, in the zone of your company.'),
    external_id: as('y.external_id', EXTERNAL),
    started_shift_at: as('coalesce(y.adjusted_started_shift_at, y.started_shift_at)', 'When the driver went on duty, as it was set right.'),
    ended_shift_at: as('coalesce(y.adjusted_ended_shift_at, y.ended_shift_at)', 'When the driver went off duty, as it was set right.'),
    shift_adjustment_minutes: as('y.shift_adjustment_minutes', 'Minutes that are added to the shift.'),
    shift_adjustment_type: as('y.shift_adjustment_type', 'The reason for these minutes.'),
    approved_on_duty_minutes: as(`(y.approved_totals ->> 'onDuty')::int`, 'Minutes on duty when the day was approved.'),
    approved_break_minutes: as(`(y.approved_totals ->> 'break')::int`, 'Minutes of breaks when the day was approved.'),
    approved_payable_minutes: as(`(y.approved_totals ->> 'payable')::int`, 'Minutes that are paid, when the day was approved.'),
    ...approvals('y'),
  }),
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
      rate_value: ofSide('i', 'i.payee_driver_id', 'i.rate_value', 'The rate.'),
      rate_type: ofSide('i', 'i.payee_driver_id', 'i.rate_type', 'The unit that the rate is paid for.'),
      lines_amount: ofSide('i', 'i.payee_driver_id', 'i.invoice_line_items_total_amount', 'The sum of its lines.'),
      add_on_charges_amount: ofSide('i', 'i.payee_driver_id', 'i.add_on_charges_total_amount', 'What its add-on charges add up to.'),
      tax_amount: ofSide('i', 'i.payee_driver_id', 'i.tax_total_amount', 'The tax.'),
      total_amount: ofSide('i', 'i.payee_driver_id', 'i.total_amount', 'The total, with tax.'),
      billing_approved_at: as('i.billing_approved_at', 'When it was approved.'),
      sent_at: as('i.sent_at', "When it was sent to the customer's company."),
      exported_at: as('i.exported_at', 'When it was handed to accounting for the first time.'),
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
      original_settlement_id: as('s.original_settlement_id', 'Id of the voided settlement that it replaces.'),
      billing_approved_at: as('s.billing_approved_at', 'When it was approved.'),
      exported_at: as('s.exported_at', 'When it was exported.'),
      voided_at: as('s.voided_at', 'When it was voided.'),
    },
  ),
  view('accounts', 'The customers and vendors of your company.', `from account a ${ofCompany('a')}`, {
    ...record('a', 'account'),
    name: as('a.name', 'The name.'),
    is_customer: as(`'customer' = any(a.account_types)`, 'Whether it is a customer.'),
    is_vendor: as(`'vendor' = any(a.account_types)`, 'Whether it is a vendor.'),
    external_id: as('a.external_id', EXTERNAL),
    accounting_id: as('a.accounting_id', 'Its id in your accounting system.'),
    discarded_at: as('a.discarded_at', 'When it was discarded.'),
  }),
  view('projects', 'The projects of your company.', `from project p ${ofCompany('p')}`, {
    ...record('p', 'project'),
    project_number: as('p.project_id', 'Friendly number.'),
    name: as('p.name', 'The name.'),
    state: as('p.state', 'The state.'),
    external_id: as('p.external_id', EXTERNAL),
    customer_id: as('p.account_id', 'Id of the account of the customer.'),
    discarded_at: as('p.discarded_at', 'When it was discarded.'),
  }),
  view('sites', 'The sites of your company.', `from site t ${ofCompany('t')}`, {
    ...record('t', 'site'),
    name: as('t.name', 'The name.'),
    site_type: as('t.site_type', 'The kind of place.'),
    external_id: as('t.external_id', EXTERNAL),
    full_address: as('t.full_address', 'The address.'),
    lat: as('t.lat', 'Degrees of latitude, WGS 84.'),
    lon: as('t.lon', 'Degrees of longitude, WGS 84.'),
    state: as('t.state', 'Whether it is suggested for new work.'),
    discarded_at: as('t.discarded_at', 'When it was discarded.'),
  }),
  view('materials', 'The materials of your company.', `from material m ${ofCompany('m')}`, {
    ...record('m', 'material'),
    name: as('m.name', 'The name.'),
    external_id: as('m.external_id', EXTERNAL),
    density: as('m.density', 'Tonnes of a cubic metre.'),
    state: as('m.state', 'Whether it is suggested for new work.'),
    discarded_at: as('m.discarded_at', 'When it was discarded.'),
  }),
  view('drivers', 'The drivers of your company.', `from app_user u ${ofCompany('u')} and 'driver' = any(u.roles)`, {
    ...record('u', 'driver'),
    first_name: as('u.first_name', 'The first name.'),
    last_name: as('u.last_name', 'The last name.'),
    external_id: as('u.external_id', EXTERNAL),
    equipment_id: as('u.equipment_id', 'Id of the truck that they drive.'),
    discarded_at: as('u.discarded_at', 'When they were deactivated.'),
  }),
  view(
    'equipment',
    'The trucks and trailers of your company.',
    `from equipment e left join equipment_type y on y.id = e.equipment_type_id ${ofCompany('e')}`,
    {
      ...record('e', 'truck or trailer'),
      name: as('e.name', 'The name.'),
      equipment_number: as('e.equipment_id', 'The number on the door.'),
      equipment_type: as('y.name', 'The kind of truck.'),
      ownership: as('e.ownership', 'Whether it belongs to your company.'),
      external_id: as('e.external_id', EXTERNAL),
      accounting_id: as('e.accounting_id', 'Its id in your accounting system.'),
      license_number: as('e.license_number', 'The number of its plate.'),
      state: as('e.state', 'Whether it is suggested for new work.'),
      discarded_at: as('e.discarded_at', 'When it was discarded.'),
    },
  ),
];
