import { Migration } from '@mikro-orm/migrations';

/** Lists that are exported again and again, and each of their due times (src/reporting/exports). */
export class ScheduleExports extends Migration {
  override up(): void {
    const record = `
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),`;
    this.addSql(`
      create table export_schedule (${record}
        company_id uuid not null constraint export_schedule_company_id_foreign references company (id),
        name text not null,
        list text not null,
        query text not null,
        format text not null,
        frequency text not null,
        weekday integer check (weekday between 1 and 7),
        local_time text not null,
        recipients text[] not null default '{}',
        -- The storage of the company; its secret key is in a table of its own.
        storage jsonb,
        -- Whose permissions it has, and which they were.
        created_by_type text not null,
        created_by_id uuid not null,
        created_by_name text not null,
        grants text[] not null default '{}',
        language text not null,
        due_at timestamptz(6),
        ended_at timestamptz(6),
        end_reason text,
        discarded_at timestamptz(6),

        check ((frequency = 'weekly') = (weekday is not null))
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index export_schedule_page_idx on export_schedule (company_id, created_at, id);
      -- What the worker looks for: what is due.
      create index export_schedule_due_idx on export_schedule (due_at) where due_at is not null;

      create table export_secret (
        export_schedule_id uuid primary key references export_schedule (id) on delete cascade,
        sealed text not null
      );

      create table export_run (${record}
        company_id uuid not null constraint export_run_company_id_foreign references company (id),
        export_schedule_id uuid not null constraint export_run_export_schedule_id_foreign references export_schedule (id),
        due_at timestamptz(6) not null,
        state text not null default 'pending',
        record_count integer,
        byte_size integer,
        error text,
        finished_at timestamptz(6),
        file_id uuid,
        file_name text,
        next_at timestamptz(6),
        attempts integer not null default 0
      );
      -- A due time has one run, whoever plans it; also the runs of a schedule.
      create unique index export_run_due_key on export_run (export_schedule_id, due_at);
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index export_run_page_idx on export_run (company_id, created_at, id);
      -- What the worker looks for: a handful of rows.
      create index export_run_next_idx on export_run (next_at) where next_at is not null;
      -- The sweeper of files asks whose bytes these are.
      create index export_run_file_idx on export_run (file_id) where file_id is not null;
      -- What is forgotten.
      create index export_run_finished_idx on export_run (finished_at) where finished_at is not null;

      -- The feed has the changes of schedules, and not when they are due next.
      select watch_changes('export_schedule', '''ExportSchedule''', '(values (r.id))', 'r.company_id', null, true, '{due_at}');`);
  }
}
