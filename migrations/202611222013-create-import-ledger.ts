import { Migration } from '@mikro-orm/migrations';

/**
 * The import ledger (src/ingest). Four tables, because they are written differently:
 *
 * - `imported_record` is what a sender reads: wide, inserted once, updated once per attempt, kept for years.
 * - `import_task` is the open work: one narrow row per open record. Claiming, leasing and looking for open neighbours of a key
 *   rewrite some 120 bytes instead of the payload, and all its indexes stay as small as the backlog.
 * - `import_key` remembers the payload last applied to a key. It outlives dropped partitions, and its row is the key's lock.
 * - `import_batch` is one accepted request: who sent it and when.
 */
export class CreateImportLedger extends Migration {
  override up(): void {
    this.addSql('create sequence import_sequence');

    this.addSql(`
      create table import_batch (
        id uuid primary key,
        company_id uuid not null,
        kind text not null,
        record_count integer not null,
        -- What the sender says of the whole request.
        metadata json,
        received_at timestamptz(6) not null default now(),
        request_id text not null,
        created_by_type text not null,
        created_by_id uuid not null,
        created_by_name text not null,

        -- Payloads are processed long after they were sent: what their sender may do is kept with the request.
        may_edit boolean not null default true,
        -- The sites that the sender is limited to. Machine clients have no limits.
        site_ids uuid[],
        own_only boolean not null default false,
        -- Rates that the sender may not see, and therefore not overwrite. Null for none.
        unseen_rates text[],
        -- Permissions for nested records that the sender lacks. Null for none.
        lacking text[]
      );
      -- The sender's view: the newest batches of a company.
      create index import_batch_company_idx on import_batch (company_id, received_at desc, id);`);

    // Partitions by time through the time inside the UUID v7, not through a timestamp column: so the primary key stays the id alone, and a lookup by
    // id, which is all the ledger ever does here, reads one partition.
    this.addSql(`
      create table imported_record (
        id uuid primary key,
        company_id uuid not null,
        kind text not null,
        imported_for text,
        import_received_at timestamptz(6) not null default now(),
        batch_id uuid not null,
        batch_index integer not null,
        sequence bigint not null,
        resubmitted_from uuid,
        state text not null,
        payload json not null,
        payload_hash bytea not null,
        metadata json,
        attempts integer not null default 0,
        next_attempt_at timestamptz(6),
        processed_at timestamptz(6),
        last_error text,
        warnings json not null default '[]',
        result_id uuid
      ) partition by range (id);
      -- Reports, API Integrations: newest first, by keyset.
      create index imported_record_newest_idx on imported_record (company_id, import_received_at desc, id desc);
      -- What became of external id X: a sender's first question.
      create index imported_record_key_idx on imported_record (company_id, kind, imported_for, sequence);
      -- The receipt of one batch.
      create index imported_record_batch_idx on imported_record (batch_id, batch_index);`);

    // Each record and each key is written once more in its life, when its outcome is known: pages that are filled in part keep that second version
    // next to the first, and no index is touched (HOT: no index names a column that changes after the insert).
    for (let year = 2026; year < 2032; year++)
      this.addSql(`create table imported_record_${year} partition of imported_record
        for values from ('${firstIdOf(year)}') to ('${firstIdOf(year + 1)}') with (fillfactor = 45)`);
    this.addSql('create table imported_record_default partition of imported_record default with (fillfactor = 45)');

    // No foreign keys: both rows are written by one statement, and a check per row is a fifth of the cost of admission.
    this.addSql(`
      create table import_task (
        id uuid primary key,
        company_id uuid not null,
        kind text not null,
        imported_for text,
        sequence bigint not null,
        -- The fencing token that keeps a lost worker out, so that it only ever grows; tries_from is where the present series of tries
        -- began.
        attempts integer not null default 0,
        tries_from integer not null default 0,
        lost_claims integer not null default 0,
        next_attempt_at timestamptz(6) not null default now(),
        lease_until timestamptz(6)
      ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
      -- Claim: the lanes (company, kind) by a loose index scan, and the due rows of each in order.
      create index import_task_due_idx on import_task (company_id, kind, next_attempt_at, sequence) where lease_until is null;
      -- Order per key: is there an older or newer open row? Also the backlog of a company, counted by an index-only scan.
      create index import_task_key_idx on import_task (company_id, kind, imported_for, sequence);
      -- The sweeper looks for leases that ran out.
      create index import_task_lease_idx on import_task (lease_until) where lease_until is not null;`);

    // A key is twice as long once it says what was applied to it, so its pages are left emptier still.
    this.addSql(`
      create table import_key (
        company_id uuid not null,
        kind text not null,
        imported_for text not null,
        applied_hash bytea,
        applied_sequence bigint,
        applied_at timestamptz(6),
        result_id uuid,

        primary key (company_id, kind, imported_for)
      ) with (fillfactor = 30);`);
  }
}

/** The smallest UUID v7 of a year: 48 bits of milliseconds, then zeros. */
function firstIdOf(year: number): string {
  const milliseconds = Date.UTC(year, 0, 1).toString(16).padStart(12, '0');
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-0000-0000-000000000000`;
}
