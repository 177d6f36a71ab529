import { Migration } from '@mikro-orm/migrations';

/** What commands write beside their entities: outbox, audit, transitions (src/platform/commands). */
export class CommandRecords extends Migration {
  override up(): void {
    this.addSql(`create table outbox_event (
      id uuid primary key,
      position bigint generated always as identity,
      transaction_id xid8 not null default pg_current_xact_id(),
      company_id uuid not null,
      name text not null,
      subject_type text not null,
      subject_id uuid not null,
      payload jsonb not null default '{}',
      created_by_type text not null,
      created_by_id uuid,
      created_by_name text not null,
      request_id text not null,
      created_at timestamptz(6) not null default now()
    )`);
    this.addSql('create unique index outbox_event_position_key on outbox_event (position)');
    this.addSql('create index outbox_event_subject_idx on outbox_event (company_id, subject_type, subject_id, position)');

    // Append-only and growing: partitions by year. The default one catches what a forgotten year would lose.
    for (const table of ['audit_entry', 'transition']) {
      const own =
        table === 'audit_entry' ? "object_changes jsonb not null default '{}'" : 'from_state text not null, to_state text not null';
      this.addSql(`create table ${table} (
        id uuid not null,
        company_id uuid not null,
        subject_type text not null,
        subject_id uuid not null,
        event text not null,
        ${own},
        created_by_type text not null,
        created_by_id uuid,
        created_by_name text not null,
        request_id text not null,
        created_at timestamptz(6) not null default now(),
        primary key (id, created_at)
      ) partition by range (created_at)`);
      for (let year = 2026; year < 2032; year++) {
        this.addSql(`create table ${table}_${year} partition of ${table}
          for values from ('${year}-01-01T00:00:00Z') to ('${year + 1}-01-01T00:00:00Z')`);
      }
      this.addSql(`create table ${table}_default partition of ${table} default`);
      this.addSql(`create index ${table}_subject_idx on ${table} (company_id, subject_type, subject_id, created_at, id)`);
    }
  }
}
