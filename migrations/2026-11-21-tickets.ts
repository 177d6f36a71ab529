import { Migration } from '@mikro-orm/migrations';

/** The whole ticket, and the names vendors call their trucks by. */
export class Tickets extends Migration {
  override up(): void {
    this.addSql(`alter table ticket
      add column state text not null default 'new',
      add column source text not null default 'driver_app',
      add column quantity numeric(18,4),
      add column unit_of_measure text not null default 'Ton',
      add column flagged boolean not null default false,
      add column service_date timestamptz(6),
      add column printed_at timestamptz(6),
      add column order_id uuid references orders (id),
      add column job_id uuid references job (id),
      add column material_id uuid references material (id),
      add column account_id uuid references account (id),
      add column site_id uuid references site (id),
      add column equipment_id uuid references equipment (id),
      add column notes text,
      add column image_url text,
      add column image_mime_type text,
      add column preview_mime_type text,
      add column ocr_ticket_number text,
      add column ocr_ticket_number_confidence numeric(18,4),
      add column ocr_net_quantity_ton numeric(18,4),
      add column ocr_net_quantity_ton_confidence numeric(18,4),
      add column ocr_service_date timestamptz(6),
      add column ocr_service_date_raw_str text,
      add column ocr_processed boolean not null default false,
      add column ai_processed boolean not null default false,
      add column external_truck_id text,
      add column external_vendor_name text,
      add column external_material_material_name text,
      add column external_net_weight numeric(18,4),
      add column external_net_weight_unit text,
      add column external_ticket_number text,
      add column version integer not null default 1`);
    this.addSql('update ticket t set order_id = l.order_id, job_id = l.job_id from load l where l.id = t.load_id');
    this.addSql(`update ticket set load_id = null where voided_at is not null`);
    this.addSql(
      `update ticket set state = case when voided_at is not null then 'voided' when job_id is not null then 'pending' else 'new' end`,
    );
    // One active ticket per load (DOMAIN 1.5): also when two imports run at once.
    this.addSql(`create unique index ticket_active_load_key on ticket (load_id) where load_id is not null and voided_at is null`);
    // Lists of a company, an order, a job: newest first.
    this.addSql('create index ticket_company_idx on ticket (company_id, created_at, id)');
    this.addSql('create index ticket_order_idx on ticket (order_id, created_at, id) where order_id is not null');
    this.addSql('create index ticket_job_idx on ticket (job_id, created_at, id) where job_id is not null');
    this.addSql(`create table account_external_truck_identifier (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      account_id uuid not null references account (id),
      equipment_id uuid not null references equipment (id),
      external_truck_id text not null
    )`);
    // A vendor calls one truck by a name; a ticket's truck is looked up by it.
    this.addSql(
      'create unique index account_external_truck_identifier_key on account_external_truck_identifier (company_id, external_truck_id, account_id)',
    );
    // Tickets look for their truck by the id on its door.
    this.addSql(
      'create index if not exists equipment_external_id_idx on equipment (company_id, external_id) where external_id is not null',
    );
  }
}
