import { Migration } from '@mikro-orm/migrations';

/** Settlements are sent to accounting systems. */
export class ExportSettlements extends Migration {
  override up(): void {
    this.addSql(`
      alter table settlement add column export_state text not null default 'not_exported';

      create table settlement_export (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        settlement_id uuid not null references settlement (id),
        linked_account_id uuid not null references linked_account (id),
        state text not null,
        integration_invoice_id text,
        exported_at timestamptz(6),
        last_error text,
        revision integer not null default 0,
        sent_hash text,
        -- The lease of the worker, too; null when nothing is to be sent.
        next_at timestamptz(6),
        attempts integer not null default 0,
        exported_by_type text not null,
        exported_by_id uuid,
        exported_by_name text,
        real_actor_type text,
        real_actor_id uuid,
        real_actor_name text
      );
      -- A settlement has one export.
      create unique index settlement_export_key on settlement_export (settlement_id);
      -- The worker claims those that have waited longest.
      create index settlement_export_due_idx on settlement_export (next_at) where next_at is not null;
      -- What failed is sent again when something of its system is mapped.
      create index settlement_export_failed_idx on settlement_export (linked_account_id) where state = 'failed'`);
  }
}
