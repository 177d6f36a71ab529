import { settlementNumberSql } from '../../../dispatch/fields/settlement-number.ts';
import { firstKnown } from '../../../platform/database/first-known.ts';
import { chargesOfInvoicesSql, chargesSql, invoiceChargesSql, taxesSql } from '../../settlements/documents/document.sql.ts';
import { rebilledSql } from '../../settlements/settlement-lines.sql.ts';

/** Where the invoices `i` of a document come from, and what line `li` of one of them comes to there, and at which rate. */
interface Lines {
  from: string;
  amount: string;
  rate: string;
}

/** SQL of the lines of a document: those of one order, material, kind and rate together, in a fixed order. Materials are those of the loads, as on paper. */
const linesSql = ({
  from,
  amount,
  rate,
}: Lines): string => `select min(i.service_date)::text as date, o.order_id as order, o.service_id as "serviceId",
    s.name as service, m.name as material, p.name as project,
    li.line_item_type as type, count(distinct li.load_id)::int as loads, sum(li.quantity)::text as quantity, r.rate::text as rate,
    sum(${amount})::text as amount
  from ${from} join invoice_line_item li on li.invoice_id = i.id
    left join orders o on o.id = i.order_id left join project p on p.id = o.project_id left join service s on s.id = o.service_id
    left join load l on l.id = li.load_id left join ticket k on k.load_id = li.load_id and k.voided_at is null
    left join material m on m.id = ${firstKnown('k.material_id', 'l.material_id', 'i.material_id')}
    cross join lateral (select ${rate} as rate) r
  group by o.order_id, o.service_id, s.name, m.name, p.name, li.line_item_type, li.rate_type, li.unit_of_measure, r.rate
  order by 1, o.order_id, li.line_item_type, r.rate, m.name, li.rate_type, li.unit_of_measure`;

/** Of settlement `z`. */
const LINES_OF_SETTLEMENT = linesSql({
  from: '(select * from settlement_invoice where settlement_id = z.id) x join invoice i on i.id = x.invoice_id',
  amount: rebilledSql('x', 'li'),
  rate: `case when li.line_item_type <> 'MaterialRateLineItem' then coalesce(x.rebill_rate_value, li.rate) else li.rate end`,
});
/** Of invoice `z`. */
const LINES_OF_INVOICE = linesSql({ from: '(select z.*) i', amount: 'li.total_amount', rate: 'li.rate' });
const TAX_OF_INVOICE = `select z.tax_description as description, trim_scale(z.tax_rate)::text as rate, z.tax_total_amount::text as amount
  where z.tax_total_amount is not null`;

// A balance that was carried forward is in accounting with the settlement by which it was owed: here it would be there twice.
const NO_BALANCE = 'and a.balance_of_id is null';
const BALANCES = `coalesce((select sum(coalesce(case when z.rebill_total_amount is not null then b.rebill_amount end, b.amount, 0)) from add_on_charge b
  where b.add_on_applicable_id = z.id and b.balance_of_id is not null), 0)`;

const listed = (rows: string): string => `coalesce((select json_agg(w) from (${rows}) w), '[]')`;

/** SQL of how the company of `z` writes, and for whom `z` is. */
const HEAD = `c.language, c.date_format as "dateFormat", c.time_zone as "timeZone", ca.country,
    json_build_object('accountId', v.id, 'name', coalesce(v.name, btrim(d.first_name || ' ' || d.last_name)), 'accountingId', v.accounting_id,
      'externalId', coalesce(v.external_id, d.external_id), 'email', vc.email) as counterparty`;
/** SQL of what that is read from. @param driver column of `z` */
const sourcesOf = (
  driver: string,
): string => `join company c on c.id = z.company_id left join company_settings cs on cs.id = c.id left join address ca on ca.id = c.address_id
    left join account v on v.id = ${firstKnown('z.customer_account_id', 'z.vendor_account_id')} left join app_user d on d.id = z.${driver}
    left join billing_profile bp on bp.id = v.id and bp.company_id = z.company_id
    left join contact vc on vc.id = ${firstKnown('v.billing_contact_id', 'v.primary_contact_id')}`;

/** SQL of everything that accounting gets of settlements $1, in one snapshot however many they are. */
export const DOCUMENTS_OF_SETTLEMENTS = `select z.id, z.side, ${settlementNumberSql('z')} as number, z.currency, z.state, z.driver_id as "driverId",
    z.created_at as "createdAt", z.billing_approved_at as "billingApprovedAt", z.posting_date::text as "postingDate", z.rebill_total_amount is not null as rebilled,
    coalesce(z.rebill_invoices_total_amount, z.invoices_total_amount)::text as "invoicesTotal",
    (coalesce(z.rebill_total_amount, z.total_amount) - ${BALANCES})::text as total, ${HEAD},
    coalesce((sd.document ->> 'termsDays')::int, bp.terms_days, cs.payment_terms_days, 0) as "termsDays", sd.document ->> 'date' as "paperDate",
    ${listed(LINES_OF_SETTLEMENT)} as work, ${listed(chargesSql('z.id', NO_BALANCE))} as charges, ${listed(invoiceChargesSql('z.id'))} as "invoiceCharges",
    ${listed(taxesSql('z.id'))} as taxes
  from settlement z ${sourcesOf('driver_id')} left join settlement_document sd on sd.settlement_id = z.id
  where z.id = any($1::uuid[])`;

/** The same of invoices $1 by themselves, of which no paper was printed. */
export const DOCUMENTS_OF_INVOICES = `select z.id, z.side, z.invoice_id as number, z.currency, z.state, z.payee_driver_id as "driverId",
    z.created_at as "createdAt", z.billing_approved_at as "billingApprovedAt", z.posting_date::text as "postingDate", false as rebilled,
    z.total_amount::text as "invoicesTotal", z.total_amount::text as total, ${HEAD},
    coalesce(bp.terms_days, cs.payment_terms_days, 0) as "termsDays", null as "paperDate",
    ${listed(LINES_OF_INVOICE)} as work, '[]'::json as charges, ${listed(chargesOfInvoicesSql('(select z.*) i'))} as "invoiceCharges",
    ${listed(TAX_OF_INVOICE)} as taxes
  from invoice z ${sourcesOf('payee_driver_id')}
  where z.id = any($1::uuid[])`;
