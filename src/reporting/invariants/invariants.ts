import { ALL_WORK, deliveries } from '../../dispatch/model/delivered.ts';
import { definePurpose } from '../../platform/database/scope.ts';

/** Something that is true of the whole database at any moment. */
export interface Invariant {
  name: string;
  /** What it means, in a sentence. */
  meaning: string;
  /** Finds the records that break it: `id`, `company_id`, and `what` is wrong with each. */
  sql: string;
}

/** Compares the books of all companies. It writes nothing. */
export const INVARIANTS_CHECK = definePurpose('invariants', {
  orders: ['select'],
  job: ['select'],
  load: ['select'],
  ticket: ['select'],
  material: ['select'],
  project: ['select'],
  driver_day: ['select'],
  driver_state_event: ['select'],
  invoice: ['select'],
  invoice_line_item: ['select'],
  invoice_task: ['select'],
  settlement: ['select'],
  settlement_invoice: ['select'],
  billing_period: ['select'],
  add_on_charge: ['select'],
  auto_add_on_assignment: ['select'],
  imported_record: ['select'],
  import_key: ['select'],
  import_task: ['select'],
  file_attachment: ['select'],
  audit_entry: ['select'],
  audit_kept: ['select'],
  transition: ['select'],
  webhook_delivery: ['select'],
  webhook_record: ['select'],
  webhook_subscription: ['select (id, company_id, created_at, trigger_names)'],
  change_feed: ['select (company_id, position, begins_after)'],
  change_entry: ['select (company_id, owner_company_id, position, subject_id, moved_at)'],
  change_pending: ['select (subject_id)'],
});

const live = (i: string): string => `${i}.state <> 'voided'`;
const missing = (table: string, id: string): string => `not exists (select from ${table} x where x.id = ${id})`;
const isGone = (id: string): string =>
  `(exists (select from audit_entry a where a.subject_id = ${id} and a.event = 'destroy') or exists (select from audit_kept a where a.subject_id = ${id} and a.event = 'destroy'))`;
/** The kinds of imported records, and the tables of what they become. */
const IMPORTED = { order: 'orders', project: 'project', ticket: 'ticket' };
/** What files are attached to, and what charges are applied to. */
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
/** Work that webhooks and the feed report. */
const REPORTED = { Order: 'orders', Job: 'job', Load: 'load', Ticket: 'ticket' };
const union = <T extends string>(tables: Readonly<Record<string, T>>, select: (name: string, table: T) => string): string =>
  Object.entries(tables)
    .map(([name, table]) => select(name, table))
    .join(' union all ');

/** What must be true of books and events, whatever happened and whatever was killed. */
export const INVARIANTS: readonly Invariant[] = [
  {
    name: 'loads_belong_to_their_job',
    meaning: 'A load has the order and the company of its job, and a job the company of its order, so that sums by job are sums by order.',
    sql: `select l.id, l.company_id, 'load of another order or company than its job' as what from load l join job j on j.id = l.job_id
        where l.order_id is distinct from j.order_id or l.company_id <> j.company_id
      union all select j.id, j.company_id, 'job of another company than its order' from job j join orders o on o.id = j.order_id where j.company_id <> o.company_id`,
  },
  {
    name: 'tickets_sum_to_what_was_delivered',
    meaning:
      "A ticket names the job and the order of its load, so that the tickets of an order's summary add up to what its ticketed loads delivered.",
    sql: `select t.id, t.company_id, 'ticket of another job or order than its load' as what from ticket t join load l on l.id = t.load_id
      where t.voided_at is null and (t.job_id is distinct from l.job_id or t.order_id is distinct from l.order_id)`,
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
    meaning:
      'A line of an invoice bills what its load delivered, unless somebody edited it, the work changed since and is being compared, or it is approved at a total that the change does not touch.',
    sql: `select li.id, li.company_id, 'billed ' || coalesce(li.delivered_quantity::text, 'nothing') || ', delivered ' || coalesce(d.quantity::text, 'nothing') as what
      from invoice i join invoice_line_item li on li.invoice_id = i.id join (${deliveries(ALL_WORK)}) d on d.id = li.load_id
      where ${live('i')} and not i.stale and i.billing_approved_at is null and li.edited_by_id is null and li.corrects_id is null and li.unit_of_measure = d.unit_of_measure
        and li.delivered_quantity is distinct from coalesce(d.quantity, case li.unit_of_measure when 'Load' then 1 else 0 end) and not exists (select from invoice_task k where k.id = i.job_id)`,
  },
  {
    name: 'loads_are_billed_once',
    meaning:
      'A load is in one live invoice at most, for each company whose books it is in, each side, each link of a vendor chain and each kind of line, apart from what corrects it.',
    // Invoices are told apart only of those with several lines, because that sorts them.
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
    sql: `select i.id, i.company_id, 'lines ' || coalesce(s.total, 0) || ', written ' || i.invoice_line_items_total_amount || ', total ' || i.total_amount as what
      from invoice i left join (select invoice_id, sum(total_amount) as total from invoice_line_item group by invoice_id) s on s.invoice_id = i.id
      where i.invoice_line_items_total_amount <> coalesce(s.total, 0)
        or i.total_amount <> i.invoice_line_items_total_amount + i.add_on_charges_total_amount + coalesce(i.tax_total_amount, 0)`,
  },
  {
    name: 'settlements_are_their_invoices',
    meaning: 'The total of a settlement that is not voided is the sum of its invoices and of its charges.',
    sql: `select s.id, s.company_id, 'invoices ' || coalesce(i.total, 0) || ', charges ' || coalesce(c.total, 0) || ', total ' || s.total_amount as what
      from settlement s
        left join (select x.settlement_id, sum(i.total_amount) as total from settlement_invoice x join invoice i on i.id = x.invoice_id group by 1) i on i.settlement_id = s.id
        left join (select add_on_applicable_id as id, sum(amount) as total from add_on_charge where add_on_applicable_type = 'Settlement' group by 1) c on c.id = s.id
      where ${live('s')} and (s.invoices_total_amount <> coalesce(i.total, 0) or s.add_on_charges_total_amount <> coalesce(c.total, 0)
        or s.total_amount <> s.invoices_total_amount + s.add_on_charges_total_amount)`,
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
    meaning: 'What counts in a closed period of the books comes to what it came to when it was closed.',
    sql: `select p.id, p.company_id, 'receivables ' || n.receivables || ', payables ' || n.payables || ', settled ' || n.settled as what
      from billing_period p cross join lateral (select
          coalesce((select sum(i.total_amount) from invoice i where i.company_id = p.company_id and i.side = 'receivable' and ${live('i')}
            and i.posting_date between p.starts_on and p.ends_on), 0) as receivables,
          coalesce((select sum(i.total_amount) from invoice i where i.company_id = p.company_id and i.side = 'payable' and ${live('i')}
            and i.posting_date between p.starts_on and p.ends_on), 0) as payables,
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
        where subject_type in (${Object.keys(STATED)
          .map((name) => `'${name}'`)
          .join()}) order by subject_id, id desc)
      ${union(
        STATED,
        (name, table) => `select r.id, r.company_id, r.state || ', last transition to ' || t.to_state as what from ${table} r
        join last t on t.subject_id = r.id and t.subject_type = '${name}' where t.to_state <> r.state`,
      )}`,
  },
  {
    name: 'imports_have_their_effect',
    meaning: 'What the ledger says was made of an imported record is there, unless it was deleted since.',
    sql: union(
      IMPORTED,
      (
        kind,
        table,
      ) => `select r.id, r.company_id, 'its ${kind} ' || coalesce(r.result_id::text, '') || ' is missing' as what from imported_record r
        where r.kind = '${kind}' and r.state = 'processed' and (r.result_id is null or ${missing(table, 'r.result_id')}) and not ${isGone('r.result_id')}
        union all select k.result_id, k.company_id, 'the ${kind} of key ' || k.imported_for || ' is missing' from import_key k
        where k.kind = '${kind}' and k.result_id is not null and ${missing(table, 'k.result_id')} and not ${isGone('k.result_id')}`,
    ),
  },
  {
    name: 'open_imports_have_work',
    meaning: 'An imported record without an outcome is in the queue, and what is in the queue is an imported record without one.',
    sql: `select r.id, r.company_id, 'open and not in the queue' as what from imported_record r where r.state = 'created' and ${missing('import_task', 'r.id')}
      union all select t.id, t.company_id, 'in the queue and ' || coalesce(r.state, 'unknown') from import_task t left join imported_record r on r.id = t.id
      where r.id is null or r.state in ('processed', 'skipped', 'exhausted')`,
  },
  {
    name: 'deliveries_are_numbered',
    meaning:
      'Each event that is sent to a subscription has a number of its record that was given out, once for each subscription, and is either due, delivered or given up.',
    sql: `select d.id, d.company_id, 'number ' || d.sequence || ' of ' || coalesce(r.sequence::text, 'none') as what from webhook_delivery d
        left join webhook_record r on r.subject_id = d.subject_id where r.sequence is null or d.sequence > r.sequence or d.sequence < 1
      -- An event that was sent again has several deliveries.
      union all select (min(e.id::text))::uuid, e.company_id, count(*) || ' events with the number ' || e.sequence
        from (select subscription_id, subject_id, sequence from webhook_delivery group by 1, 2, 3 having count(*) > 1) d
          join webhook_delivery e using (subscription_id, subject_id, sequence)
        group by e.company_id, subscription_id, subject_id, e.sequence having count(distinct e.event_id) > 1
      union all select id, company_id, state || ' without its time' from webhook_delivery
        where (state = 'pending' and due_at is null) or (state = 'delivered' and delivered_at is null)`,
  },
  {
    name: 'changes_of_state_are_sent',
    meaning:
      'Each change of the state of an order, a job or a load is sent to those of its company who have subscribed to it since before.',
    // A transaction that began just before the subscription does not know of it, and what is deleted in the transaction that moved it is not sent.
    sql: `with since as (
        select s.id, s.company_id, s.trigger_names, greatest(s.created_at, (select max(a.created_at) from audit_entry a where a.subject_id = s.id and a.event = 'update'),
          now() - interval '29 days') + interval '1 minute' as at from webhook_subscription s)
      select t.id, t.company_id, t.subject_type || ' ' || t.subject_id || ' came to ' || t.to_state || ', and it was not sent to ' || s.id as what
      from since s join transition t on t.company_id = s.company_id and t.created_at > s.at and t.subject_type in ('Order', 'Job', 'Load')
        and t.subject_type || '::state_change' = any(s.trigger_names)
      where not exists (select from webhook_delivery d where d.subscription_id = s.id and d.subject_id = t.subject_id and d.event_time = t.created_at
        and d.trigger = t.subject_type || '::state_change' and d.change ->> 'state' = t.to_state) and not ${isGone('t.subject_id')}`,
  },
  {
    name: 'feeds_have_no_gaps',
    meaning: 'A feed has an entry at each of its positions, from where it begins to its end.',
    sql: `with kept as (select company_id, count(*) as entries, min(position) as first, max(position) as last from change_entry group by company_id)
      select f.company_id as id, f.company_id, coalesce(k.entries, 0) || ' entries from ' || coalesce(k.first, 0) || ' to ' || coalesce(k.last, 0) || ', of '
        || f.begins_after + 1 || ' to ' || f.position as what
      from change_feed f left join kept k using (company_id)
      where coalesce(k.entries, 0) <> f.position - f.begins_after or k.first <= f.begins_after or k.last <> f.position`,
  },
  {
    name: 'feeds_have_the_last_changes',
    meaning:
      'The last entry of an order, job, load or ticket that was changed in the last day is not older than the record, unless it is still to be moved.',
    // Some records are written with the time of a process, whose clock is not quite that of the database.
    sql: `with newest as (
        select subject_id, max(moved_at) as at from change_entry
        where moved_at > now() - interval '1 day' and company_id = owner_company_id group by subject_id),
      begun as (select f.company_id, greatest(e.moved_at, now() - interval '1 day') as at from change_feed f cross join lateral (
        select moved_at from change_entry where company_id = f.company_id order by position limit 1) e)
      ${union(
        REPORTED,
        (
          name,
          table,
        ) => `select r.id, r.company_id, '${name} changed at ' || r.updated_at || ', in the feed at ' || coalesce(n.at::text, 'no time') as what
        from begun b join ${table} r on r.company_id = b.company_id and r.updated_at > b.at left join newest n on n.subject_id = r.id
        where (n.at is null or n.at < r.updated_at - interval '10 seconds') and not exists (select from change_pending p where p.subject_id = r.id)`,
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
