import { idSql } from '../data.ts';

/** The largest company has so many as are exported, each of a load; the others have the rest, some of loads. */
export const ticketsSql = (tickets: number, exported: number): string => `with loads as (
    select *, row_number() over (partition by company_id = ${idSql('company', '1')} order by created_at, id) as nth from load),
  placed as (
    select *, row_number() over (order by company_id = ${idSql('company', '1')} desc, nth) as place from loads
    where company_id <> ${idSql('company', '1')} or nth <= ${exported})
  insert into ticket (id, created_at, updated_at, company_id, ticket_number, state, quantity, unit_of_measure, service_date, load_id, job_id, order_id, material_id, notes)
  select ${idSql('ticket', 'n')}, t, t, coalesce(l.company_id, ${idSql('company', '2')}), 'T-' || n, 'approved', 20.25, 'Ton', t, l.id, l.job_id, l.order_id, l.material_id, 'Gate 4'
  from (select n::bigint as n, timestamptz '2026-11-01 06:00Z' + n * interval '1 second' as t from generate_series(1, ${tickets}) n) x
    left join placed l on l.place = x.n`;

/** An invoice of each job, with a line for each of its loads at a price of one. */
export const INVOICES = [
  `insert into invoice_line_item (id, company_id, invoice_id, load_id, ordinality, line_item_type, delivered_quantity, quantity, unit_of_measure, rate, rate_type, total_amount)
   select gen_random_uuid(), l.company_id, ${idSql('invoice', 'l.job_id::text')}, l.id, l.ordinality, 'Freight', q.quantity, q.quantity, 'Ton', 1, 'RatePerTon', q.quantity
   from load l left join ticket t on t.load_id = l.id cross join lateral (select coalesce(t.quantity, l.quantity) as quantity) q`,
  `insert into invoice (id, company_id, side, number, invoice_id, state, job_id, order_id, currency, service_date, posting_date, invoice_line_items_total_amount, total_amount)
   select ${idSql('invoice', 'j.id::text')}, j.company_id, 'receivable', row_number() over (), 'AR-' || row_number() over (), 'created', j.id, j.order_id, 'USD', '2026-11-02',
     '2026-11-02', i.total, i.total
   from job j join (select invoice_id, sum(total_amount) as total from invoice_line_item group by 1) i on i.invoice_id = ${idSql('invoice', 'j.id::text')}`,
];
