import { firstKnown } from '../../../platform/database/first-known.ts';
import { chargesSql, invoiceChargesSql, taxesSql } from '../../settlements/documents/document.sql.ts';
import { rebilledSql } from '../../settlements/settlement-lines.sql.ts';

/** SQL of the lines of settlement `z`: those of one order, kind and rate together, in a fixed order. */
const LINES = `select min(i.service_date)::text as date, o.order_id as order, o.service_id as "serviceId", s.name as service, m.name as material, p.name as project,
    li.line_item_type as type, count(distinct li.load_id)::int as loads, sum(li.quantity)::text as quantity, r.rate::text as rate,
    sum(${rebilledSql('x', 'li')})::text as amount
  from settlement_invoice x join invoice i on i.id = x.invoice_id join invoice_line_item li on li.invoice_id = i.id
    left join orders o on o.id = i.order_id left join project p on p.id = o.project_id left join service s on s.id = o.service_id left join material m on m.id = i.material_id
    cross join lateral (select case when li.line_item_type <> 'MaterialRateLineItem' then coalesce(x.rebill_rate_value, li.rate) else li.rate end as rate) r
  where x.settlement_id = z.id
  group by o.order_id, o.service_id, s.name, m.name, p.name, li.line_item_type, li.rate_type, li.unit_of_measure, r.rate
  order by 1, o.order_id, li.line_item_type, r.rate, m.name, li.rate_type, li.unit_of_measure`;

// What was carried forward is in accounting with the settlement by which it was owed: here it would be there twice.
const NO_BALANCE = 'and a.balance_of_id is null';
const BALANCES = `coalesce((select sum(coalesce(case when z.rebill_total_amount is not null then b.rebill_amount end, b.amount, 0)) from add_on_charge b
  where b.add_on_applicable_id = z.id and b.balance_of_id is not null), 0)`;

const listed = (rows: string): string => `coalesce((select json_agg(w) from (${rows}) w), '[]')`;

/** SQL of everything that accounting gets of settlements $1, in one snapshot however many they are. */
export const DOCUMENTS = `select z.id, z.side, z.number, z.currency, z.state, z.driver_id as "driverId", z.created_at as "createdAt",
    z.billing_approved_at as "billingApprovedAt", z.posting_date::text as "postingDate", z.rebill_total_amount is not null as rebilled,
    coalesce(z.rebill_invoices_total_amount, z.invoices_total_amount)::text as "invoicesTotal",
    (coalesce(z.rebill_total_amount, z.total_amount) - ${BALANCES})::text as total, c.language, c.date_format as "dateFormat", c.time_zone as "timeZone", ca.country,
    coalesce((sd.document ->> 'termsDays')::int, bp.terms_days, cs.payment_terms_days, 0) as "termsDays", sd.document ->> 'date' as "paperDate",
    json_build_object('accountId', v.id, 'name', coalesce(v.name, btrim(d.first_name || ' ' || d.last_name)), 'accountingId', v.accounting_id,
      'externalId', coalesce(v.external_id, d.external_id), 'email', vc.email) as counterparty,
    ${listed(LINES)} as work, ${listed(chargesSql('z.id', NO_BALANCE))} as charges, ${listed(invoiceChargesSql('z.id'))} as "invoiceCharges",
    ${listed(taxesSql('z.id'))} as taxes
  from settlement z join company c on c.id = z.company_id left join company_settings cs on cs.id = c.id left join address ca on ca.id = c.address_id
    left join account v on v.id = ${firstKnown('z.customer_account_id', 'z.vendor_account_id')} left join app_user d on d.id = z.driver_id
    left join billing_profile bp on bp.id = v.id and bp.company_id = z.company_id
    left join settlement_document sd on sd.settlement_id = z.id
    left join contact vc on vc.id = ${firstKnown('v.billing_contact_id', 'v.primary_contact_id')}
  where z.id = any($1::uuid[])`;
