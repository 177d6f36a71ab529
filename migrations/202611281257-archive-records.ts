import { Migration } from '@mikro-orm/migrations';

/**
 * What is archived and where (src/archives), partitions that the product makes ahead of time, and what has to stay of the audit log when its entries
 * have left.
 */
export class ArchiveRecords extends Migration {
  override up(): void {
    this.addSql(`
      alter table company_settings
        add column archive_positions boolean not null default false,
        add column audit_retention_years integer not null default 0 check (audit_retention_years between 0 and 30),
        add column import_retention_years integer not null default 0 check (import_retention_years between 0 and 30);`);
    this.addSql(`
      -- One file of the storage: the rows that a company had in a table in a month.
      create table archive_piece (
        id uuid primary key default gen_random_uuid(),
        created_at timestamptz(6) not null default now(),
        -- Null for events of the outbox, whose file has those of all companies.
        company_id uuid references company (id) on delete cascade,
        table_name text not null,
        -- The first day of the month, in UTC.
        period date not null,
        -- Rows of a month that come after its file has been made get another one.
        part integer not null,
        state text not null check (state in ('writing', 'verified', 'removed')),
        key text not null,
        -- A file that is to be removed: what a process has left that died, or what is written anew without somebody who is forgotten.
        stale_key text,
        -- When its rows began to be read.
        begun_at timestamptz(6) not null default now(),
        row_count bigint,
        bytes bigint,
        sha256 text,
        -- The sum of the hashes of its rows, by which PostgreSQL recognizes a partition of which every row is in a file.
        checksum numeric,
        -- Whoever is its writer writes the file or removes its rows, for as long as the lease lasts.
        writer uuid not null,
        lease_until timestamptz(6),
        verified_at timestamptz(6),
        removed_at timestamptz(6),
        check (state = 'writing' or (row_count is not null and sha256 is not null and checksum is not null)),
        -- Also what has left of a company, and since when.
        constraint archive_piece_part_key unique nulls not distinct (company_id, table_name, period, part)
      );
      -- Files whose rows have not left yet.
      create index archive_piece_open_idx on archive_piece (table_name, period) where state <> 'removed';

      -- Entries of the audit log that something else relies on, however old: what people changed by hand, which imports keep, and what was deleted.
      create table audit_kept (
        id uuid primary key,
        company_id uuid not null references company (id) on delete cascade,
        subject_type text not null,
        subject_id uuid not null,
        event text not null,
        object_changes jsonb not null,
        created_at timestamptz(6) not null
      );
      -- What people changed on one record.
      create index audit_kept_subject_idx on audit_kept (company_id, subject_type, subject_id, created_at, id);`);

    // As for positions: a partition is made by itself and then attached, because one that is made in place locks out who writes. Tables with a default
    // partition are held while it is looked through, which is empty: they wait for no one for long, and the next round tries again.
    this.addSql(`
      create function keep_part(p_table text, p_at timestamptz) returns boolean
        language plpgsql security definer set search_path = public, pg_temp as $$
        declare
          monthly boolean := p_table = 'location_history';
          first timestamp := date_trunc(case when monthly then 'month' else 'year' end, p_at at time zone 'UTC');
          bounds text[];
          part text := p_table || '_' || to_char(first, case when monthly then 'YYYY_MM' else 'YYYY' end);
        begin
          if p_table not in ('location_history', 'audit_entry', 'transition', 'imported_record') then
            raise exception '% has no partitions', p_table;
          end if;
          -- The limits keep a wrong clock from making tables for all of time.
          if p_at < now() - (case when monthly then interval '1826 days' else interval '12 years' end)
            or p_at > now() + (case when monthly then interval '62 days' else interval '800 days' end) then return false; end if;
          if to_regclass(part) is not null then return true; end if;
          perform pg_advisory_xact_lock(hashtext('haulgate:' || part));
          if to_regclass(part) is not null then return true; end if;
          if not monthly then perform set_config('lock_timeout', '2s', true); end if;
          bounds := array(
            select case when p_table = 'imported_record'
              -- The smallest UUID of version 7 of that moment: 48 bits of milliseconds, then zeros.
              then overlay(lpad(to_hex((extract(epoch from at at time zone 'UTC') * 1000)::bigint), 12, '0') placing '-' from 9 for 0) || '-0000-0000-000000000000'
              else to_char(at, 'YYYY-MM-DD') || 'T00:00:00Z' end
            from unnest(array[first, first + case when monthly then interval '1 month' else interval '1 year' end]) with ordinality as bound (at, n) order by n);
          execute format('create table %I (like %I including defaults including generated including constraints)%s', part, p_table,
            case when p_table = 'imported_record' then ' with (fillfactor = 45)' else '' end);
          if p_table = 'audit_entry' then execute format('alter table %I alter column object_changes set statistics 0', part); end if;
          -- Nobody reads a partition except through its table. The next start writes the policies that every table has.
          execute format('alter table %I enable row level security, force row level security', part);
          execute format('create policy tenant_isolation on %I using (false) with check (false)', part);
          execute format('create policy owner on %I to current_user using (true) with check (true)', part);
          execute format('alter table %I attach partition %I for values from (%L) to (%L)', p_table, part, bounds[1], bounds[2]);
          return true;
        end $$`);

    // A row as a line of a file: the same in every session, whatever it is set to. Its own line breaks are between values of JSON, where they mean nothing.
    this.addSql(`
      create function archive_line(r record) returns text
        language plpgsql stable set timezone = 'UTC' set bytea_output = 'hex' set extra_float_digits = 1 as $$
        begin return translate(row_to_json(r)::text, E'\\n\\r', '  '); end $$`);

    // The application owns no tables. What this drops it has compared itself, row by row, with what the files have.
    this.addSql(`
      create function drop_archived_part(p_table text, p_part text) returns boolean
        language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
        declare
          first date;
          next date;
          at text := case p_table when 'location_history' then 'occurred_at' when 'audit_entry' then 'created_at' when 'imported_record' then 'import_received_at' end;
          differs boolean;
        begin
          if at is null then raise exception '% is not archived', p_table; end if;
          if p_part !~ ('^' || p_table || '_[0-9]{4}(_[0-9]{2}|)$') then raise exception '% is no partition of %', p_part, p_table; end if;
          -- Another process may have been faster.
          if not exists (select from pg_inherits where inhparent = p_table::regclass and inhrelid = to_regclass(p_part)) then return false; end if;
          first := to_date(substr(p_part, length(p_table) + 2) || case when p_part ~ '_[0-9]{2}$' then '' else '_01' end, 'YYYY_MM');
          next := first + case when p_part ~ '_[0-9]{2}$' then interval '1 month' else interval '1 year' end;
          if next > now() - interval '30 days' then raise exception '% is too young', p_part; end if;
          -- Whoever reads or writes the table waits behind this, so it does not wait for them for long. The next round tries again.
          perform set_config('lock_timeout', '1s', true);
          execute format('lock table %I in share mode', p_part);
          execute format($compare$
            select exists (
              select from (select t.company_id, date_trunc('month', t.%I)::date as period, count(*) as n,
                  sum(hashtextextended(archive_line(t), 0)::numeric) as s
                from %I t where $1 <> 'location_history' or exists (select from company_settings c where c.company_id = t.company_id and c.archive_positions)
                group by 1, 2) here
              full join (select company_id, period, sum(row_count) as n, sum(checksum) as s from archive_piece
                where table_name = $1 and state = 'verified' and period >= $2 and period < $3 group by 1, 2) there using (company_id, period)
              where here.n is distinct from there.n or here.s is distinct from there.s)$compare$, at, p_part)
            into differs using p_table, first, next;
          if differs then return false; end if;
          if p_table = 'audit_entry' then
            execute format('insert into audit_kept select id, company_id, subject_type, subject_id, event, object_changes, created_at from %I t
              where is_kept_entry(t.event, t.subject_type, t.created_by_type, t.imported_record_id) on conflict do nothing', p_part);
          end if;
          execute format('drop table %I', p_part);
          update archive_piece set state = 'removed', removed_at = now(), lease_until = null
            where table_name = p_table and state = 'verified' and period >= first and period < next;
          return true;
        end $$`);
    this.addSql(`
      -- Whether something relies on an entry of the audit log beyond its time (audit_kept).
      create function is_kept_entry(p_event text, p_subject_type text, p_created_by_type text, p_imported_record_id uuid) returns boolean
        language sql immutable parallel safe as $$
          select p_event = 'destroy'
            or (p_event = 'update' and p_created_by_type = 'User' and p_imported_record_id is null and p_subject_type in ('Order', 'Project')) $$`);
  }
}
