import type { RateType } from '../../directory/master-data/units.ts';
import { ALL_WORK, deliveries } from '../../dispatch/model/delivered.ts';
import { type Invariant, listOf, live, missing, type Shared, union } from './invariant.ts';

/** The tables of records to which files are attached, and charges applied. */
const OWNERS = {
  Order: 'orders',
  Job: 'job',
  Load: 'load',
  Ticket: 'ticket',
  Project: 'project',
  DriverDay: 'driver_day',
  Settlement: 'settlement',
};
const STATED = { Order: 'orders', Job: 'job', Load: 'load', Invoice: 'invoice', Settlement: 'settlement' };

/** Rates of what was hauled, by which more is owed for more. */
const BY_UNIT: readonly RateType[] = ['RatePerTon', 'RatePerTonne', 'RatePerYard', 'RatePerBushel'];

/** What each load delivered. */
const DELIVERED: Shared = { name: 'delivery', sql: deliveries(ALL_WORK) };

/** Returns the SQL of the sum of the invoices of a side that count in period `p`, less those that are taken back in it. */
const invoiced = (
  side: 'receivable' | 'payable',
): string => `coalesce((select sum(i.total_amount) from invoice i where i.company_id = p.company_id
    and i.side = '${side}' and (${live('i')} or i.reversal_date is not null) and i.posting_date between p.starts_on and p.ends_on), 0)
  - coalesce((select sum(i.total_amount) from invoice i where i.company_id = p.company_id and i.side = '${side}'
    and i.reversal_date between p.starts_on and p.ends_on), 0)`;

/** The invariants of work, of the books, and of who drove when. */
export const INVARIANTS_OF_BOOKS: readonly Invariant[] = [
  {
    name: 'loads_belong_to_their_job',
    meaning: 'A load has the order and the company of its job, and a job the company of its order, so that sums by job are sums by order.',
    sql: `select l.id, l.company_id, 'load of another order or company than its job' as what from load l join job j on j.id = l.job_id
        where l.order_id is distinct from j.order_id or l.company_id <> j.company_id
      union all select j.id, j.company_id, 'job of another company than its order' from job j join orders o on o.id = j.order_id where j.company_id <> o.company_id`,
  },
  {
    name: 'tickets_sum_to_what_was_delivered',
    reads: DELIVERED,
    meaning:
      "A ticket names the job and the order of its load, and the tickets of each order that are not voided add up, unit by unit, to what the order's ticketed loads delivered.",
    sql: `select t.id, t.company_id, 'ticket of another job or order than its load' as what from ticket t join load l on l.id = t.load_id
        where t.voided_at is null and (t.job_id is distinct from l.job_id or t.order_id is distinct from l.order_id)
      union all select o.id, o.company_id, 'tickets of ' || coalesce(s.ticketed, 0) || ' ' || s.unit || ', delivered ' || coalesce(s.delivered, 0)
        from (select coalesce(t.order_id, d.order_id) as order_id, coalesce(t.unit, d.unit) as unit, t.quantity as ticketed, d.quantity as delivered
          from (select order_id, coalesce(unit_of_measure, '') as unit, sum(quantity) as quantity from ticket
              where load_id is not null and voided_at is null and quantity is not null group by 1, 2) t
            full join (select order_id, coalesce(unit_of_measure, '') as unit, sum(quantity) as quantity from ${DELIVERED.name} w where ticketed group by 1, 2) d
              on d.order_id = t.order_id and d.unit = t.unit) s
          join orders o on o.id = s.order_id where s.ticketed is distinct from s.delivered`,
  },
  {
    name: 'one_ticket_counts_for_a_load',
    meaning: 'A load has at most one ticket that is not voided, so that nothing is delivered twice.',
    // Only of those that break it the company is looked up.
    sql: `select d.id, (select t.company_id from ticket t where t.load_id = d.id limit 1) as company_id, d.count || ' tickets' as what
      from (select load_id as id, count(*) as count from ticket where load_id is not null and voided_at is null group by load_id having count(*) > 1) d`,
  },
  {
    name: 'delivered_is_billed',
    reads: DELIVERED,
    meaning:
      'A line of an invoice bills what its load delivered, unless somebody edited it, the work changed since and is being compared, or it is approved at a total that the change does not touch.',
    // A load is one where it is paid for as such, whatever it weighs, and one that reaches into several bands of its rate has a line for each.
    sql: `select li.id, li.company_id, 'billed ' || coalesce(li.delivered_quantity::text, 'nothing') || ', delivered ' || coalesce(d.quantity::text, 'nothing') as what
      from invoice i join invoice_line_item li on li.invoice_id = i.id join ${DELIVERED.name} d on d.id = li.load_id
        cross join lateral (select case when li.unit_of_measure = 'Load' and li.line_item_type <> 'MaterialRateLineItem' then case when d.quantity = 0 then 0 else 1 end
          else coalesce(d.quantity, 0) end as quantity) e
      where ${live('i')} and not i.stale and i.billing_approved_at is null and li.edited_by_id is null and li.corrects_id is null and li.unit_of_measure = d.unit_of_measure
        and li.delivered_quantity is distinct from e.quantity
        and (select sum(b.delivered_quantity) from invoice_line_item b where b.invoice_id = li.invoice_id and b.load_id = li.load_id
          and b.line_item_type = li.line_item_type and b.corrects_id is null) is distinct from e.quantity
        and not exists (select from invoice_task k where k.id = i.job_id)`,
  },
  {
    name: 'billed_sums_are_delivered_sums',
    reads: DELIVERED,
    meaning:
      'What the live invoices of a job bill for its loads, approved ones and what corrects them included, adds up to what its completed loads delivered: for each company whose books it is in, each side and each link of a vendor chain, so for orders, too.',
    // Left out is where the same is owed for more or less: with a minimum or an increment, for lines that were edited or removed, or where the work is
    // being compared or is known to differ (`stale`). An amount says nothing of what is less than a cent of each line. What fits is looked at behind the
    // join: PostgreSQL expects a handful of groups of "having", and compares each of one side with each of the other.
    sql: `with billed as (
        select i.company_id, i.side, i.job_id, i.job_assignment_id, sum(li.delivered_quantity) as quantity, min(li.unit_of_measure) as unit, count(*) as lines,
          min(abs(li.rate)) filter (where li.corrects_id is null) as rate,
          min(li.unit_of_measure) = max(li.unit_of_measure) and bool_and(not i.stale and i.blockers = '{}' and i.removed_lines = '{}'
            and coalesce(i.rate_minimum, 0) = 0 and coalesce(i.rate_increment, 0) = 0
            and li.edited_by_id is null and (li.corrects_id is not null or li.rate_type in (${listOf(BY_UNIT)}))) as fits
        from invoice i join invoice_line_item li on li.invoice_id = i.id
        where ${live('i')} and i.job_id is not null and i.driver_day_id is null and not i.of_material and li.line_item_type <> 'MaterialRateLineItem'
        group by 1, 2, 3, 4),
      delivered as (
        select job_id, sum(quantity) as quantity, min(unit_of_measure) as unit, min(unit_of_measure) = max(unit_of_measure) and bool_and(quantity is not null) as fits
        from ${DELIVERED.name} w where state = 'completed' group by job_id)
      select n.id, b.company_id, b.side || ' of job ' || b.job_id || ' bills ' || b.quantity || ' ' || b.unit || ', delivered ' || d.quantity as what
      from billed b join delivered d on d.job_id = b.job_id and d.unit = b.unit
        cross join lateral (select i.id from invoice i where i.job_id = b.job_id and i.company_id = b.company_id and i.side = b.side and ${live('i')}
          and i.job_assignment_id is not distinct from b.job_assignment_id order by i.part limit 1) n
      where (b.fits and d.fits) is true and abs(b.quantity - d.quantity) * b.rate > 0.01 * b.lines and not exists (select from invoice_task k where k.id = b.job_id)`,
  },
  {
    name: 'loads_are_billed_once',
    meaning:
      'A load is in one live invoice at most, for each company whose books it is in, each side, each link of a vendor chain and each kind of line, apart from what corrects it.',
    // Invoices are compared only of those with several lines, because that sorts them.
    sql: `select k.load_id as id, k.company_id, n.invoices || ' ' || k.side || ' invoices' as what
      from (select li.load_id, i.company_id, i.side, i.job_assignment_id, i.driver_day_id is null as of_job, li.line_item_type
          from invoice i join invoice_line_item li on li.invoice_id = i.id where ${live('i')} and li.load_id is not null and li.corrects_id is null
          group by 1, 2, 3, 4, 5, 6 having count(*) > 1) k
        cross join lateral (select count(distinct i.id) as invoices from invoice_line_item li join invoice i on i.id = li.invoice_id
          where li.load_id = k.load_id and li.line_item_type = k.line_item_type and li.corrects_id is null and ${live('i')} and i.company_id = k.company_id and i.side = k.side
            and i.job_assignment_id is not distinct from k.job_assignment_id and (i.driver_day_id is null) = k.of_job) n
      where n.invoices > 1`,
  },
  {
    name: 'invoices_are_their_lines',
    meaning: 'The total of an invoice is the sum of its lines, its charges and its tax.',
    sql: `select i.id, i.company_id, 'lines ' || coalesce(s.total, 0) || ', written ' || i.invoice_line_items_total_amount || ', charges ' || coalesce(c.total, 0)
        || ', written ' || i.add_on_charges_total_amount || ', total ' || i.total_amount as what
      from invoice i left join (select invoice_id, sum(total_amount) as total from invoice_line_item group by invoice_id) s on s.invoice_id = i.id
        left join (select add_on_applicable_id as id, sum(amount) as total from add_on_charge where add_on_applicable_type = 'Invoice' group by 1) c on c.id = i.id
      where i.invoice_line_items_total_amount <> coalesce(s.total, 0) or i.add_on_charges_total_amount <> coalesce(c.total, 0)
        or i.total_amount <> i.invoice_line_items_total_amount + i.add_on_charges_total_amount + coalesce(i.tax_total_amount, 0)`,
  },
  {
    name: 'settlements_are_their_invoices',
    meaning:
      'The total of a settlement that is not voided is the sum of its invoices and of its charges; so is what it comes to if it bills them anew.',
    sql: `select s.id, s.company_id, 'invoices ' || coalesce(i.total, 0) || ', charges ' || coalesce(c.total, 0) || ', total ' || s.total_amount
        || coalesce(', anew ' || i.anew || ', charges ' || coalesce(c.anew, 0) || ', total ' || s.rebill_total_amount, '') as what
      from settlement s
        left join (select x.settlement_id, sum(i.total_amount) as total, sum(coalesce(x.rebill_total_amount, i.total_amount)) as anew
          from settlement_invoice x join invoice i on i.id = x.invoice_id group by 1) i on i.settlement_id = s.id
        left join (select add_on_applicable_id as id, sum(amount) as total, sum(rebill_amount) as anew from add_on_charge where add_on_applicable_type = 'Settlement'
          group by 1) c on c.id = s.id
      where ${live('s')} and (s.invoices_total_amount <> coalesce(i.total, 0) or s.add_on_charges_total_amount <> coalesce(c.total, 0)
        or s.total_amount <> s.invoices_total_amount + s.add_on_charges_total_amount
        or s.rebill_invoices_total_amount <> coalesce(i.anew, 0) or s.rebill_add_on_charges_total_amount <> coalesce(c.anew, 0)
        or s.rebill_total_amount <> s.rebill_invoices_total_amount + s.rebill_add_on_charges_total_amount)`,
  },
  {
    name: 'settled_invoices_are_live',
    meaning: 'A settlement that is not voided has no voided invoice, and an invoice is in one such settlement at most.',
    sql: `select i.id, i.company_id, 'voided in a live settlement' as what from settlement_invoice x join settlement s on s.id = x.settlement_id
        join invoice i on i.id = x.invoice_id where x.live and ${live('s')} and i.state = 'voided'
      union all select x.invoice_id, min(x.company_id::text)::uuid, count(*) || ' live settlements' from settlement_invoice x join settlement s on s.id = x.settlement_id
        where x.live and ${live('s')} group by x.invoice_id having count(*) > 1`,
  },
  {
    name: 'installments_are_counted',
    meaning:
      'An automatic add-on has charged as many installments as there are settlements with it that are not voided, and no more than it has.',
    sql: `select a.id, a.company_id, 'counted ' || a.auto_add_on_installments_count || ', charged ' || count(s.id) || ' of ' || a.total_installments as what
      from auto_add_on_assignment a left join add_on_charge c on c.auto_add_on_assignment_id = a.id and c.add_on_applicable_type = 'Settlement'
        left join settlement s on s.id = c.add_on_applicable_id and ${live('s')}
      group by a.id having a.auto_add_on_installments_count <> count(s.id) or (a.total_installments > 0 and count(s.id) > a.total_installments)`,
  },
  {
    name: 'closed_periods_stay',
    meaning: 'The invoices and settlements of a closed period of the books have the sums that they had when it was closed.',
    sql: `select p.id, p.company_id, 'receivables ' || n.receivables || ', payables ' || n.payables || ', settled ' || n.settled as what
      from billing_period p cross join lateral (select
          ${invoiced('receivable')} as receivables,
          ${invoiced('payable')} as payables,
          coalesce((select sum(coalesce(s.rebill_total_amount, s.total_amount)) from settlement s where s.company_id = p.company_id
            and (${live('s')} or s.reversal_date is not null) and s.posting_date between p.starts_on and p.ends_on), 0)
          - coalesce((select sum(coalesce(s.rebill_total_amount, s.total_amount)) from settlement s where s.company_id = p.company_id
            and s.reversal_date between p.starts_on and p.ends_on), 0) as settled) n
      where p.state = 'closed' and (n.receivables <> p.receivables_total_amount
        or n.payables <> p.vendor_payables_total_amount + p.driver_payables_total_amount
        or n.settled <> p.settled_receivables_total_amount + p.settled_vendor_payables_total_amount + p.settled_driver_payables_total_amount)`,
  },
  {
    name: 'driver_spans_do_not_overlap',
    meaning: 'The times that a driver is on duty, on a break or off follow each other: none begins before the one before it has ended.',
    sql: `select id, company_id, 'begins before ' || previous_end as what from (
        select id, company_id, started_at, ended_at, lag(coalesce(ended_at, 'infinity')) over w as previous_end
        from driver_state_event window w as (partition by user_id order by started_at, ended_at nulls last, id)) e
      where started_at < previous_end
      union all select id, company_id, 'ends before it begins' from driver_state_event where ended_at < started_at`,
  },
  // Ids are drawn while the record is locked. A transaction that began first may have waited for the other one, so times say less.
  {
    name: 'states_are_their_last_transition',
    meaning: 'The state of an order, job, load, invoice or settlement is the one to which its last transition led.',
    sql: `with last as (select distinct on (subject_id) subject_id, subject_type, to_state from transition
        where subject_type in (${listOf(Object.keys(STATED))}) order by subject_id, id desc)
      ${union(
        STATED,
        (name, table) => `select r.id, r.company_id, r.state || ', last transition to ' || t.to_state as what from ${table} r
        join last t on t.subject_id = r.id and t.subject_type = '${name}' where t.to_state <> r.state`,
      )}`,
  },
  {
    name: 'nothing_is_orphaned',
    meaning: 'A file is attached to a record that exists, and a charge of a settlement or an invoice has it.',
    sql: `${union(
      OWNERS,
      (name, table) => `select f.id, f.company_id, 'its ${name} is missing' as what from file_attachment f
        where f.file_attachable_type = '${name}' and ${missing(table, 'f.file_attachable_id')}`,
    )}
      union all ${union(
        { Invoice: 'invoice', Settlement: 'settlement' },
        (name, table) => `select c.id, c.company_id, 'its ${name} is missing' from add_on_charge c
        where c.add_on_applicable_type = '${name}' and ${missing(table, 'c.add_on_applicable_id')}`,
      )}`,
  },
];
