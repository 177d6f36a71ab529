import { Migration } from '@mikro-orm/migrations';

/** Reminders of tickets that are missing, and the links by which drivers send their pictures. */
export class ChaseMissingTickets extends Migration {
  override up(): void {
    this.addSql(`
      create table ticket_chase (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint ticket_chase_company_id_foreign references company (id),
        job_id uuid not null constraint ticket_chase_job_id_foreign references job (id) on delete cascade,
        load_ids uuid[] not null default '{}',
        state text not null default 'open' check (state in ('open', 'answered', 'waived', 'given_up', 'stopped')),
        closed_at timestamptz(6),
        reason text
      );
      -- A job is chased once at a time, whoever notices first.
      create unique index ticket_chase_open_key on ticket_chase (job_id) where state = 'open';
      -- The chases of a job: which of its loads were waived or given up, and its foreign key.
      create index ticket_chase_job_idx on ticket_chase (job_id)`);

    this.addSql(`
      create table ticket_chase_reminder (
        chase_id uuid not null references ticket_chase (id) on delete cascade,
        number integer not null check (number between 1 and 4),
        company_id uuid not null references company (id),
        sent_at timestamptz(6) not null,
        -- Each reminder is written once, and there are four: no crash and no second worker sends another one.
        primary key (chase_id, number)
      )`);

    this.addSql(`
      create table ticket_chase_task (
        -- Of the job.
        id uuid primary key references job (id) on delete cascade,
        company_id uuid not null references company (id),
        due_at timestamptz(6) not null,
        attempts integer not null default 0
      );
      -- What the worker looks for.
      create index ticket_chase_task_due_idx on ticket_chase_task (due_at)`);

    this.addSql(`
      create table photo_link (
        -- SHA-256 of 256 random bits, which only the text had.
        token_hash bytea primary key,
        company_id uuid not null references company (id),
        chase_id uuid not null references ticket_chase (id) on delete cascade,
        -- Who got it: a job that is given to somebody else closes it.
        driver_id uuid not null references app_user (id) on delete cascade,
        created_at timestamptz(6) not null default now(),
        expires_at timestamptz(6) not null,
        photos integer not null default 0 check (photos between 0 and 10),
        attempts integer not null default 0
      );
      -- For the foreign key: jobs are deleted, and their chases with them.
      create index photo_link_chase_idx on photo_link (chase_id);
      -- What the sweeper deletes.
      create index photo_link_expires_idx on photo_link (expires_at)`);
  }
}
