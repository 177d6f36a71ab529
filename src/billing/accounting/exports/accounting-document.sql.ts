import { firstKnown } from '../../../platform/database/first-known.ts';
import { rebilledSql } from '../../settlements/settlement-lines.sql.ts';

/** SQL of for whom settlement $1 is. */
export const COUNTERPARTY = `select v.id as "accountId", coalesce(v.name, btrim(d.first_name || ' ' || d.last_name)) as name, v.accounting_id as "accountingId",
    coalesce(v.external_id, d.external_id) as "externalId", c.email
  from settlement s left join account v on v.id = ${firstKnown('s.customer_account_id', 's.vendor_account_id')} left join app_user d on d.id = s.driver_id
    left join contact c on c.id = ${firstKnown('v.billing_contact_id', 'v.primary_contact_id')}
  where s.id = $1`;

/** SQL of the lines of settlement $1: those of one order, kind and rate together, in a fixed order. */
export const LINES = `select min(i.service_date)::text as date, o.order_id as order, o.service_id as "serviceId", s.name as service, m.name as material,
    li.line_item_type as type, count(distinct li.load_id)::int as loads, sum(li.quantity)::text as quantity, r.rate::text as rate,
    sum(${rebilledSql('x', 'li')})::text as amount
  from settlement_invoice x join invoice i on i.id = x.invoice_id join invoice_line_item li on li.invoice_id = i.id
    left join orders o on o.id = i.order_id left join service s on s.id = o.service_id left join material m on m.id = i.material_id
    cross join lateral (select case when li.line_item_type <> 'MaterialRateLineItem' then coalesce(x.rebill_rate_value, li.rate) else li.rate end as rate) r
  where x.settlement_id = $1
  group by o.order_id, o.service_id, s.name, m.name, li.line_item_type, li.rate_type, li.unit_of_measure, r.rate
  order by 1, o.order_id, li.line_item_type, r.rate, m.name, li.rate_type, li.unit_of_measure`;
