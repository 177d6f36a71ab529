import { Migration } from '@mikro-orm/migrations';

/** Project > Order > Job > Load, their waypoints, phases, assignments and events. */
export class Dispatch extends Migration {
  override up(): void {
    this.addSql(`create table dispatch_number (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      name text not null
    )`);
    this.addSql(`create table project (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      foreman_ids uuid[] not null default '{}',
      collaborator_ids uuid[] not null default '{}',
      salesperson_ids uuid[] not null default '{}',
      sales_contact_id uuid,
      foreman_contact_id uuid,
      supervisor_contact_id uuid,
      collaborator_contact_id uuid,
      hauler_rate_type text,
      customer_rate_id uuid,
      customer_rate_value numeric(18,4),
      customer_rate_type text,
      vendor_rate_id uuid,
      vendor_rate_value numeric(18,4),
      vendor_rate_type text,
      driver_rate_id uuid,
      driver_rate_value numeric(18,4),
      driver_rate_type text,
      external_id text,
      po_job_number text,
      notes text,
      order_notes text,
      job_notes text,
      internal_notes text,
      charge_to_account text,
      service_id uuid,
      service_class_id uuid,
      department_id uuid,
      requester_id uuid,
      job_time integer,
      truck_count integer,
      loads_per_truck integer,
      units_per_hour integer,
      job_quantity numeric(18,4),
      job_unit_of_measure text,
      load_unit_of_measure text,
      equipment_type_gross_capacity numeric(18,4),
      equipment_type_gross_capacity_unit_of_measure text,
      recurring_loads boolean not null default false,
      chase_missing_tickets boolean not null default false,
      default_digital_ticket_view boolean not null default false,
      tax_rate numeric(18,4),
      tax_freight boolean not null default false,
      tax_material boolean not null default false,
      tax_add_ons boolean not null default false,
      company_id uuid not null,
      number integer not null,
      project_id text not null,
      name text not null,
      account_id uuid not null,
      state text not null default 'active',
      effective_at timestamptz(6),
      expires_at timestamptz(6),
      contact_id uuid,
      site_id uuid,
      equipment_type_id uuid,
      dispatch_number_id uuid,
      order_quantity numeric(18,4),
      order_unit_of_measure text,
      route_id uuid,
      version integer not null default 1
    )`);
    this.addSql(`create table project_material (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      project_id uuid not null,
      material_id uuid not null,
      total_quantity numeric(18,4),
      unit_of_measure text
    )`);
    this.addSql(`create table orders (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      foreman_ids uuid[] not null default '{}',
      collaborator_ids uuid[] not null default '{}',
      salesperson_ids uuid[] not null default '{}',
      sales_contact_id uuid,
      foreman_contact_id uuid,
      supervisor_contact_id uuid,
      collaborator_contact_id uuid,
      hauler_rate_type text,
      customer_rate_id uuid,
      customer_rate_value numeric(18,4),
      customer_rate_type text,
      vendor_rate_id uuid,
      vendor_rate_value numeric(18,4),
      vendor_rate_type text,
      driver_rate_id uuid,
      driver_rate_value numeric(18,4),
      driver_rate_type text,
      external_id text,
      po_job_number text,
      notes text,
      order_notes text,
      job_notes text,
      internal_notes text,
      charge_to_account text,
      service_id uuid,
      service_class_id uuid,
      department_id uuid,
      requester_id uuid,
      job_time integer,
      truck_count integer,
      loads_per_truck integer,
      units_per_hour integer,
      job_quantity numeric(18,4),
      job_unit_of_measure text,
      load_unit_of_measure text,
      equipment_type_gross_capacity numeric(18,4),
      equipment_type_gross_capacity_unit_of_measure text,
      recurring_loads boolean not null default false,
      chase_missing_tickets boolean not null default false,
      default_digital_ticket_view boolean not null default false,
      tax_rate numeric(18,4),
      tax_freight boolean not null default false,
      tax_material boolean not null default false,
      tax_add_ons boolean not null default false,
      company_id uuid not null,
      number integer not null,
      order_id text not null,
      state text not null default 'created',
      held_from text,
      account_id uuid not null,
      project_id uuid,
      name text,
      zone text,
      load_at timestamptz(6) not null,
      job_start_at timestamptz(6),
      truck_delay integer not null default 0,
      trucks_per_delay integer not null default 1,
      quantity numeric(18,4),
      unit_of_measure text,
      requested_quantity_type text,
      material_id uuid,
      equipment_id uuid,
      equipment_type_id uuid,
      dispatch_number_id uuid,
      driver_id uuid,
      vendor_id uuid,
      geofence_delay_seconds integer,
      pickup_onsite_minutes integer,
      dropoff_onsite_minutes integer,
      pickup_to_dropoff_time_minutes integer,
      pickup_to_dropoff_distance_meters numeric(18,4),
      expected_total_loads integer,
      cycle_time_minutes integer,
      material_rate_site_id uuid,
      material_rate_unit_of_measure text,
      material_rate_sell_price numeric(18,4),
      material_rate_buy_price numeric(18,4),
      material_rate_itemized boolean not null default false,
      reject_reason text,
      rejected_by text,
      rejected_at timestamptz(6),
      route_id uuid not null,
      version integer not null default 1
    )`);
    this.addSql(`create table phase (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      order_id uuid,
      project_id uuid,
      name text not null,
      code text,
      "primary" boolean not null default false
    )`);
    this.addSql(`create table waypoint (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      route_id uuid not null,
      company_id uuid not null,
      type text not null,
      ordinality integer not null,
      site_id uuid not null,
      contact_id uuid
    )`);
    this.addSql(`create table job (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      foreman_ids uuid[] not null default '{}',
      collaborator_ids uuid[] not null default '{}',
      salesperson_ids uuid[] not null default '{}',
      sales_contact_id uuid,
      foreman_contact_id uuid,
      supervisor_contact_id uuid,
      collaborator_contact_id uuid,
      hauler_rate_type text,
      customer_rate_id uuid,
      customer_rate_value numeric(18,4),
      customer_rate_type text,
      vendor_rate_id uuid,
      vendor_rate_value numeric(18,4),
      vendor_rate_type text,
      driver_rate_id uuid,
      driver_rate_value numeric(18,4),
      driver_rate_type text,
      company_id uuid not null,
      order_id uuid not null,
      project_id uuid,
      number integer not null,
      job_id text not null,
      state text not null default 'created',
      state_changed_at timestamptz(6),
      job_start_at timestamptz(6) not null,
      notes text,
      external_id text,
      quantity numeric(18,4),
      unit_of_measure text,
      load_unit_of_measure text,
      service_id uuid,
      service_class_id uuid,
      material_id uuid,
      equipment_id uuid,
      additional_equipment_ids uuid[] not null default '{}',
      driver_id uuid,
      phase_id uuid,
      priority integer not null default 0,
      billable_hours numeric(18,4) not null,
      billable_hours_overridden boolean not null default false,
      requested_equipment_type_name text,
      requested_equipment_type_accounting_id text,
      requested_loads_count integer,
      equipment_type_gross_capacity numeric(18,4),
      equipment_type_gross_capacity_unit_of_measure text,
      recurring_loads boolean not null default false,
      job_time integer,
      paused_at timestamptz(6),
      reject_reason text,
      times_editable boolean not null default false,
      driver_require_all_permissions boolean not null default false,
      driver_commission_rate_value numeric(18,4),
      approved_at timestamptz(6),
      billing_approved_at timestamptz(6),
      field_approved_at timestamptz(6),
      biller_approved boolean not null default false,
      company_admin_approved boolean not null default false,
      driver_approved boolean not null default false,
      foreman_approved boolean not null default false,
      material_sell_price numeric(18,4),
      material_buy_price numeric(18,4),
      material_rate_unit_of_measure text,
      material_rate_site_id uuid,
      route_id uuid not null,
      version integer not null default 1
    )`);
    this.addSql(`create table job_assignment (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      job_id uuid not null,
      link integer not null default 0,
      customer_company_id uuid not null,
      vendor_company_id uuid,
      customer_account_id uuid,
      vendor_account_id uuid,
      rate_id uuid,
      rate_value numeric(18,4),
      rate_type text,
      commission_rate_value numeric(18,4),
      commission_rate_type text
    )`);
    this.addSql(`create table job_event (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      job_id uuid not null,
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
      created_by_name text
    )`);
    this.addSql(`create table load (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      job_id uuid not null,
      order_id uuid not null,
      ordinality integer not null,
      load_id text not null,
      state text not null default 'created',
      paused_from text,
      paused_at timestamptz(6),
      paused_seconds integer not null default 0,
      quantity numeric(18,4),
      unit_of_measure text,
      notes text,
      material_id uuid,
      phase_id uuid,
      foreman_ids uuid[] not null default '{}',
      approved_at timestamptz(6),
      billing_approved_at timestamptz(6),
      field_approved_at timestamptz(6),
      biller_approved boolean not null default false,
      company_admin_approved boolean not null default false,
      driver_approved boolean not null default false,
      foreman_approved boolean not null default false,
      material_sell_price numeric(18,4),
      material_buy_price numeric(18,4),
      material_rate_unit_of_measure text,
      material_rate_site_id uuid,
      summary_arrived_pickup_at timestamptz(6),
      summary_loaded_at timestamptz(6),
      summary_arrived_dropoff_at timestamptz(6),
      summary_unloaded_at timestamptz(6),
      summary_load_completed_at timestamptz(6),
      summary_gps_minutes integer not null default 0,
      summary_has_gps_data boolean not null default false,
      summary_travelled_distance_meters numeric(18,4),
      route_id uuid not null,
      version integer not null default 1
    )`);

    this.addSql(`alter table dispatch_number
      add constraint dispatch_number_company_id_foreign foreign key (company_id) references company (id)`);
    this.addSql(`alter table project
      add constraint project_sales_contact_id_foreign foreign key (sales_contact_id) references contact (id),
      add constraint project_foreman_contact_id_foreign foreign key (foreman_contact_id) references contact (id),
      add constraint project_supervisor_contact_id_foreign foreign key (supervisor_contact_id) references contact (id),
      add constraint project_collaborator_contact_id_foreign foreign key (collaborator_contact_id) references contact (id),
      add constraint project_customer_rate_id_foreign foreign key (customer_rate_id) references rate (id),
      add constraint project_vendor_rate_id_foreign foreign key (vendor_rate_id) references rate (id),
      add constraint project_driver_rate_id_foreign foreign key (driver_rate_id) references rate (id),
      add constraint project_service_id_foreign foreign key (service_id) references service (id),
      add constraint project_service_class_id_foreign foreign key (service_class_id) references service_class (id),
      add constraint project_department_id_foreign foreign key (department_id) references department (id),
      add constraint project_requester_id_foreign foreign key (requester_id) references app_user (id),
      add constraint project_company_id_foreign foreign key (company_id) references company (id),
      add constraint project_account_id_foreign foreign key (account_id) references account (id),
      add constraint project_contact_id_foreign foreign key (contact_id) references contact (id),
      add constraint project_site_id_foreign foreign key (site_id) references site (id),
      add constraint project_equipment_type_id_foreign foreign key (equipment_type_id) references equipment_type (id),
      add constraint project_dispatch_number_id_foreign foreign key (dispatch_number_id) references dispatch_number (id)`);
    this.addSql(`alter table project_material
      add constraint project_material_material_id_foreign foreign key (material_id) references material (id)`);
    this.addSql(`alter table orders
      add constraint orders_sales_contact_id_foreign foreign key (sales_contact_id) references contact (id),
      add constraint orders_foreman_contact_id_foreign foreign key (foreman_contact_id) references contact (id),
      add constraint orders_supervisor_contact_id_foreign foreign key (supervisor_contact_id) references contact (id),
      add constraint orders_collaborator_contact_id_foreign foreign key (collaborator_contact_id) references contact (id),
      add constraint orders_customer_rate_id_foreign foreign key (customer_rate_id) references rate (id),
      add constraint orders_vendor_rate_id_foreign foreign key (vendor_rate_id) references rate (id),
      add constraint orders_driver_rate_id_foreign foreign key (driver_rate_id) references rate (id),
      add constraint orders_service_id_foreign foreign key (service_id) references service (id),
      add constraint orders_service_class_id_foreign foreign key (service_class_id) references service_class (id),
      add constraint orders_department_id_foreign foreign key (department_id) references department (id),
      add constraint orders_requester_id_foreign foreign key (requester_id) references app_user (id),
      add constraint orders_company_id_foreign foreign key (company_id) references company (id),
      add constraint orders_account_id_foreign foreign key (account_id) references account (id),
      add constraint orders_project_id_foreign foreign key (project_id) references project (id),
      add constraint orders_material_id_foreign foreign key (material_id) references material (id),
      add constraint orders_equipment_id_foreign foreign key (equipment_id) references equipment (id),
      add constraint orders_equipment_type_id_foreign foreign key (equipment_type_id) references equipment_type (id),
      add constraint orders_dispatch_number_id_foreign foreign key (dispatch_number_id) references dispatch_number (id),
      add constraint orders_driver_id_foreign foreign key (driver_id) references app_user (id),
      add constraint orders_vendor_id_foreign foreign key (vendor_id) references account (id),
      add constraint orders_material_rate_site_id_foreign foreign key (material_rate_site_id) references site (id)`);
    this.addSql(`alter table waypoint
      add constraint waypoint_site_id_foreign foreign key (site_id) references site (id),
      add constraint waypoint_contact_id_foreign foreign key (contact_id) references contact (id)`);
    this.addSql(`alter table job
      add constraint job_sales_contact_id_foreign foreign key (sales_contact_id) references contact (id),
      add constraint job_foreman_contact_id_foreign foreign key (foreman_contact_id) references contact (id),
      add constraint job_supervisor_contact_id_foreign foreign key (supervisor_contact_id) references contact (id),
      add constraint job_collaborator_contact_id_foreign foreign key (collaborator_contact_id) references contact (id),
      add constraint job_customer_rate_id_foreign foreign key (customer_rate_id) references rate (id),
      add constraint job_vendor_rate_id_foreign foreign key (vendor_rate_id) references rate (id),
      add constraint job_driver_rate_id_foreign foreign key (driver_rate_id) references rate (id),
      add constraint job_company_id_foreign foreign key (company_id) references company (id),
      add constraint job_order_id_foreign foreign key (order_id) references orders (id),
      add constraint job_project_id_foreign foreign key (project_id) references project (id),
      add constraint job_service_id_foreign foreign key (service_id) references service (id),
      add constraint job_service_class_id_foreign foreign key (service_class_id) references service_class (id),
      add constraint job_material_id_foreign foreign key (material_id) references material (id),
      add constraint job_equipment_id_foreign foreign key (equipment_id) references equipment (id),
      add constraint job_driver_id_foreign foreign key (driver_id) references app_user (id),
      add constraint job_phase_id_foreign foreign key (phase_id) references phase (id),
      add constraint job_material_rate_site_id_foreign foreign key (material_rate_site_id) references site (id)`);
    this.addSql(`alter table job_assignment
      add constraint job_assignment_job_id_foreign foreign key (job_id) references job (id),
      add constraint job_assignment_customer_account_id_foreign foreign key (customer_account_id) references account (id),
      add constraint job_assignment_vendor_account_id_foreign foreign key (vendor_account_id) references account (id),
      add constraint job_assignment_rate_id_foreign foreign key (rate_id) references rate (id)`);
    this.addSql(`alter table job_event
      add constraint job_event_job_id_foreign foreign key (job_id) references job (id)`);
    this.addSql(`alter table load
      add constraint load_company_id_foreign foreign key (company_id) references company (id),
      add constraint load_job_id_foreign foreign key (job_id) references job (id),
      add constraint load_material_id_foreign foreign key (material_id) references material (id),
      add constraint load_phase_id_foreign foreign key (phase_id) references phase (id),
      add constraint load_material_rate_site_id_foreign foreign key (material_rate_site_id) references site (id)`);

    this.addSql('create unique index dispatch_number_name_key on dispatch_number (company_id, name)');
    for (const table of ['project', 'orders', 'job', 'load']) {
      // The page of one company in the default order, newest first.
      this.addSql(`create index ${table}_page_idx on ${table} (company_id, created_at, id)`);
    }
    for (const table of ['project', 'orders']) {
      // Matching on import is by external id, case-sensitive, one record each (SPEC "Importer API").
      this.addSql(`create unique index ${table}_external_id_key on ${table} (company_id, external_id) where external_id is not null`);
      // Friendly numbers run per company.
      this.addSql(`create unique index ${table}_number_key on ${table} (company_id, number)`);
    }
    this.addSql('create index project_name_idx on project (company_id, lower(name))');
    this.addSql('create index project_account_idx on project (account_id)');
    // Date filters and the dispatch board go by start.
    this.addSql('create index orders_load_at_idx on orders (company_id, load_at, id)');
    this.addSql('create index job_start_idx on job (company_id, job_start_at, id)');
    this.addSql('create index orders_project_idx on orders (project_id) where project_id is not null');
    this.addSql('create index orders_dispatch_number_idx on orders (dispatch_number_id) where dispatch_number_id is not null');
    // Children in place order; also what keeps two writers from giving one number twice.
    this.addSql('create unique index job_number_key on job (order_id, number)');
    this.addSql('create unique index load_ordinality_key on load (job_id, ordinality)');
    this.addSql('create index load_order_idx on load (order_id, created_at, id)');
    this.addSql('create index job_driver_idx on job (driver_id, job_start_at) where driver_id is not null');
    this.addSql('create index phase_order_idx on phase (order_id) where order_id is not null');
    this.addSql('create index phase_project_idx on phase (project_id) where project_id is not null');
    this.addSql('create index project_material_project_idx on project_material (project_id)');
    this.addSql('create index waypoint_route_idx on waypoint (route_id, ordinality)');
    // Pickup and drop-off site filters.
    this.addSql('create index waypoint_site_idx on waypoint (site_id, type, route_id)');
    this.addSql('create index job_route_idx on job (route_id)');
    // A vendor's view of passed-on work.
    this.addSql('create unique index job_assignment_link_key on job_assignment (job_id, link)');
    this.addSql('create index job_assignment_vendor_idx on job_assignment (vendor_company_id, job_id) where vendor_company_id is not null');
    this.addSql('create index job_event_job_idx on job_event (job_id, occurred_at, id)');
  }
}
