import { Migration } from '@mikro-orm/migrations';
import { BLANKS, SMALL, UNKNOWN } from '../src/platform/fold-letters.ts';
import { StartError } from '../src/platform/start-error.ts';

/** What knows no domain: how texts are compared, what commands write next to their entities, and what processes of one database share. */
export class CreatePlatform extends Migration {
  override async up(): Promise<void> {
    const [server] = await this.execute(`select current_setting('server_encoding') as encoding`);
    if (server!.encoding !== 'UTF8') throw new StartError(`The database is kept in ${server!.encoding}: make it with the encoding UTF8.`);

    // Distinguishes what is the same to a reader from what is not, whatever the locale of the database: `lower` would make an i of an İ, where
    // JavaScript does not. The same as `foldText`. Not strict, so that PostgreSQL writes it into the statement instead of calling it. What is
    // computed with it are kept columns, because below row-level security PostgreSQL may not ask an index of an expression that is not leakproof.
    this.addSql(`create function fold_text(text) returns text language sql immutable parallel safe return btrim(case
      when octet_length($1) = length($1) then lower($1 collate "C")
      when $1 ~ '${UNKNOWN}' collate "C" then ${small('$1')}
      else normalize(${small('normalize($1, NFD)')}, NFC) end, '${BLANKS}')`);

    // Searches also leave out accents. All three extensions are trusted: an owner who may create in the database may have them without being a
    // superuser. An owner who may not, and has nobody who made them before, searches without: accents count then, and there is no index.
    for (const extension of ['unaccent', 'pg_trgm', 'btree_gin'])
      this.addSql(
        `do $$ begin create extension if not exists ${extension}; exception when insufficient_privilege or undefined_file then null; end $$`,
      );
    // unaccent itself is only stable, because its dictionary could be changed; this one never is, and columns are computed with it.
    this.addSql(`do $$
      declare place text := (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'unaccent');
      begin
        execute 'create function fold(text) returns text language sql immutable strict parallel safe return lower('
          || coalesce(place || '.unaccent(' || quote_literal(place || '.unaccent') || '::regdictionary, $1)', '$1') || ')';
      end $$`);
    this.addSql(`create function search_pattern(text) returns text language sql immutable strict parallel safe
      return '%' || replace(replace(replace(fold($1), '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%'`);

    // Ends a session of the same login, whatever role it has taken.
    this.addSql(`create function end_session(pid integer) returns boolean language sql security definer set search_path = public, pg_temp as $$
      select pg_terminate_backend(a.pid, 2000) from pg_stat_activity a
      where a.pid = $1 and a.datname = current_database() and a.usename = session_user $$`);

    this.addSql(`
      create table outbox_event (
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
      );
      -- Whoever reads on continues after the last position it has read.
      create unique index outbox_event_position_key on outbox_event (position);`);

    this.addSql(`
      create table audit_entry (
        id uuid not null,
        company_id uuid not null,
        subject_type text not null,
        subject_id uuid not null,
        event text not null,
        object_changes jsonb not null default '{}',
        created_by_type text not null,
        created_by_id uuid,
        created_by_name text not null,
        -- Who really acted, a person or a machine client, when somebody acted as another.
        real_actor_type text,
        real_actor_id uuid,
        real_actor_name text,
        -- What an import changed is distinguished from what its sender changed by hand.
        imported_record_id uuid,
        request_id text not null,
        created_at timestamptz(6) not null default now(),

        primary key (id, created_at)
      ) partition by range (created_at);
      -- What was changed of one record: its history, the time line of a job, and what people edited after an import.
      create index audit_entry_subject_idx on audit_entry (company_id, subject_type, subject_id, created_at, id);
      -- A company's log, newest first, and its export.
      create index audit_entry_company_idx on audit_entry (company_id, created_at, id);
      -- What one person did. Imports write as machine clients and pay nothing for it; a client's rows are most of its company's anyway.
      create index audit_entry_person_idx on audit_entry (company_id, created_by_id, created_at, id) where created_by_type = 'User';`);

    this.addSql(`
      create table transition (
        id uuid not null,
        company_id uuid not null,
        subject_type text not null,
        subject_id uuid not null,
        event text not null,
        from_state text not null,
        to_state text not null,
        created_by_type text not null,
        created_by_id uuid,
        created_by_name text not null,
        request_id text not null,
        created_at timestamptz(6) not null default now(),

        primary key (id, created_at)
      ) partition by range (created_at);
      -- The states that one record went through.
      create index transition_subject_idx on transition (company_id, subject_type, subject_id, created_at, id);`);

    // Append-only and growing: partitions by year. The default one catches what a forgotten year would lose.
    for (const table of ['audit_entry', 'transition']) {
      for (let year = 2026; year < 2032; year++)
        this.addSql(`create table ${table}_${year} partition of ${table}
          for values from ('${year}-01-01T00:00:00Z') to ('${year + 1}-01-01T00:00:00Z')`);
      this.addSql(`create table ${table}_default partition of ${table} default`);
    }
    // Nothing asks audit entries by what changed, and to sort 30,000 of these documents, member by member, was more than half of what an analyze
    // took: a third of a second of processor time next to every busy minute.
    this.addSql('alter table audit_entry alter column object_changes set statistics 0');

    // One row per `Idempotency-Key` of a client in a company (src/platform/http/rest/idempotency.ts).
    this.addSql(`
      create table idempotency_key (
        company_id uuid not null,
        principal text not null,
        key text not null,
        request_hash text not null,
        token uuid not null,
        state text not null default 'running' check (state in ('running', 'done')),
        results jsonb not null default '[]',
        lease_until timestamptz(6) not null,
        status integer,
        headers jsonb,
        body text,
        created_at timestamptz(6) not null default now(),
        expires_at timestamptz(6) not null,

        primary key (company_id, principal, key)
      );
      -- The sweeper looks for what has expired.
      create index idempotency_key_expires_idx on idempotency_key (expires_at);`);

    // Counters that the processes of one database share (src/platform/http/rate-limits.ts), in the shape of rate-limiter-flexible. Unlogged: after
    // a crash everybody starts anew, which costs nothing, and a counter is not worth a write to the log.
    this.addSql(`
      create unlogged table rate_limit (
        key varchar(255) primary key,
        points integer not null default 0,
        expire bigint
      );
      -- The sweep of what has expired.
      create index rate_limit_expire_idx on rate_limit (expire);`);

    // E-mails and texts that are yet to be sent (src/platform/outgoing).
    this.addSql(`
      create table outgoing_message (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        channel text not null check (channel in ('mail', 'sms')),
        kind text not null,
        recipient text not null,
        language text not null,
        params jsonb not null default '{}',
        request_id text not null,
        attempts integer not null default 0,
        next_at timestamptz(6) not null default now(),
        give_up_at timestamptz(6) not null,
        last_error text
      );
      -- What is due, soonest first.
      create index outgoing_message_due_idx on outgoing_message (next_at);`);
  }
}

const small = (text: string) => `translate(${text}, '${[...SMALL.keys()].join('')}', '${[...SMALL.values()].join('')}')`;
