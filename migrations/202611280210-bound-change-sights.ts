import { Migration } from '@mikro-orm/migrations';

/** Rows that a record counts and sums up: their changes are changes of it. `r` is the row. */
const COUNTED: readonly [table: string, type: string, ids: string][] = [
  ['job', 'Order', '(select r.order_id)'],
  ['job', 'DriverDay', '(select r.driver_day_id)'],
  ...['load', 'ticket'].flatMap((table): [string, string, string][] => [
    [table, 'Job', '(select r.job_id)'],
    [table, 'Order', '(select r.order_id)'],
    [table, 'DriverDay', '(select j.driver_day_id from job j where j.id = r.job_id)'],
  ]),
];

/**
 * What readers of feeds saw is kept for those alone who still read, and is found by indexes. An order, a job and a day of a driver change with the jobs,
 * loads and tickets that they count.
 */
export class BoundChangeSights extends Migration {
  override up(): void {
    this.addSql(`
      -- Under whom it is kept which records were seen (change_sight): a company, or a person who sees only some. Who is not in it begins with a snapshot.
      create table change_reader (
        company_id uuid not null references company (id) on delete cascade,
        reader_id uuid not null,
        -- Within an hour.
        read_at timestamptz(6) not null default now(),
        primary key (company_id, reader_id)
      );
      -- Who has not read for long.
      create index change_reader_read_idx on change_reader (read_at);
      -- What was lost from sight before the beginning of a feed, which is forgotten.
      create index change_sight_lost_idx on change_sight (company_id, lost_at) where lost_at is not null;
      insert into change_reader (company_id, reader_id)
        select company_id, company_id from change_feed union select distinct company_id, reader_id from change_sight`);
    this.addSql(`
      -- Charges that were sent to a company, for the snapshot of its feed.
      create index add_on_charge_received_idx on add_on_charge (sent_to_company_id, created_at, id) where sent_to_company_id is not null;
      -- Jobs that a company passed on, job by job: the days of those who drive them are in the snapshot of its feed.
      create index job_assignment_customer_idx on job_assignment (customer_company_id, job_id)`);
    for (const [table, type, ids] of COUNTED)
      this.addSql(`select watch_changes('${table}', $sql$'${type}'$sql$, $sql$${ids}$sql$, 'r.company_id', null, false, array[]::text[])`);
    this.addSql(`
      -- The companies that may see a record of another one, or saw it. The planner decides whether they do. A company that passed a job of others on sees
      -- that link, too.
      create or replace function change_readers(p_type text, p_id uuid) returns setof uuid language plpgsql stable as $$
      begin
        if p_type = 'Job' then
          return query select a.vendor_company_id from job_assignment a where a.job_id = p_id;
        elsif p_type = 'Load' then
          return query select a.vendor_company_id from load l join job_assignment a on a.job_id = l.job_id where l.id = p_id;
        elsif p_type = 'Order' then
          return query select a.vendor_company_id from job j join job_assignment a on a.job_id = j.id where j.order_id = p_id;
        elsif p_type = 'JobAssignment' then
          return query select a.vendor_company_id from job_assignment a where a.id = p_id
            union all select a.customer_company_id from job_assignment a where a.id = p_id;
        elsif p_type = 'FileAttachment' then
          return query select a.vendor_company_id from file_attachment f
            left join load l on f.file_attachable_type = 'Load' and l.id = f.file_attachable_id
            join job_assignment a on a.job_id = case f.file_attachable_type when 'Job' then f.file_attachable_id else l.job_id end where f.id = p_id;
        elsif p_type = 'DriverDay' then
          return query select a.customer_company_id from job j join job_assignment a on a.job_id = j.id where j.driver_day_id = p_id;
        elsif p_type = 'CompanyShare' then
          return query select s.receiver_company_id from company_share s where s.id = p_id;
        elsif p_type = 'Invoice' then
          return query select i.sent_to_company_id from invoice i where i.id = p_id;
        elsif p_type = 'Settlement' then
          return query select s.sent_to_company_id from settlement s where s.id = p_id;
        elsif p_type = 'AddOnCharge' then
          return query select c.sent_to_company_id from add_on_charge c where c.id = p_id;
        else
          return;
        end if;
        return query select s.company_id from change_sight s where s.subject_id = p_id and s.lost_at is null;
      end $$`);
  }
}
