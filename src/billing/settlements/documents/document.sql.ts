import { ALL_WORK, deliveries } from '../../../dispatch/model/delivered.ts';
import { firstKnown } from '../../../platform/database/first-known.ts';
import { loadsIn } from '../settlement.lists.ts';

/** SQL of a postal address as lines of an envelope; an empty list if there is none. */
const linesOf = (a: string): string => `array_remove(array[nullif(btrim(concat_ws(', ', ${a}.thoroughfare, ${a}.premise)), ''),
  nullif(btrim(concat_ws(' ', ${a}.locality, ${a}.administrative_area, ${a}.postal_code)), ''), ${a}.country], null)`;
/** SQL of a company or an account as it is printed: `Party`. `address` and `contact` are aliases of their rows. */
export const partySql = (
  name: string,
  address: string,
  contact: string,
): string => `json_build_object('name', ${name}, 'address', ${linesOf(address)},
  'contact', array_remove(array[${contact}.name, ${contact}.phone, ${contact}.email], null))`;

/**
 * SQL of who bills whom by settlement $1 and by which purchase orders, of the settlement that it replaces with what that came to, and of how its
 * company writes. Of a driver there is the name alone.
 */
export const HEAD = `select ${partySql('coalesce(c.dba_name, c.legal_name)', 'ca', 'cc')} as company,
    case when v.id is not null then ${partySql('v.name', 'va', 'vc')}
      else json_build_object('name', btrim(d.first_name || ' ' || d.last_name), 'address', array[]::text[], 'contact', array[]::text[]) end as counterparty,
    c.language, c.date_format as "dateFormat", c.time_zone as "timeZone", ca.country, c.logo_key as "logoKey", c.logo_type as "logoType",
    case when s.side = 'receivable' then array(select distinct btrim(po.po_job_number) from settlement_invoice x join invoice i on i.id = x.invoice_id
      join orders po on po.id = i.order_id where x.settlement_id = s.id and btrim(po.po_job_number) <> '' order by 1) else '{}' end as "purchaseOrders",
    coalesce(bp.terms_days, cs.payment_terms_days, 0) as "termsDays", coalesce(bp.attachments, false) as "attachments", o.number as "replacesNumber",
    coalesce(o.rebill_total_amount, o.total_amount)::text as "replacesTotal"
  from settlement s join company c on c.id = s.company_id
    left join company_settings cs on cs.id = c.id
    left join address ca on ca.id = c.address_id
    left join contact cc on cc.id = ${firstKnown('c.billing_contact_id', 'c.primary_contact_id')}
    left join account v on v.id = ${firstKnown('s.customer_account_id', 's.vendor_account_id')}
    left join billing_profile bp on bp.id = v.id and bp.company_id = s.company_id
    left join address va on va.id = ${firstKnown('v.billing_address_id', 'v.address_id')}
    left join contact vc on vc.id = ${firstKnown('v.billing_contact_id', 'v.primary_contact_id')}
    left join app_user d on d.id = s.driver_id
    left join settlement o on o.id = s.original_settlement_id
  where s.id = $1`;

/** SQL of the charges on the invoices of a settlement, those of one name and rate together. @param settlement expression of its id */
export const invoiceChargesSql = (settlement: string): string =>
  chargesOfInvoicesSql(
    `(select xi.* from settlement_invoice x join invoice xi on xi.id = x.invoice_id where x.settlement_id = ${settlement}) i`,
  );

/** The same of invoices. @param from SQL of these, as `i` */
export const chargesOfInvoicesSql = (
  from: string,
): string => `select a.add_on_id as "addOnId", coalesce(a.accounting_id, d.accounting_id) as "accountingId", a.name, case when a.revenue_cost_rate_type in ('RateForEach', 'PerLoad') then sum(a.quantity)::text end as quantity,
    case when a.revenue_cost_rate_type in ('RateForEach', 'PerLoad') then r.rate::text end as rate,
    case when a.revenue_cost_rate_type = 'RatePercentOfTotal' then trim_scale(a.percentage)::text end as percentage, sum(a.amount)::text as amount
  from ${from} join add_on_charge a on a.add_on_applicable_id = i.id
    left join add_on d on d.id = a.add_on_id
    cross join lateral (select case when i.side = 'payable' then coalesce(a.cost_rate_value, a.revenue_rate_value) else a.revenue_rate_value end as rate) r
  group by a.add_on_id, 2, a.name, a.revenue_cost_rate_type, r.rate, a.percentage order by a.name, r.rate, a.percentage, a.add_on_id`;

/** SQL of the charges of a settlement itself. @param settlement expression of its id @param where a further condition of a charge `a` */
export const chargesSql = (
  settlement: string,
  where = '',
): string => `select a.add_on_id as "addOnId", coalesce(a.accounting_id, d.accounting_id) as "accountingId", a.name, case when a.revenue_cost_rate_type in ('RateForEach', 'PerLoad') then a.quantity::text end as quantity,
    case when a.revenue_cost_rate_type in ('RateForEach', 'PerLoad') then r.rate::text end as rate,
    case when a.revenue_cost_rate_type = 'RatePercentOfTotal' then trim_scale(coalesce(a.rebill_percentage, a.percentage))::text end as percentage,
    coalesce(case when s.rebill_total_amount is not null then a.rebill_amount end, a.amount, 0)::text as amount
  from settlement s join add_on_charge a on a.add_on_applicable_id = s.id left join add_on d on d.id = a.add_on_id
    cross join lateral (select coalesce(a.rebill_revenue_rate_value,
      case when s.side = 'payable' then coalesce(a.cost_rate_value, a.revenue_rate_value) else a.revenue_rate_value end) as rate) r
  where s.id = ${settlement} ${where} order by a.created_at, a.id`;

/** SQL of the tax in a settlement, by its description and rate. @param settlement expression of its id */
export const taxesSql = (settlement: string): string => `select i.tax_description as description, trim_scale(i.tax_rate)::text as rate,
    sum(case when x.rebill_rate_value is null then i.tax_total_amount else x.rebill_tax_total_amount end)::text as amount
  from settlement_invoice x join invoice i on i.id = x.invoice_id
  where x.settlement_id = ${settlement} and i.tax_total_amount is not null
  group by 1, i.tax_rate order by 1, i.tax_rate`;

/** SQL of the loads that settlement $1 is for, the earliest first: what each delivered, in the unit of its ticket. */
export const LOADS = `with d as (${deliveries({ ...ALL_WORK, loads: `(select fl.* from load fl where ${loadsIn('').sql('fl', '$1')})` })})
  select coalesce(l.summary_load_completed_at, j.job_start_at) as at, l.load_id as load, o.order_id as order, d.material_name as material, e.name as truck,
    (select k.ticket_number from ticket k where k.load_id = l.id and k.voided_at is null limit 1) as ticket, trim_scale(d.quantity)::text as quantity,
    d.unit_of_measure as unit
  from d join load l on l.id = d.id join job j on j.id = l.job_id join orders o on o.id = l.order_id left join equipment e on e.id = j.equipment_id
  where d.state = 'completed' order by 1, l.load_id`;
