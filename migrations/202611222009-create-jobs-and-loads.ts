import { Migration } from '@mikro-orm/migrations';

/** From whom to whom `work_partners` jumps. */
const WAYS = [
  ['company_id', 'vendor_company_id'],
  ['vendor_company_id', 'company_id'],
  ['vendor_company_id', 'customer_company_id'],
  ['customer_company_id', 'vendor_company_id'],
] as const;
const jump = (way: string, from: string, to: string) => `
  select own.id, first.${to} from own, lateral (
    select a.${to} from job_assignment a where a.${from} = own.id and a.${to} is not null order by a.${to} limit 1) first
  union all
  select w.own, next.${to} from ${way} w, lateral (
    select a.${to} from job_assignment a where a.${from} = w.own and a.${to} > w.id order by a.${to} limit 1) next`;

/** Jobs with the chain of companies that do them, their events and their loads. */
export class CreateJobsAndLoads extends Migration {
  override up(): void {
    // Jobs and loads carry the company of their order so that indexes can begin with it. The order's own key vouches for it; checking it again for
    // every row made concurrent imports queue for the lock of one company row (an eighth of an import's database time).
    this.addSql(`
      create table job (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null,

        order_id uuid not null constraint job_order_id_foreign references orders (id),
        project_id uuid constraint job_project_id_foreign references project (id),
        number integer not null,
        job_id text not null,
        state text not null default 'created',
        state_changed_at timestamptz(6),
        version integer not null default 1,
        external_id text,
        reject_reason text,
        -- Numbers of deleted loads are not given again. Null while no load was deleted.
        last_load_number integer,
        -- Columns that were set on the job itself and do not follow the order any more (DOMAIN 3.3); null for none.
        own_terms text[],

        -- When and where.
        job_start_at timestamptz(6) not null,
        job_time integer,
        route_id uuid not null,
        phase_id uuid constraint job_phase_id_foreign references phase (id),
        priority integer not null default 0,
        paused_at timestamptz(6),

        -- What, with what, and by whom.
        material_id uuid constraint job_material_id_foreign references material (id),
        service_id uuid constraint job_service_id_foreign references service (id),
        service_class_id uuid constraint job_service_class_id_foreign references service_class (id),
        driver_id uuid constraint job_driver_id_foreign references app_user (id),
        equipment_id uuid constraint job_equipment_id_foreign references equipment (id),
        additional_equipment_ids uuid[] not null default '{}',
        requested_equipment_type_name text,
        requested_equipment_type_accounting_id text,
        equipment_type_gross_capacity numeric(18,4),
        equipment_type_gross_capacity_unit_of_measure text,
        driver_require_all_permissions boolean not null default false,

        foreman_ids uuid[] not null default '{}',
        collaborator_ids uuid[] not null default '{}',
        salesperson_ids uuid[] not null default '{}',
        sales_contact_id uuid constraint job_sales_contact_id_foreign references contact (id),
        foreman_contact_id uuid constraint job_foreman_contact_id_foreign references contact (id),
        supervisor_contact_id uuid constraint job_supervisor_contact_id_foreign references contact (id),
        collaborator_contact_id uuid constraint job_collaborator_contact_id_foreign references contact (id),

        -- How much.
        quantity numeric(18,4),
        unit_of_measure text,
        load_unit_of_measure text,
        requested_loads_count integer,
        recurring_loads boolean not null default false,
        notes text,

        hauler_rate_type text,
        customer_rate_id uuid constraint job_customer_rate_id_foreign references rate (id),
        customer_rate_value numeric(18,4),
        customer_rate_type text,
        vendor_rate_id uuid constraint job_vendor_rate_id_foreign references rate (id),
        vendor_rate_value numeric(18,4),
        vendor_rate_type text,
        driver_rate_id uuid constraint job_driver_rate_id_foreign references rate (id),
        driver_rate_value numeric(18,4),
        driver_rate_type text,
        -- Which rates apply and why: what is done keeps its price whatever becomes of cards and projects (DOMAIN 3.3).
        rate_source jsonb,
        driver_commission_rate_value numeric(18,4),
        driver_commission_rate_type text,

        material_sell_price numeric(18,4),
        material_buy_price numeric(18,4),
        material_rate_unit_of_measure text,
        material_rate_site_id uuid constraint job_material_rate_site_id_foreign references site (id),

        -- What people set right of its times (DOMAIN section 4 "JobSummary").
        billable_hours numeric(18,4) not null,
        billable_hours_overridden boolean not null default false,
        adjusted_logging_started_at timestamptz(6),
        adjusted_logging_ended_at timestamptz(6),
        approved_work_time_minutes integer,

        approved_at timestamptz(6),
        billing_approved_at timestamptz(6),
        field_approved_at timestamptz(6),
        biller_approved boolean not null default false,
        company_admin_approved boolean not null default false,
        driver_approved boolean not null default false,
        foreman_approved boolean not null default false
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index job_page_idx on job (company_id, created_at, id);
      -- Date filters and the dispatch board go by start.
      create index job_start_idx on job (company_id, job_start_at, id);
      -- The jobs of an order in their order; keeps two writers from giving one number twice.
      create unique index job_number_key on job (order_id, number);
      -- A driver's jobs of a day: the day board, the driver's day and the driver's own list.
      create index job_driver_idx on job (driver_id, job_start_at) where driver_id is not null;
      -- From the stops at a site to the jobs that go there: filters by site, and the facet of sites.
      create index job_route_idx on job (route_id);
      -- What is booked on a phase is asked when the phase is deleted; its foreign key would read every job.
      create index job_phase_idx on job (phase_id) where phase_id is not null;
      -- What waits for approval: finished jobs that billing or the field has not approved, of one company by day.
      create index job_unapproved_idx on job (company_id, created_at, id)
        where state in ('completed', 'ended', 'in_review') and (billing_approved_at is null or field_approved_at is null);
      -- What else a truck does that day; drivers have an index of their own.
      create index job_equipment_idx on job (equipment_id, job_start_at) where equipment_id is not null;`);

    this.addSql(`
      create table load (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null,

        job_id uuid not null constraint load_job_id_foreign references job (id),
        order_id uuid not null,
        ordinality integer not null,
        load_id text not null,
        state text not null default 'created',
        version integer not null default 1,
        paused_from text,
        paused_at timestamptz(6),
        paused_seconds integer not null default 0,
        -- As on the job.
        own_terms text[],

        quantity numeric(18,4),
        unit_of_measure text,
        notes text,
        material_id uuid constraint load_material_id_foreign references material (id),
        phase_id uuid constraint load_phase_id_foreign references phase (id),
        route_id uuid not null,
        foreman_ids uuid[] not null default '{}',

        material_sell_price numeric(18,4),
        material_buy_price numeric(18,4),
        material_rate_unit_of_measure text,
        material_rate_site_id uuid constraint load_material_rate_site_id_foreign references site (id),

        approved_at timestamptz(6),
        billing_approved_at timestamptz(6),
        field_approved_at timestamptz(6),
        biller_approved boolean not null default false,
        company_admin_approved boolean not null default false,
        driver_approved boolean not null default false,
        foreman_approved boolean not null default false,

        summary_arrived_pickup_at timestamptz(6),
        summary_loaded_at timestamptz(6),
        summary_arrived_dropoff_at timestamptz(6),
        summary_unloaded_at timestamptz(6),
        summary_load_completed_at timestamptz(6),
        summary_gps_minutes integer not null default 0,
        summary_has_gps_data boolean not null default false,
        summary_travelled_distance_meters numeric(18,4)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index load_page_idx on load (company_id, created_at, id);
      -- The loads of a job in their order; keeps two writers from giving one place twice.
      create unique index load_ordinality_key on load (job_id, ordinality);
      -- The loads of an order in order; its summary counts them.
      create index load_order_idx on load (order_id, created_at, id);
      -- What is booked on a phase is asked when the phase is deleted; its foreign key would read every load.
      create index load_phase_idx on load (phase_id) where phase_id is not null;
      -- What waits for approval: finished loads that billing or the field has not approved, of one company by day.
      create index load_unapproved_idx on load (company_id, created_at, id)
        where state = 'completed' and (billing_approved_at is null or field_approved_at is null);`);

    this.addSql(`
      create table job_event (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null,
        job_id uuid not null constraint job_event_job_id_foreign references job (id),
        load_id uuid,
        event_name text not null,
        state text not null,
        event_source text not null default 'web',
        occurred_at timestamptz(6) not null,
        lat numeric(15,12),
        lon numeric(15,12),
        payload jsonb,
        created_by_type text not null,
        created_by_id uuid,
        created_by_name text,
        -- Null for what the owner of the job did, or nobody in particular. A later vendor does not see what an earlier one did.
        created_by_company_id uuid
      );
      -- The events of a job in order: its time line, its summary and where it was.
      create index job_event_job_idx on job_event (job_id, occurred_at, id);`);

    // Who does a job: link 0 is whom the owner gave it to.
    this.addSql(`
      create table job_assignment (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        -- The owner of the work, so that a row policy need not ask the job, whose policy asks the links; kept by the trigger below.
        company_id uuid not null,
        job_id uuid not null constraint job_assignment_job_id_foreign references job (id),
        link integer not null default 0,
        customer_company_id uuid not null,
        vendor_company_id uuid,
        customer_account_id uuid constraint job_assignment_customer_account_id_foreign references account (id),
        vendor_account_id uuid constraint job_assignment_vendor_account_id_foreign references account (id),
        rate_id uuid constraint job_assignment_rate_id_foreign references rate (id),
        rate_value numeric(18,4),
        rate_type text,
        commission_rate_value numeric(18,4),
        commission_rate_type text
      );
      -- The chain of a job has one link in each place; also the vendors' view of subcontracted work.
      create unique index job_assignment_link_key on job_assignment (job_id, link);
      -- The jobs that were subcontracted to a company.
      create index job_assignment_vendor_idx on job_assignment (vendor_company_id, job_id) where vendor_company_id is not null;
      -- From the owner of work to its vendors: one of the four ways in which work_partners jumps.
      create index job_assignment_owner_partner_idx on job_assignment (company_id, vendor_company_id);
      -- From a vendor to the owners of the work: one of the four ways in which work_partners jumps.
      create index job_assignment_vendor_partner_idx on job_assignment (vendor_company_id, company_id);
      -- From a vendor to the customers above it: one of the four ways in which work_partners jumps.
      create index job_assignment_vendor_customer_idx on job_assignment (vendor_company_id, customer_company_id);
      -- From a customer to the vendors below it: one of the four ways in which work_partners jumps.
      create index job_assignment_customer_partner_idx on job_assignment (customer_company_id, vendor_company_id);
      -- The jobs of a vendor's account: how many it has on a day is asked of every vendor while somebody types. Also for the foreign
      -- key.
      create index job_assignment_vendor_account_idx on job_assignment (vendor_account_id, job_id);`);

    this.addSql(`create function job_assignment_company() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        select company_id into new.company_id from job where id = new.job_id;
        return new;
      end $$`);
    this.addSql(`create trigger job_assignment_company before insert or update of job_id on job_assignment
      for each row execute function job_assignment_company()`);
    // Partners in work are found by jumping from one to the next, however many jobs lie between. As the owner, because a row policy asks it.
    this.addSql(`create function work_partners() returns uuid[] language sql stable security definer set search_path = public, pg_temp as $$
      with recursive own (id) as (select unnest(nullif(current_setting('app.company_ids', true), '')::uuid[])),
      ${WAYS.map(([from, to], n) => `way${n} (own, id) as (${jump(`way${n}`, from, to)})`).join(',\n')},
      shares (sender_company_id, parent_company_share_id) as (
        select s.sender_company_id, s.parent_company_share_id from company_share s where s.receiver_company_id in (select id from own)
        union
        select p.sender_company_id, p.parent_company_share_id from company_share p join shares c on p.id = c.parent_company_share_id)
      select coalesce(array_agg(distinct id), '{}') from (
        ${WAYS.map((_, n) => `select id from way${n} where id is not null`).join(' union ')} union select sender_company_id from shares) p $$`);
    // Whether a company owns a job, is a link of its chain, or is above one of those. As the owner: a vendor sees only the links next to it, and
    // its chain may be longer.
    this.addSql(`create function takes_part(job_id uuid, company_id uuid) returns boolean
      language sql stable security definer set search_path = public, pg_temp as $$
        with recursive part (id) as (
          select j.company_id from job j where j.id = $1
          union select unnest(array[a.customer_company_id, a.vendor_company_id]) from job_assignment a where a.job_id = $1
          union select c.parent_company_id from company c join part on part.id = c.id)
        select exists (select from part where id = $2) $$`);
  }
}
