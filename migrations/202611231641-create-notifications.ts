import { Migration } from '@mikro-orm/migrations';

/** Notifications of people, pushes to devices, and who does not want texts. */
export class CreateNotifications extends Migration {
  override up(): void {
    this.addSql(`
      alter table outgoing_message drop constraint outgoing_message_channel_check;
      alter table outgoing_message add constraint outgoing_message_channel_check check (channel in ('mail', 'sms', 'push'))`);

    this.addSql(`
      create table sms_consent (
        -- The SMS service's id of the text that said so: whoever sends it again changes nothing.
        message_id text primary key,
        created_at timestamptz(6) not null default clock_timestamp(),
        phone text not null,
        stopped boolean not null
      );
      -- What somebody said last.
      create index sms_consent_phone_idx on sms_consent (phone, created_at desc)`);

    this.addSql(`
      create table notification (
        id uuid not null,
        created_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        user_id uuid not null references app_user (id) on delete cascade,
        key text not null,
        kind text not null,
        job_id uuid references job (id) on delete cascade,
        -- When the first device or telephone had it.
        sent_at timestamptz(6),
        -- What it is about, such as the start of a job: nobody is notified of it twice, by whatever worker.
        primary key (user_id, key)
      );
      -- Messages name it.
      create index notification_id_idx on notification (id);
      -- The foreign key of a job that is deleted.
      create index notification_job_idx on notification (job_id);
      -- Those that are old enough to be deleted.
      create index notification_created_idx on notification (created_at)`);

    this.addSql(`
      create table notification_cursor (
        id integer primary key check (id = 1),
        -- The events up to this position were read.
        position bigint not null,
        -- Those up to this one are read when all transactions of its time are over: an event may be committed after a later one.
        horizon bigint not null,
        horizon_transaction xid8 not null
      );
      insert into notification_cursor select 1, coalesce(max(position), 0), coalesce(max(position), 0), pg_current_xact_id() from outbox_event`);

    this.addSql(`
      -- Jobs that begin soon, or began a short while ago, of all companies: a summary of pages, which a job that is driven does not change.
      create index job_start_pages_idx on job using brin (job_start_at) with (pages_per_range = 16, autosummarize = on)`);
  }
}
