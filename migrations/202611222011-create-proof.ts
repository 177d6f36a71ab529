import { Migration } from '@mikro-orm/migrations';

/** What proves that work was done: tickets, reviews, approvals, signatures; and archives of them. */
export class CreateProof extends Migration {
  override up(): void {
    this.addSql(`
      create table ticket (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null,

        ticket_number text,
        state text not null default 'new',
        source text not null default 'driver_app',
        version integer not null default 1,
        flagged boolean not null default false,
        quantity numeric(18,4),
        unit_of_measure text not null default 'Ton',
        service_date timestamptz(6),
        printed_at timestamptz(6),
        notes text,
        voided_at timestamptz(6),

        -- What it belongs to.
        load_id uuid references load (id),
        job_id uuid,
        order_id uuid,
        material_id uuid references material (id),
        account_id uuid references account (id),
        site_id uuid references site (id),
        equipment_id uuid references equipment (id),

        -- What the approval replaced on the load, so that voiding the ticket gives it back.
        replaced_quantity numeric(18,4),
        replaced_unit_of_measure text,

        -- The picture that was sent to us; image_url leads elsewhere.
        image_id uuid,
        image_name text,
        image_size integer,
        image_mime_type text,
        image_url text,

        -- Key, type and bytes of its preview; when it is due to be made (null when it was, or cannot be), and how often that was begun.
        preview_id uuid,
        preview_mime_type text,
        preview_size integer,
        preview_due_at timestamptz(6),
        preview_attempts integer not null default 0,

        -- What was read from the picture.
        ocr_processed boolean not null default false,
        ai_processed boolean not null default false,
        ocr_ticket_number text,
        ocr_ticket_number_confidence numeric(18,4),
        ocr_net_quantity_ton numeric(18,4),
        ocr_net_quantity_ton_confidence numeric(18,4),
        ocr_service_date timestamptz(6),
        ocr_service_date_raw_str text,

        -- What an import said.
        external_truck_id text,
        external_vendor_name text,
        external_material_material_name text,
        external_net_weight numeric(18,4),
        external_net_weight_unit text,
        external_ticket_number text,

        -- A ticket on a load repeats what the load says: its job, that job's order, the order's company, none of which ever changes. Checking the copies
        -- too was a third of what the keys of an imported ticket cost. So each is guarded where nothing nearer guards it: the job of a ticket without
        -- a load, the order of one without a job, the company of one without an order.
        loose_job_id uuid generated always as (case when load_id is null then job_id end) stored references job (id),
        loose_order_id uuid generated always as (case when job_id is null then order_id end) stored references orders (id),
        loose_company_id uuid generated always as (case when order_id is null then company_id end) stored references company (id),

        constraint ticket_load_of_job check (load_id is null or job_id is not null),
        constraint ticket_job_of_order check (job_id is null or order_id is not null)
      );
      -- A load shows its newest ticket; jobs count the tickets of their loads.
      create index ticket_load_idx on ticket (load_id, created_at) where load_id is not null;
      -- One active ticket of a number per company (SPEC).
      create unique index ticket_number_key on ticket (company_id, ticket_number) where ticket_number is not null and voided_at is null;
      -- One active ticket per load (DOMAIN 1.5), also when two imports run at once.
      create unique index ticket_active_load_key on ticket (load_id) where load_id is not null and voided_at is null;
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index ticket_company_idx on ticket (company_id, created_at, id);
      -- The tickets of an order, newest first.
      create index ticket_order_idx on ticket (order_id, created_at, id) where order_id is not null;
      -- The tickets of a job, newest first.
      create index ticket_job_idx on ticket (job_id, created_at, id) where job_id is not null;
      -- The sweeper of stored files asks whose bytes these are.
      create unique index ticket_image_key on ticket (image_id) where image_id is not null;
      -- What workers look for: a handful of rows, however many tickets there are.
      create index ticket_preview_due_idx on ticket (preview_due_at) where preview_due_at is not null;
      -- The sweeper of stored files asks whose bytes these are.
      create unique index ticket_preview_key on ticket (preview_id) where preview_id is not null;
      -- For the foreign key: jobs without work are deleted. Orders and companies never are.
      create index ticket_loose_job_idx on ticket (loose_job_id) where loose_job_id is not null;`);

    // What a language model said of the proof of a load.
    this.addSql(`
      create table ai_review (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        load_id uuid not null references load (id),
        status text not null,
        confidence numeric(18,4),
        summary text,
        reasoning text,
        issues text[] not null default '{}'
      );
      -- A load shows its newest review.
      create index ai_review_load_idx on ai_review (load_id, created_at);`);

    // Who approved or unapproved what (DOMAIN 1.4): a log that only grows.
    this.addSql(`
      create table approval_assignment (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        approvable_type text not null check (approvable_type in ('Job', 'Load', 'DriverDay')),
        approvable_id uuid not null,
        approval_action text not null check (approval_action in ('approve', 'unapprove')),
        approval_category text not null check (approval_category in ('field', 'billing')),
        approval_type text not null check (approval_type in ('driver', 'foreman', 'biller', 'company_admin', 'platform_admin')),
        approver_type text not null,
        approver_id uuid not null,
        external_approver_name text
      );
      -- The log of one record, newest first, and who approved it last.
      create index approval_assignment_record_idx on approval_assignment (approvable_id, created_at, id);`);

    // Who signed for a job, a load or a driver's day (src/proof/signatures).
    this.addSql(`
      create table signature (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),

        type text not null,
        signable_type text not null,
        signable_id uuid not null,
        job_id uuid references job (id) on delete cascade,
        driver_day_id uuid references driver_day (id),
        lat numeric(15,12),
        lon numeric(15,12),
        name text,
        phone text,
        signed_by_type text not null,
        signed_by_id uuid not null,
        signed_by_name text not null,

        image_id uuid not null,
        image_mime_type text not null,
        image_name text not null,
        image_size integer not null,

        constraint signature_of_one_check check (num_nonnulls(job_id, driver_day_id) = 1)
      );
      -- A record has one signature of a kind; its list reads the same index.
      create unique index signature_key on signature (signable_id, signable_type, type);
      -- The sweeper of stored files asks whose bytes these are.
      create unique index signature_image_key on signature (image_id);
      -- A job that is deleted takes its signatures with it.
      create index signature_job_idx on signature (job_id);`);

    // Files of many jobs in one archive, packed in the background and kept for a day (src/proof/downloads).
    this.addSql(`
      create table bulk_download (
        id uuid primary key,
        company_id uuid not null references company (id),
        created_at timestamptz(6) not null default now(),
        created_by_type text not null,
        created_by_id uuid not null,
        type text not null check (type in ('zip', 'pdf')),
        -- Of the last page of a PDF: the asker's.
        language text not null default 'en',
        state text not null default 'pending' check (state in ('pending', 'success', 'error')),
        file_count integer not null check (file_count >= 0),
        files jsonb not null,
        expires_at timestamptz(6) not null,
        file_id uuid,
        byte_size integer,
        attempts integer not null default 0,
        due_at timestamptz(6)
      );
      -- What workers look for: a handful of rows.
      create index bulk_download_due_idx on bulk_download (due_at) where due_at is not null;
      -- What has expired is removed, whosever it is.
      create index bulk_download_expires_idx on bulk_download (expires_at);
      -- How many somebody has open.
      create index bulk_download_open_idx on bulk_download (company_id, created_by_id) where due_at is not null;
      -- The sweeper of stored files asks whose bytes these are.
      create unique index bulk_download_file_key on bulk_download (file_id) where file_id is not null;`);
  }
}
