import { settlementOfSql } from '../../dispatch/fields/settlement-number.ts';
import { ALL_WORK, type DeliveredQuantity, deliveredJson, deliveries } from '../../dispatch/model/delivered.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { firstKnown } from '../../platform/database/first-known.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import type { InvoiceSide } from '../invoices/invoice-enums.ts';
import { isPaidWithDaySql } from '../invoices/invoiced-work.ts';
import { billedLoadsSql } from './settlement.lists.ts';

/** An invoice that is to be settled. */
export interface InvoiceToSettle {
  id: string;
  company_id: string;
  state: string;
  side: InvoiceSide;
  currency: string;
  customer_account_id: string | null;
  vendor_account_id: string | null;
  payee_driver_id: string | null;
  /** The day on which it counts in the books. */
  posting_date: string | null;
  /** The job or the day that it is for. */
  work: string;
  /** The number of the customer's purchase order. */
  purchase_order: string | null;
  /** The account gets a settlement for each job, or for each purchase order. */
  one_job: boolean;
  by_purchase_order: boolean;
  /** The account wants a line for each ticket. */
  by_ticket: boolean;
  /** The state of its own export to accounting. */
  export_state: string;
  /** The settlement that has it. */
  settlement: string | null;
}

// Whoever takes back an approval locks the invoice, too: one of both sees what the other has done. Always in the same order, so that two
// settlements do not wait for each other.
const LOCK = 'select from invoice where id = any($1::uuid[]) and company_id = any($2::uuid[]) order by id for update';
const INVOICES = `select i.id, i.company_id, i.state, i.export_state, i.side, i.currency, i.customer_account_id, i.vendor_account_id, i.payee_driver_id,
    i.posting_date::text as posting_date, coalesce(i.job_id, i.driver_day_id) as work, o.po_job_number as purchase_order,
    coalesce(bp.one_job_per_settlement, false) as one_job, coalesce(bp.po_required, false) as by_purchase_order, coalesce(bp.ticket_number_per_line, false) as by_ticket,
    ${settlementOfSql('i.id')} as settlement
  from invoice i left join orders o on o.id = i.order_id
    left join billing_profile bp on bp.company_id = i.company_id and bp.id = ${firstKnown('i.customer_account_id', 'i.vendor_account_id')}
  where i.id = any($1::uuid[]) and i.company_id = any($2::uuid[])`;

/** Locks invoices of some companies, and returns those that the viewer sees. */
export async function lockInvoices(tx: TxContext, ids: readonly string[], companyIds: readonly string[]): Promise<InvoiceToSettle[]> {
  await queryIn(tx.em, LOCK, [ids, companyIds]);
  const values: unknown[] = [ids, companyIds];
  const limits = limitsFor(viewerOf(tx), Invoice, 'i', values);
  return queryIn<InvoiceToSettle>(tx.em, INVOICES + limits, values);
}

/** The totals of invoices, and the work that they are for. */
export interface FactsOfInvoices {
  total: string;
  tax: string | null;
  /** By how much lines were changed by hand; a part of the total. */
  adjustments: string;
  jobs: number;
  loads: number;
  starts_on: string;
  ends_on: string;
  order_ids: string[];
  quantities: string[];
  delivered: DeliveredQuantity[];
}

/** SQL of the loads that invoices `taken` bill, and of the jobs that they are for. */
const LOADS_OF_INVOICES = `(select fl.* from load fl where fl.id in (${billedLoadsSql('taken')}))`;
const WORK = `work as materialized (select job_id as id from taken where job_id is not null
    union select j.id from taken t join job j on j.driver_day_id = t.driver_day_id where t.job_id is null and ${isPaidWithDaySql('j', 't')})`;
const JOBS = '(select j.* from job j where j.id in (select id from work))';
// A load that was turned away delivered nothing, and costs nothing by the load (BILLING B15).
const hauled = (d: string): string => `${d}.state = 'completed' and ${d}.quantity is distinct from 0`;
const FACTS = `with taken as materialized (select id, company_id, job_id, driver_day_id, reason, total_amount, tax_total_amount, adjustments_total_amount,
    service_date from invoice where id = any($1::uuid[])),
  ${WORK},
  d as materialized (${deliveries({ ...ALL_WORK, jobs: JOBS, loads: LOADS_OF_INVOICES })}),
  q as (select unit_of_measure, material_name, ticketed, sum(quantity) as delivered from d where state = 'completed' and quantity is not null
    group by unit_of_measure, material_name, ticketed)
  select sum(t.total_amount)::text as total, sum(t.tax_total_amount)::text as tax, sum(t.adjustments_total_amount)::text as adjustments,
    (select count(*)::int from work) as jobs,
    (select count(*)::int from d where ${hauled('d')}) as loads, min(t.service_date)::text as starts_on, max(t.service_date)::text as ends_on,
    array(select distinct o.order_id from orders o where o.id in (select j.order_id from job j where j.id in (select id from work)) order by 1) as order_ids,
    array(select trim_scale(sum(delivered)) || ' ' || unit_of_measure from q where unit_of_measure is not null group by unit_of_measure order by unit_of_measure) as quantities,
    coalesce((select ${deliveredJson('q', {
      quantity: `(select coalesce(sum(rj.quantity), 0) from ${JOBS} rj where rj.unit_of_measure = q.unit_of_measure)`,
      unit: 'q.unit_of_measure',
    })} from q), '[]') as delivered
  from taken t`;

/** Sums up invoices in one statement, however many they are. */
export async function factsOf(tx: TxContext, invoiceIds: readonly string[]): Promise<FactsOfInvoices> {
  const [facts] = await queryIn<FactsOfInvoices>(tx.em, planOnceForFew(FACTS, invoiceIds.length), [invoiceIds]);
  return facts!;
}

const LOADS = `with taken as materialized (select i.id, i.company_id, i.job_id, i.driver_day_id, i.reason from settlement_invoice x join invoice i on i.id = x.invoice_id
    where x.settlement_id = $1), ${WORK}
  select count(*)::int as loads from (${deliveries({ ...ALL_WORK, jobs: JOBS, loads: LOADS_OF_INVOICES })}) d where ${hauled('d')}`;

/** The completed loads of the work that a settlement is for, without those that were turned away. */
export async function loadsOf(tx: TxContext, settlementId: string): Promise<number> {
  const [found] = await queryIn<{ loads: number }>(tx.em, LOADS, [settlementId]);
  return found!.loads;
}
