import { Migration } from '@mikro-orm/migrations';

/** Projects and the orders that are called off from them, with their stops and phases. */
export class CreateProjectsAndOrders extends Migration {
  override up(): void {
    this.addSql(`
      create table dispatch_number (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint dispatch_number_company_id_foreign references company (id),
        name text not null
      );
      -- A dispatch number exists once in a company: orders and projects that name it find it, also when two make it at once.
      create unique index dispatch_number_name_key on dispatch_number (company_id, name);`);

    this.addSql(`
      create table project (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint project_company_id_foreign references company (id),

        number integer not null,
        project_id text not null,
        name text not null,
        account_id uuid not null constraint project_account_id_foreign references account (id),
        state text not null default 'active',
        version integer not null default 1,
        external_id text,
        effective_at timestamptz(6),
        expires_at timestamptz(6),
        discarded_at timestamptz(6),

        contact_id uuid constraint project_contact_id_foreign references contact (id),
        site_id uuid constraint project_site_id_foreign references site (id),
        route_id uuid,
        requester_id uuid constraint project_requester_id_foreign references app_user (id),
        dispatch_number_id uuid constraint project_dispatch_number_id_foreign references dispatch_number (id),
        service_id uuid constraint project_service_id_foreign references service (id),
        service_class_id uuid constraint project_service_class_id_foreign references service_class (id),
        department_id uuid constraint project_department_id_foreign references department (id),
        equipment_type_id uuid constraint project_equipment_type_id_foreign references equipment_type (id),
        equipment_type_gross_capacity numeric(18,4),
        equipment_type_gross_capacity_unit_of_measure text,

        foreman_ids uuid[] not null default '{}',
        collaborator_ids uuid[] not null default '{}',
        salesperson_ids uuid[] not null default '{}',
        sales_contact_id uuid constraint project_sales_contact_id_foreign references contact (id),
        foreman_contact_id uuid constraint project_foreman_contact_id_foreign references contact (id),
        supervisor_contact_id uuid constraint project_supervisor_contact_id_foreign references contact (id),
        collaborator_contact_id uuid constraint project_collaborator_contact_id_foreign references contact (id),

        hauler_rate_type text,
        customer_rate_id uuid constraint project_customer_rate_id_foreign references rate (id),
        customer_rate_value numeric(18,4),
        customer_rate_type text,
        vendor_rate_id uuid constraint project_vendor_rate_id_foreign references rate (id),
        vendor_rate_value numeric(18,4),
        vendor_rate_type text,
        driver_rate_id uuid constraint project_driver_rate_id_foreign references rate (id),
        driver_rate_value numeric(18,4),
        driver_rate_type text,

        order_quantity numeric(18,4),
        order_unit_of_measure text,
        job_time integer,
        truck_count integer,
        loads_per_truck integer,
        units_per_hour integer,
        job_quantity numeric(18,4),
        job_unit_of_measure text,
        load_unit_of_measure text,

        po_job_number text,
        charge_to_account text,
        notes text,
        order_notes text,
        job_notes text,
        internal_notes text,

        recurring_loads boolean not null default false,
        chase_missing_tickets boolean not null default false,
        default_digital_ticket_view boolean not null default false,
        tax_rate numeric(18,4),
        tax_freight boolean not null default false,
        tax_material boolean not null default false,
        tax_add_ons boolean not null default false,

        match_name text generated always as (fold_text(name)) stored,
        search_text text generated always as (fold(coalesce(name, '') || E'\\n' || coalesce(external_id, '') || E'\\n')) stored
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index project_page_idx on project (company_id, created_at, id);
      -- Friendly numbers run per company.
      create unique index project_number_key on project (company_id, number);
      -- Lists and typeaheads page by name.
      create index project_name_idx on project (company_id, lower(name));
      -- The projects of an account.
      create index project_account_idx on project (account_id);
      -- Imports match projects by external id, case-sensitive, one record each (SPEC "Importer API"). A discarded project frees its id.
      create unique index project_external_id_key on project (company_id, external_id) where external_id is not null and discarded_at is null;
      -- Imports find projects by name and give none a name that another one has.
      create index project_match_name_idx on project (company_id, match_name);`);

    this.addSql(`
      create table project_material (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null,
        project_id uuid not null,
        material_id uuid not null constraint project_material_material_id_foreign references material (id),
        total_quantity numeric(18,4),
        unit_of_measure text
      );
      -- The materials of a project.
      create index project_material_project_idx on project_material (project_id);`);

    this.addSql(`
      create table orders (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint orders_company_id_foreign references company (id),

        number integer not null,
        order_id text not null,
        name text,
        account_id uuid not null constraint orders_account_id_foreign references account (id),
        project_id uuid constraint orders_project_id_foreign references project (id),
        state text not null default 'created',
        held_from text,
        version integer not null default 1,
        external_id text,
        reject_reason text,
        rejected_by text,
        rejected_at timestamptz(6),

        -- When and where.
        load_at timestamptz(6) not null,
        job_start_at timestamptz(6),
        truck_delay integer not null default 0,
        trucks_per_delay integer not null default 1,
        zone text,
        route_id uuid not null,
        geofence_delay_seconds integer,
        pickup_onsite_minutes integer,
        dropoff_onsite_minutes integer,
        pickup_to_dropoff_time_minutes integer,
        pickup_to_dropoff_distance_meters numeric(18,4),
        cycle_time_minutes integer,

        -- What, with what, and by whom.
        material_id uuid constraint orders_material_id_foreign references material (id),
        service_id uuid constraint orders_service_id_foreign references service (id),
        service_class_id uuid constraint orders_service_class_id_foreign references service_class (id),
        department_id uuid constraint orders_department_id_foreign references department (id),
        requester_id uuid constraint orders_requester_id_foreign references app_user (id),
        dispatch_number_id uuid constraint orders_dispatch_number_id_foreign references dispatch_number (id),
        equipment_type_id uuid constraint orders_equipment_type_id_foreign references equipment_type (id),
        equipment_id uuid constraint orders_equipment_id_foreign references equipment (id),
        driver_id uuid constraint orders_driver_id_foreign references app_user (id),
        -- The driver of another company that the order was made for, so that trucks added later go there too. Apart from driver_id, which
        -- the statements that make jobs assign without hiring anybody.
        shared_driver_id uuid constraint orders_lent_driver_id_fkey references app_user (id),
        vendor_id uuid constraint orders_vendor_id_foreign references account (id),
        equipment_type_gross_capacity numeric(18,4),
        equipment_type_gross_capacity_unit_of_measure text,

        foreman_ids uuid[] not null default '{}',
        collaborator_ids uuid[] not null default '{}',
        salesperson_ids uuid[] not null default '{}',
        sales_contact_id uuid constraint orders_sales_contact_id_foreign references contact (id),
        foreman_contact_id uuid constraint orders_foreman_contact_id_foreign references contact (id),
        supervisor_contact_id uuid constraint orders_supervisor_contact_id_foreign references contact (id),
        collaborator_contact_id uuid constraint orders_collaborator_contact_id_foreign references contact (id),

        -- How much.
        quantity numeric(18,4),
        unit_of_measure text,
        requested_quantity_type text,
        expected_total_loads integer,
        job_time integer,
        truck_count integer,
        loads_per_truck integer,
        units_per_hour integer,
        job_quantity numeric(18,4),
        job_unit_of_measure text,
        load_unit_of_measure text,

        hauler_rate_type text,
        customer_rate_id uuid constraint orders_customer_rate_id_foreign references rate (id),
        customer_rate_value numeric(18,4),
        customer_rate_type text,
        vendor_rate_id uuid constraint orders_vendor_rate_id_foreign references rate (id),
        vendor_rate_value numeric(18,4),
        vendor_rate_type text,
        driver_rate_id uuid constraint orders_driver_rate_id_foreign references rate (id),
        driver_rate_value numeric(18,4),
        driver_rate_type text,

        material_rate_site_id uuid constraint orders_material_rate_site_id_foreign references site (id),
        material_rate_unit_of_measure text,
        material_rate_sell_price numeric(18,4),
        material_rate_buy_price numeric(18,4),
        material_rate_itemized boolean not null default false,

        po_job_number text,
        charge_to_account text,
        notes text,
        order_notes text,
        job_notes text,
        internal_notes text,

        recurring_loads boolean not null default false,
        chase_missing_tickets boolean not null default false,
        default_digital_ticket_view boolean not null default false,
        tax_rate numeric(18,4),
        tax_freight boolean not null default false,
        tax_material boolean not null default false,
        tax_add_ons boolean not null default false
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index orders_page_idx on orders (company_id, created_at, id);
      -- Imports match orders by external id, case-sensitive, one record each (SPEC "Importer API").
      create unique index orders_external_id_key on orders (company_id, external_id) where external_id is not null;
      -- Friendly numbers run per company.
      create unique index orders_number_key on orders (company_id, number);
      -- Date filters and the dispatch board go by start.
      create index orders_load_at_idx on orders (company_id, load_at, id);
      -- The orders that were called off from a project.
      create index orders_project_idx on orders (project_id) where project_id is not null;
      -- The orders of a dispatch number: filters, and which numbers a typeahead offers.
      create index orders_dispatch_number_idx on orders (dispatch_number_id) where dispatch_number_id is not null;`);

    this.addSql(`
      create table phase (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null,
        order_id uuid,
        project_id uuid,
        name text not null,
        code text,
        "primary" boolean not null default false
      );
      -- The phases of an order.
      create index phase_order_idx on phase (order_id) where order_id is not null;
      -- The phases of a project.
      create index phase_project_idx on phase (project_id) where project_id is not null;`);

    // The stops of orders, jobs and loads, by route.
    this.addSql(`
      create table waypoint (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        route_id uuid not null,
        company_id uuid not null,
        type text not null,
        ordinality integer not null,
        site_id uuid not null constraint waypoint_site_id_foreign references site (id),
        contact_id uuid constraint waypoint_contact_id_foreign references contact (id)
      );
      -- The stops of a route in their order.
      create index waypoint_route_idx on waypoint (route_id, ordinality);
      -- Filters by pickup and drop-off site.
      create index waypoint_site_idx on waypoint (site_id, type, route_id);`);

    // Sites that forms offer first for the stops of an order, or of a project's orders.
    this.addSql(`
      create table default_site (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        order_id uuid references orders (id) on delete cascade,
        project_id uuid references project (id) on delete cascade,
        waypoint_type text not null,
        site_id uuid not null references site (id),

        check (num_nonnulls(order_id, project_id) = 1)
      );
      -- A site is a default of an order once; also lists those of a stop.
      create unique index default_site_order_key on default_site (order_id, waypoint_type, site_id) where order_id is not null;
      -- A site is a default of a project once; also lists those of a stop.
      create unique index default_site_project_key on default_site (project_id, waypoint_type, site_id) where project_id is not null;`);
  }
}
